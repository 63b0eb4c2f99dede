"""Receptive fields: one tile a unit, the map of what drives it and the course in time.

Painted by hand: a tile is words, a map of some hundred pixels, an ellipse and a curve, with nothing to zoom
into or to read off an axis, and its size follows from the room for all of them.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.presenters.receptive_fields import (
    Field,
    FieldTile,
    ReceptiveFieldsView,
    present_receptive_fields,
)
from ncpgui.gui.items.glyphs import elided, paint_curve
from ncpgui.gui.items.unit_canvas import UnitCanvas
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.theme import Theme, font

LEAST_WIDTH = (74, 130)
MOST_WIDTH = 480
NAME_FROM = 16
CAPTION_FROM = 128
GAP = 8
TOP = 22
COURSE = 34
FOOT = 18
TITLE = 22
REMEMBERED = "fields_of_other_cards"
SMALLEST_RANGE_Z = 6.0
ELLIPSE_SD = 1.5
DIVERGING_LIGHT = ("#1D4FA3", "#6F9FD8", "#F4F5F8", "#E58A6B", "#A9202C")
DIVERGING_DARK = ("#8FC1FF", "#3B6FB8", "#22262F", "#B8493C", "#FFB39C")


@cache
def diverging_table(theme: Theme) -> list[int]:
    """256 colours from OFF (blue) over none, which recedes into the panel, to ON (red)."""
    stops = np.array(
        [QtGui.QColor(c).getRgb()[:3] for c in (DIVERGING_DARK if theme.is_dark else DIVERGING_LIGHT)], float
    )
    at = np.linspace(0, len(stops) - 1, 256)
    rgb = np.stack([np.interp(at, np.arange(len(stops)), stops[:, k]) for k in range(3)], axis=1)
    return [QtGui.qRgb(*(int(v) for v in row.round())) for row in rgb]


def map_image(spatial: NDArray[np.floating], theme: Theme) -> QtGui.QImage:
    """Image of a map (height, width) in noise sd: zero in the middle of the colours, both signs alike."""
    largest = max(float(np.abs(spatial).max(initial=0.0)), SMALLEST_RANGE_Z)
    index = np.clip(np.rint(127.5 + 127.5 * spatial / largest), 0, 255).astype(np.uint8)
    height, width = index.shape
    rows = np.ascontiguousarray(index)
    image = QtGui.QImage(rows.tobytes(), width, height, width, QtGui.QImage.Format_Indexed8)
    image.setColorTable(diverging_table(theme))
    return image.convertToFormat(QtGui.QImage.Format_RGB32)  # a copy: Qt does not own the bytes above


class FieldsWidget(UnitCanvas):
    """Paints tiles in a grid that is as wide as it may be and as high as it must be."""

    def __init__(self) -> None:
        super().__init__("Receptive fields")
        self.view = ReceptiveFieldsView(())
        self._images: list[QtGui.QImage | None] = []
        self._room = QtCore.QSize(460, 420)
        self._fit_height()

    def set_room(self, room: QtCore.QSize) -> None:
        """Arrange the tiles for a viewport of this size."""
        self._room = room
        self._fit_height()

    def set_view(self, view: ReceptiveFieldsView, theme: Theme) -> None:
        """Show other tiles."""
        self.view, self.theme = view, theme
        self._images = [
            None if tile.field is None else map_image(tile.field.spatial, theme) for tile in view.tiles
        ]
        self.setAccessibleDescription("; ".join(f"unit {tile.name}, {tile.verdict}" for tile in view.tiles))
        self._fit_height()
        self.update()

    # -- geometry ---------------------------------------------------------------------------

    def _found_arrangement(self) -> tuple[int, float, float]:
        """Tiles in a row, their width, and the height of what is below the map.

        Tiles are as large as they can be without scrolling; where there is little room, the time
        course goes first, then the verdict, so that the maps can be compared; only then the tiles scroll,
        a whole row of them in view.
        """
        free = self._room.width() + GAP
        most = max((group.n_tiles for group in self.view.groups), default=1)
        least = self._least_width()
        widest = max(1, int(free // (least + GAP)))
        if len(self.view.groups) < 2:  # narrower tiles than one row needs make room below for nothing
            widest = min(most, widest)
        widths = {n: min(free / n - GAP, MOST_WIDTH) for n in range(1, widest + 1)}
        for below in (COURSE + FOOT, 4 + FOOT, 0):
            fitting = []
            for n, width in widths.items():
                if self._height(n, self._tile_height(width, below)) <= self._room.height():
                    fitting.append((width, n))
            if fitting:
                width, n = max(fitting)
                return n, width, below
        for below in (4 + FOOT, 0):
            for width in range(int(widths[widest]), int(least) - 1, -2):
                if self._height(widest, self._tile_height(width, below)) <= self._room.height():
                    return widest, float(width), below
        below = next((b for b in (4 + FOOT, 0) if self._tile_height(least, b) <= self._room.height()), 0)
        lower = range(int(widths[widest]), int(least), -1)
        whole = (w for w in lower if self._tile_height(w, below) <= self._room.height())
        return widest, float(next(whole, least)), below

    def _least_width(self) -> float:
        """Width of a tile in which the longest name has room, as far as names are of a few units."""
        metrics = QtGui.QFontMetricsF(font(13, bold=True))
        names = [metrics.horizontalAdvance(tile.name) for tile in self.view.tiles]
        return float(np.clip(max(names, default=0.0) + NAME_FROM + 18, *LEAST_WIDTH))

    def _height(self, n: int, tile_height: float) -> float:
        """Height of all groups with `n` tiles in a row."""
        n_rows = sum(-(-group.n_tiles // n) for group in self.view.groups)
        return (
            n_rows * (tile_height + GAP) - GAP + TITLE * sum(bool(group.title) for group in self.view.groups)
        )

    def _tile_height(self, width: float, below: float) -> float:
        return sum(_padding(below)) + TOP + self._map_height(width) + below

    def _map_height(self, width: float) -> float:
        shapes = [tile.field.spatial.shape for tile in self.view.tiles if tile.field is not None]
        aspect = shapes[0][0] / shapes[0][1] if shapes else 0.75
        return float(np.clip(aspect, 0.4, 1.4)) * (width - 16)

    def _places(self) -> tuple[list[QtCore.QRectF], list[QtCore.QRectF]]:
        """Places of the tiles, and of the titles of groups (empty where there is none)."""
        n, width, below = self._arrangement
        height, y = self._tile_height(width, below), 0.0
        tiles, titles = [], []
        for group in self.view.groups:
            titles.append(QtCore.QRectF(0, y, self._room.width(), TITLE if group.title else 0))
            y += titles[-1].height()
            for number in range(group.n_tiles):
                row, column = divmod(number, n)
                x = column * (width + GAP)
                tiles.append(QtCore.QRectF(x, y + row * (height + GAP), width, height))
            y += -(-group.n_tiles // n) * (height + GAP)
        return tiles, titles

    def tile_rect(self, index: int) -> QtCore.QRectF:
        """Place of a tile."""
        return self._places()[0][index]

    def map_rect(self, index: int) -> QtCore.QRectF:
        """Place of the map of a tile; the whole map, at its own aspect."""
        _, tile_width, below = self._arrangement
        rect = self.tile_rect(index).adjusted(8, _padding(below)[0] + TOP, -8, 0)
        rect.setHeight(self._map_height(tile_width))
        tile = self.view.tiles[index]
        if tile.field is not None:
            height, width = tile.field.spatial.shape
            scale = min(rect.width() / width, rect.height() / height)
            middle = rect.center()
            rect.setSize(QtCore.QSizeF(width * scale, height * scale))
            rect.moveCenter(middle)
        return rect

    def _fit_height(self) -> None:
        self._arrangement = self._found_arrangement()
        bottom = self.tile_rect(len(self.view.tiles) - 1).bottom() if self.view.tiles else 0
        self.setMinimumHeight(max(int(np.ceil(bottom)), 0))

    def unit_at(self, point: QtCore.QPointF) -> int:
        """Tile under a point, -1 when there is none."""
        return next((row for row, rect in enumerate(self._places()[0]) if rect.contains(point)), -1)

    # -- painting ---------------------------------------------------------------------------

    def paintEvent(self, event: QtGui.QPaintEvent) -> None:
        """Paint titles, and the tiles in view."""
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        tiles, titles = self._places()
        painter.setFont(font(11))
        painter.setPen(self.theme.color("muted"))
        for group, line in zip(self.view.groups, titles, strict=True):
            if group.title:
                painter.drawText(line, QtCore.Qt.AlignLeft | QtCore.Qt.AlignVCenter, group.title)
        for row, (tile, rect) in enumerate(zip(self.view.tiles, tiles, strict=True)):
            if rect.intersects(QtCore.QRectF(event.rect())):
                self._paint_tile(painter, row, tile, rect)
        painter.end()

    def _paint_tile(self, painter: QtGui.QPainter, row: int, tile: FieldTile, rect: QtCore.QRectF) -> None:
        theme = self.theme
        back = "accent_soft" if tile.is_selected else "hover" if row == self._hover else "sunken"
        painter.setPen(QtGui.QPen(theme.color("accent" if tile.is_changed else "border"), 1.2))
        painter.setBrush(theme.color(back))
        painter.drawRoundedRect(rect.adjusted(0.6, 0.6, -0.6, -0.6), 7, 7)
        below = self._arrangement[2]
        above_px, under_px = _padding(below)
        inner = rect.adjusted(8, above_px, -8, -under_px)
        self._paint_head(painter, tile, QtCore.QRectF(inner.left(), inner.top() - 2, inner.width(), 20))
        place = self.map_rect(row)
        image = self._images[row]
        if tile.field is None or image is None:
            self._paint_waiting(painter, place)
        else:
            painter.setRenderHint(QtGui.QPainter.SmoothPixmapTransform, False)
            painter.drawImage(place, image)
            self._paint_ellipse(painter, tile.field, place)
            if below > COURSE:
                bottom = inner.bottom() - FOOT
                course = QtCore.QRectF(inner.left(), bottom - COURSE + 4, inner.width(), COURSE - 8)
                self._paint_course(painter, tile, tile.field, course)
        if not below:
            return
        painter.setFont(font(11))
        painter.setPen(theme.color("good" if tile.field is not None and tile.field.is_clear else "muted"))
        foot = QtCore.QRectF(inner.left(), inner.bottom() - 15, inner.width(), 16)
        width = painter.fontMetrics().horizontalAdvance
        words = next((text for text in tile.foot if width(text) <= foot.width()), tile.foot[-1])
        painter.drawText(foot, QtCore.Qt.AlignLeft | QtCore.Qt.AlignVCenter, words)

    def _paint_head(self, painter: QtGui.QPainter, tile: FieldTile, line: QtCore.QRectF) -> None:
        theme = self.theme
        painter.setPen(QtCore.Qt.NoPen)
        painter.setBrush(theme.unit(tile.color))
        painter.drawEllipse(QtCore.QPointF(line.left() + 5, line.center().y()), 4.5, 4.5)
        painter.setFont(font(11))
        painter.setPen(theme.color("faint"))
        free = line.width() - NAME_FROM
        if line.width() >= CAPTION_FROM:
            painter.drawText(line, QtCore.Qt.AlignRight | QtCore.Qt.AlignVCenter, tile.caption)
            free -= painter.fontMetrics().horizontalAdvance(tile.caption) + 8
        painter.setFont(font(13, bold=True))
        painter.setPen(theme.color("text"))
        name = elided(painter, tile.name, free)
        painter.drawText(
            line.adjusted(NAME_FROM, 0, 0, 0), QtCore.Qt.AlignLeft | QtCore.Qt.AlignVCenter, name
        )

    def _paint_waiting(self, painter: QtGui.QPainter, place: QtCore.QRectF) -> None:
        painter.setPen(QtGui.QPen(self.theme.color("border"), 1.2, QtCore.Qt.DashLine))
        painter.setBrush(QtCore.Qt.NoBrush)
        painter.drawRoundedRect(place.adjusted(0.6, 0.6, -0.6, -0.6), 5, 5)
        painter.setFont(font(12))
        painter.setPen(self.theme.color("muted"))
        painter.drawText(place, QtCore.Qt.AlignCenter, "computing …")

    def _paint_ellipse(self, painter: QtGui.QPainter, field: Field, place: QtCore.QRectF) -> None:
        """Paint the Gaussian of a clear field; pixel (0, 0) has its middle half a pixel in."""
        if not field.is_clear:
            return
        scale = place.width() / field.spatial.shape[1]
        rx, ry, angle = field.ellipse
        painter.save()
        painter.setClipRect(place)
        painter.translate(
            place.left() + (field.center_px[0] + 0.5) * scale,
            place.top() + (field.center_px[1] + 0.5) * scale,
        )
        painter.rotate(float(np.degrees(angle)))
        painter.setBrush(QtCore.Qt.NoBrush)
        painter.setPen(QtGui.QPen(self.theme.color("text"), 1.5))
        painter.drawEllipse(QtCore.QPointF(0, 0), ELLIPSE_SD * rx * scale, ELLIPSE_SD * ry * scale)
        painter.restore()

    def _paint_course(
        self, painter: QtGui.QPainter, tile: FieldTile, field: Field, rect: QtCore.QRectF
    ) -> None:
        """Paint the course in time, the spike at the right end."""
        course = field.time_course[::-1]
        largest = float(np.abs(course).max(initial=0.0)) or 1.0
        middle = rect.center().y()
        painter.setPen(QtGui.QPen(self.theme.color("border"), 1))
        painter.drawLine(QtCore.QPointF(rect.left(), middle), QtCore.QPointF(rect.right(), middle))
        painter.drawLine(rect.topRight(), rect.bottomRight())
        x = np.linspace(rect.left(), rect.right(), len(course))
        y = middle - course / largest * rect.height() / 2
        paint_curve(painter, x, y, self.theme.unit(tile.color, 255 if field.is_clear else 130))

    def tooltip_at(self, where: QtCore.QPointF) -> str:
        """Words about the tile at a point."""
        tile = self.unit_at(where)
        return self.view.tiles[tile].tooltip if tile >= 0 else ""


def _padding(below: float) -> tuple[float, float]:
    """Room above the head of a tile and under its last part; less where nothing is below the map."""
    return (8.0, 6.0) if below else (4.0, 4.0)


class FieldsArea(QtWidgets.QScrollArea):
    """Scrolls the tiles when they cannot all be seen at once."""

    def __init__(self, grid: FieldsWidget) -> None:
        super().__init__()
        self._grid = grid
        self.setWidget(grid)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(QtCore.Qt.ScrollBarAlwaysOff)
        self.setFocusPolicy(QtCore.Qt.NoFocus)
        self.viewport().setAutoFillBackground(False)
        grid.setAutoFillBackground(False)  # a scroll area turns it on

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Arrange the tiles anew; room for the scroll bar is kept, so that it cannot come and go."""
        super().resizeEvent(event)
        bar = self.verticalScrollBar().sizeHint().width()
        self._grid.set_room(QtCore.QSize(self.width() - bar, self.height()))


class ReceptiveFieldsPanel(Panel):
    """Receptive fields of the sorting on screen; they are computed only while this is visible."""

    title = "Receptive fields"

    def build(self) -> None:
        """Make the grid of tiles and the message."""
        self.grid = FieldsWidget()
        self.grid.clicked.connect(self._clicked)
        self.scroll = FieldsArea(self.grid)
        self.fill(self.scroll)
        self.shows_others = bool(self.controller.preferences.get(REMEMBERED, True))
        self.note.setToolTip(
            "Mean of the stimulus before a spike: red where light drives the unit (ON), blue where dark\n"
            f"does (OFF). Ellipse: the Gaussian that fits, at {ELLIPSE_SD:g} sd. Below: its course in time,\n"
            "the spike at the right end. Further down: fields of units that other cards would make; a click\n"
            "shows the card. Same in: share of the posterior in which the unit has these spikes\n"
            "(95\u2009% of those of both), and so this field."
        )

    def follow(self) -> None:
        """Follow the sorting on screen, the selection and the fields that arrive."""
        self.follow_sorting(self.controller.derived_changed)

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        """Fields, those of other cards too where they are shown."""
        return ("other fields", "fields") if self.shows_others else ("fields",)

    def toggle_others(self) -> None:
        """Show the fields of what other cards would make, or leave them out; that is remembered."""
        self.shows_others = not self.shows_others
        self.controller.preferences.set(REMEMBERED, self.shows_others)
        self.controller.want("other fields", self.shows_others and self.isVisible())
        self.mark_dirty()

    def redraw(self) -> None:
        """Show the tiles of the sorting on screen."""
        view = present_receptive_fields(
            self.workspace,
            self.controller.fields,
            problem=self.controller.fields_problem,
            others=self.shows_others,
        )
        self.grid.set_view(view, self.theme)
        self.tell(view.message)
        self.note.setText(view.note)

    def _clicked(self, row: int, adds: bool) -> None:
        group = self.grid.view.group_of(row)
        if group.title:
            self.workspace.show_alternative(group.alternative)
        else:
            self.workspace.pick(self.grid.view.tiles[row].unit, adds=adds)
