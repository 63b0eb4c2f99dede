"""Correlograms of all pairs of units, a cell a pair.

Painted by hand: ten units are 55 histograms of fifty bars and a hundred words, for which the items of a plot
take half a second at each selection.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.correlograms import CorrelogramsView
from ncpgui.gui.items.glyphs import set_ink
from ncpgui.gui.items.unit_canvas import UnitCanvas
from ncpgui.gui.theme import Theme, font

Qt = QtCore.Qt
CLOSE_MS = 2.0
GAP = 0.05
"""Share of a cell that is left free around it."""
HEAD_PX = 20
"""Above the highest bin of a cell, where its name and its highest count are."""
NAME_PX, WORDS_PX = 12, 10
AXIS_PX = 18
"""Below the cells, where the time axis is."""
LEAST_AXIS_PX = 60
"""Width of a cell in which the ends of its time axis have room."""
LEAST_WORDS_PX = (36, 44)
"""Width and height of a cell in which words have room above its bars; smaller ones are bars alone."""
AXIS_HELP = "Time from a spike to the other one, ms: from the times of the spikes in the sorting on screen"
TOP_LEFT, TOP_RIGHT = Qt.AlignTop | Qt.AlignLeft, Qt.AlignTop | Qt.AlignRight


class CorrelogramGrid(UnitCanvas):
    """A cell a pair of units; `clicked(row, adds)` for a cell on the diagonal."""

    is_smooth = False

    def __init__(self) -> None:
        super().__init__("Correlograms")
        self.view = CorrelogramsView()
        self.shows_intervals = False
        self.setMinimumSize(120, 84)

    def set_view(self, view: CorrelogramsView, theme: Theme) -> None:
        """Show other correlograms."""
        self.view, self.theme = view, theme
        self.update()

    def show_intervals(self, on: bool) -> None:
        """Show intervals in place of the autocorrelograms."""
        self.shows_intervals = on
        self.update()

    # -- geometry ---------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Number of units of the grid."""
        return 0 if self.view.found is None else len(self.view.names)

    def _size_px(self) -> tuple[float, float]:
        """Width and height of a cell with what is free around it."""
        n = max(self.n, 1)
        return self.width() / n, max(self.height() - AXIS_PX, 4 * AXIS_PX) / n

    @property
    def has_words(self) -> bool:
        """Whether cells are large enough for words."""
        width, height = self._size_px()
        return width >= LEAST_WORDS_PX[0] and height >= LEAST_WORDS_PX[1]

    def cell_rect(self, row: int, column: int) -> QtCore.QRectF:
        """Place of a cell in this widget."""
        width, height = self._size_px()
        return QtCore.QRectF(
            (column + GAP / 2) * width, (row + GAP / 2) * height, (1 - GAP) * width, (1 - GAP) * height
        )

    def cell_at(self, where: QtCore.QPointF) -> tuple[int, int] | None:
        """Row and column of the cell under a point."""
        width, height = self._size_px()
        row, column = int(where.y() // height), int(where.x() // width)
        return (row, column) if 0 <= row < self.n and 0 <= column < self.n else None

    def unit_at(self, where: QtCore.QPointF) -> int:
        """Row of the unit whose autocorrelogram is under a point, -1 where there is none."""
        cell = self.cell_at(where)
        return cell[0] if cell is not None and cell[0] == cell[1] else -1

    def tooltip_at(self, where: QtCore.QPointF) -> str:
        """A cell of the grid in full, or what the time axis below is."""
        cell = self.cell_at(where)
        if cell:
            return self.view.tooltip(*cell)
        return AXIS_HELP if self.n else ""

    # -- painting ---------------------------------------------------------------------------

    def paint(self, painter: QtGui.QPainter, _: QtCore.QRect) -> None:
        """Paint all cells, and the axes below."""
        for row in range(self.n):
            for column in range(self.n):
                cell = self.cell_rect(row, column)
                if column >= row:
                    self._paint_histogram(painter, row, column, cell)
                elif self.has_words:
                    set_ink(painter, self.theme.color("muted"), WORDS_PX)
                    painter.drawText(cell, int(Qt.AlignCenter), self.words_of_pair(row, column, cell))
            if self.has_words:
                self._paint_name(painter, row)
            else:
                self._paint_name_beside(painter, row)
        for column in range(self.n):
            self._paint_axis(painter, column)

    def _paint_histogram(self, painter: QtGui.QPainter, row: int, column: int, cell: QtCore.QRectF) -> None:
        theme, view, is_own = self.theme, self.view, row == column
        edges = view.edges_ms(row, column, intervals=self.shows_intervals)
        x = cell.left() + (edges - edges[0]) * (cell.width() / float(edges[-1] - edges[0]))
        top = cell.top() + (HEAD_PX if self.has_words else 0)
        low, high = np.interp([-CLOSE_MS, CLOSE_MS], edges, x).tolist()
        painter.fillRect(QtCore.QRectF(low, top, high - low, cell.bottom() - top), theme.color("bad", 26))
        heights = view.bars(row, column, intervals=self.shows_intervals)
        painter.setPen(Qt.NoPen)
        painter.setBrush(theme.unit(view.colors[row]) if is_own else theme.color("faint"))
        painter.drawPath(_bars(x, cell.bottom() - heights * (cell.bottom() - top), cell.bottom()))
        selected = is_own and view.is_selected[row]
        painter.setPen(QtGui.QPen(theme.color("accent" if selected else "border"), 1 + selected))
        painter.drawLine(cell.bottomLeft(), cell.bottomRight())
        if not self.has_words:
            return
        number = str(view.highest(row, column, intervals=self.shows_intervals))
        used = self._name_px(row) if is_own else 0.0
        set_ink(painter, theme.color("muted"), WORDS_PX)
        room = cell.adjusted(used, 0, -3, 0)
        if painter.fontMetrics().horizontalAdvance(number) <= room.width():
            painter.drawText(room, int(TOP_RIGHT), number)
            room.setRight(room.right() - painter.fontMetrics().horizontalAdvance(f"{number}  "))
        own = view.pair_words(row, row) if is_own else ""
        words = next((one for one in (own, own.split(", ")[0]) if _fits(one, room)), "")
        painter.drawText(room, int(TOP_LEFT), words)

    def _name_px(self, row: int) -> float:
        """Width of the number of a unit, and of what is free beside it."""
        return QtGui.QFontMetricsF(font(NAME_PX, bold=True)).horizontalAdvance(f"{self.view.names[row]}   ")

    def _paint_name(self, painter: QtGui.QPainter, row: int) -> None:
        """Write the number of a unit at the top of its cell."""
        set_ink(painter, self.theme.unit(self.view.colors[row]), NAME_PX, bold=True)
        painter.drawText(self.cell_rect(row, row), int(TOP_LEFT), self.view.names[row])

    def _paint_name_beside(self, painter: QtGui.QPainter, row: int) -> None:
        """Write the number of a unit left of its cell, where no bars are; that of the first over its bars."""
        cell, name = self.cell_rect(row, row), self.view.names[row]
        bold = font(max(min(NAME_PX, int(cell.height())), 6), bold=True)
        width = QtGui.QFontMetricsF(bold).horizontalAdvance(name) + 4
        place = QtCore.QRectF(max(cell.left() - width - 1, 0.0), cell.top(), width, cell.height())
        painter.fillRect(place, self.theme.color("panel", 200))
        painter.setFont(bold)
        painter.setPen(self.theme.unit(self.view.colors[row]))
        painter.drawText(place, int(Qt.AlignCenter), name)

    def _paint_axis(self, painter: QtGui.QPainter, column: int) -> None:
        """Write the ends and the middle of the time axis of a column below it; once where cells are small."""
        cell = self.cell_rect(self.n - 1, column)
        words = self.view.axis_words(intervals=self.shows_intervals and self.n == 1)
        below = QtCore.QRectF(cell.left(), self._size_px()[1] * self.n, cell.width(), AXIS_PX)
        set_ink(painter, self.theme.color("muted"), WORDS_PX)
        if cell.width() < LEAST_AXIS_PX:
            if column == 0:
                below.setRight(self.width())
                painter.drawText(below, int(TOP_LEFT), f"each {words[0]} to {words[2]}")
            return
        for text, side in zip(words, (Qt.AlignLeft, Qt.AlignHCenter, Qt.AlignRight), strict=True):
            if side != Qt.AlignHCenter or cell.width() >= 2 * LEAST_AXIS_PX:
                painter.drawText(below, int(Qt.AlignTop | side), text)

    def words_of_pair(self, row: int, column: int, room: QtCore.QRectF) -> str:
        """How many pairs within 2 ms two units have, with their names where there is room."""
        words = self.view.pair_words(row, column)
        named = f"between {self.view.names[column]} and {self.view.names[row]}:\n{words}"
        return _fitting((named, words, words.replace(", ", "\n")), room)


def _bars(edges: NDArray[np.floating], tops: NDArray[np.floating], bottom: float) -> QtGui.QPainterPath:
    """Outline of a histogram; edges : (B + 1,), tops : (B,), pixels."""
    x = np.repeat(edges, 2)
    y = np.concatenate([[bottom], np.repeat(tops, 2), [bottom]])
    return pg.arrayToQPath(x, y)


def _fits(words: str, room: QtCore.QRectF) -> bool:
    """Whether there is room for some words, in lines."""
    metrics, lines = QtGui.QFontMetrics(font(WORDS_PX)), words.split("\n")
    width = max(metrics.horizontalAdvance(line) for line in lines) + 3
    return width <= room.width() and len(lines) * metrics.height() <= room.height()


def _fitting(choice: tuple[str, ...], room: QtCore.QRectF) -> str:
    """The first of some words, in lines, that there is room for; their number alone if none."""
    number = choice[-1].replace("\n", " ").split(" ")[0]
    return next((words for words in choice if _fits(words, room)), number)
