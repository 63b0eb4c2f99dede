"""Our wobble finds what SpikeInterface's finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from spikeinterface.core import NumpyRecording, Templates
from spikeinterface.sortingcomponents.matching.wobble import WobbleMatch, compute_objective

from ncpgui.ephys.probes import load_probe
from ncpgui.ephys.spikeinterface_adapter import find_spikes
from ncpgui.sorting import wobble
from ncpgui.sorting.wobble import MIN_BLOCK, Wobble, around, of_channels

AT_ONCE = 4
N_SAMPLES, N_BEFORE, RATE_HZ = 9_000, 20, 20_000.0
SETTINGS = {"threshold": 30.0, "approx_rank": 3, "jitter_factor": 4, "shared_memory": False}


def _templates(n_units: int, n_times: int = 70) -> NDArray[np.float32]:
    rng = np.random.default_rng(1)
    course = np.exp(-((np.arange(n_times) - N_BEFORE) ** 2) / rng.uniform(4, 40, (n_units, 8, 1)))
    return (rng.normal(0, 6, (n_units, 8, 1)) * course).transpose(0, 2, 1).astype(np.float32)


def _recording(waveforms: NDArray[np.float32]) -> NumpyRecording:
    """Noise of sd 1 and a spike every 40 samples: most overlap with others."""
    rng = np.random.default_rng(2)
    traces = rng.normal(size=(N_SAMPLES, 8)).astype(np.float32)
    n_times = waveforms.shape[1]
    for first in range(100, N_SAMPLES - n_times, 40):
        traces[first : first + n_times] += waveforms[rng.integers(len(waveforms))]
    recording = NumpyRecording([traces], RATE_HZ)
    recording.set_dummy_probe_from_locations(load_probe("linear-8").positions_um)
    return recording


def _settings(recording: NumpyRecording, waveforms: NDArray[np.float32]) -> dict[str, Any]:
    templates = Templates(
        waveforms, RATE_HZ, N_BEFORE, channel_ids=recording.channel_ids, unit_ids=np.arange(len(waveforms))
    )
    return {"templates": templates, "parameters": SETTINGS, "engine": "numpy", "shared_memory": False}


@pytest.mark.parametrize(("n_units", "n_times"), [(1, 70), (AT_ONCE + 3, 70), (3, 200)])
def test_the_objective_is_that_of_spikeinterface(
    n_units: int, n_times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wobble, "UNITS_AT_ONCE", AT_ONCE)
    waveforms = _templates(n_units, n_times)
    recording = _recording(waveforms)
    ours = Wobble(recording, **_settings(recording, waveforms))
    traces = recording.get_traces()
    expected = compute_objective(traces, ours.template_data, 3)
    assert np.abs(ours.objective(traces) - expected).max() < 1e-5 * np.abs(expected).max()


def test_the_objective_is_the_same_in_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    waveforms = _templates(3)
    recording = _recording(waveforms)
    ours, traces = Wobble(recording, **_settings(recording, waveforms)), recording.get_traces()
    whole = ours.objective(traces)
    monkeypatch.setattr(wobble, "MOST_TRANSFORMED", 3 * MIN_BLOCK * 8)
    assert np.abs(ours.objective(traces) - whole).max() < 1e-5 * np.abs(whole).max()


def test_units_of_a_long_probe_are_asked_about_their_own_channels_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wobble, "UNITS_AT_ONCE", AT_ONCE)
    waveforms = _templates(2 * AT_ONCE)
    waveforms[:AT_ONCE, :, 3:] = 0
    waveforms[AT_ONCE:, :, :5] = 0
    mixed = np.random.default_rng(3).permutation(len(waveforms))
    recording = _recording(waveforms[mixed])
    ours = Wobble(recording, **_settings(recording, waveforms[mixed]))
    assert [channels.tolist() for _, channels, _ in ours._groups] == [[0, 1, 2], [5, 6, 7]]
    traces = recording.get_traces()
    expected = compute_objective(traces, ours.template_data, 3)
    assert np.abs(ours.objective(traces) - expected).max() < 1e-5 * np.abs(expected).max()


def test_the_same_spikes_are_found() -> None:
    waveforms = _templates(12)
    recording = _recording(waveforms)
    traces = recording.get_traces()
    settings = _settings(recording, waveforms)
    theirs = WobbleMatch(recording, **settings).compute_matching(traces, 0, N_SAMPLES, 0)
    ours = Wobble(recording, **settings).compute_matching(traces, 0, N_SAMPLES, 0)
    assert len(theirs) > 100
    assert {name: ours[name].tolist() for name in ours.dtype.names} == {
        name: theirs[name].tolist() for name in theirs.dtype.names
    }


def literally(ours: Wobble, traces: NDArray[np.float32]) -> list[list[int]]:
    """First lag and jittered template of spikes by SpikeInterface's steps, which look at all lags anew."""
    settings, data, about = ours.params, ours.template_data, ours.template_meta
    objective = ours.objective(traces)
    gain, found = 2 * objective - data.norm_squared[:, None], np.zeros((0, 2), np.int64)
    while True:
        spikes, scale, _ = ours.find_peaks(objective, gain, found, settings, data, about)
        if len(spikes) == 0:
            return sorted(found.tolist())
        found = np.concatenate([found, spikes])
        objective, gain = ours.subtract_spike_train(
            spikes, scale, data, objective, gain, settings, about, ours.sparsity
        )


def test_looking_again_only_where_something_changed_finds_what_looking_everywhere_finds() -> None:
    """A spike every 9 samples: several on each other, some within the time in which a unit rests."""
    waveforms = _templates(8)
    recording = _recording(waveforms)
    traces = recording.get_traces().copy()
    rng = np.random.default_rng(4)
    for first in range(100, N_SAMPLES - 70, 9):
        traces[first : first + 70] += waveforms[rng.integers(len(waveforms))]
    ours = Wobble(recording, **_settings(recording, waveforms))
    expected = literally(ours, traces)
    found = ours.compute_matching(traces, 0, N_SAMPLES, 0)
    assert len(expected) > 500
    assert sorted((found["sample_index"] - N_BEFORE).tolist()) == [first for first, _ in expected]
    assert np.bincount(found["cluster_index"]).tolist() == (
        np.bincount([jittered // 4 for _, jittered in expected]).tolist()
    )


def test_what_lies_around_some_times_are_runs_inside() -> None:
    assert around(np.array([1, 6, 7, 19]), 2, 20).tolist() == [[0, 10], [17, 20]]
    assert around(np.array([1, 8]), 2, 20).tolist() == [[0, 4], [6, 11]]
    assert around(np.zeros(0, np.int64), 2, 5).tolist() == []


def test_matching_finds_nothing_in_silence() -> None:
    recording = NumpyRecording([np.zeros((N_SAMPLES, 8), np.float32)], RATE_HZ)
    recording.set_dummy_probe_from_locations(load_probe("linear-8").positions_um)
    samples, units = find_spikes(recording, _templates(2), matcher=Wobble, n_before=N_BEFORE, least_gain=30.0)
    assert len(samples) == len(units) == 0


@pytest.mark.parametrize("dtype", [np.complex64, np.float32])
def test_values_of_some_channels_are_those_that_numpy_takes(dtype: type) -> None:
    values = np.random.default_rng(4).normal(size=(5, 3, 7)).astype(dtype)
    for channels in ([0, 2, 6], [6, 1], []):
        chosen = np.array(channels, np.int64)
        np.testing.assert_array_equal(of_channels(values, chosen), values[:, :, chosen])


def test_channels_side_by_side_on_the_probe_are_a_run_whatever_their_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two columns, numbered one after the other: a unit at one depth is on channels of both."""
    monkeypatch.setattr(wobble, "UNITS_AT_ONCE", AT_ONCE)
    waveforms = _templates(2 * AT_ONCE)
    waveforms[:AT_ONCE, :, [2, 3, 6, 7]] = 0
    waveforms[AT_ONCE:, :, [0, 1, 4, 5]] = 0
    recording = _recording(waveforms)
    recording.set_dummy_probe_from_locations([[32.0 * (c // 4), 20.0 * (c % 4)] for c in range(8)])
    ours = Wobble(recording, **_settings(recording, waveforms))
    assert [channels.tolist() for _, channels, _ in ours._groups] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    traces = recording.get_traces()
    expected = compute_objective(traces, ours.template_data, 3)
    assert np.abs(ours.objective(traces) - expected).max() < 1e-5 * np.abs(expected).max()
