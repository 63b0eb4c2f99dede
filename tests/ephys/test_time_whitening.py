"""Whitening in time: coloured noise gets the spectrum of white noise, and templates come back from it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import welch

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.probe import Probe
from ncpgui.ephys.preprocessing import FilterSettings, Preprocessed, preprocess
from ncpgui.ephys.time_whitening import unfiltered
from ncpgui.sorting.templates import mean_waveforms

RATE_HZ, N_CHANNELS = 20_000.0, 6
N_SAMPLES = 20 * int(RATE_HZ)
BEFORE, N_TIMES = 20, 70
KINDS = {
    "peak": lambda f: 1 / ((1 - (f / 500) ** 2) ** 2 + (f / 1000) ** 2) + 0.05,
    "1/f^2": lambda f: (1000 / np.maximum(f, 10)) ** 2 + 1,
    "rising": lambda f: 1 + (f / 1500) ** 2,
    "white": lambda f: np.ones_like(f),
}


def spikes() -> NDArray[np.int64]:
    return np.sort(np.random.default_rng(1).permutation(N_SAMPLES // 100 - 4)[:600]) * 100 + 150


@cache
def counts_of(kind: str, height: float) -> NDArray[np.int16]:
    """Noise of a kind, of sd 1 on each contact, and a cell that is seen by three."""
    rng = np.random.default_rng(0)
    shape = np.sqrt(KINDS[kind](np.fft.rfftfreq(N_SAMPLES, 1 / RATE_HZ)))[:, None]
    traces = np.fft.irfft(np.fft.rfft(rng.standard_normal((N_SAMPLES, N_CHANNELS)), axis=0) * shape, axis=0)
    traces /= traces.std()
    time = np.arange(60) - BEFORE
    course = -np.exp(-((time / 4.0) ** 2)) + 0.35 * np.exp(-(((time - 10) / 8.0) ** 2))
    cell = height * course[:, None] * np.exp(-(((np.arange(N_CHANNELS) - 2) / 0.8) ** 2))
    for spike in spikes():
        traces[spike - BEFORE : spike - BEFORE + 60] += cell
    return np.round(traces * 50).astype(np.int16)


def recorded(kind: str, height: float = 0.0) -> Preprocessed:
    probe = Probe(np.column_stack([np.zeros(N_CHANNELS), 30.0 * np.arange(N_CHANNELS)]))
    counts = counts_of(kind, height)
    return preprocess(ArrayRecording(counts, sampling_frequency_hz=RATE_HZ, probe=probe), reference="none")


def contrast(traces: NDArray[np.float32]) -> float:
    """Largest over least density between 400 and 5000 Hz, beside that of white noise behind the band-pass."""
    f, power = welch(traces, RATE_HZ, nperseg=400, axis=0)
    passed = FilterSettings(300.0, 6000.0, "none").band_power(RATE_HZ)
    band = (f >= 400) & (f <= 5000)
    white = np.interp(f[band], np.linspace(0, RATE_HZ / 2, len(passed)), passed)
    ratio = power.mean(axis=1)[band] / white
    return float(ratio.max() / ratio.min())


@pytest.mark.parametrize("kind", ["peak", "1/f^2", "rising"])
def test_coloured_noise_gets_the_spectrum_of_white_noise_behind_the_band_pass(kind: str) -> None:
    """The contrast of its spectrum is a quarter of what it was, and its sd is 1."""
    with recorded(kind) as pre:
        assert pre.whitening_in_time is not None
        traces = pre.whitened()
        before, values = (
            one.get_traces(start_frame=0, end_frame=N_SAMPLES) for one in (pre.in_noise_sd, traces)
        )
    was = contrast(before)
    assert was > 5
    assert contrast(values) < was / 4
    assert values.std() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("kind", ["peak", "1/f^2", "rising"])
def test_the_filter_is_that_of_the_noise_whatever_cells_there_are(kind: str) -> None:
    with recorded(kind) as quiet, recorded(kind, 12.0) as busy:
        alone, beside = quiet.whitening_in_time, busy.whitening_in_time
    assert alone is not None
    assert beside is not None
    gains = [np.abs(np.fft.rfft(taps, 400))[6:100] for taps in (alone, beside)]  # 300 to 5000 Hz
    assert gains[1] / gains[1].mean() == pytest.approx(gains[0] / gains[0].mean(), rel=0.15)


@pytest.mark.parametrize("height", [0.0, 6.0, 30.0])
def test_white_noise_is_left_as_it_is_whatever_cells_there_are(height: float) -> None:
    with recorded("white", height) as pre:
        assert pre.whitening_in_time is None


def test_waveforms_come_back_as_they_were_before_the_filter() -> None:
    taps = np.array([0.1, -0.4, 1.2, -0.4, 0.1], np.float32)
    waveforms = np.zeros((2, 30, 3))
    waveforms[:, 8:20, :2] = np.random.default_rng(2).normal(size=(2, 12, 2))
    filtered = np.apply_along_axis(lambda one: np.convolve(one, taps, "same"), 1, waveforms)
    assert unfiltered(filtered, taps) == pytest.approx(waveforms, abs=1e-6)


@pytest.mark.parametrize("kind", ["peak", "1/f^2", "rising"])
def test_a_template_of_whitened_traces_is_the_mean_in_the_filtered_ones(kind: str) -> None:
    """Both are of 600 spikes of 12 sd in the same noise."""
    with recorded(kind, 12.0) as pre:
        traces = pre.whitened()
        both = [
            mean_waveforms(
                one, spikes(), np.zeros(600, int), n_units=1, n_before=BEFORE, n_after=N_TIMES - BEFORE
            )
            for one in (traces, pre.in_noise_sd)
        ]
        back = pre.unwhitened(both[0])
    largest = np.abs(both[1]).max()
    assert largest > 8
    assert np.abs(back - both[1])[:, 5:-10].max() < 0.05 * largest


def test_the_band_passes_a_quarter_of_the_power_at_its_corners() -> None:
    """A Butterworth filter passes half of it, forward and backward."""
    power = FilterSettings(500.0, 5000.0, "none").band_power(RATE_HZ)
    at = np.interp([500.0, 1600.0, 5000.0, 9000.0], np.linspace(0, RATE_HZ / 2, len(power)), power)
    assert at == pytest.approx([0.25, 1, 0.25, 0], abs=0.02)
