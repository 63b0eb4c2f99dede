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
AXIS_HELP = "Time from a spike to the other one, ms: from the times of the spikes in the sorting on screen"
TOP_LEFT, TOP_RIGHT = Qt.AlignTop | Qt.AlignLeft, Qt.AlignTop | Qt.AlignRight


class CorrelogramGrid(UnitCanvas):
    """A cell a pair of units; `clicked(row, adds)` for a cell on the diagonal."""

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

    def paintEvent(self, _: QtGui.QPaintEvent) -> None:
        """Paint all cells, and the axes below."""
        painter = QtGui.QPainter(self)
        for row in range(self.n):
            for column in range(self.n):
                cell = self.cell_rect(row, column)
                if column < row:
                    painter.setFont(font(WORDS_PX))
                    painter.setPen(self.theme.color("muted"))
                    painter.drawText(cell, int(Qt.AlignCenter), self.words_of_pair(row, column, cell))
                else:
                    self._paint_histogram(painter, row, column, cell)
            self._paint_name(painter, row)
        for column in range(self.n):
            self._paint_axis(painter, column)
        painter.end()

    def _paint_histogram(self, painter: QtGui.QPainter, row: int, column: int, cell: QtCore.QRectF) -> None:
        theme, view, is_own = self.theme, self.view, row == column
        edges = view.edges_ms(row, column, intervals=self.shows_intervals)
        x = cell.left() + (edges - edges[0]) * (cell.width() / float(edges[-1] - edges[0]))
        top = cell.top() + min(HEAD_PX, cell.height() / 2)
        low, high = np.interp([-CLOSE_MS, CLOSE_MS], edges, x).tolist()
        painter.fillRect(QtCore.QRectF(low, top, high - low, cell.bottom() - top), theme.color("bad", 26))
        heights = view.bars(row, column, intervals=self.shows_intervals)
        painter.setPen(Qt.NoPen)
        painter.setBrush(theme.unit(view.colors[row]) if is_own else theme.color("faint"))
        painter.drawPath(_bars(x, cell.bottom() - heights * (cell.bottom() - top), cell.bottom()))
        selected = is_own and view.is_selected[row]
        painter.setPen(QtGui.QPen(theme.color("accent" if selected else "border"), 1 + selected))
        painter.drawLine(cell.bottomLeft(), cell.bottomRight())
        painter.setFont(font(WORDS_PX))
        painter.setPen(theme.color("muted"))
        highest = view.highest(row, column, intervals=self.shows_intervals)
        painter.drawText(cell, int(TOP_RIGHT), f"{highest} ")

    def _paint_name(self, painter: QtGui.QPainter, row: int) -> None:
        """Write the number of a unit at the top of its cell, and beside it pairs within 2 ms if they fit."""
        cell, name = self.cell_rect(row, row), self.view.names[row]
        bold = font(NAME_PX, bold=True)
        used = QtGui.QFontMetrics(bold).horizontalAdvance(f"{name}   ")
        painter.setFont(bold)
        painter.setPen(self.theme.unit(self.view.colors[row]))
        painter.drawText(cell, int(TOP_LEFT), name)
        number = QtGui.QFontMetrics(font(WORDS_PX)).horizontalAdvance(
            f" {self.view.highest(row, row, intervals=self.shows_intervals)}  "
        )
        room = cell.adjusted(used, 0, -number, 0)
        own = self.view.pair_words(row, row)
        painter.setFont(font(WORDS_PX))
        painter.setPen(self.theme.color("muted"))
        painter.drawText(room, int(TOP_LEFT), _fitting((own, own.replace(", ", "\n")), room).split("\n")[0])

    def _paint_axis(self, painter: QtGui.QPainter, column: int) -> None:
        """Write the ends and the middle of the time axis of a column below it."""
        cell = self.cell_rect(self.n - 1, column)
        if cell.width() < LEAST_AXIS_PX and column:
            return
        words = self.view.axis_words(intervals=self.shows_intervals and self.n == 1)
        below = QtCore.QRectF(cell.left(), self._size_px()[1] * self.n, cell.width(), AXIS_PX)
        painter.setFont(font(WORDS_PX))
        painter.setPen(self.theme.color("muted"))
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


def _fitting(choice: tuple[str, ...], room: QtCore.QRectF) -> str:
    """The first of some words, in lines, that there is room for; their number alone if none."""
    metrics = QtGui.QFontMetrics(font(WORDS_PX))
    for words in choice:
        lines = words.split("\n")
        width = max(metrics.horizontalAdvance(line) for line in lines) + 3
        if width <= room.width() and len(lines) * metrics.height() <= room.height():
            return words
    return choice[-1].replace("\n", " ").split(" ")[0]
