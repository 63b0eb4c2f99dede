"""Covariance of the noise of traces over time and contacts, and what it makes of a matched filter.

Noise is measured where no channel of a pair is busy: around samples beyond `BUSY_SD` a spike may lie. The
score of a template a laid over noise x is a'x; its variance is a'Ca, the sum over pairs of channels and lags
of the covariance there times the product of the template with itself. Pairs of contacts further apart than
`PAIR_UM` count as independent, as those of whitened traces are.

How loud the noise is changes in time. Its level in each slice of the traces is kept beside: what is rare in
noise is made by the loud parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray
from scipy import fft
from spikeinterface.core import BaseRecording

from ncpgui.core.ahead import ahead
from ncpgui.core.loops import compiled
from ncpgui.ephys.by_channel import read_by_channel
from ncpgui.ephys.free_samples import SharedSamples, free_pieces, runs_of
from ncpgui.ephys.noise_levels import MAD_OF_NORMAL, medians_of_rows, slices_of

PAIR_UM = 100.0
BUSY_SD = 4.0
BUSY_BEFORE_MS, BUSY_AFTER_MS = 1.2, 2.2
"""What a spike may take before and after a sample that is beyond `BUSY_SD`."""
MIN_FREE = 2000
"""Products of a pair at a lag, at least; a pair with fewer counts as independent, a channel as white."""
BLOCK = 512
"""Samples of a piece whose products are taken at once, at least."""
FREQUENCIES_AT_ONCE = 192
"""Frequencies of all channels that are multiplied at a time, so that they stay close to the processor."""


@dataclass(frozen=True)
class NoiseCovariance:
    """Covariance of noise between pairs of channels.

    first, second : (P,) channels of each pair, first <= second
    by_lag : (P, 2 L - 1) of the first channel with the second 1 - L to L - 1 samples later
    level : (S, C) variance of each channel in slices of the traces over its mean over all of them; one slice
        of ones where the level is not known to change
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    by_lag: NDArray[np.float64]
    level: NDArray[np.float64] | None = None

    @property
    def n_lags(self) -> int:
        """Lags L: templates of at most so many samples can be laid over the noise."""
        return (self.by_lag.shape[1] + 1) // 2

    def variance_of(self, waveforms: NDArray[np.floating]) -> NDArray[np.float64]:
        """Variance of the scores of templates (K, T, C) that are laid over the noise: a'Ca, (K,)."""
        n_units, n_channels = len(waveforms), waveforms.shape[2]
        pair = np.full((n_channels, n_channels), -1)
        pair[self.first, self.second] = np.arange(len(self.first))
        weight = np.full(self._spectra.shape[1], 2.0)
        weight[0] = 1
        if self._size % 2 == 0:
            weight[-1] = 1
        result = np.zeros(n_units)
        for unit in range(n_units):
            seen = np.flatnonzero((waveforms[unit] != 0).any(axis=0))
            own = pair[np.ix_(seen, seen)]
            i, j = np.nonzero(own >= 0)
            spectra = fft.rfft(waveforms[unit][:, seen].astype(np.float64), self._size, axis=0).T
            products = (spectra[i].conj() * spectra[j] * self._spectra[own[i, j]].conj()).real
            result[unit] = (np.where(i == j, 1, 2) * (products @ weight)).sum() / self._size
        return np.maximum(result, 0)

    def level_of(self, waveforms: NDArray[np.floating]) -> NDArray[np.float64]:
        """Level of the noise that templates (K, T, C) see in each slice, over its mean: (S, K).

        Of its channels, by the energy that the template has there.
        """
        if self.level is None:
            return np.ones((1, len(waveforms)))
        energy = (waveforms.astype(np.float64) ** 2).sum(axis=1)
        share = energy / np.maximum(energy.sum(axis=1, keepdims=True), 1e-12)
        return np.where(energy.sum(axis=1) > 0, self.level @ share.T, 1.0)

    def variance_of_channels(self) -> NDArray[np.float64]:
        """Variance of each channel: (C,)."""
        return self.by_lag[self.first == self.second, self.n_lags - 1]

    def crossing(self, channel: int, n_times: int, n_channels: int, at: int) -> NDArray[np.float64]:
        """Mean of the noise around samples where it reaches 1 on a channel: (n_times, n_channels).

        at : sample of the window at which it does. Of stationary Gaussian noise this is the covariance with
        the channel, over the channel's variance; it is zero at lags and on channels that were not measured
        """
        result = np.zeros((n_times, n_channels))
        lag = np.arange(n_times) - at
        known = np.abs(lag) < self.n_lags
        for row in np.flatnonzero((self.first == channel) | (self.second == channel)):
            backward = self.first[row] != channel
            other = self.first[row] if backward else self.second[row]
            result[known, other] = self.by_lag[row, (-lag if backward else lag)[known] + self.n_lags - 1]
        return result / max(result[at, channel], 1e-12)

    @property
    def _size(self) -> int:
        return int(fft.next_fast_len(self.by_lag.shape[1], real=True))

    @cached_property
    def _spectra(self) -> NDArray[np.complex128]:
        around = np.zeros((len(self.by_lag), self._size))
        around[:, : self.n_lags] = self.by_lag[:, self.n_lags - 1 :]
        if self.n_lags > 1:
            around[:, 1 - self.n_lags :] = self.by_lag[:, : self.n_lags - 1]
        return np.asarray(fft.rfft(around, axis=1))


def measured_covariance(traces: BaseRecording, n_lags: int) -> NoiseCovariance:
    """Covariance of the noise of traces whose channels have contacts, at lags below `n_lags` samples."""
    places_um = traces.get_channel_locations()
    apart = np.linalg.norm(places_um[:, None] - places_um[None], axis=2)
    first, second = np.nonzero(np.triu(apart <= PAIR_UM))
    size = int(fft.next_fast_len(max(BLOCK, 4 * n_lags) + n_lags, real=True))
    products, counts = np.zeros((2, len(first), size // 2 + 1)), SharedSamples(first, second, n_lags)
    squares, samples = [], []
    for pieces, free in ahead(partial(_pieces, traces, size - n_lags, size), slices_of(traces)):
        squares.append((pieces**2).sum(axis=(1, 2), dtype=np.float64))
        samples.append(free.sum(axis=(1, 2), dtype=np.float64))
        counts.add(runs_of(free))
        spectra = fft.rfft(pieces, axis=2)
        real, imaginary = (np.ascontiguousarray(part) for part in (spectra.real, spectra.imag))
        _add_products(real, imaginary, first, second, products)
    sums, number = _by_lag(products[0] + 1j * products[1], size, n_lags), counts.by_lag()
    enough = number.min(axis=1) >= MIN_FREE
    by_lag = np.where(enough[:, None], sums / np.maximum(number, 1), 0.0)
    by_lag[~enough & (first == second), n_lags - 1] = 1.0
    return NoiseCovariance(first, second, by_lag, _levels(np.array(squares), np.array(samples)))


def _levels(squares: NDArray[np.float64], samples: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Variance of each channel in slices over its mean over them, from sums (S, C) over free samples.

    A slice with few free samples of a channel counts as the mean of the others.
    """
    if not len(squares):
        return None
    seen = samples >= MIN_FREE
    variance = np.where(seen, squares / np.maximum(samples, 1), 0.0)
    mean = variance.sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    return np.where(seen & (mean > 0), variance / np.where(mean > 0, mean, 1.0), 1.0)


@compiled(fastmath={"contract"})
def _add_products(real, imaginary, first, second, total):  # type: ignore[no-untyped-def]
    """Add the products of pairs of spectra (C, pieces, F), summed over pieces, to (2, pairs, F)."""
    n_pieces, n_frequencies = real.shape[1:]
    sums = np.empty((2, FREQUENCIES_AT_ONCE), np.float32)
    for low in range(0, n_frequencies, FREQUENCIES_AT_ONCE):
        high = min(low + FREQUENCIES_AT_ONCE, n_frequencies)
        n = high - low
        for pair in range(len(first)):
            i, j = first[pair], second[pair]
            sums[:] = np.float32(0)
            both, turned = sums[0], sums[1]
            for m in range(n_pieces):
                a, b = real[i, m, low:high], imaginary[i, m, low:high]
                c, d = real[j, m, low:high], imaginary[j, m, low:high]
                for f in range(n):
                    both[f] += a[f] * c[f] + b[f] * d[f]
                for f in range(n):
                    turned[f] += a[f] * d[f] - b[f] * c[f]
            for f in range(n):
                total[0, pair, low + f] += both[f]
                total[1, pair, low + f] += turned[f]


def _by_lag(spectrum: NDArray[np.complex128], size: int, n_lags: int) -> NDArray[np.float64]:
    values = fft.irfft(spectrum, size, axis=1)
    return np.concatenate([values[:, size - n_lags + 1 :], values[:, :n_lags]], axis=1)


def _pieces(
    traces: BaseRecording, size: int, room: int, place: tuple[int, int, int]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Pieces of a slice of the traces, zero where busy, and which samples are free (`free_pieces`)."""
    rate = traces.get_sampling_frequency()
    before, after = round(BUSY_BEFORE_MS * rate / 1000), round(BUSY_AFTER_MS * rate / 1000)
    values = np.asarray(read_by_channel(traces, *place[1:]), np.float32)
    sd = medians_of_rows(np.abs(values)) / MAD_OF_NORMAL
    return free_pieces(values, BUSY_SD * sd, before, after, size, room)
