"""A recording of traces that lie in memory."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spikeinterface.core import NumpyRecording

from ncpgui.core.probe import Probe
from ncpgui.core.project import RecordingReference
from ncpgui.ephys.recording import Recording


class ArrayRecording(Recording):
    """A recording held as one array (n_samples, n_channels), in memory or memory-mapped; it has no path."""

    def __init__(
        self,
        traces: NDArray[Any],
        *,
        sampling_frequency_hz: float,
        probe: Probe,
        reference: RecordingReference | None = None,
    ) -> None:
        self.array = traces
        known = RecordingReference(
            path="",
            options={},
            fingerprint=hashlib.sha256(np.ascontiguousarray(traces[:10_000]).tobytes()).hexdigest(),
            n_channels=traces.shape[1],
            sampling_frequency_hz=float(sampling_frequency_hz),
            n_samples=len(traces),
        )
        super().__init__(
            NumpyRecording([traces], sampling_frequency_hz), probe=probe, reference=reference or known
        )
