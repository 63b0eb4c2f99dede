"""Waveforms: one column a unit and one row a channel, or all units at probe geometry."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.picking import pick
from ncpgui.app.presenters.waveforms import WaveformColumn, WaveformsView, present_waveforms
from ncpgui.gui.items.glyphs import elided
from ncpgui.gui.items.waveform import waveform_path
from ncpgui.gui.items.waveform_layout import WaveformLayout, at_contacts, stacked
from ncpgui.gui.panels.base import Panel, message_label
from ncpgui.gui.theme import LIGHT, Theme, font

Arrangement = Literal["columns", "probe"]

GUTTER = 54
HEADER = 56
STRIP = 20
GAP = 8
COLUMN_WIDTH = (58, 210)
CHIP_HEIGHT = 24
NEAR_PX = 14.0
NOTES = {
    False: "some spikes of each unit and the mean of all",
    True: "framed: what this alternative changes; dashed: the units in use",
}


class WaveformsWidget(QtWidgets.QWidget):
    """Paints a view; keeps the picture until view, size or theme change."""

    clicked = QtCore.pyqtSignal(int, bool)

    def __init__(self) -> None:
        super().__init__()
        self.view: WaveformsView | None = None
        self.theme: Theme = LIGHT
        self.arrangement: Arrangement = "columns"
        self._picture: QtGui.QPixmap | None = None
        self._hover = -1
        self.setMouseTracking(True)
        self.setAccessibleName("Waveforms")

    def set_view(self, view: WaveformsView, arrangement: Arrangement, theme: Theme) -> None:
        """Show other waveforms."""
        self.view, self.arrangement, self.theme = view, arrangement, theme
        n = len(view.columns) if arrangement == "columns" else 0
        self.setMinimumWidth(GUTTER + n * COLUMN_WIDTH[0])
        self.setAccessibleDescription(
            "; ".join(f"unit {c.name}, {c.caption}, {c.existence}" for c in view.columns)
        )
        self._picture = None
        self.update()

    # -- geometry ---------------------------------------------------------------------------

    def column_rect(self, index: int) -> QtCore.QRectF:
        """Place of a column in the arrangement "columns"."""
        assert self.view is not None
        width = min((self.width() - GUTTER) / max(len(self.view.columns), 1), COLUMN_WIDTH[1])
        return QtCore.QRectF(GUTTER + index * width, 0, width - GAP, self.height() - STRIP)

    def chip_rects(self) -> list[QtCore.QRectF]:
        """Places of the unit names above the plot in the arrangement "probe"."""
        assert self.view is not None
        metrics = QtGui.QFontMetricsF(font(12, medium=True))
        rects, x, y = [], 0.0, 0.0
        for column in self.view.columns:
            width = metrics.horizontalAdvance(column.name) + 30
            if x and x + width > self.width():
                x, y = 0.0, y + CHIP_HEIGHT + 4
            rects.append(QtCore.QRectF(x, y, width, CHIP_HEIGHT))
            x += width + 6
        return rects

    def layout_of_waveforms(self) -> WaveformLayout:
        """Place of each channel: in a column relative to its left edge, else in the widget."""
        view = self.view
        assert view is not None
        means = np.stack([column.mean for column in view.columns])
        lowest, highest = means.min(axis=(0, 1)), means.max(axis=(0, 1))
        if self.arrangement == "columns":
            rect = self.column_rect(0).adjusted(6, HEADER, -6, -2)
            return stacked(lowest, highest, width=rect.width(), top=rect.top(), height=rect.height())
        top = self.chip_rects()[-1].bottom() + 4
        return at_contacts(
            view.offsets_um,
            lowest,
            highest,
            left=6.0,
            width=self.width() - 12.0,
            top=top,
            height=self.height() - STRIP - top,
        )

    def unit_at(self, point: QtCore.QPointF) -> int:
        """Column of the unit under a point, -1 when there is none."""
        if self.view is None or not self.view.columns:
            return -1
        if self.arrangement == "columns":
            rects = [self.column_rect(row) for row in range(len(self.view.columns))]
        else:
            rects = self.chip_rects()
        for row, rect in enumerate(rects):
            if rect.contains(point):
                return row
        return self._nearest_mean(point) if self.arrangement == "probe" else -1

    def _nearest_mean(self, point: QtCore.QPointF) -> int:
        assert self.view is not None
        layout = self.layout_of_waveforms()
        sample = np.arange(len(self.view.columns[0].mean))[:, None]
        x = layout.x0 + layout.sample_px * sample - point.x()
        distance = [
            np.hypot(x, layout.y0 - layout.sd_px * column.mean - point.y()).min() for column in self.view.columns
        ]
        nearest = int(np.argmin(distance))
        return nearest if distance[nearest] <= NEAR_PX else -1

    # -- painting ---------------------------------------------------------------------------

    def paintEvent(self, _: QtGui.QPaintEvent) -> None:
        """Paint what is under the waveforms, then their picture."""
        if self.view is None or not self.view.columns:
            return
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        if self.arrangement == "columns":
            for row, column in enumerate(self.view.columns):
                self._paint_backdrop(painter, column, self.column_rect(row), row == self._hover)
        ratio = self.devicePixelRatioF()
        if self._picture is None or self._picture.size() != self.size() * ratio:
            self._picture = self._draw_picture(ratio)
        painter.drawPixmap(0, 0, self._picture)
        painter.end()

    def _paint_backdrop(
        self, painter: QtGui.QPainter, column: WaveformColumn, rect: QtCore.QRectF, hovered: bool
    ) -> None:
        theme = self.theme
        painter.setPen(QtCore.Qt.NoPen)
        painter.setBrush(theme.color("accent_soft" if column.is_selected else "hover" if hovered else "panel"))
        if column.is_changed:
            painter.setPen(QtGui.QPen(theme.color("accent"), 1.3))
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 7, 7)

    def _draw_picture(self, ratio: float) -> QtGui.QPixmap:
        assert self.view is not None
        picture = QtGui.QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(QtCore.Qt.transparent)
        painter = QtGui.QPainter(picture)
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        layout = self.layout_of_waveforms()
        if self.arrangement == "columns":
            self._paint_columns(painter, layout)
        else:
            self._paint_at_contacts(painter, layout)
        self._paint_bars(painter, layout)
        painter.end()
        return picture

    def _paint_columns(self, painter: QtGui.QPainter, layout: WaveformLayout) -> None:
        assert self.view is not None
        self._paint_channels(painter, layout)
        for row, column in enumerate(self.view.columns):
            rect = self.column_rect(row)
            faded = self.view.is_preview and not column.is_changed
            self._paint_header(painter, column, rect.adjusted(9, 6, -4, 0), faded)
            painter.save()
            painter.setClipRect(rect.adjusted(2, HEADER - 4, -2, -2))
            painter.translate(rect.left() + 6, 0)
            x0 = np.zeros(len(self.view.channels))
            self._paint_unit(painter, column, layout, x0, faded=faded, spikes=True)
            painter.restore()

    def _paint_header(
        self, painter: QtGui.QPainter, column: WaveformColumn, rect: QtCore.QRectF, faded: bool
    ) -> None:
        theme = self.theme
        painter.setPen(QtCore.Qt.NoPen)
        painter.setBrush(theme.unit(column.color))
        painter.drawEllipse(QtCore.QPointF(rect.left() + 4.5, rect.top() + 8), 4.5, 4.5)
        painter.setFont(font(13, bold=True))
        painter.setPen(theme.color("muted" if faded else "text"))
        align = QtCore.Qt.AlignLeft | QtCore.Qt.AlignVCenter
        name = QtCore.QRectF(rect.left() + 14, rect.top(), rect.width() - 14, 16)
        painter.drawText(name, align, elided(painter, column.name, name.width()))
        painter.setFont(font(11))
        painter.setPen(theme.color("faint" if faded else "muted"))
        for number, text in enumerate((column.caption, column.existence)):
            line = QtCore.QRectF(rect.left(), rect.top() + 17 + 15 * number, rect.width(), 15)
            painter.drawText(line, align, _fitting(painter, text, line.width()))

    def _paint_channels(self, painter: QtGui.QPainter, layout: WaveformLayout) -> None:
        """Label the rows: the channel, and its distance from the main one where there is room."""
        view, theme = self.view, self.theme
        assert view is not None
        distance = np.hypot(*view.offsets_um.T)
        right = self.column_rect(len(view.columns) - 1).right() - 6
        for row, channel in enumerate(view.channels):
            y = layout.y0[row]
            painter.setPen(QtGui.QPen(theme.color("border"), 1))
            painter.drawLine(QtCore.QPointF(GUTTER + 6, y), QtCore.QPointF(right, y))
            painter.setFont(font(11, medium=row == 0))
            painter.setPen(theme.color("text" if row == 0 else "muted"))
            line = QtCore.QRectF(0, y - 8, GUTTER - 6, 16)
            painter.drawText(line, QtCore.Qt.AlignRight | QtCore.Qt.AlignVCenter, f"ch {channel}")
            if row and layout.pitch_px >= 34:
                painter.setFont(font(10))
                painter.setPen(theme.color("faint"))
                painter.drawText(
                    line.translated(0, 13), QtCore.Qt.AlignRight | QtCore.Qt.AlignVCenter, f"{distance[row]:.0f} µm"
                )

    def _paint_unit(
        self,
        painter: QtGui.QPainter,
        column: WaveformColumn,
        layout: WaveformLayout,
        x0: NDArray[np.float64],
        *,
        faded: bool,
        spikes: bool,
    ) -> None:
        """Spikes thin and translucent, the units it comes from dashed, the mean thick."""
        painter.setBrush(QtCore.Qt.NoBrush)

        def draw(waveforms: NDArray[np.floating], pen: QtGui.QPen) -> None:
            painter.setPen(pen)
            path = waveform_path(
                waveforms, x0=x0, y0=layout.y0, sample_px=layout.sample_px, sd_px=layout.sd_px
            )
            painter.drawPath(path)

        theme = self.theme
        if spikes and len(column.spikes):
            alpha = float(np.clip(2200 / len(column.spikes), 26, 90))
            thin = QtGui.QPen(theme.unit(column.color, round(alpha * (0.5 if faded else 1.0))), 1)
            thin.setCosmetic(True)
            draw(column.spikes, thin)
        mean = QtGui.QPen(theme.unit(column.color, 150 if faded else 255), 1.6 if faded else 2.4)
        mean.setJoinStyle(QtCore.Qt.RoundJoin)
        mean.setCapStyle(QtCore.Qt.RoundCap)
        halo = QtGui.QPen(mean)
        halo.setColor(theme.color("panel", 170))
        halo.setWidthF(mean.widthF() + 2.2)
        if column.mean.any():
            draw(column.mean[None], halo)
            draw(column.mean[None], mean)
        for ghost in column.ghosts:
            pen = QtGui.QPen(theme.unit(ghost.color), 1.4, QtCore.Qt.CustomDashLine)
            pen.setDashPattern([2.5, 2.5])
            draw(ghost.mean[None], pen)

    def _paint_at_contacts(self, painter: QtGui.QPainter, layout: WaveformLayout) -> None:
        view, theme = self.view, self.theme
        assert view is not None
        chosen = any(column.is_selected for column in view.columns)
        width = layout.sample_px * (len(view.columns[0].mean) - 1)
        painter.setFont(font(10))
        for x, y, channel in zip(layout.x0, layout.y0, view.channels, strict=True):
            painter.setPen(QtGui.QPen(theme.color("border"), 1))
            painter.drawLine(QtCore.QPointF(x, y), QtCore.QPointF(x + width, y))
            painter.setPen(theme.color("muted" if channel == view.channels[0] else "faint"))
            painter.drawText(QtCore.QPointF(x, y - 4), f"ch {channel}")
        order = sorted(view.columns, key=lambda c: (c.is_selected, c.is_changed))
        for column in order:
            faded = (chosen and not column.is_selected) or (view.is_preview and not column.is_changed)
            self._paint_unit(painter, column, layout, layout.x0, faded=faded, spikes=False)
        for column, rect in zip(view.columns, self.chip_rects(), strict=True):
            self._paint_chip(painter, column, rect)

    def _paint_chip(self, painter: QtGui.QPainter, column: WaveformColumn, rect: QtCore.QRectF) -> None:
        theme = self.theme
        pen = QtGui.QPen(theme.color("accent" if column.is_changed else "border"), 1.2)
        painter.setPen(QtCore.Qt.NoPen if column.is_selected and not column.is_changed else pen)
        painter.setBrush(theme.color("accent_soft" if column.is_selected else "sunken"))
        painter.drawRoundedRect(rect.adjusted(0.6, 0.6, -0.6, -0.6), 7, 7)
        painter.setPen(QtCore.Qt.NoPen)
        painter.setBrush(theme.unit(column.color))
        painter.drawEllipse(QtCore.QPointF(rect.left() + 12, rect.center().y()), 4.5, 4.5)
        painter.setFont(font(12, medium=True))
        painter.setPen(theme.color("text"))
        painter.drawText(rect.adjusted(22, 0, 0, 0), QtCore.Qt.AlignLeft | QtCore.Qt.AlignVCenter, column.name)

    def _paint_bars(self, painter: QtGui.QPainter, layout: WaveformLayout) -> None:
        """Scale bar and time bar in the corner at the bottom left."""
        assert self.view is not None
        (sd, sd_words), (samples, time_words) = self.view.scale_bar, self.view.time_bar
        x, y = 8.5, self.height() - STRIP - 1.5
        corner = [
            QtCore.QPointF(x, y - sd * layout.sd_px),
            QtCore.QPointF(x, y),
            QtCore.QPointF(x + samples * layout.sample_px, y),
        ]
        pen = QtGui.QPen(self.theme.color("text"), 1.8)
        pen.setCapStyle(QtCore.Qt.FlatCap)
        pen.setJoinStyle(QtCore.Qt.MiterJoin)
        painter.setPen(pen)
        painter.setBrush(QtCore.Qt.NoBrush)
        painter.drawPolyline(QtGui.QPolygonF(corner))
        painter.setFont(font(11))
        painter.setPen(self.theme.color("muted"))
        strip = QtCore.QRectF(x - 4, self.height() - STRIP + 3, self.width(), STRIP - 3)
        painter.drawText(
            strip, QtCore.Qt.AlignLeft | QtCore.Qt.AlignVCenter, f"↕ {sd_words}    ↔ {time_words}"
        )

    # -- mouse ------------------------------------------------------------------------------

    def mouseMoveEvent(self, event: QtGui.QMouseEvent) -> None:
        """Light up the unit under the pointer."""
        hover = self.unit_at(event.localPos())
        if hover != self._hover:
            self._hover = hover
            self.setCursor(QtCore.Qt.PointingHandCursor if hover >= 0 else QtCore.Qt.ArrowCursor)
            self.update()

    def leaveEvent(self, _: QtCore.QEvent) -> None:
        """Back to normal."""
        self._hover = -1
        self.update()

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        """Select the unit that is clicked; Ctrl or Shift adds it."""
        row = self.unit_at(event.localPos())
        if event.button() == QtCore.Qt.LeftButton and row >= 0:
            adds = bool(event.modifiers() & (QtCore.Qt.ControlModifier | QtCore.Qt.ShiftModifier))
            self.clicked.emit(row, adds)

    def event(self, event: QtCore.QEvent) -> bool:
        """Explain what is under the pointer."""
        if event.type() == QtCore.QEvent.ToolTip:
            point = event.pos()  # type: ignore[attr-defined]
            QtWidgets.QToolTip.showText(event.globalPos(), self.tooltip_at(QtCore.QPointF(point)), self)  # type: ignore[attr-defined]
            return True
        return super().event(event)

    def tooltip_at(self, point: QtCore.QPointF) -> str:
        """Words about the unit or the row at a point."""
        view = self.view
        if view is None or not view.columns:
            return ""
        row = self.unit_at(point)
        if row >= 0:
            column = view.columns[row]
            action = "adopting the alternative makes it" if column.unit is None else "click to select, Ctrl adds"
            return (
                f"Unit {column.name}: {column.caption}, {column.existence}\n"
                "exists: share of the posterior samples that have this unit\n"
                f"{len(column.spikes)} spikes drawn, evenly through the recording; {action}"
            )
        if self.arrangement == "columns" and point.x() < GUTTER:
            layout = self.layout_of_waveforms()
            channel = int(np.abs(layout.y0 - point.y()).argmin())
            x, y = view.offsets_um[channel]
            if channel == 0:
                return f"Channel {view.channels[0]}: the main channel, on which these spikes are largest"
            return f"Channel {view.channels[channel]}: {x:+.0f} µm, {y:+.0f} µm from the main channel"
        return ""


def _fitting(painter: QtGui.QPainter, text: str, width: float) -> str:
    """`text` whole, else only its number, else cut."""
    advance = painter.fontMetrics().horizontalAdvance
    if advance(text) <= width:
        return text
    number = " ".join(word for word in text.split(" ") if any(c.isdigit() for c in word))
    return number if number and advance(number) <= width else elided(painter, text, width)


class WaveformsPanel(Panel):
    """Waveforms of the sorting on screen; a click selects a unit."""

    title = "Waveforms"

    def build(self) -> None:
        """Make plot and message."""
        self._arrangement: Arrangement = "columns"
        self.plot = WaveformsWidget()
        self.plot.clicked.connect(self._clicked)
        self.scroll = QtWidgets.QScrollArea()
        self.scroll.setWidget(self.plot)
        self.scroll.setWidgetResizable(True)
        self.scroll.setVerticalScrollBarPolicy(QtCore.Qt.ScrollBarAlwaysOff)
        self.scroll.setFocusPolicy(QtCore.Qt.NoFocus)
        self.scroll.viewport().setAutoFillBackground(False)
        self.plot.setAutoFillBackground(False)
        self.message = message_label()
        self.body.addWidget(self.message, 1)
        self.body.addWidget(self.scroll, 1)
        self.setAccessibleName("Waveforms")

    def follow(self) -> None:
        """Follow the sorting on screen and the selection."""
        workspace = self.workspace
        for signal in (
            workspace.opened,
            workspace.current_changed,
            workspace.shown_changed,
            workspace.selection_changed,
        ):
            signal.connect(self.mark_dirty)

    @property
    def arrangement(self) -> Arrangement:
        """How channels are arranged: "columns" or "probe"."""
        return self._arrangement

    def set_arrangement(self, arrangement: Arrangement) -> None:
        """Arrange channels one under the other ("columns") or where they are ("probe")."""
        if arrangement != self._arrangement:
            self._arrangement = arrangement
            self.mark_dirty()

    def redraw(self) -> None:
        """Show the waveforms of the sorting on screen."""
        view = present_waveforms(self.workspace)
        self.plot.set_view(view, self._arrangement, self.theme)
        self.message.setText(view.message)
        self.message.setVisible(bool(view.message))
        self.scroll.setVisible(not view.message)
        self.note.setText("" if view.message else NOTES[view.is_preview])

    def _clicked(self, row: int, adds: bool) -> None:
        assert self.plot.view is not None
        pick(self.workspace, self.plot.view.columns[row].unit, adds=adds)
