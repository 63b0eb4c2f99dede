"""Many waveforms as one painter path: one draw call a unit instead of one a spike and channel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PyQt5 import QtGui
from pyqtgraph.functions import create_qpolygonf, ndarray_from_qpolygonf

from ncpgui.gui.items.waveform_layout import WaveformLayout


def waveform_path(waveforms: NDArray[np.floating], layout: WaveformLayout) -> QtGui.QPainterPath:
    """Path of all waveforms (k, T, C), but for those of a contact that has nan; upwards is positive."""
    path = QtGui.QPainterPath()
    if waveforms.size == 0:
        return path
    k, n_samples, n_channels = waveforms.shape
    lines = create_qpolygonf(waveforms.size)
    points = ndarray_from_qpolygonf(lines).reshape(k, n_channels, n_samples, 2)
    points[..., 0] = layout.x0[:, None] + layout.sample_px * np.arange(n_samples)
    points[..., 1] = layout.y0[:, None] - layout.sd_px * waveforms.transpose(0, 2, 1)
    is_known = np.isfinite(points).all(axis=(2, 3)).ravel()
    for first in (np.flatnonzero(is_known) * n_samples).tolist():
        path.addPolygon(lines.mid(first, n_samples))
    return path
