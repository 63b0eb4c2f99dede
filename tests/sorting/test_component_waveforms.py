"""What is read of components: waveforms of the spikes that were drawn, coordinates of all."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from ncpgui.sorting import cleaned_waveforms
from ncpgui.sorting.component_waveforms import bytes_of, read_spikes
from ncpgui.sorting.components import ComponentDraw
from ncpgui.sorting.config import SortingConfig

LINE = SortingConfig(assignment_dims=1)
UNIT = np.array([0, 0, 0, 0, 0, 1, 1, 1])
TIMES = 100 * np.arange(8)


def draw(number: int, rows: list[int], sampled: list[int], measured: list[bool] | None = None):
    """A component of one unit, seen by contacts `number` + 1 and `number`."""
    return ComponentDraw(
        number,
        np.array([number]),
        np.array([number + 1, number]),
        np.array(rows),
        np.array(sampled),
        measured=None if measured is None else np.array(measured),
    )


class Traces:
    """Row r of all spikes has a waveform that is r / 8 everywhere, so that it lies r on a line."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[int], list[int]]] = []

    def cleaned(
        self, pre: object, spikes: object, rows: Any, trough: Any, group: Any, contacts: Any, *, progress: Any
    ) -> Iterator[tuple[int, Any, Any]]:
        self.asked.append((rows.tolist(), trough.tolist()))
        progress(0, 1, "cleaning")
        for number in np.unique(group):
            chosen = np.flatnonzero(group == number)
            assert len(contacts[int(number)]) == 2
            height = (rows[chosen, None, None] / 8).astype(np.float32)
            yield int(number), chosen, np.tile(height, (1, 32, 2))
        progress(1, 1, "cleaning")


def read(
    monkeypatch: pytest.MonkeyPatch, draws: list[ComponentDraw], *, every: bool = True
) -> tuple[dict[int, Any], Traces, list[tuple[int, int]]]:
    traces, told = Traces(), []
    monkeypatch.setattr(cleaned_waveforms, "iterate_cleaned", traces.cleaned)
    units = SimpleNamespace(
        matched=SimpleNamespace(sample_index=TIMES),
        unit=UNIT,
        trough=np.array([[0, 7, 0], [0, 0, -3]]),
        explained=None,
    )
    found = read_spikes(
        cast("Any", None),
        cast("Any", units),
        draws,
        LINE,
        every=every,
        progress=lambda done, total, _="": told.append((done, total)),
    )
    return found, traces, told


def test_memory_is_that_of_waveforms_that_were_drawn_and_of_coordinates_of_all() -> None:
    config = SortingConfig(assignment_dims=5)
    assert bytes_of(draw(0, [0, 1, 2, 3], [0, 2]), config) == 4 * (2 * 32 * 2 + 4 * 5)


def test_spikes_of_components_are_read_at_the_troughs_of_their_first_contacts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draws = [draw(0, [0, 1, 2, 4], [0, 2]), draw(1, [5, 6, 7], [0, 1, 2])]
    found, traces, told = read(monkeypatch, draws)
    assert traces.asked == [([0, 2, 5, 6, 7], [7, 207, 497, 597, 697]), ([1, 4], [107, 407])]
    assert found[0].waveforms[:, 3, 1].tolist() == [0, 0.25]
    assert found[1].waveforms[:, 0, 0].tolist() == [5 / 8, 6 / 8, 7 / 8]
    # 64 values of 1 / 8 are one of length 1; the mean of those that were drawn is 0
    assert found[0].coordinates[:, 0] == pytest.approx([-1, 0, 1, 3], abs=1e-5)
    assert found[1].coordinates[:, 0] == pytest.approx([-1, 0, 1], abs=1e-5)
    assert found[0].known is None
    assert told == [(0, 2000), (1000, 2000), (1000, 2000), (2000, 2000)]


def test_spikes_that_are_not_read_lie_where_the_nearest_of_their_unit_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rows 3 and 4 were not measured; nothing of unit 1 was: it lies where the first that was drawn does."""
    measured = [True, True, True, False, False, False]
    one = draw(0, [0, 1, 2, 3, 4, 6], [1, 2], measured)
    found, traces, _ = read(monkeypatch, [one], every=False)
    assert traces.asked[1][0] == [0]
    assert found[0].known.tolist() == measured
    assert found[0].coordinates[:, 0] == pytest.approx([-1.5, -0.5, 0.5, 0.5, 0.5, -0.5], abs=1e-5)


def test_of_no_components_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    found, traces, _ = read(monkeypatch, [])
    assert (found, traces.asked) == ({}, [])
