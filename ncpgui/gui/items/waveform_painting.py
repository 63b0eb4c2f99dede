"""How a unit's waveforms look: spikes thin, mean thick, header, chip, scale bars."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.waveforms import WaveformColumn, WaveformsView
from ncpgui.gui.items.glyphs import elided
from ncpgui.gui.items.waveform import waveform_path
from ncpgui.gui.items.waveform_layout import WaveformLayout
from ncpgui.gui.theme import Theme, font

LEFT = QtCore.Qt.AlignLeft | QtCore.Qt.AlignVCenter
RIGHT = QtCore.Qt.AlignRight | QtCore.Qt.AlignVCenter
INK = 2200
SPIKE_ALPHA = (26, 90)
DISTANCE_ROW_PX = 34


def paint_unit(
    painter: QtGui.QPainter,
    column: WaveformColumn,
    layout: WaveformLayout,
    theme: Theme,
    *,
    faded: bool,
    spikes: bool,
) -> None:
    """Paint some spikes, then the units that a changed one comes from, dashed, then the mean."""
    painter.setBrush(QtCore.Qt.NoBrush)

    def draw(waveforms: NDArray[np.floating], pen: QtGui.QPen) -> None:
        painter.setPen(pen)
        painter.drawPath(
            waveform_path(
                waveforms, x0=layout.x0, y0=layout.y0, sample_px=layout.sample_px, sd_px=layout.sd_px
            )
        )

    if spikes and len(column.spikes):
        alpha = float(np.clip(INK / len(column.spikes), *SPIKE_ALPHA)) * (0.5 if faded else 1.0)
        thin = QtGui.QPen(theme.unit(column.color, round(alpha)), 1)
        thin.setCosmetic(True)  # the quick stroker, at any number of device pixels
        draw(column.spikes, thin)
    for ghost in column.ghosts:
        dashed = QtGui.QPen(theme.unit(ghost.color), 1.8, QtCore.Qt.CustomDashLine)
        dashed.setDashPattern([2.2, 2.0])
        draw(ghost.mean[None], dashed)
    if column.mean.any():
        thick = QtGui.QPen(theme.unit(column.color, 150 if faded else 255), 1.6 if faded else 2.4)
        thick.setJoinStyle(QtCore.Qt.RoundJoin)
        thick.setCapStyle(QtCore.Qt.RoundCap)
        if not column.ghosts:
            draw(column.mean[None], QtGui.QPen(theme.color("panel", 170), thick.widthF() + 2.2))
        draw(column.mean[None], thick)


def paint_header(
    painter: QtGui.QPainter, column: WaveformColumn, rect: QtCore.QRectF, theme: Theme, *, faded: bool
) -> None:
    """Paint colour, name, spikes and P(exists) above a column."""
    paint_dot(painter, QtCore.QPointF(rect.left() + 4.5, rect.top() + 8), theme.unit(column.color))
    painter.setFont(font(13, bold=True))
    painter.setPen(theme.color("muted" if faded else "text"))
    name = QtCore.QRectF(rect.left() + 14, rect.top(), rect.width() - 14, 16)
    painter.drawText(name, LEFT, elided(painter, column.name, name.width()))
    painter.setFont(font(11))
    painter.setPen(theme.color("faint" if faded else "muted"))
    for number, text in enumerate((column.caption, column.existence)):
        line = QtCore.QRectF(rect.left(), rect.top() + 17 + 15 * number, rect.width(), 15)
        painter.drawText(line, LEFT, _fitting(painter, text, line.width()))


def paint_chip(painter: QtGui.QPainter, column: WaveformColumn, rect: QtCore.QRectF, theme: Theme) -> None:
    """Paint colour and name of a unit above the probe."""
    color = "accent" if column.is_changed else "accent_soft" if column.is_selected else "border"
    painter.setPen(QtGui.QPen(theme.color(color), 1.2))
    painter.setBrush(theme.color("accent_soft" if column.is_selected else "sunken"))
    painter.drawRoundedRect(rect.adjusted(0.6, 0.6, -0.6, -0.6), 7, 7)
    paint_dot(painter, QtCore.QPointF(rect.left() + 12, rect.center().y()), theme.unit(column.color))
    painter.setFont(font(12, medium=True))
    painter.setPen(theme.color("text"))
    painter.drawText(rect.adjusted(22, 0, 0, 0), LEFT, column.name)


def paint_dot(painter: QtGui.QPainter, centre: QtCore.QPointF, color: QtGui.QColor) -> None:
    """Paint the dot that carries a unit's colour."""
    painter.setPen(QtCore.Qt.NoPen)
    painter.setBrush(color)
    painter.drawEllipse(centre, 4.5, 4.5)


def paint_rows(
    painter: QtGui.QPainter,
    view: WaveformsView,
    layout: WaveformLayout,
    theme: Theme,
    *,
    left: float,
    right: float,
) -> None:
    """Paint zero lines from `left` to `right`, and before them the channel and its distance."""
    distance = np.hypot(*view.offsets_um.T)
    for row, channel in enumerate(view.channels):
        y = layout.y0[row]
        painter.setPen(QtGui.QPen(theme.color("border"), 1))
        painter.drawLine(QtCore.QPointF(left, y), QtCore.QPointF(right, y))
        painter.setFont(font(11, medium=row == 0))
        painter.setPen(theme.color("text" if row == 0 else "muted"))
        line = QtCore.QRectF(0, y - 8, left - 12, 16)
        painter.drawText(line, RIGHT, f"ch {channel}")
        if row and layout.pitch_px >= DISTANCE_ROW_PX:
            painter.setFont(font(10))
            painter.setPen(theme.color("faint"))
            painter.drawText(line.translated(0, 13), RIGHT, f"{distance[row]:.0f} µm")


def paint_contacts(
    painter: QtGui.QPainter, view: WaveformsView, layout: WaveformLayout, theme: Theme, *, width: float
) -> None:
    """Paint the zero line of each contact and its channel, where a spike has not begun yet."""
    for row, channel in enumerate(view.channels):
        x, y = layout.x0[row], layout.y0[row]
        painter.setPen(QtGui.QPen(theme.color("border"), 1))
        painter.drawLine(QtCore.QPointF(x, y), QtCore.QPointF(x + width, y))
        painter.setFont(font(10, medium=row == 0))
        painter.setPen(theme.color("text" if row == 0 else "muted"))
        painter.drawText(QtCore.QPointF(x, y + 12), f"ch {channel}")


def paint_bars(
    painter: QtGui.QPainter, view: WaveformsView, layout: WaveformLayout, corner: QtCore.QPointF, theme: Theme
) -> None:
    """Paint scale bar (upwards) and time bar (to the right) from a corner, their words below."""
    (sd, sd_words), (samples, time_words) = view.scale_bar, view.time_bar
    line = [
        corner - QtCore.QPointF(0, sd * layout.sd_px),
        corner,
        corner + QtCore.QPointF(samples * layout.sample_px, 0),
    ]
    pen = QtGui.QPen(theme.color("text"), 1.8)
    pen.setCapStyle(QtCore.Qt.FlatCap)
    pen.setJoinStyle(QtCore.Qt.MiterJoin)
    painter.setPen(pen)
    painter.setBrush(QtCore.Qt.NoBrush)
    painter.drawPolyline(QtGui.QPolygonF(line))
    painter.setFont(font(11))
    painter.setPen(theme.color("muted"))
    words = QtCore.QRectF(corner.x() - 4, corner.y() + 3, 400, 16)
    painter.drawText(words, LEFT, f"↕ {sd_words}    ↔ {time_words}")


def _fitting(painter: QtGui.QPainter, text: str, width: float) -> str:
    """`text` whole, else only its number, else cut."""
    advance = painter.fontMetrics().horizontalAdvance
    if advance(text) <= width:
        return text
    number = " ".join(word for word in text.split(" ") if any(c.isdigit() for c in word))
    return number if number and advance(number) <= width else elided(painter, text, width)
