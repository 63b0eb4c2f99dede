"""A visual stimulus shown during the recording."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.arguments import BOOLEANS, NUMBERS, WHOLE_NUMBERS, array, number
from ncpgui.core.errors import InputError


@dataclass(frozen=True)
class Stimulus:
    """White-noise frames and when they were shown.

    frames : (n_frames, height, width) int8 or float, contrast; trigger_sample : (n_frames,) int64,
    sample of the recording at which each frame appeared, increasing; pixel_um : size of a pixel.

    Raises
    ------
    InputError
        Not one trigger a frame, triggers out of order, or a pixel without size.
    """

    frames: NDArray[np.generic]
    trigger_sample: NDArray[np.int64]
    pixel_um: float = 1.0

    def __post_init__(self) -> None:
        trigger = array(self.trigger_sample, "triggers of a stimulus", WHOLE_NUMBERS).astype(np.int64)
        object.__setattr__(self, "trigger_sample", trigger)
        object.__setattr__(self, "frames", array(self.frames, "frames of a stimulus", NUMBERS + BOOLEANS))
        object.__setattr__(self, "pixel_um", number(self.pixel_um, "pixel_um"))
        if self.frames.ndim != 3:
            raise InputError(
                f"stimulus frames must be (n_frames, height, width), got shape {self.frames.shape}"
            )
        if not 0 < self.pixel_um < np.inf:
            raise InputError(f"the size of a pixel must be a positive number of um, got {self.pixel_um}")
        if len(trigger) != len(self.frames):
            raise InputError(
                f"stimulus has {len(self.frames)} frames but {len(trigger)} triggers; "
                "give the sample index of each frame"
            )
        if (np.diff(trigger) <= 0).any():
            bad = int(np.flatnonzero(np.diff(trigger) <= 0)[0]) + 1
            raise InputError(f"stimulus trigger {bad} is not after the one before it; sort the triggers")

    def frame_at(self, sample_index: NDArray[np.integer]) -> NDArray[np.int64]:
        """Frame on screen at each sample: (n,), -1 = none; the last frame lasts as long as the median one."""
        trigger, samples = self.trigger_sample, np.asarray(sample_index, dtype=np.int64)
        duration = int(np.median(np.diff(trigger))) if len(trigger) > 1 else 1
        frame = np.searchsorted(trigger, samples, side="right") - 1
        ended = samples >= trigger[-1] + duration if len(trigger) else True
        return np.where(ended, -1, frame).astype(np.int64)
