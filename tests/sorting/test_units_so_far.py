"""Units between rounds of matching: how many spikes each has, where it is largest, and how it looks."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from ncpgui.core.so_far import SpikesSoFar
from ncpgui.sorting.moving_templates import MovingBank
from ncpgui.sorting.units_so_far import N_SHOWN, UnitsSoFar, units_so_far
from tests.sorting.planted import SQUARE

TROUGH = 4
PRE = SimpleNamespace(
    probe=SQUARE,
    good_channels=np.array([0, 2, 3]),
    unwhitened=lambda waves: 2 * np.insert(waves, 1, 0, axis=2),  # contact 1 is bad
)


def bank(*heights: list[float]) -> MovingBank:
    """Templates (T = 10) of these heights on the three good contacts; seldom, the tissue is elsewhere."""
    waves = np.zeros((2, len(heights), 10, 3), np.float32)
    for unit, row in enumerate(heights):
        waves[1, unit, TROUGH] = -np.array(row)
    return MovingBank(waves, TROUGH, np.array([0.2, 0.8]))


def found(unit: list[int], *heights: list[float]) -> UnitsSoFar:
    return units_so_far(PRE, bank(*heights), np.array(unit, np.int64), round=1, n_rounds=3)  # type: ignore[arg-type]


def test_units_with_most_spikes_are_shown_first_where_they_are_largest() -> None:
    one = found([0, 1, 1, 2, 2, -1, 2], [5, 1, 1], [1, 7, 1], [1, 2, 9])
    assert one.n_spikes.tolist() == [1, 2, 3]
    assert one.contact.tolist() == [0, 2, 3]
    assert one.shown.tolist() == [2, 1, 0]
    assert one.waveforms[:, TROUGH].tolist() == [-18, -14, -10]
    assert (one.n_units, one.round, one.n_rounds) == (3, 1, 3)


def test_a_unit_without_spikes_counts_and_of_equal_ones_the_first_comes_first() -> None:
    one = found([1], [5, 1, 1], [1, 7, 1], [1, 2, 9])
    assert one.n_spikes.tolist() == [0, 1, 0]
    assert one.shown.tolist() == [1, 0, 2]


def test_sixty_units_are_shown_at_most() -> None:
    assert N_SHOWN == 60
    one = found([61], *[[5.0, 1, 1]] * 62)
    assert (one.n_units, len(one.shown), len(one.waveforms)) == (62, 60, 60)
    assert one.shown[0] == 61


def test_without_units_there_is_nothing_to_show() -> None:
    one = found([])
    assert (one.n_units, one.shown.tolist(), len(one.waveforms)) == (0, [], 0)


def test_rates_are_spikes_over_the_seconds_that_were_looked_at() -> None:
    counts = np.array([[4, 0], [2, 6]])
    assert SpikesSoFar(SQUARE, 2.0, 10.0, counts).rate_hz.tolist() == [3, 3]
    assert SpikesSoFar(SQUARE, 0.0, 10.0, 0 * counts).rate_hz.tolist() == [0, 0]
