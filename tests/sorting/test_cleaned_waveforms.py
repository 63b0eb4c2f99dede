"""Waveforms with all other spikes taken out, where what was put in is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.motion import Places
from ncpgui.core.probe import Probe
from ncpgui.ephys.preprocessing import Preprocessed, preprocess
from ncpgui.ephys.waveforms import extract_waveforms
from ncpgui.sorting.cleaned_waveforms import ExplainedSpikes, _put_back, iterate_cleaned
from ncpgui.sorting.moving_templates import MovingBank
from ncpgui.sorting.peeling import Seen, TemplateBank, slope_of

from .two_units import two_units

RATE_HZ = 30_000.0
N_SAMPLES = 60_000
N_BEFORE = 30
TIME = np.arange(100) - N_BEFORE
CONTACTS = np.array([1, 0, 2])
SPIKE_FIELDS = ("sample_index", "row", "amplitude", "shift_samples")


def templates() -> np.ndarray:
    """Two cells on three contacts: (2, 100, 3), noise sd."""
    narrow, wide = (-np.exp(-((TIME / width) ** 2)) for width in (4, 8))
    return np.stack([narrow[:, None] * [8, 20, 5], wide[:, None] * [3, 9, 15]]).astype(np.float32)


@pytest.fixture(scope="module")
def filtered() -> Preprocessed:
    """Only noise: what spikes add is known when they are added to filtered traces."""
    rng = np.random.default_rng(0)
    traces = (50 * rng.normal(size=(N_SAMPLES, 3))).astype(np.int16)
    probe = Probe(np.column_stack([np.zeros(3), 25.0 * np.arange(3)]))
    return preprocess(ArrayRecording(traces, sampling_frequency_hz=RATE_HZ, probe=probe), reference="none")


class Added:
    """Filtered traces with spikes added to them."""

    def __init__(self, pre: Preprocessed, spikes: ExplainedSpikes) -> None:
        self._pre, self._spikes = pre, spikes
        self.in_white_noise = pre.in_white_noise
        self.sampling_frequency_hz, self.n_samples = pre.sampling_frequency_hz, pre.n_samples
        self.n_channels, self.piece_samples = pre.n_channels, 10_000

    def ahead(self, pieces: list[int]) -> Iterator[int]:
        return iter(pieces)

    def padded_traces(self, start: int, stop: int) -> np.ndarray:
        everything = self._pre.traces(0, self.n_samples).copy()
        spikes, bank = self._spikes, self._spikes.bank
        for time, unit, amplitude, shift in zip(
            spikes.sample_index, spikes.row, spikes.amplitude, spikes.shift_samples, strict=True
        ):
            shape = amplitude * bank.waveforms[unit] + shift * slope_of(bank.waveforms[unit])
            first = time - N_BEFORE
            low, high = max(0, -first), min(len(shape), self.n_samples - first)
            everything[first + low : first + high] += shape[low:high]
        rows = np.clip(np.arange(start, stop), 0, self.n_samples - 1)
        return everything[rows]


def spikes_at(times: list[int], units: list[int]) -> ExplainedSpikes:
    rng = np.random.default_rng(1)
    amplitude = rng.normal(1, 0.1, len(times)).astype(np.float32)
    shift = rng.normal(0, 0.2, len(times)).astype(np.float32)
    bank = TemplateBank(templates(), N_BEFORE)
    return ExplainedSpikes(
        np.array(times), np.array(units), amplitude, shift, bank, np.zeros(len(bank.waveforms), bool)
    )


def cleaned(pre: Added, spikes: ExplainedSpikes, rows: list[int]) -> np.ndarray:
    times = spikes.sample_index[rows]
    group = np.zeros(len(rows), np.int64)
    result = np.zeros((len(rows), 32, len(CONTACTS)), np.float32)
    for _, chosen, waveforms in iterate_cleaned(pre, spikes, np.array(rows), times, group, {0: CONTACTS}):
        result[chosen] = waveforms
    return result


def test_a_spike_alone_is_as_it_was_extracted(filtered: Preprocessed) -> None:
    """Also over the border of a piece, and in any order."""
    spikes = spikes_at([3000, 9995, 20_010, 41_000], [0, 0, 1, 0])
    pre = Added(filtered, spikes)
    rows = [3, 0, 1]
    plain = extract_waveforms(pre, spikes.sample_index[rows], CONTACTS)
    assert np.abs(cleaned(pre, spikes, rows) - plain).max() < 1e-3
    assert -24 < plain[:, 11, 0].mean() < -16


def test_a_collision_leaves_a_spike_as_it_would_have_been_alone(filtered: Preprocessed) -> None:
    spikes = spikes_at([3000, 3009, 30_000, 30_004, 30_012], [0, 1, 0, 1, 1])
    pre = Added(filtered, spikes)
    of_first = [0, 2]
    alone = ExplainedSpikes(
        spikes.sample_index[of_first],
        spikes.row[of_first],
        spikes.amplitude[of_first],
        spikes.shift_samples[of_first],
        spikes.bank,
        spikes.is_positive,
    )
    expected = extract_waveforms(Added(filtered, alone), alone.sample_index, CONTACTS)
    collided = extract_waveforms(pre, alone.sample_index, CONTACTS)
    assert np.abs(cleaned(pre, spikes, of_first) - expected).max() < 1e-3
    assert np.abs(collided - expected).max() > 5


def test_a_spike_that_was_elsewhere_looks_as_at_the_place_where_it_is_shown(filtered: Preprocessed) -> None:
    """The two templates are one cell at two places; noise is that of the spike itself."""
    moved = spikes_at([20_000, 30_000], [0, 1])
    still = replace(moved, row=np.array([0, 0]))
    shown = replace(moved, shown=np.array([0, 0]))
    np.testing.assert_allclose(
        cleaned(Added(filtered, moved), shown, [0, 1]),
        cleaned(Added(filtered, still), still, [0, 1]),
        atol=1e-4,
    )


def test_a_spike_that_was_found_twice_is_taken_out_once_and_each_place_has_what_it_is_shown_with() -> None:
    found = two_units(np.zeros(3), np.array([False, True, True]), np.array([100, 103, 900]), apart=4.0)
    places = Places(np.array([[0, 500], [500, 1000]]), np.array([0, 1]), np.zeros((2, 1)), np.zeros(1))
    moving = MovingBank(np.repeat(found.moving.waveforms, 2, axis=0), 10, np.array([0.4, 0.6]))
    found = replace(found, places=places, moving=moving, again=np.array([-1, 0, -1]))
    of = partial(ExplainedSpikes.of, found, np.array([0, 0, 1]), moving.waveforms, np.array([False, True]))
    by_unit, by_place = of(), of(2 * moving.waveforms)
    assert by_unit.amplitude.tolist() == by_place.amplitude.tolist() == [1, 0, 1]
    assert by_unit.row.tolist() == by_place.row.tolist() == [0, 1, 3]
    assert by_unit.shown is not None
    assert by_place.shown is not None
    assert by_unit.shown.tolist() == [2, 3, 3]  # at the second place, where the tissue was for longer
    assert by_place.shown.tolist() == [4, 5, 7]
    assert np.array_equal(by_place.bank.waveforms[7], 2 * moving.waveforms[1, 1])
    assert by_place.is_positive.tolist() == [False, True] * 4


def test_spikes_at_the_ends_of_the_recording_are_cleaned_too(filtered: Preprocessed) -> None:
    spikes = spikes_at([4, 12, N_SAMPLES - 9, N_SAMPLES - 3], [0, 1, 0, 1])
    found = cleaned(Added(filtered, spikes), spikes, [0, 2])
    assert found.shape == (2, 32, 3)
    assert (found[:, 11, 0] < -14).all()


def test_what_is_left_is_the_noise(filtered: Preprocessed) -> None:
    spikes = spikes_at([3000, 3009, 30_000], [0, 1, 0])
    left = spikes.residual(Added(filtered, spikes), 2900, 3200)
    assert np.abs(left - filtered.traces(2900, 3200)).max() < 1e-4


def test_a_cleaned_spike_in_coloured_noise_is_as_in_white_noise_too() -> None:
    """Noise that is the mean of six samples: slow, so that what is fast stands out."""
    rng = np.random.default_rng(0)
    white = rng.normal(size=(N_SAMPLES + 5, 3))
    slow = np.stack([np.convolve(one, np.ones(6), "valid") for one in white.T], axis=1)
    probe = Probe(np.column_stack([np.zeros(3), 25.0 * np.arange(3)]))
    traces = (50 * slow).astype(np.int16)
    coloured = preprocess(
        ArrayRecording(traces, sampling_frequency_hz=RATE_HZ, probe=probe), reference="none"
    )
    spikes = spikes_at([3000, 3009, 41_000], [0, 1, 0])
    alone = replace(spikes, **{name: getattr(spikes, name)[[0, 2]] for name in SPIKE_FIELDS})
    with coloured as pre:
        assert pre.waveform_maps is not None
        found = cleaned(Added(pre, spikes), spikes, [0, 2])
        plain = extract_waveforms(Added(pre, alone), alone.sample_index, CONTACTS)
        expected = pre.in_white_noise(plain, CONTACTS)
    assert np.abs(found - expected).max() < 1e-3
    assert np.abs(expected - plain).max() > 1


def test_a_spike_is_put_back_as_far_as_its_window_reaches_and_on_the_channels_where_it_is_seen() -> None:
    """A template of four samples on channel 7, in windows of five: from sample 3 of one, and from -2."""
    seen = Seen(
        np.array([9, 1, 2, 3, 4], np.float32), np.array([0, 10, 10, 10, 10], np.float32),
        np.array([1]), np.array([1], np.int32), np.array([[7]], np.int32),
    )  # fmt: skip
    windows = np.zeros((2, 5, 2), np.float32)
    one = np.ones(2, np.float32)
    _put_back(windows, np.array([3, -2]), np.zeros(2, int), seen, 4, np.array([5, 7]), 2 * one, one / 10)
    assert windows[:, :, 0].tolist() == [[0] * 5] * 2
    assert windows[:, :, 1].tolist() == [[0, 0, 0, 3, 5], [7, 9, 0, 0, 0]]
