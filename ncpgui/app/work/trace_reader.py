"""The filtered traces of an open project, a window at a time; the recording stays open between windows."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.presenters.traces import TraceWindow
from ncpgui.core.progress import Progress, silent
from ncpgui.core.project import Project

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed


class TraceReader:
    """Opens the recording of a project when traces are first read; `close` may come from another thread."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._pre: Preprocessed | None = None
        self._lock = threading.Lock()
        self._is_closed = False

    def read(
        self, center: int, contacts: NDArray[np.int64], half_ms: float, *, progress: Progress = silent
    ) -> TraceWindow:
        """Read the traces of some contacts from `half_ms` before a sample to as much after it.

        Raises
        ------
        RecordingError
            The recording moved, changed or cannot be read.
        """
        from ncpgui.sorting.reopened import reopened_traces

        with self._lock:
            try:
                if self._pre is None:
                    self._pre = reopened_traces(self._project, progress=progress)
                half = round(half_ms * self._pre.sampling_frequency_hz / 1000)
                start, stop = max(0, center - half), min(self._pre.n_samples, center + half + 1)
                traces = self._pre.traces(start, stop)[:, contacts]
                return TraceWindow(center, start, contacts, traces, half_ms)
            finally:
                if self._is_closed:
                    self._drop()

    def close(self) -> None:
        """Close the recording, at once or when the window under way is read."""
        self._is_closed = True
        if self._lock.acquire(blocking=False):
            try:
                self._drop()
            finally:
                self._lock.release()

    def _drop(self) -> None:
        if self._pre is not None:
            self._pre.close()
            self._pre = None
