"""Filtered traces around a sample of a recording: what the panel of traces shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class TraceWindow:
    """Traces around a sample of a recording.

    center, start : samples, of what was asked for and of the first row
    contacts : (C,) rows of the probe
    traces : (T, C) float32, noise sd; shorter at the ends of the recording
    """

    center: int
    start: int
    contacts: NDArray[np.int64]
    traces: NDArray[np.float32]
