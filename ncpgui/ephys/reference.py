"""The common reference: the median of the other channels.

Were a channel part of its own median, it would be that median now and then, and exactly zero after the
subtraction: its median absolute deviation would be 15 % too small on 8 channels, and noise would cross a
threshold of 4.5 forty times as often. The median of the others does not depend on the channel, and a large
spike does not move its own reference. SpikeInterface's own operator has the choice for averages only
(``reference="local"`` takes a median of all others for every channel anew: 300 times as slow on 384).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.loops import compiled
from ncpgui.ephys.segments import segments_of
from ncpgui.ephys.spikeinterface_adapter import BasePreprocessor, BasePreprocessorSegment, BaseRecording


def median_of_others(traces: NDArray[np.float32]) -> NDArray[np.float32]:
    """Median of all channels but the one itself, for each channel: (n_samples, n_channels), from the same.

    Needs two channels. Without one of them, the median is known from the values in the middle of all.
    """
    ordered = np.sort(traces, axis=1)  # with vector instructions, which NumPy's partition has not
    result = np.empty_like(traces)
    _medians(traces, ordered, result)
    return result


@compiled()
def _medians(traces, ordered, result):  # type: ignore[no-untyped-def]
    n_channels = traces.shape[1]
    half, is_odd = n_channels // 2, n_channels % 2 == 1
    for i in range(len(traces)):
        low, high = ordered[i, half - 1], ordered[i, half + 1 if is_odd else half]
        if is_odd:
            own = ordered[i, half]
            for c in range(n_channels):
                value = traces[i, c]
                pair = own + high if value < own else (low + own if value > own else low + high)
                result[i, c] = pair * np.float32(0.5)
        else:
            for c in range(n_channels):
                result[i, c] = high if traces[i, c] <= low else low


class MedianReferenced(BasePreprocessor):  # type: ignore[misc]
    """A recording from which the median of the other channels is subtracted, when traces are asked for."""

    def __init__(self, recording: BaseRecording) -> None:
        BasePreprocessor.__init__(self, recording, dtype="float32")
        for segment in segments_of(recording):
            self.add_recording_segment(_MedianReferencedSegment(segment))
        self._kwargs = {"recording": recording}


class _MedianReferencedSegment(BasePreprocessorSegment):  # type: ignore[misc]
    def get_traces(self, start_frame: int, end_frame: int, channel_indices: Any) -> NDArray[np.float32]:
        traces = self.parent_recording_segment.get_traces(start_frame, end_frame, slice(None))
        traces = traces.astype(np.float32, copy=False)
        medians = median_of_others(traces)
        referenced = np.subtract(traces, medians, out=medians)
        return referenced if channel_indices is None else referenced[:, channel_indices]
