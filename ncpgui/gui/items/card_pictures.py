"""Pictures on a card that has room: waveforms where the contacts are, and the correlogram of the change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.card import CardUnit
from ncpgui.app.presenters.card_change import CardChange
from ncpgui.app.presenters.correlograms import LEAST_COUNT, Trains
from ncpgui.gui.items.glyphs import LEFT, RIGHT, elided, paint_curve, set_ink
from ncpgui.gui.items.waveform_layout import at_contacts, extents
from ncpgui.gui.theme import Theme

LEAST_PX = (210.0, 72.0)
"""Width and height from which there is room for both."""
MOST_CONTACTS = 7
REFRACTORY_MS = 2.0
HEAD_PX, AXIS_PX = 13, 13
GAP_PX = 12
CURVE_PX = 1.3


def has_room(place: QtCore.QRectF) -> bool:
    """Whether pictures of a size can be read."""
    return place.width() >= LEAST_PX[0] and place.height() >= LEAST_PX[1]


def paint_shapes(
    painter: QtGui.QPainter,
    place: QtCore.QRectF,
    units: Sequence[CardUnit],
    positions_um: NDArray[np.floating],
    theme: Theme,
) -> None:
    """Paint the mean waveforms of units over each other, on the contacts where they are largest."""
    means = [np.nan_to_num(unit.mean) for unit in units if unit.mean is not None]
    colors = [theme.unit(unit.color) for unit in units if unit.mean is not None]
    if not means:
        return
    height = np.max([np.ptp(mean, axis=0) for mean in means], axis=0)
    some = np.sort(np.argsort(-height, kind="stable")[:MOST_CONTACTS])
    means = [mean[:, some] for mean in means]
    low, high = extents(means, ())
    layout = at_contacts(
        positions_um[some], low, high, left=place.left(), width=place.width(), top=place.top(),
        height=place.height(),
    )  # fmt: skip
    for mean, color in zip(means, colors, strict=True):
        x = layout.sample_px * np.arange(len(mean))
        for contact, (left, zero) in enumerate(zip(layout.x0, layout.y0, strict=True)):
            paint_curve(painter, left + x, zero - layout.sd_px * mean[:, contact], color, width=CURVE_PX)


def paint_correlogram(
    painter: QtGui.QPainter, place: QtCore.QRectF, change: CardChange, found: Trains | None, theme: Theme
) -> None:
    """Paint the cross-correlogram of what a card joins or parts; the band is where one neuron has none."""
    set_ink(painter, theme.color("muted"), 10)
    head = QtCore.QRectF(place.left(), place.top(), place.width(), HEAD_PX)
    painter.drawText(head, QtCore.Qt.AlignCenter, elided(painter, change.title, head.width()))
    foot = QtCore.QRectF(place.left(), place.bottom() - AXIS_PX, place.width(), AXIS_PX)
    body = place.adjusted(0, HEAD_PX + 2, 0, -AXIS_PX - 1)
    if found is None:
        painter.drawText(body, QtCore.Qt.AlignCenter, "computing …")
        return
    counts, edges = found.counts[0, 1], found.edges_ms
    scale = body.width() / float(edges[-1] - edges[0])
    left, right = (body.left() + (end - float(edges[0])) * scale for end in (-REFRACTORY_MS, REFRACTORY_MS))
    painter.fillRect(QtCore.QRectF(left, body.top(), right - left, body.height()), theme.color("bad", 30))
    highest = max(int(counts.max(initial=0)), LEAST_COUNT)
    x = body.left() + (edges - edges[0]) * scale
    for number, n in enumerate(counts.tolist()):
        high = body.height() * n / highest
        bar = QtCore.QRectF(float(x[number]), body.bottom() - high, float(x[number + 1] - x[number]), high)
        painter.fillRect(bar, theme.color("muted"))
    painter.drawLine(body.bottomLeft(), body.bottomRight())
    painter.drawText(foot, LEFT, f"{edges[0]:g}".replace("-", "−"))
    painter.drawText(foot, RIGHT, f"{edges[-1]:g}\u2009ms")
