"""A grid of tiles, one a unit: its name, a picture of it, and a line of words below.

Painted by hand: a tile is words and a small picture, with nothing to zoom into, and its size follows from the
room for all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.receptive_fields import TilesView, UnitTile
from ncpgui.gui.items.glyphs import LEFT, RIGHT, elided, paint_dot, paint_plate, set_ink
from ncpgui.gui.items.scroll_area import ScrollArea
from ncpgui.gui.items.unit_canvas import UnitCanvas
from ncpgui.gui.theme import Theme, font

LEAST_WIDTH = (74, 130)
MOST_WIDTH = 480
NAME_FROM = 16
CAPTION_FROM = 128
GAP = 8
TOP = 22
FOOT = 18
TITLE = 22
TITLE_HELP = "Units that this card would make, and the probability of the card: its share of the draws"


class TileGrid(UnitCanvas):
    """Paints tiles in a grid that is as wide as it may be and as high as it must be.

    A subclass says how high a picture is (`picture_height`) and paints it (`paint_picture`); with `extra` px
    below it where there is room.
    """

    extra = 0
    least_width = LEAST_WIDTH

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.view: TilesView[Any] = TilesView()
        self._room = QtCore.QSize(460, 420)
        self._fit_height()

    def set_room(self, room: QtCore.QSize) -> None:
        """Arrange the tiles for a viewport of this size."""
        self._room = room
        self._fit_height()

    def set_view(self, view: TilesView[Any], theme: Theme) -> None:
        """Show other tiles."""
        self.view, self.theme = view, theme
        self.setAccessibleDescription("; ".join(f"unit {tile.name}, {tile.verdict}" for tile in view.tiles))
        self._fit_height()
        self.update()

    def picture_height(self, width: float) -> float:
        """Height of a picture of a width."""
        raise NotImplementedError

    def paint_picture(
        self, painter: QtGui.QPainter, row: int, place: QtCore.QRectF, extra: QtCore.QRectF | None
    ) -> None:
        """Paint the picture of a tile, and what goes below it where there is room."""
        raise NotImplementedError

    def picture_rect(self, index: int) -> QtCore.QRectF:
        """Place of the picture of a tile."""
        _, tile_width, below = self._arrangement
        rect = self.tile_rect(index).adjusted(8, _padding(below)[0] + TOP, -8, 0)
        rect.setHeight(self.picture_height(tile_width))
        return rect

    # -- geometry ---------------------------------------------------------------------------

    def _found_arrangement(self) -> tuple[int, float, float]:
        """Tiles in a row, their width, and the height of what is below the picture.

        Tiles are as large as they can be without scrolling; where there is little room, what is below
        the picture goes first, then the words, so that pictures can be compared; only then the tiles
        scroll, a whole row of them in view.
        """
        free = self._room.width() + GAP
        most = max((group.n_tiles for group in self.view.groups), default=1)
        least = self._least_width()
        widest = max(1, int(free // (least + GAP)))
        if len(self.view.groups) < 2:  # narrower tiles than one row needs make room below for nothing
            widest = min(most, widest)
        widths = {n: min(free / n - GAP, MOST_WIDTH) for n in range(1, widest + 1)}
        for below in (self.extra + FOOT, 4 + FOOT, 0):
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
        return float(np.clip(max(names, default=0.0) + NAME_FROM + 18, *self.least_width))

    def _height(self, n: int, tile_height: float) -> float:
        """Height of all groups with `n` tiles in a row."""
        n_rows = sum(-(-group.n_tiles // n) for group in self.view.groups)
        return (
            n_rows * (tile_height + GAP) - GAP + TITLE * sum(bool(group.title) for group in self.view.groups)
        )

    def _tile_height(self, width: float, below: float) -> float:
        return sum(_padding(below)) + TOP + self.picture_height(width) + below

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

    def _fit_height(self) -> None:
        self._arrangement = self._found_arrangement()
        bottom = self.tile_rect(len(self.view.tiles) - 1).bottom() if self.view.tiles else 0
        self.setMinimumHeight(max(int(np.ceil(bottom)), 0))

    def unit_at(self, point: QtCore.QPointF) -> int:
        """Tile under a point, -1 when there is none."""
        return next((row for row, rect in enumerate(self._places()[0]) if rect.contains(point)), -1)

    # -- painting ---------------------------------------------------------------------------

    def paint(self, painter: QtGui.QPainter, seen: QtCore.QRect) -> None:
        """Paint titles, and the tiles in view."""
        tiles, titles = self._places()
        set_ink(painter, self.theme.color("muted"), 11)
        for group, line in zip(self.view.groups, titles, strict=True):
            if group.title:
                painter.drawText(line, LEFT, group.title)
        for row, (tile, rect) in enumerate(zip(self.view.tiles, tiles, strict=True)):
            if rect.intersects(QtCore.QRectF(seen)):
                self._paint_tile(painter, row, tile, rect)

    def _paint_tile(self, painter: QtGui.QPainter, row: int, tile: UnitTile, rect: QtCore.QRectF) -> None:
        theme = self.theme
        back = "accent_soft" if tile.is_selected else "hover" if row == self._hover else "sunken"
        border = QtGui.QPen(theme.color("accent" if tile.is_changed else "border"), 1.2)
        paint_plate(painter, rect.adjusted(0.6, 0.6, -0.6, -0.6), theme.color(back), 7, border)
        below = self._arrangement[2]
        above_px, under_px = _padding(below)
        inner = rect.adjusted(8, above_px, -8, -under_px)
        self._paint_head(painter, tile, QtCore.QRectF(inner.left(), inner.top() - 2, inner.width(), 20))
        extra = None
        if self.extra and below >= self.extra + FOOT:
            bottom = inner.bottom() - FOOT
            extra = QtCore.QRectF(inner.left(), bottom - self.extra, inner.width(), self.extra)
        self.paint_picture(painter, row, self.picture_rect(row), extra)
        if below:
            foot = QtCore.QRectF(inner.left(), inner.bottom() - 15, inner.width(), 16)
            self._paint_foot(painter, tile, foot)

    def _paint_foot(self, painter: QtGui.QPainter, tile: Any, foot: QtCore.QRectF) -> None:
        set_ink(painter, self.theme.color("muted"), 11)
        width = painter.fontMetrics().horizontalAdvance
        words = next((text for text in tile.foot if width(text) <= foot.width()), tile.foot[-1])
        painter.setPen(self.theme.color(tile.foot_color(words)))
        painter.drawText(foot, LEFT, words)

    def _paint_head(self, painter: QtGui.QPainter, tile: UnitTile, line: QtCore.QRectF) -> None:
        theme = self.theme
        paint_dot(painter, QtCore.QPointF(line.left() + 5, line.center().y()), theme.unit(tile.color))
        set_ink(painter, theme.color("faint"), 11)
        free = line.width() - NAME_FROM
        if line.width() >= CAPTION_FROM:
            painter.drawText(line, RIGHT, tile.caption)
            free -= painter.fontMetrics().horizontalAdvance(tile.caption) + 8
        set_ink(painter, theme.color("text"), 13, bold=True)
        name = elided(painter, tile.name, free)
        painter.drawText(line.adjusted(NAME_FROM, 0, 0, 0), LEFT, name)

    def paint_waiting(self, painter: QtGui.QPainter, place: QtCore.QRectF) -> None:
        """Paint that a picture is on its way."""
        border = QtGui.QPen(self.theme.color("border"), 1.2, QtCore.Qt.DashLine)
        paint_plate(painter, place.adjusted(0.6, 0.6, -0.6, -0.6), QtCore.Qt.NoBrush, 5, border)
        set_ink(painter, self.theme.color("muted"), 12)
        painter.drawText(place, QtCore.Qt.AlignCenter, "computing …")

    def tooltip_at(self, where: QtCore.QPointF) -> str:
        """Words about the tile at a point, or the title of a group."""
        tile = self.unit_at(where)
        if tile >= 0:
            return self.view.tiles[tile].tooltip
        titled = any(rect.contains(where) and rect.height() > 0 for rect in self._places()[1])
        return TITLE_HELP if titled else ""


def _padding(below: float) -> tuple[float, float]:
    """Room above the head of a tile and under its last part; less where nothing is below the map."""
    return (8.0, 6.0) if below else (4.0, 4.0)


class TileArea(ScrollArea):
    """Scrolls the tiles when they cannot all be seen at once."""

    def __init__(self, grid: TileGrid) -> None:
        super().__init__(grid, QtCore.Qt.Vertical)

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Arrange the tiles anew; room for the scroll bar is kept, so that it cannot come and go."""
        super().resizeEvent(event)
        bar = self.verticalScrollBar().sizeHint().width()
        self.widget().set_room(QtCore.QSize(self.width() - bar, self.height()))
