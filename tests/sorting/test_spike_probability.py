"""P(spike) on planted spikes whose unit is known: of a thousand at 0.7, seven hundred are right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt
from spikeinterface.core import BaseRecording, NumpyRecording

from ncpgui.core.motion import Places
from ncpgui.sorting.chance_spikes import fit_none, least_lengths
from ncpgui.sorting.fitting import fitted
from ncpgui.sorting.gain_noise import GainNoise
from ncpgui.sorting.least_gain import LeastGain
from ncpgui.sorting.matched import Matched
from ncpgui.sorting.moving_templates import MovingBank
from ncpgui.sorting.peeling import TemplateBank
from ncpgui.sorting.spike_probability import spike_probability

RATE_HZ = 30_000.0
DURATION_S = 60.0
BEFORE, N_TIMES = 15, 50


def shape(width: float, heights: tuple[float, float, float]) -> np.ndarray:
    """A trough at sample 15 of three channels: (50, 3)."""
    time = np.arange(N_TIMES) - BEFORE
    trough = -np.exp(-((time / width) ** 2)) + 0.3 * np.exp(-(((time - 3 * width) / (2 * width)) ** 2))
    return (trough[:, None] * np.asarray(heights)).astype(np.float32)


def band_passed_noise(seed: int) -> np.ndarray:
    """Noise of sd 1 that is correlated in time as filtered traces are: (n, 3)."""
    white = np.random.default_rng(seed).normal(size=(int(DURATION_S * RATE_HZ), 3))
    noise = sosfiltfilt(butter(3, (300, 6000), "bandpass", fs=RATE_HZ, output="sos"), white, axis=0)
    return (noise / noise.std()).astype(np.float32)


def recording_of(traces: np.ndarray) -> NumpyRecording:
    recording = NumpyRecording([traces], RATE_HZ)
    recording.set_dummy_probe_from_locations(np.column_stack([np.zeros(3), 25.0 * np.arange(3)]))
    return recording


def fit(
    recording: BaseRecording,
    spikes: np.ndarray,
    units: np.ndarray,
    bank: TemplateBank,
    least_gain: float = 45.0,
) -> Matched:
    """Fit spikes of tissue that stands still."""
    places = Places.one(recording.get_num_samples())
    matched, _ = fitted(
        recording,
        spikes,
        units,
        MovingBank(bank.waveforms[None], BEFORE, places.share),
        places,
        LeastGain(least_gain),
    )
    return matched


def planted(traces: np.ndarray, template: np.ndarray, spikes: np.ndarray, seed: int) -> None:
    amplitudes = np.random.default_rng(seed).normal(1, 0.05, len(spikes))
    for spike, amplitude in zip(spikes, amplitudes, strict=True):
        traces[spike - BEFORE : spike - BEFORE + N_TIMES] += amplitude * template


def places(n: int, seed: int) -> np.ndarray:
    """Times (n,) at least 100 samples apart."""
    slots = int(DURATION_S * RATE_HZ) // 150 - 4
    return np.sort(np.random.default_rng(seed).permutation(slots)[:n]) * 150 + 200


@pytest.fixture(scope="module")
def two_alike() -> tuple[Matched, np.ndarray]:
    """Spikes of two cells that are hard to tell apart, given to the better template; and which are right."""
    bank = TemplateBank(np.stack([shape(5, (6, 8, 3)), shape(5, (7.2, 6.9, 3))]), BEFORE)
    spikes = places(6000, 1)
    truth = (np.random.default_rng(2).random(6000) < 0.3).astype(np.int64)
    traces = band_passed_noise(3)
    for unit in (0, 1):
        planted(traces, bank.waveforms[unit], spikes[truth == unit], unit)
    recording = recording_of(traces)
    matched = fit(recording, spikes, truth, bank)
    given = np.where(matched.gain[:, 1] > matched.gain[:, 0], 1 - truth, truth)
    matched = fit(recording, spikes, given, bank)
    return matched, given == truth


def probability(matched: Matched) -> np.ndarray:
    none = fit_none(matched, duration_s=DURATION_S)
    return spike_probability(matched, none).astype(float)


def assert_comes_true(probability: np.ndarray, right: np.ndarray) -> None:
    """As many are right as were promised, within three sd of chance and two in a hundred."""
    off = right.sum() - probability.sum()
    assert abs(off) < 3 * np.sqrt((probability * (1 - probability)).sum()) + 0.02 * len(right)


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 1.01)])
def test_probabilities_between_cells_that_are_alike_come_true(
    two_alike: tuple[Matched, np.ndarray], low: float, high: float
) -> None:
    matched, right = two_alike
    found = probability(matched)
    rows = (found >= low) & (found < high)
    assert rows.sum() > 100
    assert_comes_true(found[rows], right[rows])


def test_it_does_not_matter_how_many_spikes_are_looked_at_at_once(
    two_alike: tuple[Matched, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    matched, _ = two_alike
    at_once = probability(matched)
    monkeypatch.setattr("ncpgui.sorting.spike_probability.SPIKES_AT_ONCE", 999)
    assert np.array_equal(probability(matched), at_once)


def test_the_noise_of_gains_is_that_of_white_noise_where_it_is_white() -> None:
    """Length 1 along any template, and a lead of D squared with an sd of 2 D between templates D apart."""
    traces = np.random.default_rng(0).normal(size=(int(DURATION_S * RATE_HZ), 3)).astype(np.float32)
    waveforms = np.stack([shape(5, (20, 26, 10)), shape(5, (22, 25, 10))])
    spikes = places(10, 1)
    matched = fit(recording_of(traces), spikes, np.arange(10) % 2, TemplateBank(waveforms, BEFORE))
    noise: GainNoise = matched.noise
    assert noise.sd == pytest.approx([1, 1], abs=0.1)
    apart = np.sqrt(((waveforms[0] - waveforms[1]) ** 2).sum())
    assert apart > 4
    assert noise.lead[0, 1] == pytest.approx(apart**2, rel=0.2)  # a little less: amplitudes are fitted
    assert noise.lead_sd[0, 1] == pytest.approx(2 * apart, rel=0.15)


def test_noise_that_looks_like_a_small_cell_is_of_none() -> None:
    """A cell near the threshold, and the best places of its template in noise given to it as spikes."""
    template, least_gain = shape(5, (1.4, 2.6, 1.0)), 18.0
    bank = TemplateBank(template[None], BEFORE)
    energy = float((template**2).sum())
    traces = band_passed_noise(5)
    spikes = places(300, 6)
    planted(traces, template, spikes, 7)
    along = sum(np.correlate(traces[:, c], template[:, c], "valid") for c in range(3))
    peaks = 1 + np.flatnonzero((along[1:-1] > along[:-2]) & (along[1:-1] >= along[2:]))
    peaks = peaks[along[peaks] > (energy + least_gain) / 2] + BEFORE
    is_true = (np.abs(peaks[:, None] - spikes[None]) <= 6).any(axis=1)
    peaks, is_true = peaks[(peaks > 200)], is_true[peaks > 200]
    assert (~is_true).sum() > 200
    matched = fit(recording_of(traces), peaks, np.zeros(len(peaks), np.int64), bank, least_gain)
    found = probability(matched)
    assert found[is_true].mean() > 0.8
    assert found[~is_true].mean() < 0.2
    assert_comes_true(found, is_true)


@pytest.mark.parametrize("levels", [(1.0, 1.0), (0.4, 1.6)])
def test_chance_crossings_are_as_many_as_noise_makes(levels: tuple[float, float]) -> None:
    """Counted in noise alone, three sd above its mean; the sd is measured on traces with spikes.

    In noise whose variance is four times as large in the second half nearly all of them are there.
    """
    template = shape(5, (2.0, 3.0, 1.6))
    traces = band_passed_noise(8)
    for half, level in zip(np.array_split(traces, 2), levels, strict=True):
        half *= np.float32(np.sqrt(level))
    with_spikes, spikes = traces.copy(), places(10, 1)
    planted(with_spikes, template, spikes, 2)
    bank = TemplateBank(template[None], BEFORE)
    matched = fit(recording_of(with_spikes), spikes, np.zeros(10, np.int64), bank, 0.0)
    least = least_lengths(matched)[0]
    along = sum(np.correlate(traces[:, c], template[:, c], "valid") for c in range(3))
    length = along / np.sqrt((template**2).sum())
    assert matched.noise.sd[0] == pytest.approx(length.std(), rel=0.05)
    length *= matched.noise.sd[0] / length.std()  # 4 % of sd would be 40 % of what is above three of them
    counted = int(((length[1:] > least) & (length[:-1] <= least)).sum())
    matched = replace(matched, noise_level=np.array(levels)[:, None])
    none = fit_none(matched, duration_s=DURATION_S)
    assert counted > 400
    assert none.by_chance[0] == pytest.approx(counted, rel=0.1)
