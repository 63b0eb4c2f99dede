"""Spikes of known templates taken out of traces, and what each of them looks like with all others gone.

A spike of unit u adds ``a T_u + b T_u'`` to the traces: its amplitude a is near 1, and b T_u' moves the
template by a part of a sample (first order). The pairs (a, b) of all spikes are fitted by turns, each to what
the others leave: `N_TURNS` rounds solve the least squares of overlapping spikes well enough. What is left
then, with the spike's own part put back, is its *cleaned* waveform.

Traces are whitened, noise of sd 1 a sample, so that squares of what is left are log likelihoods. The *gain*
of a template is by how much fitting it lowers the sum of squares, less what its amplitude and shift cost
under their priors. The gain of no template at all is 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.loops import compiled
from ncpgui.core.padded_rows import padded

AMPLITUDE_SD = 0.2
"""Prior of amplitudes: normal around 1."""
SHIFT_SD = 0.4
"""Prior of shifts, samples: normal around 0."""
N_TURNS = 3


class Seen(NamedTuple):
    """Templates and their slopes on the channels where they are seen, one after the other.

    Of a long probe a template is seen on few channels: side by side they take a tenth of the memory, and
    products with them read nothing else. Like traces (`by_channel`) they are channel by channel: loops run
    over samples that lie side by side, eight of them at a time.

    waves, slopes : (sum of n_channels * T,) float32, of each template channel by channel
    begin : (K,) int64, where each begins; n_channels : (K,) int32
    channels : (K, most of any) int32, then -1
    """

    waves: NDArray[np.float32]
    slopes: NDArray[np.float32]
    begin: NDArray[np.int64]
    n_channels: NDArray[np.int32]
    channels: NDArray[np.int32]


@dataclass(frozen=True)
class TemplateBank:
    """Templates in whitened traces.

    waveforms : (K, T, C) float32, zero on channels where a template is not seen
    n_before : samples before the one that a spike's time names
    """

    waveforms: NDArray[np.float32]
    n_before: int

    @cached_property
    def grams(self) -> NDArray[np.float64]:
        """Sums of template squared, template times slope, slope squared: (K, 3)."""
        result = np.zeros((len(self.waveforms), 3))
        for k, (wave, slope) in enumerate(self._each_seen()):
            result[k] = [(one * other).sum() for one, other in ((wave, wave), (wave, slope), (slope, slope))]
        return result

    @cached_property
    def seen(self) -> Seen:
        """What loops over spikes read."""
        places = self._places
        n_channels = np.array([len(row) for row in places], np.int32)
        begin = np.cumsum(np.append(0, n_channels[:-1].astype(np.int64) * self.waveforms.shape[1]))
        waves, slopes = np.empty((2, int(n_channels.sum()) * self.waveforms.shape[1]), np.float32)
        for first, (wave, slope) in zip(begin.tolist(), self._each_seen(), strict=False):
            waves[first : first + wave.size], slopes[first : first + wave.size] = wave.T.flat, slope.T.flat
        return Seen(waves, slopes, begin[: len(places)], n_channels, padded(places))

    @cached_property
    def _places(self) -> list[NDArray[np.int64]]:
        """Channels on which each template is seen."""
        return [np.flatnonzero(row) for row in (self.waveforms != 0).any(axis=1)]

    def _each_seen(self) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Each template where it is seen, and its slope there: (T, n_channels) both."""
        for wave, row in zip(self.waveforms, self._places, strict=True):
            yield wave[:, row], slope_of(wave[:, row])


def slope_of(waveform: NDArray[np.float32]) -> NDArray[np.float32]:
    """Change of a waveform (T, C) when it comes a sample later: (T, C)."""
    return np.asarray(-np.gradient(waveform, axis=0), dtype=np.float32)


@dataclass(frozen=True)
class Fits:
    """What `peel` found of n spikes.

    amplitude, shift_samples : (n,) float32
    gain : (n, J) float32, of each candidate template on the cleaned waveform; -inf where there is none
    """

    amplitude: NDArray[np.float32]
    shift_samples: NDArray[np.float32]
    gain: NDArray[np.float32]


@dataclass
class CleanedSums:
    """Sums of cleaned waveforms and of amplitudes by unit, over stretches: (K, C, T) and (K,).

    channels : (K, most of any) int32, those on which the waveforms of each unit are summed, then -1; the sums
        are zero on others
    """

    waveforms: NDArray[np.float64]
    amplitude: NDArray[np.float64]
    channels: NDArray[np.int32]

    @classmethod
    def none_yet(cls, bank: TemplateBank, channels: NDArray[np.int32]) -> CleanedSums:
        """Sums of no spike."""
        n_units, n_times, n_channels = bank.waveforms.shape
        return cls(np.zeros((n_units, n_channels, n_times)), np.zeros(n_units), channels)

    def add(
        self,
        left: NDArray[np.float32],
        first: NDArray[np.integer],
        unit: NDArray[np.integer],
        amplitude: NDArray[np.float32],
        shift_samples: NDArray[np.float32],
        bank: TemplateBank,
    ) -> None:
        """Add spikes (n,) that `peel` took out of traces, from what it left of these (C, n_samples)."""
        n_units = len(self.amplitude)
        taken_out = np.bincount(unit, amplitude, n_units)
        self.amplitude += taken_out
        _add_cleaned(
            left,
            np.ascontiguousarray(first, np.int64),
            np.ascontiguousarray(unit, np.int64),
            bank.seen,
            taken_out,
            np.bincount(unit, shift_samples, n_units),
            self.channels,
            self.waveforms,
        )

    def means(self) -> NDArray[np.float32]:
        """Templates: mean cleaned waveform of amplitude 1 of each unit (K, T, C), zero without a spike."""
        n_units, n_channels, n_times = self.waveforms.shape
        result = np.empty((n_units, n_times, n_channels), np.float32)
        for mean, total, amplitude in zip(result, self.waveforms, self.amplitude, strict=True):
            mean[:] = (total / max(amplitude, 1e-9)).T
        return result


def peel(
    traces: NDArray[np.float32],
    first: NDArray[np.integer],
    unit: NDArray[np.integer],
    bank: TemplateBank,
    candidates: NDArray[np.integer],
    lags: NDArray[np.integer],
) -> Fits:
    """Fit the spikes of a stretch of traces, and take them out of it.

    Parameters
    ----------
    traces : (C, n_samples) float32, whitened (`by_channel`); changed in place to what is left
    first : (n,) sample of `traces` at which each template begins; all windows lie inside
    unit : (n,) row of the bank
    candidates : (K, J) templates that a spike of each unit is compared with, itself first, -1 = none
    lags : (K, J) samples by which each candidate begins later than the unit's own template
    """
    n = len(first)
    amplitude, shift = np.zeros(n, np.float32), np.zeros(n, np.float32)
    gain = np.full((n, candidates.shape[1]), -np.inf, np.float32)
    _peel(
        traces,
        np.ascontiguousarray(first, np.int64),
        np.ascontiguousarray(unit, np.int64),
        bank.seen,
        bank.waveforms.shape[1],
        bank.grams,
        np.ascontiguousarray(candidates, np.int64),
        np.ascontiguousarray(lags, np.int64),
        amplitude,
        shift,
        gain,
    )
    return Fits(amplitude, shift, gain)


@compiled()
def _fit(dot_t: float, dot_s: float, gram: NDArray[np.float64]) -> tuple[float, float, float]:
    """Best amplitude and shift under their priors, and the gain."""
    pa, pb = 1.0 / AMPLITUDE_SD**2, 1.0 / SHIFT_SD**2
    aa, ab, bb = gram[0] + pa, gram[1], gram[2] + pb
    ya, yb = dot_t + pa, dot_s
    det = aa * bb - ab * ab
    a, b = (ya * bb - yb * ab) / det, (yb * aa - ya * ab) / det
    gain = 2 * (a * dot_t + b * dot_s) - (a * a * gram[0] + 2 * a * b * gram[1] + b * b * gram[2])
    return a, b, gain - pa * (a - 1) ** 2 - pb * b * b


@compiled(fastmath={"reassoc", "contract", "nsz"})
def dots(traces, start, seen, n_times, k):  # type: ignore[no-untyped-def]
    """Products of traces (C, n) from a sample on with a template and with its slope."""
    dot_t, dot_s = 0.0, 0.0
    at = seen.begin[k]
    for i in range(seen.n_channels[k]):
        x = traces[seen.channels[k, i], start : start + n_times]
        wave, slope = seen.waves[at : at + n_times], seen.slopes[at : at + n_times]
        own_t, own_s = np.float32(0), np.float32(0)
        for t in range(n_times):
            own_t += x[t] * wave[t]
            own_s += x[t] * slope[t]
        dot_t += float(own_t)
        dot_s += float(own_s)
        at += n_times
    return dot_t, dot_s


@compiled(fastmath={"contract"})
def add(traces, start, seen, n_times, k, a, b):  # type: ignore[no-untyped-def]
    """Add a multiple of a template and of its slope to traces (C, n) from a sample on, as far as they go."""
    low, high = max(0, -start), min(n_times, traces.shape[1] - start)
    if high <= low:
        return
    at = seen.begin[k]
    for i in range(seen.n_channels[k]):
        x = traces[seen.channels[k, i], start + low : start + high]
        wave, slope = seen.waves[at + low : at + high], seen.slopes[at + low : at + high]
        for t in range(high - low):
            x[t] += a * wave[t] + b * slope[t]
        at += n_times


@compiled()
def add_window(traces, start, channels, total):  # type: ignore[no-untyped-def]
    """Add traces (C, n) from a sample on to a sum of windows (C, T), on the channels up to the first -1."""
    n_times = total.shape[1]
    for c in channels:
        if c < 0:
            break
        x, into = traces[c, start : start + n_times], total[c]
        for t in range(n_times):
            into[t] += x[t]


@compiled()
def _add_cleaned(traces, first, unit, seen, amplitude, shift, channels, total):  # type: ignore[no-untyped-def]
    """Add what is left under each spike to the sum of its unit (K, C, T), and what was taken out of it."""
    for n in range(len(first)):
        add_window(traces, first[n], channels[unit[n]], total[unit[n]])
    for u in range(len(total)):
        if amplitude[u] != 0:
            add(total[u], 0, seen, total.shape[2], u, amplitude[u], shift[u])


@compiled()
def _peel(  # type: ignore[no-untyped-def]
    traces,
    first,
    unit,
    seen,
    n_times,
    grams,
    candidates,
    lags,
    amplitude,
    shift,
    gain,
):
    for turn in range(N_TURNS):
        for n in range(len(first)):
            u = unit[n]
            if turn:
                add(traces, first[n], seen, n_times, u, amplitude[n], shift[n])
            dot_t, dot_s = dots(traces, first[n], seen, n_times, u)
            a, b, _ = _fit(dot_t, dot_s, grams[u])
            amplitude[n], shift[n] = a, b
            add(traces, first[n], seen, n_times, u, -amplitude[n], -shift[n])
    for n in range(len(first)):
        u = unit[n]
        add(traces, first[n], seen, n_times, u, amplitude[n], shift[n])
        for j in range(candidates.shape[1]):
            k = candidates[u, j]
            if k >= 0:
                start = min(max(first[n] + lags[u, j], 0), traces.shape[1] - n_times)
                dot_t, dot_s = dots(traces, start, seen, n_times, k)
                gain[n, j] = _fit(dot_t, dot_s, grams[k])[2]
        add(traces, first[n], seen, n_times, u, -amplitude[n], -shift[n])
