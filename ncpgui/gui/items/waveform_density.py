"""How often the waveforms of a unit pass each pixel: a picture of all its spikes, however many there are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt5 import QtCore, QtGui

from ncpgui.gui.items.waveform_layout import WaveformLayout

FULL = 0.98
"""Quantile of the counts that has the full colour: the few pixels where all meet would fade the rest."""
GAMMA = 0.5
LARGEST_ALPHA = 235
LEAST = 12


def density(
    waveforms: NDArray[np.floating], layout: WaveformLayout, width: int, height: int
) -> NDArray[np.int64]:
    """Count the waveforms (n, T, C) that pass each pixel: (height, width), those of all contacts together.

    Each column of pixels of a contact has n counts in it or, where waveforms leave the picture, fewer:
    between two samples a waveform is a straight line. layout : from the left edge of the picture
    """
    n, n_samples, n_channels = waveforms.shape
    counts = np.zeros(height * width, dtype=np.int64)
    for channel in range(n_channels):
        x0, last = layout.x0[channel], layout.x0[channel] + layout.sample_px * (n_samples - 1)
        x = np.arange(max(0, int(np.ceil(x0))), min(width - 1, int(np.floor(last))) + 1)
        if n == 0 or len(x) == 0:
            continue
        at = np.clip((x - x0) / layout.sample_px, 0, n_samples - 1)
        left = np.minimum(at.astype(np.int64), n_samples - 2)
        share = (at - left).astype(np.float32)
        trace = waveforms[:, :, channel]
        value = trace[:, left] * (1 - share) + trace[:, left + 1] * share
        y = np.floor(layout.y0[channel] - layout.sd_px * value).astype(np.int64)
        inside = (y >= 0) & (y < height)
        counts += np.bincount((y * width + x)[inside], minlength=len(counts))
    return counts.reshape(height, width)


def density_picture(counts: NDArray[np.int64], color: QtGui.QColor) -> QtGui.QImage:
    """Picture of counts (height, width) in one colour, through a table of opacities as pyqtgraph's images."""
    seen = counts[counts > 0]
    full = max(float(np.quantile(seen, FULL)), 1.0) if len(seen) else 1.0
    table = np.empty((256, 4), dtype=np.uint8)
    table[:] = color.blue(), color.green(), color.red(), 0
    table[:, 3] = np.rint(LARGEST_ALPHA * (np.arange(256) / 255) ** GAMMA)
    index = np.rint(255 * np.minimum(counts / full, 1)).astype(np.uint8)
    index[counts > 0] = np.maximum(index[counts > 0], LEAST)  # a single spike is seen
    image = pg.functions.ndarray_to_qimage(table[index], QtGui.QImage.Format_ARGB32)
    return image.copy()  # Qt does not own the pixels above


def paint_density(
    painter: QtGui.QPainter,
    waveforms: NDArray[np.floating],
    layout: WaveformLayout,
    place: QtCore.QRectF,
    color: QtGui.QColor,
) -> None:
    """Paint the density of waveforms in a place, nothing where it has no room; layout : as the painter's."""
    if place.width() < 1 or place.height() < 1:  # names of many units took it
        return
    corner = QtCore.QPointF(np.floor(place.left()), np.floor(place.top()))
    inside = replace(layout, x0=layout.x0 - corner.x(), y0=layout.y0 - corner.y())
    counts = density(waveforms, inside, int(place.width()), int(place.height()))
    painter.drawImage(corner, density_picture(counts, color))
