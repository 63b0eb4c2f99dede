"""How a unit's waveforms look: spikes thin or as a density, mean thick, header, chip, scale bars."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.waveforms import WaveformColumn, WaveformsView
from ncpgui.gui.items.glyphs import LEFT, RIGHT, elided, fitting, paint_dot, paint_plate, round_pen, set_ink
from ncpgui.gui.items.waveform import waveform_path
from ncpgui.gui.items.waveform_density import paint_density
from ncpgui.gui.items.waveform_layout import WaveformLayout
from ncpgui.gui.theme import Theme, blend, font

INK = 2200
SPIKE_ALPHA = (26, 90)
DISTANCE_ROW_PX = 34
LINE_PX = 16
DISTANCE_PX = 13
PLATE_PX = 13
NAME_PX = 13
BAR_PX = 1.8
MEAN_IN_DENSITY = 0.3
"""Share of the unit's colour in its mean, which is else the colour of words, over its density."""

Shown = Literal["spikes", "density", "mean", "alike"]
SHOWN: tuple[Shown, ...] = get_args(Shown)


def paint_unit(
    painter: QtGui.QPainter,
    column: WaveformColumn,
    layout: WaveformLayout,
    place: QtCore.QRectF,
    theme: Theme,
    *,
    faded: bool,
    shown: Shown,
) -> None:
    """Paint some spikes, the density of all, or the most similar unit in grey; then the mean.

    Of a changed unit, what it comes from lies below its mean. place : where the density may be
    """
    painter.setBrush(QtCore.Qt.NoBrush)
    whole, known = layout, column.known
    layout = layout.on(known)
    is_density = shown == "density" and len(column.rows) > 0
    if is_density:
        color = theme.unit(column.color)
        color = blend(theme.color("panel"), color, 0.5) if faded else color
        paint_density(painter, column.all_spikes[:, :, known], layout, place, color)

    def draw(waveforms: NDArray[np.floating], *pens: QtGui.QPen) -> None:
        path = waveform_path(waveforms[:, :, known], layout)
        for pen in pens:
            painter.setPen(pen)
            painter.drawPath(path)

    if shown == "spikes" and len(column.spikes):
        alpha = float(np.clip(INK / len(column.spikes), *SPIKE_ALPHA)) * (0.5 if faded else 1.0)
        thin = QtGui.QPen(theme.unit(column.color, round(alpha)), 1)
        thin.setCosmetic(True)  # the quick stroker, at any number of device pixels
        draw(column.spikes, thin)
    if shown == "alike":
        paint_neighbour(painter, column, whole, theme)
    for ghost in column.ghosts:
        dashed = QtGui.QPen(theme.unit(ghost.color), 1.8, QtCore.Qt.CustomDashLine)
        dashed.setDashPattern([2.2, 2.0])
        draw(ghost.mean[None], dashed)
    if is_density:
        ink = blend(theme.color("text"), theme.unit(column.color), MEAN_IN_DENSITY)
        draw(column.mean[None], QtGui.QPen(ink, 1.4))
    elif column.mean[:, known].any():
        thick = round_pen(theme.unit(column.color, 150 if faded else 255), 1.6 if faded else 2.4)
        thick.setJoinStyle(QtCore.Qt.BevelJoin)  # half of the time of round ones, which look the same here
        halo = [] if column.ghosts else [QtGui.QPen(theme.color("panel", 170), thick.widthF() + 2.2)]
        draw(column.mean[None], *halo, thick)


def paint_neighbour(
    painter: QtGui.QPainter, column: WaveformColumn, layout: WaveformLayout, theme: Theme
) -> None:
    """Paint the most similar unit in grey, on the contacts where it is known."""
    if column.neighbour is None:
        return
    mean = column.neighbour.mean
    known = np.asarray(~np.isnan(mean).any(axis=0))
    painter.setPen(QtGui.QPen(theme.color("faint"), 2.4))
    painter.drawPath(waveform_path(mean[None][:, :, known], layout.on(known)))


def paint_neighbours(
    painter: QtGui.QPainter, view: WaveformsView, layout: WaveformLayout, theme: Theme
) -> None:
    """Paint the most similar units that are not on screen themselves, each once."""
    painter.setBrush(QtCore.Qt.NoBrush)
    painted = {column.name for column in view.columns}
    for column in view.columns:
        if column.neighbour is not None and column.neighbour.name not in painted:
            painted.add(column.neighbour.name)
            paint_neighbour(painter, column, layout, theme)


def paint_header(
    painter: QtGui.QPainter,
    column: WaveformColumn,
    rect: QtCore.QRectF,
    theme: Theme,
    *,
    faded: bool,
    has_support: bool,
) -> None:
    """Paint colour, name and spikes above a column, and P(pure) and P(complete) if there is room in each."""
    paint_dot(painter, QtCore.QPointF(rect.left() + 4.5, rect.top() + 8), theme.unit(column.color))
    set_ink(painter, theme.color("muted" if faded else "text"), 13, bold=True)
    name = QtCore.QRectF(rect.left() + NAME_PX, rect.top(), rect.width() - NAME_PX, 16)
    painter.drawText(name, LEFT, elided(painter, column.name, name.width()))
    set_ink(painter, theme.color("faint" if faded else "muted"), 11)
    for number, text in enumerate((column.caption, *([column.support] if has_support else []))):
        line = QtCore.QRectF(rect.left(), rect.top() + 17 + 15 * number, rect.width(), 15)
        painter.drawText(line, LEFT, fitting(painter, text, line.width()))


def widest_support_px(view: WaveformsView) -> float:
    """Width of the widest P(pure) and P(complete) of a column."""
    advance = QtGui.QFontMetricsF(font(11)).horizontalAdvance
    return max((advance(column.support) for column in view.columns), default=0.0)


def paint_chip(painter: QtGui.QPainter, column: WaveformColumn, rect: QtCore.QRectF, theme: Theme) -> None:
    """Paint colour and name of a unit above the probe."""
    color = "accent" if column.is_changed else "accent_soft" if column.is_selected else "border"
    fill = theme.color("accent_soft" if column.is_selected else "sunken")
    inner = rect.adjusted(0.6, 0.6, -0.6, -0.6)
    paint_plate(painter, inner, fill, 7, QtGui.QPen(theme.color(color), 1.2))
    paint_dot(painter, QtCore.QPointF(rect.left() + 12, rect.center().y()), theme.unit(column.color))
    set_ink(painter, theme.color("text"), 12, medium=True)
    painter.drawText(rect.adjusted(22, 0, 0, 0), LEFT, column.name)


def paint_rows(
    painter: QtGui.QPainter,
    view: WaveformsView,
    layout: WaveformLayout,
    theme: Theme,
    *,
    left: float,
    right: float,
    bottom: float,
) -> None:
    """Paint zero lines from `left` to `right`, and before them the channel and its distance, above `bottom`.

    Rows too close for their words keep their lines only; the main channel is named always.
    """
    distance = np.hypot(*view.offsets_um.T)
    has_distance = layout.pitch_px >= DISTANCE_ROW_PX
    taken: list[QtCore.QRectF] = []
    for row, channel in enumerate(view.channels):
        y = layout.y0[row]
        painter.setPen(QtGui.QPen(theme.color("border"), 1))
        painter.drawLine(QtCore.QPointF(left, y), QtCore.QPointF(right, y))
        lower = DISTANCE_PX if row and has_distance else 0
        line = QtCore.QRectF(0, min(y - LINE_PX / 2, bottom - LINE_PX - lower), left - 12, LINE_PX)
        if not _take(taken, line.adjusted(0, 1, 0, lower - 1)):
            continue
        set_ink(painter, theme.color("text" if row == 0 else "muted"), 11, medium=row == 0)
        painter.drawText(line, RIGHT, channel_name(channel))
        if lower:
            set_ink(painter, theme.color("faint"), 10)
            painter.drawText(line.translated(0, lower), RIGHT, f"{distance[row]:.0f} µm")


def channel_name(channel: int) -> str:
    """Name of a channel beside its waveforms."""
    return f"ch {channel}"


def channel_width_px(view: WaveformsView) -> float:
    """Width of the widest name of a channel."""
    metrics = QtGui.QFontMetricsF(font(11, medium=True))
    return max((metrics.horizontalAdvance(channel_name(channel)) for channel in view.channels), default=0.0)


def _take(taken: list[QtCore.QRectF], place: QtCore.QRectF) -> bool:
    """Whether a place is free; it is taken from then on."""
    is_free = not any(place.intersects(other) for other in taken)
    if is_free:
        taken.append(place)
    return is_free


def paint_zero_lines(painter: QtGui.QPainter, layout: WaveformLayout, theme: Theme, *, width: float) -> None:
    """Paint the zero line of each contact."""
    painter.setPen(QtGui.QPen(theme.color("border"), 1))
    for x, y in zip(layout.x0, layout.y0, strict=True):
        painter.drawLine(QtCore.QPointF(x, y), QtCore.QPointF(x + width, y))


def paint_contact_names(
    painter: QtGui.QPainter,
    view: WaveformsView,
    layout: WaveformLayout,
    theme: Theme,
    *,
    right: float,
    bottom: float,
) -> None:
    """Paint the channel of each contact under the begin of its zero line, left of `right`, above `bottom`.

    It lies on a plate over the waveforms. Where two would collide, the one nearer to the main channel stays.
    """
    taken: list[QtCore.QRectF] = []
    for row, channel in enumerate(view.channels):
        painter.setFont(font(10, medium=row == 0))
        width = painter.fontMetrics().horizontalAdvance(channel_name(channel)) + 4.0
        x, y = min(layout.x0[row] - 2, right - width), min(layout.y0[row] + 2, bottom - PLATE_PX)
        plate = QtCore.QRectF(x, y, width, PLATE_PX)
        if not _take(taken, plate):
            continue
        paint_plate(painter, plate, theme.color("panel", 190), 3)
        painter.setPen(theme.color("text" if row == 0 else "muted"))
        painter.drawText(plate.adjusted(2, 0, 0, 0), LEFT, channel_name(channel))


def bar_rects(view: WaveformsView, layout: WaveformLayout, corner: QtCore.QPointF) -> list[QtCore.QRectF]:
    """Places of the scale bar (upwards) and the time bar (to the right) of a corner."""
    high, wide = view.scale_bar[0] * layout.sd_px, view.time_bar[0] * layout.sample_px
    half = BAR_PX / 2
    return [
        QtCore.QRectF(corner.x() - half, corner.y() - high, BAR_PX, high),
        QtCore.QRectF(corner.x() - half, corner.y() - half, wide + half, BAR_PX),
    ]


def paint_bars(
    painter: QtGui.QPainter, view: WaveformsView, layout: WaveformLayout, corner: QtCore.QPointF, theme: Theme
) -> None:
    """Paint scale bar and time bar from a corner, their words below."""
    for bar in bar_rects(view, layout, corner):
        painter.fillRect(bar, theme.color("text"))
    set_ink(painter, theme.color("muted"), 11)
    words = f"↕ {view.scale_bar[1]}    ↔ {view.time_bar[1]}"
    width = painter.fontMetrics().horizontalAdvance(words)
    painter.drawText(QtCore.QRectF(corner.x() - BAR_PX / 2, corner.y() + 3, width, 16), LEFT, words)
