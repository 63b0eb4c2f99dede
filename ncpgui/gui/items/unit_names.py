"""Names of units over a plot of their spikes: each where its spikes are, none on another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.points import SpikePoints
from ncpgui.gui.items.glyphs import paint_plate
from ncpgui.gui.theme import Theme, font

SMALL_PX = 140
"""Shorter side of a plot below which names are small."""


def paint_names(
    painter: QtGui.QPainter,
    points: SpikePoints,
    places: NDArray[np.float64],
    room: QtCore.QRectF,
    theme: Theme,
) -> None:
    """Write each unit's name at the median of its points, or as near as there is room.

    places : (n, 2) of the points, in the coordinates of `painter` and `room`
    """
    painter.setFont(_font(room))
    dimmed = points.is_dimmed
    for label, pill in name_places(points, places, room).items():
        faded = bool(dimmed[points.labels == label].all())
        border = QtGui.QPen(theme.unit(points.colors[label], 90 if faded else 255), 1.4)
        paint_plate(painter, pill, theme.color("panel", 215), pill.height() / 2, border)
        painter.setPen(theme.color("faint" if faded else "text"))
        painter.drawText(pill, QtCore.Qt.AlignCenter, points.names[label])


def name_places(
    points: SpikePoints, places: NDArray[np.float64], room: QtCore.QRectF
) -> dict[int, QtCore.QRectF]:
    """Place of the name of each unit that has points, by its row."""
    margin, metrics = 8 if _is_small(room) else 12, QtGui.QFontMetricsF(_font(room))
    found: dict[int, QtCore.QRectF] = {}
    for label, name in enumerate(points.names):
        own = points.labels == label
        if own.any():
            size = QtCore.QSizeF(metrics.horizontalAdvance(name) + margin, metrics.height() + 4)
            found[label] = free_place(np.median(places[own], axis=0), size, room, [*found.values()])
    return found


def _is_small(room: QtCore.QRectF) -> bool:
    return min(room.width(), room.height()) < SMALL_PX


def _font(room: QtCore.QRectF) -> QtGui.QFont:
    return font(10 if _is_small(room) else 12, bold=True)


def free_place(
    centre: NDArray[np.float64], size: QtCore.QSizeF, room: QtCore.QRectF, taken: list[QtCore.QRectF]
) -> QtCore.QRectF:
    """Place of a name near `centre` (x, y) that is inside `room` and on no other name, if there is one."""
    width, height = size.width(), size.height()
    at_home = QtCore.QRectF(centre[0] - width / 2, centre[1] - height / 2, width, height)
    if not room.contains(at_home.center()):
        return at_home  # zoomed out of view
    at_home.moveLeft(min(max(at_home.left(), room.left()), room.right() - width))
    at_home.moveTop(min(max(at_home.top(), room.top()), room.bottom() - height))
    steps = [(dx, dy) for dy in range(-5, 6) for dx in (0.0, -0.5, 0.5, -1.0, 1.0)]
    for dx, dy in sorted(steps, key=lambda step: np.hypot(step[0] * width, step[1] * height)):
        pill = at_home.translated(dx * (width + 1), dy * (height + 1))
        if room.contains(pill) and not any(pill.intersects(other) for other in taken):
            return pill
    return at_home
