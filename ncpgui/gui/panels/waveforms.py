"""Waveforms: one column a unit and one row a channel, or all units at probe geometry.

Painted by hand, with the paths and images of pyqtgraph: contacts share one scale bar and have places of
their own, heads stand over columns, and there is no axis to read off. A plot each for units times contacts
would take a tenth of a second at each selection.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.alike import Ghost
from ncpgui.app.presenters.waveforms import WaveformsView, present_waveforms
from ncpgui.gui.items import waveform_painting as paint
from ncpgui.gui.items.glyphs import paint_plate
from ncpgui.gui.items.scroll_area import ScrollArea
from ncpgui.gui.items.unit_canvas import UnitCanvas, keeps_shapes
from ncpgui.gui.items.waveform_layout import WaveformLayout, at_contacts, extents, stacked
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.theme import Theme, font

Arrangement = Literal["columns", "probe"]
SHOWN_WORDS: dict[paint.Shown, str] = {
    "spikes": "",
    "density": "density of all sampled spikes, and their mean",
    "mean": "means",
    "alike": "means, the most similar other unit in grey",
}

GUTTER = 54
BAR_MARGIN = 10
HEADER = 56
STRIP = 24
GAP = 8
INSET = 6
LEAST_WIDTH = 172
"""Of the panel: two units."""
COLUMN_WIDTH = (58, 300)
WIDEST_COLUMN = 0.5
CHIP_HEIGHT = 24
NEAR_PX = 14.0
BAR_X = 2.5
GAINS = (0.2, 8.0)
GAIN_STEP = 1.15


class WaveformsWidget(UnitCanvas):
    """Paints a view; keeps the picture until view, size or theme change. Ctrl+wheel scales the waveforms."""

    def __init__(self) -> None:
        super().__init__("Waveforms")
        self.view: WaveformsView | None = None
        self.arrangement: Arrangement = "columns"
        self.shown: paint.Shown = "spikes"
        self.gain = 1.0
        self._extents = (np.zeros(0), np.zeros(0))
        self._names_px = 0.0
        self._picture: QtGui.QPixmap | None = None

    def set_view(self, view: WaveformsView, arrangement: Arrangement, theme: Theme) -> None:
        """Show other waveforms; another selection does not draw them again."""
        is_drawn = self.arrangement == arrangement == "columns" and self.theme is theme
        if not (is_drawn and _same_but_selection(view, self.view)):
            self._picture = None
        self.view, self.arrangement, self.theme = view, arrangement, theme
        if view.columns:
            self._extents = extents([c.mean for c in view.columns], [c.spikes for c in view.columns])
            self._names_px = paint.channel_width_px(view)
        n = len(view.columns) if arrangement == "columns" else 0
        self.setMinimumWidth(round(self.gutter) + n * COLUMN_WIDTH[0])
        self.setAccessibleDescription(
            "; ".join(f"unit {c.name}, {c.caption}, {c.support}" for c in view.columns)
        )
        self.update()

    def show_kind(self, shown: paint.Shown) -> None:
        """Draw some spikes, the density of all, the mean alone, or with it the most similar other unit."""
        self.shown = shown
        self._picture = None
        self.update()

    def set_gain(self, gain: float) -> None:
        """Draw the waveforms this many times as high as they fit."""
        self.gain = float(np.clip(gain, *GAINS))
        self._picture = None
        self.update()

    def wheelEvent(self, event: QtGui.QWheelEvent) -> None:
        """Scale the waveforms with Ctrl; else scroll."""
        if event.modifiers() & QtCore.Qt.ControlModifier:
            self.set_gain(self.gain * GAIN_STEP ** (event.angleDelta().y() / 120))
            event.accept()
        else:
            event.ignore()

    # -- geometry ---------------------------------------------------------------------------

    @property
    def gutter(self) -> float:
        """Room left of the columns: the scale bar, and beside it the names of the channels."""
        return max(GUTTER, BAR_MARGIN + self._names_px + 12 - INSET)

    @property
    def _corner(self) -> QtCore.QPointF:
        """Where scale bar and time bar begin: the bar has a margin of its own, where no words are."""
        return QtCore.QPointF(BAR_X, self.height() - STRIP + 4)

    def bar_rects(self) -> list[QtCore.QRectF]:
        """Places of the scale bar and the time bar."""
        assert self.view is not None
        return paint.bar_rects(self.view, self.waveform_layout(), self._corner)

    def column_rect(self, index: int) -> QtCore.QRectF:
        """Place of a column in the arrangement "columns"."""
        assert self.view is not None
        gutter = self.gutter
        width = (self.width() - gutter) / max(len(self.view.columns), 1)
        width = min(width, max(COLUMN_WIDTH[1], WIDEST_COLUMN * self.height()))
        return QtCore.QRectF(gutter + index * width, 0, width - GAP, self.height() - STRIP)

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

    def waveform_layout(self) -> WaveformLayout:
        """Place of each channel, in a column relative to its left edge, else in the widget; and the scale."""
        fitting = self._fitting_layout()
        return replace(fitting, sd_px=fitting.sd_px * self.gain)

    def _fitting_layout(self) -> WaveformLayout:
        assert self.view is not None
        lowest, highest = self._extents
        if self.arrangement == "columns":
            rect = self.column_rect(0).adjusted(INSET, HEADER, -INSET, -2)
            return stacked(lowest, highest, width=rect.width(), top=rect.top(), height=rect.height())
        top = self.chip_rects()[-1].bottom() + 4
        return at_contacts(
            self.view.offsets_um,
            lowest,
            highest,
            left=BAR_MARGIN,
            width=self.width() - BAR_MARGIN - INSET,
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
        layout = self.waveform_layout()
        means = np.stack([column.mean for column in self.view.columns])
        x = layout.x0 + layout.sample_px * np.arange(means.shape[1])[:, None]
        distance = np.hypot(x - point.x(), layout.y0 - layout.sd_px * means - point.y())
        distance = np.nan_to_num(distance, nan=np.inf).min(axis=(1, 2))
        nearest = int(distance.argmin())
        return nearest if distance[nearest] <= NEAR_PX else -1

    # -- painting ---------------------------------------------------------------------------

    def paint(self, painter: QtGui.QPainter, _: QtCore.QRect) -> None:
        """Paint what is under the waveforms, then their picture."""
        if self.view is None or not self.view.columns:
            return
        if self.arrangement == "columns":
            self._paint_backdrops(painter)
        ratio = self.devicePixelRatioF()
        if keeps_shapes(painter):
            self._draw(painter)
        else:
            if self._picture is None or self._picture.size() != self.size() * ratio:
                self._picture = self._draw_picture(ratio)
            painter.drawPixmap(0, 0, self._picture)

    def _paint_backdrops(self, painter: QtGui.QPainter) -> None:
        """Paint columns that are selected or under the pointer, a frame around changed ones."""
        assert self.view is not None
        theme = self.theme
        for row, column in enumerate(self.view.columns):
            back = "accent_soft" if column.is_selected else "hover" if row == self._hover else "panel"
            border = QtGui.QPen(theme.color("accent"), 1.3) if column.is_changed else QtCore.Qt.NoPen
            place = self.column_rect(row).adjusted(1, 1, -1, -1)
            paint_plate(painter, place, theme.color(back), 7, border)

    def _draw_picture(self, ratio: float) -> QtGui.QPixmap:
        picture = QtGui.QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(QtCore.Qt.transparent)
        painter = QtGui.QPainter(picture)
        self._draw(painter)
        painter.end()
        return picture

    def _draw(self, painter: QtGui.QPainter) -> None:
        assert self.view is not None
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        layout = self.waveform_layout()
        if self.arrangement == "columns":
            self._paint_columns(painter, layout)
        else:
            self._paint_at_contacts(painter, layout)
        paint.paint_bars(painter, self.view, layout, self._corner, self.theme)

    def _paint_columns(self, painter: QtGui.QPainter, layout: WaveformLayout) -> None:
        view, theme = self.view, self.theme
        assert view is not None
        right = self.column_rect(len(view.columns) - 1).right() - INSET
        paint.paint_rows(
            painter,
            view,
            layout,
            theme,
            left=self.gutter + INSET,
            right=right,
            bottom=self.height() - STRIP + 2,
        )
        headers = [self.column_rect(row).adjusted(7, 6, -2, 0) for row in range(len(view.columns))]
        has_room = paint.widest_support_px(view) <= headers[0].width()
        has_support = has_room and not view.from_templates  # templates alone have no probabilities
        for row, column in enumerate(view.columns):
            rect = self.column_rect(row)
            faded = view.is_preview and not column.is_changed
            paint.paint_header(painter, column, headers[row], theme, faded=faded, has_support=has_support)
            painter.save()
            place = rect.adjusted(2, HEADER - 4, -2, -2)
            painter.setClipRect(place)
            placed = replace(layout, x0=layout.x0 + rect.left() + INSET)
            paint.paint_unit(painter, column, placed, place, theme, faded=faded, shown=self.shown)
            painter.restore()

    def _paint_at_contacts(self, painter: QtGui.QPainter, layout: WaveformLayout) -> None:
        view, theme = self.view, self.theme
        assert view is not None
        width = layout.sample_px * (len(view.columns[0].mean) - 1)
        paint.paint_zero_lines(painter, layout, theme, width=width)
        chosen = any(column.is_selected for column in view.columns)
        top = self.chip_rects()[-1].bottom()
        place = QtCore.QRectF(0, top, self.width(), self.height() - STRIP - top)
        if self.shown == "alike":  # below all of them: they lie on each other
            paint.paint_neighbours(painter, view, layout, theme)
        for column in sorted(view.columns, key=lambda c: (c.is_selected, c.is_changed)):
            faded = (chosen and not column.is_selected) or (view.is_preview and not column.is_changed)
            shown = "mean" if self.shown == "alike" else self.shown
            paint.paint_unit(painter, column, layout, place, theme, faded=faded, shown=shown)
        right, bottom = self.width() - 2.0, self.height() - STRIP + 2.0
        paint.paint_contact_names(painter, view, layout, theme, right=right, bottom=bottom)
        for column, rect in zip(view.columns, self.chip_rects(), strict=True):
            paint.paint_chip(painter, column, rect, theme)

    # -- mouse ------------------------------------------------------------------------------

    def tooltip_at(self, point: QtCore.QPointF) -> str:
        """Words about the unit or the row at a point."""
        view = self.view
        if view is None or not view.columns:
            return ""
        row = self.unit_at(point)
        if row >= 0:
            return view.columns[row].tooltip
        if self.arrangement == "columns" and point.x() < self.gutter:
            return view.channel_tooltip(int(np.abs(self.waveform_layout().y0 - point.y()).argmin()))
        return view.scale_help


def _same_but_selection(view: WaveformsView, before: WaveformsView | None) -> bool:
    """Whether the waveforms and headers of two views are the same."""
    if before is None or len(view.columns) != len(before.columns):
        return False
    if (view.channels, view.is_preview) != (before.channels, before.is_preview):
        return False
    return all(
        new.spikes is old.spikes
        and new.mean is old.mean
        and (new.name, new.color, new.caption, new.support) == (old.name, old.color, old.caption, old.support)
        and new.is_changed == old.is_changed
        and _name(new.neighbour) == _name(old.neighbour)
        for new, old in zip(view.columns, before.columns, strict=True)
    )


def _name(ghost: Ghost | None) -> str:
    return "" if ghost is None else ghost.name


class WaveformsPanel(Panel):
    """Waveforms of the sorting on screen; a click selects a unit."""

    title = "Waveforms"

    def build(self) -> None:
        """Make plot and message."""
        self.arrangement: Arrangement = "columns"
        self.plot = WaveformsWidget()
        self.plot.clicked.connect(self._clicked)
        self.scroll = ScrollArea(self.plot, QtCore.Qt.Horizontal)
        self.scroll.setMinimumWidth(LEAST_WIDTH)
        self.fill(self.scroll)
        self.note.setToolTip(
            "Ctrl+wheel scales the waveforms. W shows the density of all sampled spikes, means, and means\n"
            "beside the most similar other unit, on screen or near by; M means alone."
        )

    def set_arrangement(self, arrangement: Arrangement) -> None:
        """Arrange channels one under the other ("columns") or where they are ("probe")."""
        if arrangement != self.arrangement:
            self.arrangement = arrangement
            self.mark_dirty()

    def toggle_arrangement(self) -> None:
        """Change between waveforms in columns and at probe geometry."""
        self.set_arrangement("probe" if self.arrangement == "columns" else "columns")

    def step_shown(self, step: int = 1) -> None:
        """Go on from spikes to density, means, the most similar other unit, and again; or (-1) back."""
        at = paint.SHOWN.index(self.plot.shown) + step
        self._show(paint.SHOWN[at % len(paint.SHOWN)])

    def toggle_means(self) -> None:
        """Draw means alone, or spikes again."""
        self._show("spikes" if self.plot.shown == "mean" else "mean")

    def _show(self, shown: paint.Shown) -> None:
        self.plot.show_kind(shown)
        self.mark_dirty()

    def redraw(self) -> None:
        """Show the waveforms of the sorting on screen."""
        self.controller.data.ask_shapes()
        view = present_waveforms(self.workspace, looks_around=self.plot.shown == "alike")
        self.plot.set_view(view, self.arrangement, self.theme)
        self.tell(view.message)
        # a scroll bar that comes or goes does so now: the picture would be drawn twice
        QtCore.QCoreApplication.sendPostedEvents(self.scroll.viewport(), QtCore.QEvent.LayoutRequest)
        kind = SHOWN_WORDS[self.plot.shown] if view.columns else ""
        noted = view.is_preview or view.from_templates or not kind
        kind = "" if view.from_templates and self.plot.shown == "spikes" else kind
        self.note.setText(" · ".join(filter(None, (kind, view.note if noted else ""))))

    def point_out(self, place: QtCore.QPoint) -> bool:
        """Select the unit at a place."""
        row, view = self.plot.row_at(place), self.plot.view
        return row >= 0 and view is not None and self.point_out_units(view.columns[row].unit)

    def _clicked(self, row: int, adds: bool) -> None:
        assert self.plot.view is not None
        self.workspace.pick(self.plot.view.columns[row].unit, adds=adds)
