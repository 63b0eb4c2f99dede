"""The matcher "wobble" of SpikeInterface: fewer Fourier transforms, and a threshold for each template.

The objective is the product of traces and templates at each lag. SpikeInterface convolves each rank of each
template apart (a filter over channels times a course in time) and sums what comes out. Here a channel is
transformed once for all templates, and a template transformed back once for all of its channels; between them
lies a product of matrices for each frequency. What is found is the same.

Spikes are found in turns: the largest of each stretch first, all over the probe. A long probe needs many, and
from one to the next only what lies around the spikes of the last one changes: nothing else is looked at.

Wobble has one threshold for the gain of all templates. Here each may have its own: where the best of those
that pass theirs peaks, there is a spike of it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import fft
from scipy.signal import argrelmax
from spikeinterface.core import BaseRecording
from spikeinterface.sortingcomponents.matching.base import _base_matching_dtype
from spikeinterface.sortingcomponents.matching.wobble import WobbleMatch

from ncpgui.core.loops import compiled

try:
    from spikeinterface.sortingcomponents.matching.wobble import _find_strict_peaks
except ImportError:  # up to 0.104, where it is a part of the matcher

    def _find_strict_peaks(objective: NDArray[Any], order: int, threshold: float) -> NDArray[np.intp]:
        peaks: NDArray[np.intp] = argrelmax(objective, order=order)[0]
        return peaks[objective[peaks] > threshold]


MIN_BLOCK = 512
"""Samples of a transform, at least; four times as many as a template has, where that is more."""
UNITS_AT_ONCE = 16
"""Units of one product, those side by side along the probe: of a long one most see few of the channels."""
LARGEST_GAPS = 0.5
"""Channels in between that come along, as a part of those that are seen: a run of channels is not copied."""
MOST_TRANSFORMED = 2**22
"""Samples of all channels that are transformed at once; bounds the memory."""
SEEN_SHARE = 1e-6
"""A template is on channels where it has more than this share of the largest; less is left of rounding."""


class Wobble(WobbleMatch):  # type: ignore[misc]
    """`WobbleMatch` with a faster `objective`; use it with the engine "numpy".

    least_gain : (K,) of a spike of each template, or () of any; that of the parameters where None
    """

    def __init__(
        self,
        recording: BaseRecording,
        *args: Any,
        least_gain: NDArray[np.floating] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(recording, *args, **kwargs)
        self._along = np.lexsort(
            recording.get_channel_locations().T[:2]
        )  # by y, and by x where that is the same
        least = self.params.threshold if least_gain is None else least_gain
        asked = np.broadcast_to(least, len(self.template_data.norm_squared)).astype(np.float32)
        self._asked = np.where(asked > self.params.threshold, asked, np.float32(-np.inf))

    def compute_matching(
        self, traces: NDArray[np.float32], start_frame: int, end_frame: int, segment_index: int
    ) -> NDArray[np.void]:
        """Spikes in a stretch of traces (n_samples, C), as SpikeInterface's matchers return them."""
        data = self.template_data
        objective = self.objective(traces)
        gain = np.multiply(objective, 2, dtype=np.float32)
        gain -= data.norm_squared[:, np.newaxis]
        largest = np.empty(gain.shape[1], gain.dtype)
        changed = np.array([[0, gain.shape[1]]])
        found: list[NDArray[Any]] = []
        for _ in range(self.params.max_iter):
            _write_largest(gain, self._asked, changed, largest)
            spikes, scale, times = self._peaks(objective, gain, largest)
            if len(spikes) == 0:
                break
            found.append(spikes)
            self._take_out(objective, gain, spikes, scale)
            changed = around(times, self._n_times + 2, gain.shape[1])
        if not found:
            return np.zeros(0, dtype=_base_matching_dtype)
        train = np.concatenate(found)
        train = train[np.argsort(train[:, 0])]
        result = np.zeros(len(train), dtype=_base_matching_dtype)
        result["sample_index"] = train[:, 0] + self.nbefore
        result["cluster_index"] = train[:, 1] // self.params.jitter_factor
        height = np.abs(traces[result["sample_index"]])
        result["channel_index"] = height.argmax(axis=1)
        result["amplitude"] = height.max(axis=1)
        return result

    def _peaks(
        self, objective: NDArray[np.float32], gain: NDArray[np.float32], largest: NDArray[np.float32]
    ) -> tuple[NDArray[np.integer], NDArray[np.floating], NDArray[np.integer]]:
        """Spikes (n, 2) where the largest gain of the templates that pass their own threshold peaks.

        Their amplitudes, and the lags of these peaks. `gain` is changed at most as far before and after these
        lags as a template is long.
        """
        settings, data, about = self.params, self.template_data, self.template_meta
        edge = about.num_samples - 1
        times = _find_strict_peaks(
            largest[edge : len(largest) - edge - 1], order=edge, threshold=settings.threshold
        )
        times = times + edge
        at_peaks, scale = times.copy(), np.ones(len(times), gain.dtype)
        if not len(times):
            return np.zeros((0, 2), np.int32), scale, at_peaks
        there = gain[:, times]
        units = np.where(there > self._asked[:, None], there, -np.inf).argmax(axis=0)
        shift, later, kept, scaled = self.calculate_high_res_shift(
            times, units, objective, gain, data, settings, about
        )
        jittered = units * settings.jitter_factor
        if len(kept):
            jittered[kept] += shift
            times[kept] += later
            scale[kept] = scaled
        return np.array([times - edge, jittered]).T, scale, at_peaks

    def _take_out(
        self,
        objective: NDArray[np.float32],
        gain: NDArray[np.float32],
        spikes: NDArray[np.integer],
        scale: NDArray[np.floating],
    ) -> None:
        """Subtract what spikes give to objective and gain, as `subtract_spike_train`; then their units rest.

        SpikeInterface has all of them rest once for each template among them, which changes nothing more.
        """
        data, settings, about = self.template_data, self.params, self.template_meta
        length = 2 * about.num_samples - 1
        for spike in np.argsort(spikes[:, 1], kind="stable"):
            first, jittered = spikes[spike]
            overlapping = np.flatnonzero(self.sparsity.unit_overlap[jittered])
            given = data.pairwise_convolution[jittered]
            gain[overlapping, first : first + length] -= 2 * given
            if settings.scale_amplitudes:
                objective[overlapping, first : first + length] -= given * scale[spike]
        self.enforce_refractory(spikes, objective, gain, settings, about)

    def objective(self, traces: NDArray[np.float32]) -> NDArray[np.float32]:
        """Product of traces (n_samples, C) and each of K templates: (K, n_samples + T - 1)."""
        n_lags, step = len(traces) + self._n_times - 1, self._block - self._n_times + 1
        n_blocks = -(-n_lags // step)
        at_once = max(1, MOST_TRANSFORMED // (self._block * traces.shape[1]))
        result = np.zeros((len(self.template_data.norm_squared), (n_blocks + 1) * step), np.float32)
        for start in range(0, n_blocks, at_once):
            stop = min(start + at_once, n_blocks)
            spectra = self._transformed(traces[start * step : stop * step], stop - start, step)
            for units, channels, templates in self._groups:
                if np.ptp(channels) + 1 == len(channels):
                    seen = spectra[:, :, channels[0] : channels[-1] + 1]
                else:
                    seen = of_channels(spectra, channels)
                pieces = fft.irfft(seen @ templates, self._block, axis=0).transpose(1, 0, 2)
                over = np.zeros((len(pieces) + 1, step, len(units)), np.float32)
                over[:-1] = pieces[:, :step]
                over[1:, : self._block - step] += pieces[:, step:]
                result[units, start * step : (stop + 1) * step] += over.reshape(-1, len(units)).T
        return result[:, :n_lags]

    def _transformed(self, traces: NDArray[np.float32], n_blocks: int, step: int) -> NDArray[np.complex64]:
        """Spectra (frequencies, blocks, C) of blocks of `step` samples each, the last one what is left.

        Channels are in order along the probe.
        """
        traces = of_channels(traces[np.newaxis], self._along)[0]
        blocks = np.zeros((self._block, n_blocks, traces.shape[1]), np.float32)
        n_whole, n_left = divmod(len(traces), step)
        blocks[:step, :n_whole] = traces[: n_whole * step].reshape(n_whole, step, -1).transpose(1, 0, 2)
        if n_left:
            blocks[:n_left, n_whole] = traces[n_whole * step :]
        return np.asarray(fft.rfft(blocks, axis=0))

    @property
    def _n_times(self) -> int:
        return int(self.template_data.compressed_templates[0].shape[2])

    @cached_property
    def _block(self) -> int:
        return max(MIN_BLOCK, 1 << int(np.ceil(np.log2(4 * self._n_times))))

    @cached_property
    def _groups(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.complex64]]]:
        """Units side by side, the channels that they are on, and their spectra there (frequencies, C, K).

        Channels are places in the order along the probe.
        """
        temporal, singular, spatial, _ = self.template_data.compressed_templates
        templates = np.einsum("rkt,rkc->ktc", temporal, spatial * singular, optimize=True)[:, :, self._along]
        size = np.abs(templates).max(axis=1)
        in_order = np.argsort(size.argmax(axis=1), kind="stable")
        groups = []
        for first in range(0, len(in_order), UNITS_AT_ONCE):
            units = in_order[first : first + UNITS_AT_ONCE]
            channels = np.flatnonzero((size[units] > SEEN_SHARE * size.max()).any(axis=0))
            if np.ptp(channels) + 1 <= (1 + LARGEST_GAPS) * len(channels):
                channels = np.arange(channels[0], channels[-1] + 1)
            spectra = fft.rfft(
                templates[np.ix_(units, np.arange(self._n_times), channels)], self._block, axis=1
            )
            groups.append((units, channels, np.ascontiguousarray(spectra.transpose(1, 2, 0))))
        return groups


def around(times: NDArray[np.integer], reach: int, n: int) -> NDArray[np.int64]:
    """Runs (R, 2), from and up to, of the numbers 0 to n - 1 that are at most `reach` from some others."""
    steps = np.zeros(n + 1, np.int64)
    np.add.at(steps, np.maximum(times - reach, 0), 1)
    np.add.at(steps, np.minimum(times + reach + 1, n), -1)
    is_near = np.concatenate([[False], np.cumsum(steps[:n]) > 0, [False]])
    return np.flatnonzero(is_near[1:] != is_near[:-1]).reshape(-1, 2)


def of_channels(values: NDArray[Any], channels: NDArray[np.integer]) -> NDArray[Any]:
    """Values (n, m, C) of some channels, a copy; NumPy's `take` needs half as much time again."""
    result = np.empty((*values.shape[:2], len(channels)), values.dtype)
    _take(np.ascontiguousarray(values), channels, result)
    return result


@compiled()
def _take(values, channels, result):  # type: ignore[no-untyped-def]
    for row in range(values.shape[0]):
        for column in range(values.shape[1]):
            some, into = values[row, column], result[row, column]
            for i in range(len(channels)):
                into[i] = some[channels[i]]


@compiled()
def _write_largest(
    gain: NDArray[np.float32],
    asked: NDArray[np.float32],
    runs: NDArray[np.int64],
    largest: NDArray[np.float32],
) -> None:
    """Write into `largest` (n,), at the lags of some runs, the largest gain (K, n) that passes.

    A gain passes above what is asked of its template. Where none does, the largest is -inf.
    """
    for first, stop in runs:
        largest[first:stop] = -np.inf
    for k in range(len(gain)):
        least = asked[k]
        for first, stop in runs:
            some, best = gain[k, first:stop], largest[first:stop]
            for t in range(len(some)):
                best[t] = some[t] if (some[t] > least) & (some[t] > best[t]) else best[t]
