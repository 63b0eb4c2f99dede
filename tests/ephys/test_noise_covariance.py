"""Noise of a matched filter: by hand, by theory, and beside spikes that must not count."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import fft
from scipy.signal import lfilter
from spikeinterface.core import NumpyRecording

from ncpgui.ephys.noise_covariance import (
    FREQUENCIES_AT_ONCE,
    NoiseCovariance,
    _add_products,
    measured_covariance,
)
from ncpgui.ephys.noise_levels import MAD_OF_NORMAL, SLICE_S, slices_of

RATE_HZ, N_TIMES = 20_000.0, 40
N_SAMPLES = 20 * int(RATE_HZ)


def recording_of(traces: NDArray[np.floating], pitch_um: float = 20.0) -> NumpyRecording:
    recording = NumpyRecording([traces.astype(np.float32)], RATE_HZ)
    places = np.column_stack([np.zeros(traces.shape[1]), pitch_um * np.arange(traces.shape[1])])
    recording.set_dummy_probe_from_locations(places)
    return recording


def autoregressive(keep: float, n_channels: int, seed: int = 0) -> NDArray[np.float64]:
    """Noise of sd 1 whose correlation is `keep` to the power of the lag: (n, C)."""
    steps = np.random.default_rng(seed).normal(0, np.sqrt(1 - keep**2), (N_SAMPLES, n_channels))
    return np.asarray(lfilter([1.0], [1.0, -keep], steps, axis=0))


def templates(n_channels: int) -> NDArray[np.float32]:
    """A single sample, a slow bump, and the bump with its neighbour upside down."""
    bump = np.exp(-(((np.arange(N_TIMES) - 15) / 5.0) ** 2))
    result = np.zeros((3, N_TIMES, n_channels), np.float32)
    result[0, 7, 0] = 2
    result[1, :, 0] = bump
    result[2, :, 0], result[2, :, -1] = bump, -0.5 * bump
    return result


def test_the_variance_of_a_score_is_the_sum_of_all_covariances_by_hand() -> None:
    """Template (1, 2) on one channel and (0, 3) on the other; 1 + 4 + 9 at lag 0, and three products more."""
    by_lag = np.array([[0.5, 1.0, 0.5], [0.1, 0.2, 0.3], [0.0, 1.0, 0.0]])
    noise = NoiseCovariance(np.array([0, 0, 1]), np.array([0, 1, 1]), by_lag)
    wave = np.array([[[1.0, 0.0], [2.0, 3.0]]])
    within = (1 + 4) * 1.0 + 2 * (1 * 2) * 0.5 + 9 * 1.0
    between = 2 * (1 * 3 * 0.3 + 2 * 3 * 0.2)  # the second channel one sample later, and at once
    assert noise.variance_of(wave) == pytest.approx([within + between])


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.95])
def test_noise_of_a_known_correlation_gives_the_variance_of_theory(keep: float) -> None:
    """Independent channels: sum of keep^|s - t| a(s) a(t) over each."""
    waves = templates(2)
    time = np.arange(N_TIMES)
    covariance = keep ** np.abs(time[:, None] - time[None])
    expected = np.einsum("ksc,st,ktc->k", waves, covariance, waves)
    noise = measured_covariance(recording_of(autoregressive(keep, 2)), N_TIMES)
    assert noise.variance_of(waves) == pytest.approx(expected, rel=0.06)


def test_what_contacts_share_late_counts_where_a_template_has_it_as_late() -> None:
    """The second channel repeats the first three samples later; a template of both doubles its score."""
    source = np.random.default_rng(1).normal(size=N_SAMPLES)
    noise = measured_covariance(recording_of(np.column_stack([source, np.roll(source, 3)])), N_TIMES)
    waves = np.zeros((2, N_TIMES, 2), np.float32)
    waves[:, 10, 0] = 1
    waves[0, 13, 1] = waves[1, 7, 1] = 1
    assert noise.variance_of(waves) == pytest.approx([4, 2], rel=0.05)


def test_spikes_do_not_count_as_noise() -> None:
    """A cell of 12 sd at 40 Hz would make its own filter seven times as loud."""
    traces = autoregressive(0.0, 2)
    wave = 12 * templates(2)[1]
    spikes = np.random.default_rng(2).permutation(N_SAMPLES // 100 - 2)[:800] * 100 + 50
    for spike in spikes:
        traces[spike : spike + N_TIMES] += wave
    noise = measured_covariance(recording_of(traces), N_TIMES)
    assert noise.variance_of(wave[None]) == pytest.approx([(wave**2).sum()], rel=0.1)


def test_contacts_far_from_each_other_count_as_independent() -> None:
    source = np.random.default_rng(3).normal(size=N_SAMPLES)
    noise = measured_covariance(recording_of(np.column_stack([source, source]), 150.0), N_TIMES)
    waves = np.zeros((1, N_TIMES, 2), np.float32)
    waves[0, 5] = 1
    assert noise.variance_of(waves) == pytest.approx([2], rel=0.05)


def test_a_channel_without_enough_noise_counts_as_white() -> None:
    """Blanked to zero all along; and a recording too short for a piece."""
    silent = measured_covariance(recording_of(np.zeros((N_SAMPLES, 1))), N_TIMES)
    short = measured_covariance(recording_of(autoregressive(0.9, 1)[:300]), N_TIMES)
    waves = templates(1)[:2]
    for noise in (silent, short):
        assert noise.variance_of(waves) == pytest.approx((waves**2).sum(axis=(1, 2)))


def test_the_level_of_noise_whose_gain_doubles_halfway_is_known_by_hand() -> None:
    """Variances of 1 and 4 are 0.4 and 1.6 of their mean; the other channel stays as it is."""
    traces = autoregressive(0.5, 2, seed=2)
    traces[N_SAMPLES // 2 :, 0] *= 2
    noise = measured_covariance(recording_of(traces), N_TIMES)
    assert noise.level is not None
    assert noise.level.mean(axis=0) == pytest.approx([1, 1])
    loud = noise.level[:, 0] > 1
    ratio = np.median(noise.level[loud, 0]) / np.median(noise.level[~loud, 0])
    assert ratio == pytest.approx(4, rel=0.1)
    assert noise.level[:, 1] == pytest.approx(1, abs=0.15)


def test_a_template_sees_the_level_of_the_channels_that_hold_its_energy() -> None:
    """Energies of 9 and 1 on channels at levels of 2 and 1 in the loud slice, 0 and 1 in the other."""
    by_lag = np.array([[1.0], [1.0]])
    level = np.array([[2.0, 1.0], [0.0, 1.0]])
    noise = NoiseCovariance(np.array([0, 1]), np.array([0, 1]), by_lag, level)
    waves = np.zeros((2, 3, 2))
    waves[0, 1] = 3, 1
    assert noise.level_of(waves)[:, 0] == pytest.approx([1.9, 0.1])
    assert noise.level_of(waves)[:, 1].tolist() == [1, 1]
    still = NoiseCovariance(np.array([0, 1]), np.array([0, 1]), by_lag)
    assert still.level_of(waves).tolist() == [[1, 1]]


BY_HAND = NoiseCovariance(
    np.array([0, 0, 1]),
    np.array([0, 1, 1]),
    np.array([[0.5, 1.0, 0.5], [0.1, 0.2, 0.3], [0.0, 4.0, 0.0]]),
)
"""Lags -1, 0 and 1: the second channel is 0.3 with the first one a sample before, 0.1 with that after it."""


def test_the_mean_around_noise_that_reaches_1_is_its_covariance_over_its_variance() -> None:
    assert (BY_HAND.n_lags, BY_HAND.variance_of_channels().tolist()) == (2, [1, 4])
    first = BY_HAND.crossing(0, n_times=4, n_channels=2, at=1)
    assert first == pytest.approx(np.array([[0.5, 0.1], [1, 0.2], [0.5, 0.3], [0, 0]]))
    second = BY_HAND.crossing(1, n_times=3, n_channels=2, at=0)
    assert second == pytest.approx(np.array([[0.05, 1], [0.025, 0], [0, 0]]))
    assert not BY_HAND.crossing(2, n_times=2, n_channels=3, at=0).any()


def test_the_variance_of_a_score_is_right_for_an_even_and_an_odd_number_of_lags_and_for_one() -> None:
    """Template (1, 2, 3, 4): products 30, 20, 11 and 4 at the lags 0 to 3."""
    wave = np.arange(1.0, 5)[None, :, None]
    for lags, expected in (
        ([1.0], 30.0),
        ([1.0, 0.3], 30 + 2 * 20 * 0.3),
        ([1.0, 0.3, 0.2], 30 + 2 * (20 * 0.3 + 11 * 0.2)),
        ([1.0, 0.3, 0.2, 0.1], 30 + 2 * (20 * 0.3 + 11 * 0.2 + 4 * 0.1)),
    ):
        by_lag = np.array([[*lags[:0:-1], *lags]])
        noise = NoiseCovariance(np.zeros(1, int), np.zeros(1, int), by_lag)
        n = len(lags)
        some = wave[:, :n]
        whole = sum(lags[abs(s - t)] * some[0, s, 0] * some[0, t, 0] for s in range(n) for t in range(n))
        assert noise.variance_of(some) == pytest.approx([whole])
        assert n < 4 or whole == pytest.approx(expected)


def test_a_template_that_is_seen_nowhere_has_a_score_without_variance_and_no_variance_is_negative() -> None:
    waves = np.zeros((2, 2, 2))
    waves[1, :, 0] = 1, -1
    wrong = NoiseCovariance(np.zeros(1, int), np.zeros(1, int), np.array([[3.0, 1.0, 3.0]]))
    assert wrong.variance_of(waves).tolist() == [0, 0]


def test_levels_are_those_of_the_channels_by_the_energy_there() -> None:
    noise = NoiseCovariance(BY_HAND.first, BY_HAND.second, BY_HAND.by_lag, np.array([[1.0, 3.0], [2.0, 0.5]]))
    waves = np.zeros((3, 4, 2))
    waves[0, 1] = 1, 0
    waves[1, 1] = 1, np.sqrt(3)  # a quarter of the energy on the first channel
    assert noise.level_of(waves) == pytest.approx(np.array([[1, 2.5, 1], [2, 0.875, 1]]))
    assert BY_HAND.level_of(waves).tolist() == [[1, 1, 1]]


def test_a_recording_of_one_slice_has_the_level_of_its_mean_there() -> None:
    traces = autoregressive(0.5, 2)[: int(SLICE_S * RATE_HZ)] * [1, 3]
    noise = measured_covariance(recording_of(traces), N_TIMES)
    assert noise.level is not None
    assert noise.level.tolist() == [[1, 1]]


def test_products_of_spectra_are_summed_over_pieces() -> None:
    """Of each pair the first is conjugated: conj(1 + 2i) (3 - i) = 1 - 7i, conj(i) 2 = -2i."""
    spectra = np.array([[[1 + 2j], [1j]], [[3 - 1j], [2]]], np.complex64)
    total = np.full((2, 2, 1), 10.0)
    real, imaginary = np.ascontiguousarray(spectra.real), np.ascontiguousarray(spectra.imag)
    _add_products(real, imaginary, np.array([0, 1]), np.array([1, 1]), total)
    assert total[:, :, 0].tolist() == [[10 + 1, 10 + 10 + 4], [10 - 7 - 2, 10]]


@pytest.mark.parametrize("n_frequencies", [1, FREQUENCIES_AT_ONCE, 2 * FREQUENCIES_AT_ONCE + 5])
def test_products_of_spectra_are_those_of_numpy_at_any_number_of_frequencies(n_frequencies: int) -> None:
    rng = np.random.default_rng(n_frequencies)
    real, imaginary = rng.normal(size=(2, 4, 3, n_frequencies)).astype(np.float32)
    first, second = np.array([0, 0, 2]), np.array([0, 3, 1])
    total = np.zeros((2, 3, n_frequencies))
    _add_products(real, imaginary, first, second, total)
    spectra = real.astype(np.float64) + 1j * imaginary
    expected = (spectra[first].conj() * spectra[second]).sum(axis=1)
    assert total[0] + 1j * total[1] == pytest.approx(expected, abs=1e-5)


def test_the_covariance_is_the_mean_product_of_samples_that_are_free_on_both_channels() -> None:
    """Against loops over the pieces of each slice: free as said in words, lag by lag."""
    n_lags, n = 30, 4 * round(SLICE_S * RATE_HZ)
    rng = np.random.default_rng(5)
    traces = autoregressive(0.6, 3, seed=5)[:n]
    traces[rng.integers(0, n, 60), rng.integers(0, 3, 60)] += 30
    traces[3000:3300, 1] = 0
    traces = traces.astype(np.float32)
    recording = recording_of(traces)
    size = int(fft.next_fast_len(512 + n_lags, real=True)) - n_lags
    sums, numbers = np.zeros((2, 6, 2 * n_lags - 1))
    pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    before, after = round(1.2 * RATE_HZ / 1000), round(2.2 * RATE_HZ / 1000)
    for _, low, high in slices_of(recording):
        values = traces[low:high]
        loud = np.abs(values) > 4 * np.median(np.abs(values), axis=0) / MAD_OF_NORMAL
        free = values != 0
        for sample, channel in zip(*np.nonzero(loud), strict=True):
            free[max(0, sample - before) : sample + after + 1, channel] = False
        values = np.where(free, values, 0).astype(np.float64)
        for begin in range(0, len(values) - size + 1, size):
            x, is_free = values[begin : begin + size], free[begin : begin + size].astype(float)
            for row, (one, other) in enumerate(pairs):
                for total, some in ((sums, x), (numbers, is_free)):
                    whole = np.correlate(some[:, other], some[:, one], "full")
                    total[row] += whole[size - n_lags : size + n_lags - 1]
    noise = measured_covariance(recording, n_lags)
    assert list(zip(noise.first, noise.second, strict=True)) == pairs
    assert noise.by_lag == pytest.approx(sums / numbers, abs=1e-5)
