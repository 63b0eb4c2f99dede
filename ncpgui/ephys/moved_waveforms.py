"""Waveforms as the contacts would see them, had the tissue moved along the probe."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOVE_STEP_UM = 0.5


class Mover:
    """Moves waveforms along the probe by interpolation between contacts."""

    def __init__(self, channels_um: NDArray[np.floating], axis: int) -> None:
        self._channels_um, self._axis = channels_um, axis
        self._kernels: dict[int, NDArray[np.float32]] = {}

    def __call__(self, waveforms: NDArray[np.float32], by_um: float) -> NDArray[np.float32]:
        """Waveforms (T, C) of a cell that comes to lie `by_um` further along the probe."""
        step = round(by_um / MOVE_STEP_UM)
        if step == 0:
            return waveforms
        if step not in self._kernels:
            from ncpgui.ephys.spikeinterface_adapter import interpolation_kernel

            before = self._channels_um.copy()
            before[:, self._axis] -= step * MOVE_STEP_UM
            self._kernels[step] = interpolation_kernel(self._channels_um, before)
        return waveforms @ self._kernels[step]
