"""Silenced: a recording with zeros on some channels, whatever is stored there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.ephys.segments import segments_of
from ncpgui.ephys.spikeinterface_adapter import BasePreprocessor, BasePreprocessorSegment, BaseRecording


class Silenced(BasePreprocessor):  # type: ignore[misc]
    """A recording whose `channels` (rows) are zero."""

    def __init__(self, recording: BaseRecording, channels: Sequence[int]) -> None:
        BasePreprocessor.__init__(self, recording)
        silent = np.zeros(recording.get_num_channels(), dtype=bool)
        silent[list(channels)] = True
        for segment in segments_of(recording):
            self.add_recording_segment(_SilencedSegment(segment, silent))
        self._kwargs = {"recording": recording, "channels": [int(channel) for channel in channels]}


class _SilencedSegment(BasePreprocessorSegment):  # type: ignore[misc]
    def __init__(self, parent: Any, silent: NDArray[np.bool_]) -> None:
        super().__init__(parent)
        self._silent = silent

    def get_traces(self, start_frame: int, end_frame: int, channel_indices: Any) -> NDArray[Any]:
        chosen = slice(None) if channel_indices is None else channel_indices
        traces = np.array(self.parent_recording_segment.get_traces(start_frame, end_frame, chosen))
        traces[:, self._silent[chosen]] = 0
        return traces
