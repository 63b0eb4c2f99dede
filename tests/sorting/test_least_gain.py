"""What matching asks of a spike: noise of any colour meets it as rarely as theory says, white as before."""

from __future__ import annotations

import logging
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from spikeinterface.core import NumpyRecording

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.probe import Probe
from ncpgui.ephys.detection import detect_spikes
from ncpgui.ephys.noise_covariance import measured_covariance
from ncpgui.ephys.preprocessing import FilterSettings, preprocess
from ncpgui.ephys.spikeinterface_adapter import find_spikes
from ncpgui.sorting.least_gain import LeastGain
from ncpgui.sorting.matching import GAIN_A_HZ, least_gain_of, match_units
from ncpgui.sorting.moving_templates import MovingBank
from ncpgui.sorting.templates import pruned
from ncpgui.sorting.wobble import Wobble

found_spikes = partial(find_spikes, matcher=Wobble, n_before=25)

RATE_HZ, N_TIMES = 20_000.0, 70
DURATION_S = 60.0
SETTINGS = FilterSettings(300.0, 6000.0, "none")
PLACES_UM = np.column_stack([np.zeros(3), 25.0 * np.arange(3)])


def peaked_power(f: NDArray[np.float64], at_hz: float) -> NDArray[np.float64]:
    """A resonance over a floor, through the band of spikes."""
    ratio = f / at_hz
    band = 1 / (1 + (300 / np.maximum(f, 1)) ** 6) ** 2 / (1 + (f / 6000) ** 6) ** 2
    return (1 / ((1 - ratio**2) ** 2 + (ratio / 2) ** 2) + 0.3) * band


def coloured(at_hz: float, seed: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Three channels of such noise, sd 1, and its autocovariance from lag 0 on, by theory."""
    n = int(DURATION_S * RATE_HZ)
    power = peaked_power(np.fft.rfftfreq(n, 1 / RATE_HZ), at_hz)
    white = np.random.default_rng(seed).standard_normal((n, 3))
    traces = np.fft.irfft(np.fft.rfft(white, axis=0) * np.sqrt(power)[:, None], n, axis=0)
    covariance = np.fft.irfft(power, n)[:N_TIMES]
    return (traces / np.sqrt(covariance[0])).astype(np.float32), covariance / covariance[0]


def shapes() -> NDArray[np.float32]:
    """A narrow trough, a wide one, and a slow wave on two channels: (3, T, 3), all of length 1."""
    time = np.arange(N_TIMES) - 25
    waves = np.zeros((3, N_TIMES, 3), np.float32)
    waves[0, :, 1] = -np.exp(-((time / 3.0) ** 2)) + 0.3 * np.exp(-(((time - 8) / 6.0) ** 2))
    waves[1, :, 0] = -np.exp(-((time / 12.0) ** 2))
    waves[2, :, 1:] = (np.exp(-((time / 20.0) ** 2)) * np.cos(time * 2 * np.pi * 400 / RATE_HZ))[:, None]
    return waves / np.sqrt((waves**2).sum(axis=(1, 2)))[:, None, None]


def recording_of(traces: NDArray[np.float32]) -> NumpyRecording:
    recording = NumpyRecording([traces], RATE_HZ)
    recording.set_dummy_probe_from_locations(PLACES_UM)
    return recording


@pytest.mark.parametrize("at_hz", [300.0, 900.0])
def test_each_template_is_found_in_gaussian_noise_as_often_as_rice_says(at_hz: float) -> None:
    """Peaks of a score of variance v above (E + g) / 2: sqrt(-r''(0)) / 2 pi e^(-l^2 / 2) of them a second.

    Each template has the energy that is just looked for, so that noise is let through as often as it ever is.
    """
    traces, covariance = coloured(at_hz, seed=1)
    recording = recording_of(traces)
    least_gain = LeastGain(30.0, SETTINGS.white_density(RATE_HZ), measured_covariance(recording, N_TIMES))
    asked = least_gain.of(shapes())
    waves = shapes() * np.sqrt(asked).astype(np.float32)[:, None, None]
    assert asked[2] > 45  # the slow wave looks like the noise
    time = np.arange(N_TIMES)
    by_lag = covariance[np.abs(time[:, None] - time[None])]
    later = covariance[np.minimum(np.abs(time[:, None] - time[None] - 1), N_TIMES - 1)]
    for unit, wave in enumerate(waves):
        variance = float(np.einsum("sc,st,tc->", wave, by_lag, wave))
        step = 2 * (variance - float(np.einsum("sc,st,tc->", wave, later, wave)))
        rises_hz = np.sqrt(step / variance) * RATE_HZ / (2 * np.pi)
        least = asked[unit] / np.sqrt(variance)
        assert least**2 >= 0.9 * 30 / least_gain.densest
        expected = DURATION_S * rises_hz * np.exp(-0.5 * least**2)
        found, _ = found_spikes(recording, waves[[unit]], least_gain=asked[[unit]])
        assert len(found) == pytest.approx(expected, rel=0.15, abs=4 * np.sqrt(expected))


def test_in_white_noise_through_the_band_nothing_more_is_asked() -> None:
    """Whatever the shape; the measured variance is a few hundredths off at most."""
    traces = np.random.default_rng(2).normal(0, 50, (20 * int(RATE_HZ), 3)).astype(np.int16)
    recording = ArrayRecording(traces, sampling_frequency_hz=RATE_HZ, probe=Probe(PLACES_UM))
    with preprocess(recording, reference="none") as pre:
        whitened = pre.whitened()
        asked = least_gain_of(whitened, pre).of(shapes())
    assert asked == pytest.approx(np.full(3, GAIN_A_HZ * RATE_HZ), rel=0.06)


def test_the_density_of_white_noise_is_the_band_over_its_share() -> None:
    """Through a narrow band all noise is where it passes: half the sampling frequency over its width.

    A Butterworth filter of order 3, forward and backward, passes 0.87 of the nominal width.
    """
    assert FilterSettings(2000.0, 3000.0, "none").white_density(RATE_HZ) == pytest.approx(
        10_000 / (0.8727 * 1000), rel=0.03
    )


def test_spikes_are_the_same_where_all_templates_are_asked_alike() -> None:
    traces, _ = coloured(900.0, seed=3)
    recording, waves = recording_of(traces[:100_000]), 8 * shapes()
    one = found_spikes(recording, waves, least_gain=30.0)
    each = found_spikes(recording, waves, least_gain=np.full(3, 30.0))
    assert len(one[0]) > 20
    assert [part.tolist() for part in one] == [part.tolist() for part in each]


def test_a_template_of_which_more_is_asked_leaves_spikes_to_those_that_pass() -> None:
    """A spike of a narrow template of length 8; the other one is alike, but asked for more than there is."""
    traces = np.zeros((2000, 3), np.float32)
    waves = 8 * shapes()[[0, 0]]
    waves[1] *= np.float32(1.02)
    traces[500 : 500 + N_TIMES] += waves[1]
    for least, unit in (([30.0, 30.0], 1), ([30.0, 300.0], 0), ([300.0, 40.0], 1)):
        times, units = found_spikes(recording_of(traces), waves, least_gain=np.array(least))
        assert (times.tolist(), units.tolist()) == ([525], [unit])


@pytest.mark.parametrize("at_hz", [500.0, 800.0])
def test_crossings_of_the_threshold_by_coloured_noise_are_no_units(
    at_hz: float, caplog: pytest.LogCaptureFixture
) -> None:
    """Those of each contact are proposed as a unit: a filter of such a shape is loud in such noise."""
    n = 20 * int(RATE_HZ)
    shape = np.sqrt(peaked_power(np.fft.rfftfreq(n, 1 / RATE_HZ), at_hz))[:, None]
    white = np.random.default_rng(5).standard_normal((n, 8))
    traces = np.fft.irfft(np.fft.rfft(white, axis=0) * shape, n, axis=0)
    probe = Probe(np.column_stack([np.zeros(8), 50.0 * np.arange(8)]))
    counts = (traces * (50 / traces.std())).astype(np.int16)
    recording = ArrayRecording(counts, sampling_frequency_hz=RATE_HZ, probe=probe)
    with preprocess(recording, reference="none") as pre, caplog.at_level(logging.INFO, logger="ncpgui"):
        found = detect_spikes(pre, threshold_sd=3.5, radius_um=40.0)
        assert np.bincount(found.channel, minlength=8).min() > 20
        matched = match_units(pre, found.sample_index, found.channel)
    assert matched.n_units == len(matched.unit) == 0
    assert "the noise is coloured" in caplog.text
    assert "of 8 proposed units are looked for" in caplog.text


@pytest.mark.parametrize(("energy", "is_kept"), [(55.0, False), (65.0, True)])
def test_a_template_that_does_not_stand_out_of_its_own_noise_is_not_looked_for(
    energy: float, is_kept: bool
) -> None:
    """The slow wave in noise that is twice as loud for it: 60 are asked in place of 30."""
    traces, _ = coloured(400.0, seed=4)
    noise = measured_covariance(recording_of(traces), N_TIMES)
    wave = shapes()[[2]]
    least_gain = LeastGain(30.0, float(noise.variance_of(wave)[0]) / 2, noise)
    bank = MovingBank(np.sqrt(energy).astype(np.float32) * wave[None], 25, np.ones(1))
    _, units = pruned(bank, np.zeros(7000, np.int64), PLACES_UM, least_gain=least_gain)
    assert (units == (0 if is_kept else -1)).all()
