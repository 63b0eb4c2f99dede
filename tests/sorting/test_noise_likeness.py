"""What crossings of noise look like, by theory; units that look so are left out, and cells are not."""

from __future__ import annotations

import logging
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.probe import Probe
from ncpgui.ephys.detection import detect_spikes
from ncpgui.ephys.noise_covariance import NoiseCovariance, measured_covariance
from ncpgui.ephys.preprocessing import Preprocessed, preprocess
from ncpgui.sorting.found_units import FoundUnits, found_units
from ncpgui.sorting.matching import match_units
from ncpgui.sorting.neuron_probability import neuron_probability
from ncpgui.sorting.noise_likeness import NoiseLikeness, noise_likeness, unlike_noise

RATE_HZ, N_CHANNELS = 20_000.0, 8
DURATION_S = 30.0
N_SAMPLES = int(DURATION_S * RATE_HZ)
BEFORE, N_TIMES = 20, 70


def falling(f: NDArray[np.float64]) -> NDArray[np.float64]:
    """1/f noise over a floor."""
    return 1 / np.maximum(f, 10) + 1 / 3000


@cache
def noise_of(power: bool) -> NDArray[np.float64]:
    """White noise or such."""
    rng = np.random.default_rng(3)
    shape = falling(np.fft.rfftfreq(N_SAMPLES, 1 / RATE_HZ)) if power else np.ones(N_SAMPLES // 2 + 1)
    spectrum = np.fft.rfft(rng.standard_normal((N_SAMPLES, N_CHANNELS)), axis=0) * np.sqrt(shape)[:, None]
    traces = np.fft.irfft(spectrum, N_SAMPLES, axis=0)
    return traces / traces.std()


def recording(power: bool, cell: NDArray[np.float64] | None = None) -> ArrayRecording:
    """That noise on contacts 40 um apart; a cell fires ten times a second."""
    traces = noise_of(power).copy()
    if cell is not None:
        for spike in cell_spikes():
            traces[spike - BEFORE : spike - BEFORE + len(cell)] += cell
    probe = Probe(np.column_stack([np.zeros(N_CHANNELS), 40.0 * np.arange(N_CHANNELS)]))
    return ArrayRecording((traces * 50).astype(np.int16), sampling_frequency_hz=RATE_HZ, probe=probe)


def cell_spikes() -> NDArray[np.int64]:
    return np.sort(np.random.default_rng(4).permutation(N_SAMPLES // 100 - 4)[:300]) * 100 + 150


def cell_shape(height: float) -> NDArray[np.float64]:
    """A trough with a recovery, on three contacts."""
    time = np.arange(60) - BEFORE
    course = -np.exp(-((time / 5.0) ** 2)) + 0.35 * np.exp(-(((time - 12) / 9.0) ** 2))
    return height * course[:, None] * np.exp(-(((np.arange(N_CHANNELS) - 3) / 0.8) ** 2))


def mean_of(pre: Preprocessed, samples: NDArray[np.integer]) -> NDArray[np.float32]:
    windows = [pre.traces(int(s) - BEFORE, int(s) - BEFORE + N_TIMES) for s in samples]
    return np.mean(windows, axis=0)


def crossings(pre: Preprocessed, threshold_sd: float, channel: int) -> tuple[NDArray, NDArray]:
    """Samples and heights of troughs on a channel."""
    found = detect_spikes(pre, threshold_sd=threshold_sd, radius_um=30.0)
    inside = (found.sample_index > 100) & (found.sample_index < N_SAMPLES - 100) & (found.channel == channel)
    return found.sample_index[inside], np.abs(found.amplitude[inside])


def test_the_shape_of_crossings_is_the_covariance_with_their_channel_by_hand() -> None:
    """The second channel has 0.3 of the first one sample later, and 0.1 one sample earlier."""
    by_lag = np.array([[0.5, 2.0, 0.5], [0.1, 0.2, 0.3], [0.0, 1.0, 0.0]])
    noise = NoiseCovariance(np.array([0, 0, 1]), np.array([0, 1, 1]), by_lag)
    assert noise.variance_of_channels().tolist() == [2.0, 1.0]
    first = noise.crossing(0, n_times=4, n_channels=2, at=1)
    assert first == pytest.approx(np.array([[0.25, 0.05], [1, 0.1], [0.25, 0.15], [0, 0]]))
    second = noise.crossing(1, n_times=4, n_channels=2, at=1)
    assert second == pytest.approx(np.array([[0.3, 0], [0.2, 1], [0.1, 0], [0, 0]]))


@pytest.mark.parametrize("coloured", [False, True])
def test_the_mean_of_crossings_is_what_theory_says_of_noise(coloured: bool) -> None:
    """Heights fall off by e in 1 / l above l sd, and the mean waveform is the covariance times the height."""
    with preprocess(recording(coloured), reference="none") as pre:
        samples, heights = crossings(pre, 3.0, 2)
        mean = mean_of(pre, samples)
        noise = measured_covariance(pre.in_noise_sd, N_TIMES)
    assert len(samples) > 500
    assert heights.mean() == pytest.approx(3 + 1 / 3, abs=0.05)
    expected = -heights.mean() * noise.crossing(2, N_TIMES, N_CHANNELS, BEFORE)
    assert np.abs(mean - expected).max() < 0.4
    unlike, height = unlike_noise(mean, noise, n_spikes=len(samples))
    assert unlike < 0.15
    assert height == pytest.approx(heights.mean(), abs=0.15)


@pytest.mark.parametrize("coloured", [False, True])
def test_a_cell_no_larger_than_crossings_is_unlike_them(coloured: bool) -> None:
    with preprocess(recording(coloured, cell_shape(4.5)), reference="none") as pre:
        mean = mean_of(pre, cell_spikes())
        found = noise_likeness(pre, mean[None], np.array([300]))
    assert found.unlike[0] > 0.4
    assert found.nats.tolist() == [0]
    assert found.height_sd[0] < 6


def test_evidence_is_what_its_formula_says() -> None:
    """2 log(q / 0.4), none from 0.4 on, that of 0.1 below it; none against a unit of more than 6 sd."""
    found = NoiseLikeness(np.array([0.0, 0.1, 0.2, 0.4, 1.0, 0.2]), np.array([4.7] * 5 + [6.1]))
    assert found.nats == pytest.approx([2 * np.log(0.25)] * 2 + [2 * np.log(0.5), 0, 0, 0])
    evidence = np.zeros((6, 5))
    before, after = neuron_probability(evidence), neuron_probability(evidence, found.nats)
    odds = after / (1 - after) / (before / (1 - before))
    assert np.log(odds) == pytest.approx(found.nats, abs=1e-3)
    are_noise = found.are_noise(np.array([0.05, 0.31, 0.29, 0.05, 0.05, 0.05]))
    assert are_noise.tolist() == [True, False, True, True, False, False]


def sorted_from_crossings(coloured: bool, cell: NDArray[np.float64] | None) -> FoundUnits:
    """Units of a recording whose crossings are proposed, by contact, and a third of the cell's spikes."""
    with preprocess(recording(coloured, cell), reference="none") as pre:
        found = detect_spikes(pre, threshold_sd=4.0, radius_um=30.0)
        sample, unit = found.sample_index, found.channel.astype(np.int64)
        if cell is not None:
            free = (np.abs(sample[:, None] - cell_spikes()) > 20).all(axis=1)
            sample, unit = np.append(sample[free], cell_spikes()[::3]), np.append(unit[free], [8] * 100)
        return found_units(pre, match_units(pre, sample, unit))


@pytest.mark.parametrize("coloured", [False, True])
def test_units_of_crossings_are_left_out_and_the_log_says_so(
    coloured: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="ncpgui.sorting"):
        found = sorted_from_crossings(coloured, None)
    assert (found.n_units, len(found.unit)) == (0, 0)
    assert found.left_out.like_noise + found.left_out.faint == N_CHANNELS
    assert found.left_out.sentences
    for sentence in found.left_out.sentences:
        assert "left out as noise" in sentence
        assert sentence in caplog.text


@pytest.mark.parametrize("coloured", [False, True])
def test_a_small_cell_among_them_is_kept(coloured: bool) -> None:
    found = sorted_from_crossings(coloured, cell_shape(7.0))
    spikes = cell_spikes()
    hit = np.abs(found.matched.sample_index[:, None] - spikes) <= 8
    assert found.n_units == 1
    assert hit.any(axis=0).mean() > 0.9
    assert hit.any(axis=1).mean() > 0.9
    assert found.p_neuron.max() > 0.9


def test_what_is_as_high_as_noise_and_of_its_shape_may_be_noise_up_to_the_limits() -> None:
    """Six sd high, half of the energy of another shape, P(neuron) of 0.3."""
    found = NoiseLikeness(np.array([0.49, 0.5, 0.49, 0.49]), np.array([5.9, 5.9, 6.0, 5.9]))
    assert found.are_noise(np.array([0.29, 0.29, 0.29, 0.3])).tolist() == [True, False, False, False]
    assert found.shape[2] == 0
    assert (found.shape[[0, 3]] <= 0).all()
