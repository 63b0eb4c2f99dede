"""Stretches of a recording, one after the other, as a recording of their own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from spikeinterface.core import BaseRecording, concatenate_recordings


def one_after_the_other(recording: BaseRecording, stretches: NDArray[np.integer]) -> BaseRecording:
    """Stretches (m, 2) of a recording, first sample and the one after the last, as one recording."""
    return concatenate_recordings([recording.frame_slice(*one) for one in np.asarray(stretches).tolist()])
