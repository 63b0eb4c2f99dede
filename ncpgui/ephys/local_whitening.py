"""Whitened traces, computed where they are read: neighbours are mixed, and filtered in time where asked.

Of a column of a whitening matrix only the contacts nearby are not zero: on a long probe a product with the
whole matrix is mostly of zeros. Mixing neighbours costs about what it costs to read the traces, so that
whitened traces need no copy on the disk. Each sample is computed by itself: who asks for which stretch
changes nothing.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray
from spikeinterface.core import get_chunk_with_margin

from ncpgui.core.home import provide_home
from ncpgui.core.padded_rows import padded
from ncpgui.ephys.segments import segments_of
from ncpgui.ephys.spikeinterface_adapter import BasePreprocessor, BasePreprocessorSegment, BaseRecording

provide_home()

TILE = 256
"""Samples of all channels that are mixed at a time, so that they stay close to the processor."""
APART = 16
"""Samples between the rows of two channels, which would drive each other out of the processor's memory
where they were a power of two apart."""


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


class _WhitenedSegment(BasePreprocessorSegment):  # type: ignore[misc]
    def __init__(self, parent: Any, matrix: NDArray[np.float32], taps: NDArray[np.float32] | None) -> None:
        super().__init__(parent)
        self._channels, self._weights = neighbours_of(matrix)
        self._taps = np.ones(1, np.float32) if taps is None else np.ascontiguousarray(taps, np.float32)

    def get_traces(
        self, start_frame: int, end_frame: int, channel_indices: Any = None
    ) -> NDArray[np.float32]:
        chunk, _, _ = get_chunk_with_margin(
            self.parent_recording_segment,
            start_frame,
            end_frame,
            slice(None),
            len(self._taps) // 2,
            add_zeros=True,
        )
        values = mixed(np.ascontiguousarray(chunk, np.float32), self._channels, self._weights, self._taps)
        return values if channel_indices is None else values[:, channel_indices]


def neighbours_of(matrix: NDArray[np.floating]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Rows of each column of a matrix (C, C) that are not zero, then -1, and their values: (C, k) both."""
    used = [np.flatnonzero(column) for column in matrix.T]
    channels = padded(used)
    weights = np.zeros(channels.shape, np.float32)
    for column, rows in enumerate(used):
        weights[column, : len(rows)] = matrix[rows, column]
    return channels, weights


def mixed(
    traces: NDArray[np.float32],
    channels: NDArray[np.int32],
    weights: NDArray[np.float32],
    taps: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Weighted sums of `channels` of traces (n + 2 h, C), filtered by 2 h + 1 taps: (n, C)."""
    result = np.empty((len(traces) - len(taps) + 1, len(channels)), np.float32)
    _mix(traces, channels, weights, taps, result)
    return result


@numba.njit(cache=True, nogil=True, fastmath={"contract"})
def _mix(traces, channels, weights, taps, result):  # type: ignore[no-untyped-def]
    n_taps, n_channels = len(taps), len(channels)
    side_by_side = np.empty((traces.shape[1], TILE + n_taps - 1 + APART), np.float32)
    sums = np.empty(TILE + n_taps - 1, np.float32)
    finished = np.empty((n_channels, TILE + APART), np.float32)
    for start in range(0, len(result), TILE):
        n = min(TILE, len(result) - start)
        n_read = n + n_taps - 1
        for t in range(n_read):
            for c in range(traces.shape[1]):
                side_by_side[c, t] = traces[start + t, c]
        for c in range(n_channels):
            into = finished[c] if n_taps == 1 else sums
            into[:n_read] = np.float32(0)
            for k in range(channels.shape[1]):
                if channels[c, k] < 0:
                    break
                one, weight = side_by_side[channels[c, k]], weights[c, k]
                for t in range(n_read):
                    into[t] += weight * one[t]
            if n_taps > 1:
                finished[c, :n] = np.float32(0)
                for j in range(n_taps):
                    for t in range(n):
                        finished[c, t] += taps[j] * sums[t + j]
        for t in range(n):
            for c in range(n_channels):
                result[start + t, c] = finished[c, t]
