"""Traces whose reader fails somewhere in the middle: the place and the reason are said."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import NcpguiError, RecordingError
from ncpgui.ephys.reasons import reason
from ncpgui.ephys.segments import segments_of
from ncpgui.ephys.spikeinterface_adapter import BasePreprocessor, BasePreprocessorSegment, BaseRecording


class SaidFailures(BasePreprocessor):  # type: ignore[misc]
    """A recording that raises RecordingError, whatever its reader raises; `name` is what it is called."""

    def __init__(self, recording: BaseRecording, name: str) -> None:
        BasePreprocessor.__init__(self, recording)
        for segment in segments_of(recording):
            self.add_recording_segment(_Segment(segment, name))
        self._kwargs = {"recording": recording, "name": name}


class _Segment(BasePreprocessorSegment):  # type: ignore[misc]
    def __init__(self, parent: Any, name: str) -> None:
        super().__init__(parent)
        self._name = name

    def get_traces(self, start_frame: int, end_frame: int, channel_indices: Any) -> NDArray[Any]:
        chosen = slice(None) if channel_indices is None else channel_indices
        try:
            return np.asarray(self.parent_recording_segment.get_traces(start_frame, end_frame, chosen))
        except (NcpguiError, MemoryError):
            raise
        except Exception as error:
            raise RecordingError(
                f"{self._name} cannot be read at samples {start_frame} to {end_frame}: {reason(error)}; "
                "check that the file is still there and complete, or sort a part of it (--time-range)"
            ) from error
