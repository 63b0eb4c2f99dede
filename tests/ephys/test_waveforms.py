"""Waveforms: 32 samples at 20 kHz, the trough at sample 11 to a fraction of a sample."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.core.interpolation import interpolation_matrix
from ncpgui.core.waveform_format import N_SAMPLES, TROUGH_SAMPLE
from ncpgui.ephys.preprocessing import Preprocessed, preprocess
from ncpgui.ephys.waveforms import cut_plan, extract_many, extract_waveforms, iterate_waveforms
from tests.ephys.planted_recording import spike

TIME_MS = (np.arange(N_SAMPLES) - TROUGH_SAMPLE) / 20.0


def noiseless(recording) -> Preprocessed:
    """A stand-in that hands the traces through, so that the expected waveform is exact."""
    pre = preprocess(recording)
    pre.traces = lambda start, stop: recording.traces(start, stop)
    return pre


@pytest.mark.parametrize("rate_hz", [15_000.0, 20_000.0, 30_000.0])
@pytest.mark.parametrize("shift", [0.0, 0.2, -0.37, 0.5])
def test_shifted_spike_is_recovered_within_two_percent(plant, rate_hz, shift):
    samples = np.array([1000, 2000, 3000])
    spikes = [(s + shift, 0, 20.0) for s in samples]
    pre = noiseless(plant(n_samples=5000, spikes=spikes, rate_hz=rate_hz, noise=1e-3))
    waveforms = extract_waveforms(pre, samples, np.array([0, 1]))
    fine = np.arange(-0.2, 0.2, 1e-4)
    expected = 20 * spike(TIME_MS + fine[spike(fine).argmin()])
    assert waveforms.shape == (3, 32, 2)
    assert np.abs(waveforms[:, :, 0] - expected).max() < 0.02 * 20
    assert np.abs(waveforms[:, :, 1]).max() < 0.05


def test_other_channels_keep_their_time_relative_to_the_main_channel(plant):
    pre = noiseless(plant(n_samples=4000, spikes=[(2000.3, 0, 20), (2003.3, 1, 10)], noise=1e-3))
    waveform = extract_waveforms(pre, np.array([2000]), np.array([0, 1]))[0]
    assert waveform[:, 0].argmin() == TROUGH_SAMPLE
    assert waveform[:, 1].argmin() == TROUGH_SAMPLE + 3


def test_order_of_spikes_is_kept(plant):
    spikes = [(1000, 0, 10), (2000, 0, 20), (3000, 0, 30)]
    pre = noiseless(plant(n_samples=5000, spikes=spikes, noise=1e-3))
    waveforms = extract_waveforms(pre, np.array([3000, 1000, 2000]), np.array([0]))
    assert np.allclose(waveforms.min(axis=(1, 2)), [-30, -10, -20], rtol=0.02)


def test_spikes_at_the_ends_are_padded_with_the_edge(plant):
    pre = noiseless(plant(n_samples=3000, spikes=[(2, 0, 20), (2997, 0, 20)], noise=1e-3))
    waveforms = extract_waveforms(pre, np.array([2, 2997]), np.array([0]))
    assert np.isfinite(waveforms).all()
    assert np.allclose(waveforms.min(axis=(1, 2)), -20, rtol=0.02)
    assert np.ptp(waveforms[0, :6]) < 0.1 * 20


def test_groups_of_one_pass_equal_groups_taken_alone(plant):
    rng = np.random.default_rng(1)
    samples, channel = rng.integers(0, 200_000, 400), rng.integers(0, 4, 400)
    pre = preprocess(plant(n_samples=200_000, spikes=[]))
    neighbours = {c: np.roll(np.arange(4), -c)[: 2 + c % 2] for c in range(3)}
    together = extract_many(pre, samples, channel, neighbours)
    assert sorted(together) == [0, 1, 2]
    for c in range(3):
        alone = extract_waveforms(pre, samples[channel == c], neighbours[c])
        assert np.array_equal(together[c], alone)


def test_every_spike_is_yielded_once(plant):
    samples = np.random.default_rng(0).integers(0, 200_000, 300)
    pre = preprocess(plant(n_samples=200_000, spikes=[]))
    rows = [rows for _, rows, _ in iterate_waveforms(pre, samples, np.zeros(300, int), {0: np.array([0])})]
    assert sorted(np.concatenate(rows).tolist()) == list(range(300))
    assert len(rows) > 1


def test_no_spikes_give_empty_waveforms(plant):
    pre = preprocess(plant(n_samples=3000, spikes=[]))
    assert extract_waveforms(pre, np.zeros(0, np.int64), np.array([0, 1, 2])).shape == (0, 32, 3)


def test_impossible_spikes_and_channels_are_refused(plant):
    pre = preprocess(plant(n_samples=3000, spikes=[]))
    with pytest.raises(InputError, match="spike at sample 3000 lies outside the recording of 3000 samples"):
        extract_waveforms(pre, np.array([3000]), np.array([0]))
    with pytest.raises(InputError, match="spike at sample 3001 lies outside the recording of 3000 samples"):
        extract_waveforms(pre, np.array([0, 3001]), np.array([0]))
    for before in ([-1], [5, -1, 3000]):
        with pytest.raises(InputError, match="spike at sample -1 lies outside the recording of 3000 samples"):
            extract_waveforms(pre, np.array(before), np.array([0]))
    assert extract_waveforms(pre, np.array([0, 2999]), np.array([0])).shape == (2, 32, 1)
    with pytest.raises(InputError, match="do not fit a recording of 4 channels"):
        extract_waveforms(pre, np.array([5]), np.array([0, 4]))


def test_interpolation_keeps_constants_and_tones_of_the_band():
    positions = np.array([20.0, 20.25, 20.9])
    weights = interpolation_matrix(positions, 41, sampling_frequency_hz=20_000.0, target_hz=20_000.0)
    assert np.allclose(weights.sum(axis=1), 1, atol=1e-6)
    for frequency in (500, 3000, 6000):
        tone = np.cos(2 * np.pi * frequency / 20_000 * np.arange(41))
        assert np.allclose(weights @ tone, np.cos(2 * np.pi * frequency / 20_000 * positions), atol=3e-3)


@pytest.mark.parametrize("rate_hz", [15_000.0, 20_000.0, 30_000.0])
def test_a_window_is_what_is_read_and_one_sample_more_at_most(rate_hz: float) -> None:
    plan = cut_plan(rate_hz)
    assert plan.search.shape[1] == plan.resample.shape[2] == plan.window
    read = plan.resample.any(axis=(0, 1))
    assert read[[1, -2]].all()
