"""Stretches of a recording, one after the other, as a recording of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording

PART_S = 1.0
"""A long recording is read, and kept on the disk, in parts of this; filters need 0.1 s around each."""


def one_after_the_other(recording: BaseRecording, stretches: NDArray[np.integer]) -> BaseRecording:
    """Stretches (m, 2) of a recording, first sample and the one after the last, as one recording."""
    from spikeinterface.core import concatenate_recordings

    return concatenate_recordings([recording.frame_slice(*one) for one in np.asarray(stretches).tolist()])
