"""Waveforms as in white noise: their noise is that of the band, and white noise is left alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.probe import Probe
from ncpgui.engine import cluster
from ncpgui.ephys.preprocessing import FilterSettings, Preprocessed, preprocess
from ncpgui.ephys.waveforms import extract_waveforms
from ncpgui.ephys.white_waveforms import at_waveform_lags, band_autocorrelation, mapped, maps_to

LAG = np.abs(np.subtract.outer(np.arange(32), np.arange(32)))


def band(rate_hz: float = 20_000.0) -> NDArray[np.float64]:
    return band_autocorrelation(FilterSettings(300.0, 6000.0, "none").band_power(rate_hz), rate_hz)


def slow(decay_samples: float = 12.0) -> NDArray[np.float64]:
    """Autocorrelation of noise that turns around in 40 samples: a broad peak at 500 Hz."""
    lag = np.arange(32)
    return np.exp(-lag / decay_samples) * np.cos(2 * np.pi * lag / 40)


def recorded(noise_hz: float, coloured: slice, rate_hz: float = 20_000.0) -> Preprocessed:
    """Noise that is white but on some of six contacts, where it has a broad peak."""
    n = 10 * int(rate_hz)
    white = np.random.default_rng(0).standard_normal((n, 6))
    f = np.fft.rfftfreq(n, 1 / rate_hz)
    shape = np.sqrt(1 / ((1 - (f / noise_hz) ** 2) ** 2 + (f / (2 * noise_hz)) ** 2) + 0.02)
    traces = white.copy()
    traces[:, coloured] = np.fft.irfft(np.fft.rfft(white[:, coloured], axis=0) * shape[:, None], n, axis=0)
    probe = Probe(np.column_stack([np.zeros(6), 200.0 * np.arange(6)]))
    counts = np.round(traces / traces.std(axis=0) * 50).astype(np.int16)
    return preprocess(ArrayRecording(counts, sampling_frequency_hz=rate_hz, probe=probe), reference="none")


def autocorrelation(waveforms: NDArray[np.floating]) -> NDArray[np.float64]:
    """Of waveforms (n, 32) of noise of sd 1."""
    products = waveforms.T.astype(np.float64) @ waveforms / len(waveforms)
    return np.array([np.diagonal(products, lag).mean() for lag in range(32)])


def test_the_map_turns_noise_of_one_colour_into_noise_of_the_other() -> None:
    (one,) = maps_to(slow()[None], band()).astype(np.float64)
    covariance = 0.98 * slow()[LAG] + 0.02 * np.eye(32)
    assert one @ covariance @ one.T == pytest.approx(0.98 * band()[LAG] + 0.02 * np.eye(32), abs=1e-4)
    assert one == pytest.approx(one.T)
    assert np.linalg.eigvalsh(one).min() > 0  # nothing is lost


@pytest.mark.parametrize("change", [0.0, 0.02])
def test_noise_that_is_as_good_as_white_is_left_alone_to_the_last_bit(change: float) -> None:
    (one,) = maps_to((band() + change * np.arange(32).clip(max=1) * band())[None], band())
    assert (one == np.eye(32)).all()


def test_each_contact_has_a_map_of_its_own() -> None:
    maps = maps_to(np.stack([band(), slow()]), band())
    waveforms = np.random.default_rng(1).normal(size=(5, 32, 2)).astype(np.float32)
    found = mapped(waveforms, maps)
    assert found[:, :, 0] == pytest.approx(waveforms[:, :, 0])
    assert found[:, :, 1] == pytest.approx(waveforms[:, :, 1] @ maps[1].T, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("rate_hz", [20_000.0, 30_000.0, 24_414.0625])
def test_autocorrelations_are_those_at_the_lags_of_waveforms_whatever_the_rate(rate_hz: float) -> None:
    lag_s = np.arange(80) / rate_hz
    known = 9 * np.exp(-((lag_s / 4e-4) ** 2)) * np.cos(2 * np.pi * 800 * lag_s)
    at_s = np.arange(32) / 20_000
    (found,) = at_waveform_lags(known[None], rate_hz)
    assert found == pytest.approx(np.exp(-((at_s / 4e-4) ** 2)) * np.cos(2 * np.pi * 800 * at_s), abs=2e-3)


@pytest.mark.parametrize("rate_hz", [20_000.0, 30_000.0])
def test_on_coloured_contacts_noise_becomes_that_of_white_noise_behind_the_band(
    rate_hz: float,
) -> None:
    times = np.arange(200, 10 * int(rate_hz) - 200, 97)
    with recorded(500.0, slice(0, 5), rate_hz) as pre:
        before = extract_waveforms(pre, times, np.arange(6))
        after = pre.in_white_noise(before, np.arange(6))
    wanted = band(rate_hz)
    for contact in range(1, 6):  # the first one is cut where it is deepest
        own = [autocorrelation(waveforms[:, :, contact]) for waveforms in (before, after)]
        assert own[1] == pytest.approx(wanted, abs=0.12)
        if contact < 5:
            assert np.abs(own[0] - wanted).max() > 0.5
    assert (after[:, :, 5] == before[:, :, 5]).all()


def test_waveforms_of_a_recording_in_white_noise_are_what_they_were() -> None:
    waveforms = np.ones((3, 32, 2), np.float32)
    with recorded(500.0, slice(0, 0)) as pre:
        assert pre.waveform_maps is None
        assert pre.in_white_noise(waveforms, np.arange(2)) is waveforms


def test_the_network_takes_a_small_cell_in_coloured_noise_for_one_cell() -> None:
    """600 spikes of 3.7 sd in a peak at 300 Hz: as they are, nearly all draws part them."""
    passed = FilterSettings(300.0, 6000.0, "none").band_power(20_000.0)
    f = np.linspace(0, 10_000, len(passed))
    peak = 1 / ((1 - (f / 300) ** 2) ** 2 + (f / 600) ** 2) + 0.15
    own = band_autocorrelation(passed * peak, 20_000.0)
    rng = np.random.default_rng(0)
    noise = np.linalg.cholesky(own[LAG] + 1e-6 * np.eye(32)) @ rng.standard_normal((600, 32, 4))
    time = np.arange(32) - 11
    course = -np.exp(-((time / 3) ** 2)) + 0.3 * np.exp(-(((time - 7) / 5) ** 2))
    cell = 3.7 * course[:, None] * [1.0, 0.6, 0.4, 0.2]
    waveforms = (noise + rng.normal(1, 0.08, (600, 1, 1)) * cell).astype(np.float32)
    whitened = mapped(waveforms, np.repeat(maps_to(own[None], band()), 4, axis=0))
    places_um = [[0, 0], [0, 25], [0, -25], [0, 50]]

    def p_one(of: NDArray[np.float32]) -> float:
        found = cluster(of, channel_positions=places_um, samples=50, beam=0, heaps=False, device="cpu")
        return float(found.alternative_mass[found.alternatives.max(axis=1) == 0].sum())

    assert p_one(whitened) > 0.5 > 2 * p_one(waveforms)
