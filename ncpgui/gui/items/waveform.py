"""Many waveforms as one painter path: one draw call a unit instead of one a spike and channel."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt5 import QtGui

from ncpgui.gui.items.waveform_layout import WaveformLayout


def waveform_path(waveforms: NDArray[np.floating], layout: WaveformLayout) -> QtGui.QPainterPath:
    """Path of all waveforms (k, T, C); upwards is positive."""
    k, n_samples, n_channels = waveforms.shape
    if k == 0:
        return QtGui.QPainterPath()
    shape = (k, n_channels, n_samples)
    x = np.broadcast_to(layout.x0[None, :, None] + layout.sample_px * np.arange(n_samples), shape)
    y = layout.y0[None, :, None] - layout.sd_px * waveforms.transpose(0, 2, 1)
    connect = np.ones(shape, dtype=np.uint8)
    connect[:, :, -1] = 0
    return pg.arrayToQPath(
        np.ascontiguousarray(x).ravel(), np.ascontiguousarray(y, dtype=np.float64).ravel(), connect.ravel()
    )
