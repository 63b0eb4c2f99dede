"""From what matching found to units and spikes in the filtered traces."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.probe import Probe
from ncpgui.ephys.preprocessing import Preprocessed, preprocess
from ncpgui.sorting.found_units import FoundUnits, earlier, found_units, point_up, troughs
from ncpgui.sorting.matched import Matched
from ncpgui.sorting.matching import match_units

from .planted import SQUARE, Cell, planted_recording, regular_times

N_SAMPLES = 20 * 20_000
CELLS = [
    Cell([4, 4, 8, 30], regular_times(90, N_SAMPLES, 3)),
    Cell([40, 15, 10, 5], regular_times(200, N_SAMPLES, 1), width=1.5),
]


@pytest.fixture(scope="module")
def pre() -> Preprocessed:
    probe = Probe(SQUARE.positions_um)
    return preprocess(planted_recording(CELLS, N_SAMPLES, probe), reference="none")


@pytest.fixture(scope="module")
def matched(pre: Preprocessed) -> Matched:
    """Proposed 4 samples late, the cell of contact 3 first."""
    times = np.concatenate([cell.times + 4 for cell in CELLS])
    return match_units(pre, times, np.repeat([0, 1], [len(cell.times) for cell in CELLS]))


@pytest.fixture(scope="module")
def units(pre: Preprocessed, matched: Matched) -> FoundUnits:
    return found_units(pre, matched)


def test_units_are_in_order_of_their_main_channel_and_spikes_in_order_of_time(units: FoundUnits) -> None:
    assert units.main_channel.tolist() == [0, 3]
    assert (np.diff(units.matched.sample_index) >= 0).all()
    for unit, cell in enumerate(reversed(CELLS)):
        times = units.matched.sample_index[units.unit == unit]
        near = np.abs(times[:, None] - cell.times[None]).min(axis=0)
        assert (near <= 1).mean() > 0.97


def test_templates_are_those_of_the_filtered_traces(units: FoundUnits, pre: Preprocessed) -> None:
    """Against the mean of the traces around the spikes, which nothing else is near to."""
    bank = units.explained.bank
    traces = pre.traces(0, N_SAMPLES)
    for unit in range(2):
        times = units.matched.sample_index[units.unit == unit]
        rows = times[5:-5, None] + np.arange(-12, 25)
        mean = traces[rows].mean(axis=0)
        own = bank.waveforms[unit, bank.n_before - 12 : bank.n_before + 25]
        assert np.abs(own - mean).max() < 0.06 * np.abs(mean).max()
        assert units.depth_sd[unit].argmax() == units.main_channel[unit]


def test_taking_all_spikes_out_leaves_noise(units: FoundUnits, pre: Preprocessed) -> None:
    left = units.explained.residual(pre, 10_000, 60_000)
    before = pre.traces(10_000, 60_000)
    assert left.std() < 1.1
    assert before.min() < -30
    assert left.min() > -9


def test_units_that_hardly_fire_are_left_out(matched: Matched, pre: Preprocessed) -> None:
    rows = np.flatnonzero(matched.unit == 0)[1:]  # one spike in 20 s is left
    found = found_units(pre, matched.of(np.setdiff1d(np.arange(len(matched.unit)), rows)))
    assert found.n_units == 1
    assert set(found.unit.tolist()) == {0}


# -- by hand -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (0, [1, 2, 3, 4]),
        (1, [2, 3, 4, 0]),
        (3, [4, 0, 0, 0]),
        (-1, [0, 1, 2, 3]),
        (-3, [0, 0, 0, 1]),
        (4, [0] * 4),
    ],
)
def test_a_template_that_comes_earlier_ends_in_zeros(by: int, expected: list[int]) -> None:
    wave = np.arange(1.0, 5)[None, :, None]
    assert earlier(wave, by)[0, :, 0].tolist() == expected


def test_the_trough_of_each_channel_is_looked_for_near_the_time_of_the_spike() -> None:
    """Of ten samples the spike is at 4, and three samples on either side count."""
    wave = np.zeros((1, 10, 4), np.float32)
    wave[0, 4, 0] = -20
    wave[0, [1, 0], 1] = -10, -30  # three samples before it, and four
    wave[0, [7, 8], 2] = -12, -30
    wave[0, 5, 3] = 3  # a peak
    depth, late = troughs(wave, 4, 3)
    assert depth.tolist() == [[20, 10, 12, 0]]
    assert late.tolist() == [[0, -3, 3, 0]]
    depth, late = troughs(wave, 2, 3)  # at the beginning there is less
    assert depth.tolist() == [[20, 30, 0, 0]]
    assert late.tolist() == [[2, -2, 0, 0]]


def test_a_channel_with_less_than_three_tenths_of_the_unit_has_its_trough_at_the_time_of_the_spike() -> None:
    wave = np.zeros((1, 9, 3), np.float32)
    wave[0, 4, 0], wave[0, 6, 1], wave[0, 6, 2] = -100, -30.1, -29.9
    assert troughs(wave, 4, 3)[1].tolist() == [[0, 2, 0]]
    assert troughs(np.zeros((0, 9, 3), np.float32), 4, 3)[0].shape == (0, 3)


def test_a_template_points_up_as_was_asked_for_or_where_its_peak_is_larger_than_its_trough() -> None:
    templates = np.zeros((4, 3, 2), np.float32)
    templates[0, 0, 0], templates[0, 1, 1] = -5, 6
    templates[1, 0, 0], templates[1, 1, 1] = -6, 6
    templates[2, 0, 0] = 0.5
    assert point_up(templates, "both").tolist() == [True, False, True, False]
    assert point_up(templates, "neg").tolist() == [False] * 4
    assert point_up(templates, "pos").tolist() == [True] * 4
    assert point_up(templates[:0], "both").tolist() == []
