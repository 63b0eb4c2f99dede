"""Whitened traces, computed where they are read: neighbours are mixed, and filtered in time where asked.

Of a column of a whitening matrix only the contacts nearby are not zero: on a long probe a product with the
whole matrix is mostly of zeros. Mixing neighbours costs about what it costs to read the traces, so that
whitened traces need no copy on the disk. Each sample is computed by itself: who asks for which stretch
changes nothing.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.loops import compiled
from ncpgui.core.padded_rows import padded
from ncpgui.ephys.half_floats import widen
from ncpgui.ephys.segments import segments_of
from ncpgui.ephys.spikeinterface_adapter import BasePreprocessor, BasePreprocessorSegment, BaseRecording

TILE = 256
"""Samples of all channels that are mixed at a time, so that they stay close to the processor."""
APART = 16
"""Samples between the rows of two channels, which would drive each other out of the processor's memory
where they were a power of two apart."""
READ = 8 * TILE
"""Samples of all channels that are widened at a time, if float16 is what is kept of them."""
AT_ONCE = 4
"""Channels, or taps, that a loop over samples adds at once: sums are written so many times less often."""


class Whitened(BasePreprocessor):  # type: ignore[misc]
    """A recording times a matrix (C, C), and then through a symmetric filter, zero beyond its ends.

    taps : (2 h + 1,) of the filter; None for no filter
    """

    def __init__(
        self, recording: BaseRecording, matrix: NDArray[np.float32], taps: NDArray[np.float32] | None = None
    ) -> None:
        BasePreprocessor.__init__(self, recording, dtype="float32")
        for segment in segments_of(recording):
            self.add_recording_segment(_WhitenedSegment(segment, matrix, taps))
        self._kwargs = {"recording": recording, "matrix": matrix, "taps": taps}

    def get_turned(self, start: int, end: int) -> NDArray[np.float32]:
        """Traces of the first segment with the samples of each channel side by side: (C, n)."""
        return np.asarray(segments_of(self)[0].mixed(start, end, turned=True))


class _WhitenedSegment(BasePreprocessorSegment):  # type: ignore[misc]
    def __init__(self, parent: Any, matrix: NDArray[np.float32], taps: NDArray[np.float32] | None) -> None:
        super().__init__(parent)
        self._channels, self._weights = neighbours_of(matrix)
        self._taps = np.ones(1, np.float32) if taps is None else np.ascontiguousarray(taps, np.float32)

    def get_traces(
        self, start_frame: int, end_frame: int, channel_indices: Any = None
    ) -> NDArray[np.float32]:
        values = self.mixed(start_frame, end_frame)
        return values if channel_indices is None else values[:, channel_indices]

    def mixed(self, start: int, end: int, *, turned: bool = False) -> NDArray[np.float32]:
        """Samples `start` to `end` of all channels: (n, C), or turned (C, n)."""
        parent, reach = self.parent_recording_segment, len(self._taps) // 2
        first, last = max(0, start - reach), min(parent.get_num_samples(), end + reach)
        read = getattr(parent, "get_halves", None) or partial(parent.get_traces, channel_indices=slice(None))
        traces = read(start_frame=first, end_frame=last)
        beyond = (first - start + reach, end + reach - last)
        if any(beyond):
            traces = np.pad(traces, (beyond, (0, 0)))
        return mixed(traces, self._channels, self._weights, self._taps, turned=turned)


def neighbours_of(matrix: NDArray[np.floating]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Rows of each column of a matrix (C, C) that are not zero, then -1, and their values: (C, k) both."""
    used = [np.flatnonzero(column) for column in matrix.T]
    channels = padded(used)
    weights = np.zeros(channels.shape, np.float32)
    for column, rows in enumerate(used):
        weights[column, : len(rows)] = matrix[rows, column]
    return channels, weights


def mixed(
    traces: NDArray[np.floating],
    channels: NDArray[np.int32],
    weights: NDArray[np.float32],
    taps: NDArray[np.float32],
    *,
    turned: bool = False,
) -> NDArray[np.float32]:
    """Weighted sums of `channels` of traces (n + 2 h, C), filtered by 2 h + 1 taps: (n, C), or turned (C, n).

    Traces of float16 are widened where they are mixed.
    """
    n, more = len(traces) - len(taps) + 1, len(taps) - 1
    result = np.empty((len(channels), n) if turned else (n, len(channels)), np.float32)
    channels, weights = _in_fours(channels, weights)
    singles = np.empty((READ + more, traces.shape[1]), np.float32)
    for first in range(0, n, READ):
        some = traces[first : min(first + READ, n) + more]
        if some.dtype == np.float16:
            widen(some, singles[: len(some)])
            some = singles[: len(some)]
        _mix(np.ascontiguousarray(some, np.float32), channels, weights, taps, result, first, turned)
    return result


def _in_fours(
    channels: NDArray[np.int32], weights: NDArray[np.float32]
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The same sums of a multiple of `AT_ONCE` channels each: what is added is some channel times zero."""
    more = ((0, 0), (0, -channels.shape[1] % AT_ONCE))
    channels, weights = np.pad(channels, more, constant_values=-1), np.pad(weights, more)
    return np.maximum(channels, 0), np.where(channels < 0, np.float32(0), weights)


@compiled(fastmath={"contract"}, inline="always")
def _add_four(into, one, two, three, four, by):  # type: ignore[no-untyped-def]
    """Add four rows, each times its own factor, one after the other."""
    a, b, c, d = by[0], by[1], by[2], by[3]
    for t in range(len(into)):
        value = into[t]
        value += a * one[t]
        value += b * two[t]
        value += c * three[t]
        value += d * four[t]
        into[t] = value


@compiled(fastmath={"contract"})
def _mix_neighbours(side_by_side, channels, weights, into):  # type: ignore[no-untyped-def]
    """Sum of channels (k,) of traces (C, n), each times its weight."""
    n = len(into)
    into[:] = np.float32(0)
    for k in range(0, len(channels), AT_ONCE):
        _add_four(
            into,
            side_by_side[channels[k], :n],
            side_by_side[channels[k + 1], :n],
            side_by_side[channels[k + 2], :n],
            side_by_side[channels[k + 3], :n],
            weights[k : k + AT_ONCE],
        )


@compiled(fastmath={"contract"})
def _filter(sums, taps, into):  # type: ignore[no-untyped-def]
    """Sum of later and later samples of a channel (n + 2 h,), each times its tap."""
    n = len(into)
    into[:] = np.float32(0)
    whole = len(taps) - len(taps) % AT_ONCE
    for j in range(0, whole, AT_ONCE):
        _add_four(
            into,
            sums[j : j + n],
            sums[j + 1 : j + 1 + n],
            sums[j + 2 : j + 2 + n],
            sums[j + 3 : j + 3 + n],
            taps[j : j + AT_ONCE],
        )
    for j in range(whole, len(taps)):
        for t in range(n):
            into[t] += taps[j] * sums[t + j]


@compiled()
def _mix(traces, channels, weights, taps, result, at, turned):  # type: ignore[no-untyped-def]
    """Write what is mixed into the result, from a sample on."""
    n_taps, n_channels = len(taps), len(channels)
    n_result = len(traces) - n_taps + 1
    side_by_side = np.empty((traces.shape[1], TILE + n_taps - 1 + APART), np.float32)
    sums = np.empty(TILE + n_taps - 1, np.float32)
    finished = np.empty((n_channels, TILE + APART), np.float32)
    for start in range(0, n_result, TILE):
        n = min(TILE, n_result - start)
        n_read = n + n_taps - 1
        for t in range(n_read):
            for c in range(traces.shape[1]):
                side_by_side[c, t] = traces[start + t, c]
        for c in range(n_channels):
            if n_taps == 1:
                _mix_neighbours(side_by_side, channels[c], weights[c], finished[c, :n])
            else:
                _mix_neighbours(side_by_side, channels[c], weights[c], sums[:n_read])
                _filter(sums, taps, finished[c, :n])
        if turned:
            for c in range(n_channels):
                result[c, at + start : at + start + n] = finished[c, :n]
        else:
            for t in range(n):
                for c in range(n_channels):
                    result[at + start + t, c] = finished[c, t]
