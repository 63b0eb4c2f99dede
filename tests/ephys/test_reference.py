"""The common reference leaves the noise of a channel as it is measured."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.probe import Probe
from ncpgui.ephys.preprocessing import preprocess
from ncpgui.ephys.reference import median_of_others

RATE_HZ = 20_000.0


def noise(n_channels: int, seconds: float, sd: np.ndarray | float = 1.0) -> ArrayRecording:
    """Independent white noise on contacts 25 µm apart."""
    rng = np.random.default_rng(n_channels)
    traces = (sd * rng.standard_normal((int(seconds * RATE_HZ), n_channels))).astype(np.float32)
    places = np.column_stack([np.zeros(n_channels), 25.0 * np.arange(n_channels)])
    return ArrayRecording(traces, sampling_frequency_hz=RATE_HZ, probe=Probe(places))


def troughs_a_minute(recording: ArrayRecording, depth_sd: float) -> float:
    """How often a channel crosses the threshold downwards."""
    traces = preprocess(recording).traces(0, recording.n_samples)
    crossed = (traces[1:] < -depth_sd) & (traces[:-1] >= -depth_sd)
    return float(crossed.sum() / recording.n_channels / recording.n_samples * RATE_HZ * 60)


@pytest.mark.parametrize("n_channels", [2, 3, 4, 5, 8, 9, 33])
@pytest.mark.parametrize("values", [np.float32([0, 1]), np.arange(1000, dtype=np.float32)])
def test_the_median_of_the_others_is_what_numpy_finds_without_the_channel(n_channels, values):
    traces = np.random.default_rng(0).choice(values, (60, n_channels))  # with ties and without
    expected = [np.median(np.delete(traces, channel, axis=1), axis=1) for channel in range(n_channels)]
    assert np.array_equal(median_of_others(traces), np.stack(expected, axis=1))


@pytest.mark.parametrize("n_channels", [1, 4, 8, 9, 12, 16, 32, 64])
def test_noise_is_one_sd_on_any_number_of_channels(n_channels):
    recording = noise(n_channels, 4)
    deviation = preprocess(recording).traces(0, recording.n_samples).std(axis=0)
    assert np.abs(deviation - 1).mean() < 0.015


def test_noise_is_one_sd_on_each_channel_where_some_are_quiet():
    recording = noise(8, 10, np.array([0.3, 0.5, 1, 1, 1, 1, 2, 4]))
    deviation = preprocess(recording).traces(0, recording.n_samples).std(axis=0)
    assert np.abs(deviation - 1).max() < 0.03


@pytest.mark.parametrize("n_channels", [8, 12, 16, 32])
def test_noise_crosses_a_threshold_as_often_as_without_a_reference(n_channels):
    alone = troughs_a_minute(noise(1, 120), 3.0)  # some 1800 crossings
    assert abs(troughs_a_minute(noise(n_channels, 240 / n_channels), 3.0) / alone - 1) < 0.12


def test_a_large_spike_does_not_move_its_own_reference():
    traces = np.zeros((1, 8), dtype=np.float32)
    traces[0, 3] = -50
    assert median_of_others(traces)[0, 3] == 0
