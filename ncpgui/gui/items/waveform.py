"""Many waveforms as one painter path: one draw call a unit instead of one a spike and channel."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt5 import QtGui


def waveform_path(
    waveforms: NDArray[np.floating],
    *,
    x0: NDArray[np.float64],
    y0: NDArray[np.float64],
    sample_px: float,
    sd_px: float,
) -> QtGui.QPainterPath:
    """Path of all waveforms (k, T, C); channel c starts at x0[c] with its zero line at y0[c], in pixels.

    Upwards is positive: a sample of one noise sd lies `sd_px` pixels above the zero line.
    """
    k, n_samples, n_channels = waveforms.shape
    if k == 0:
        return QtGui.QPainterPath()
    shape = (k, n_channels, n_samples)
    x = np.broadcast_to(x0[None, :, None] + sample_px * np.arange(n_samples), shape)
    y = y0[None, :, None] - sd_px * waveforms.transpose(0, 2, 1)
    connect = np.ones(shape, dtype=np.uint8)
    connect[:, :, -1] = 0
    return pg.arrayToQPath(
        np.ascontiguousarray(x).ravel(), np.ascontiguousarray(y, dtype=np.float64).ravel(), connect.ravel()
    )
