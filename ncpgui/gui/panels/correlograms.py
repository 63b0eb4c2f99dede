"""Correlograms: auto on the diagonal, cross above it, pairs within 2 ms in words below it."""

from __future__ import annotations

from html import escape

import pyqtgraph as pg
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.presenters.correlograms import (
    BINS_MS,
    HALVES_MS,
    CorrelogramsView,
    Scale,
    present_correlograms,
)
from ncpgui.gui.items.plot import Plot
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.theme import Theme, font

REMEMBERED = "correlograms"
CLOSE_MS = 2.0
GAP = 0.05
HEAD_PX = 20
"""Above the highest bin of a cell, where its name and its highest count are."""
WORDS_PX = 10
AXIS_PX = 18
"""Below the cells, where the time axis is."""
AXIS_HELP = "Time from a spike to the other one, ms: from the times of the spikes in the sorting on screen"
LEAST_AXIS_PX = 60
"""Width of a cell in which the ends of its time axis have room."""


class CorrelogramGrid(Plot):
    """A cell a pair of units; `clicked(row, adds)` for a cell on the diagonal.

    Cell (row, column) is the square from (column, row) to (column + 1, row + 1) of the one plot that holds
    them all: a plot each takes a tenth of a second to make anew at every selection.
    """

    clicked = QtCore.pyqtSignal(int, bool)

    def __init__(self) -> None:
        super().__init__("Correlograms", has_axes=False)
        self.view = CorrelogramsView()
        self.shows_intervals = False
        self.setMouseEnabled(x=False, y=False)
        self.invertY(True)
        self.setMouseTracking(True)

    def set_view(self, view: CorrelogramsView, theme: Theme) -> None:
        """Show other correlograms."""
        self.view = view
        self.set_theme(theme)
        self._draw()

    def show_intervals(self, on: bool) -> None:
        """Show intervals in place of the autocorrelograms."""
        self.shows_intervals = on
        self._draw()

    # -- geometry ---------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Number of units of the grid."""
        return 0 if self.view.found is None else len(self.view.names)

    def cell_rect(self, row: int, column: int) -> QtCore.QRectF:
        """Place of a cell in pixels of this widget."""
        box = self.getViewBox()
        corners = [
            box.mapViewToScene(QtCore.QPointF(column + x, row + y))
            for x, y in ((GAP / 2, GAP / 2), (1 - GAP / 2, 1 - GAP / 2))
        ]
        return QtCore.QRectF(*(QtCore.QPointF(self.mapFromScene(corner)) for corner in corners))

    def cell_at(self, where: QtCore.QPoint) -> tuple[int, int] | None:
        """Row and column of the cell under a point."""
        place = self.getViewBox().mapSceneToView(self.mapToScene(where))
        row, column = int(place.y() // 1), int(place.x() // 1)
        return (row, column) if 0 <= row < self.n and 0 <= column < self.n else None

    # -- drawing ----------------------------------------------------------------------------

    def _draw(self) -> None:
        self.clear()
        if self.n == 0:
            return
        axis = self.n * AXIS_PX / max(self.height() - AXIS_PX, 4 * AXIS_PX)
        self.setRange(xRange=(0, self.n), yRange=(0, self.n + axis), padding=0)
        for row in range(self.n):
            for column in range(self.n):
                if column >= row:
                    self._draw_bars(row, column)
                else:
                    self._write_pair(row, column)
            self._write_name(row)
        for column in range(self.n):
            self._write_axis(column)

    def _write_axis(self, column: int) -> None:
        """Write the ends and the middle of the time axis of a column below it."""
        if self.cell_rect(0, column).width() < LEAST_AXIS_PX and column:
            return
        of_intervals = self.shows_intervals and self.n == 1
        left, right = column + GAP / 2, column + 1 - GAP / 2
        low, middle, high = self.view.axis_words(intervals=of_intervals)
        self._write(low, left, self.n, "muted", anchor=(0.0, 0.0))
        self._write(high, right, self.n, "muted", anchor=(1.0, 0.0))
        if self.cell_rect(0, column).width() >= 2 * LEAST_AXIS_PX:
            self._write(middle, (left + right) / 2, self.n, "muted", anchor=(0.5, 0.0))

    def _draw_bars(self, row: int, column: int) -> None:
        theme, view = self.theme, self.view
        is_own = row == column
        edges = view.edges_ms(row, column, intervals=self.shows_intervals)
        width = (1 - GAP) / float(edges[-1] - edges[0])
        left, bottom = column + GAP / 2, row + 1 - GAP / 2
        head = HEAD_PX / max(self.cell_rect(row, column).height(), 2 * HEAD_PX)
        self._draw_band(row, left, bottom, width, float(edges[0]), head)
        heights = view.bars(row, column, intervals=self.shows_intervals)
        color = theme.unit(view.colors[row]) if is_own else theme.color("faint")
        line = pg.PlotCurveItem(
            left + (edges - edges[0]) * width,
            bottom - heights * (1 - GAP) * (1 - head),
            stepMode="center",
            fillLevel=bottom,
            brush=color,
            pen=pg.mkPen(None),
            antialias=False,
        )
        self.addItem(line)
        highest = str(view.highest(row, column, intervals=self.shows_intervals))
        self._write(highest, left + 1 - GAP, row + GAP / 2, "muted", anchor=(1.0, 0.1))
        selected = is_own and view.is_selected[row]
        floor = theme.color("accent" if selected else "border")
        pen = pg.mkPen(floor, width=1 + selected)
        self.addItem(pg.PlotCurveItem([left, left + 1 - GAP], [bottom, bottom], pen=pen))

    def _draw_band(
        self, row: int, left: float, bottom: float, width: float, first_ms: float, head: float
    ) -> None:
        """Shade the time in which a neuron does not fire again, below the words at the top of the cell."""
        low, top = max(-CLOSE_MS, first_ms), row + GAP / 2 + (1 - GAP) * head
        rect = QtWidgets.QGraphicsRectItem(
            left + (low - first_ms) * width, top, (CLOSE_MS - low) * width, bottom - top
        )
        rect.setPen(pg.mkPen(None))
        rect.setBrush(self.theme.color("bad", 26))
        self.addItem(rect)

    def _write_name(self, row: int) -> None:
        name, color = self.view.names[row], self.theme.unit(self.view.colors[row])
        words = f"<b style='color:{color.name()}'>{escape(name)}</b>"
        used = QtGui.QFontMetrics(font(12, bold=True)).horizontalAdvance(f"{name}    ")
        number = QtGui.QFontMetrics(font(WORDS_PX)).horizontalAdvance(
            f" {self.view.highest(row, row, intervals=self.shows_intervals)}  "
        )
        room = self.cell_rect(row, row).adjusted(used, 0, -number, 0)
        own = self.view.pair_words(row, row)
        beside = _fitting((own, own.replace(", ", "\n")), room).split("\n")[0]
        words += (
            f"<span style='color:{self.theme.muted}; font-size:{WORDS_PX}px'>&nbsp; {escape(beside)}</span>"
        )
        self._write(words, row + GAP / 2, row + GAP / 2, "text", anchor=(0.0, 0.1), is_html=True)

    def _write_pair(self, row: int, column: int) -> None:
        words = self.words_of_pair(row, column, self.cell_rect(row, column))
        self._write(words, column + 0.5, row + 0.5, "muted", anchor=(0.5, 0.5))

    def words_of_pair(self, row: int, column: int, room: QtCore.QRectF) -> str:
        """How many pairs within 2 ms two units have, with their names where there is room."""
        words = self.view.pair_words(row, column)
        named = f"between {self.view.names[column]} and {self.view.names[row]}:\n{words}"
        return _fitting((named, words, words.replace(", ", "\n")), room)

    def _write(
        self,
        words: str,
        x: float,
        y: float,
        color: str,
        *,
        anchor: tuple[float, float],
        is_html: bool = False,
    ) -> None:
        item = pg.TextItem(anchor=anchor)
        item.setFont(font(12 if is_html else WORDS_PX))
        if is_html:
            item.setHtml(words)
        else:
            item.setText(words, self.theme.color(color))
        item.setPos(x, y)
        self.addItem(item)

    # -- events -----------------------------------------------------------------------------

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Write what there is room for."""
        super().resizeEvent(event)
        if getattr(self, "view", None) is not None:
            self._draw()

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        """Select the unit whose correlogram is clicked; Ctrl or Shift adds it."""
        cell = self.cell_at(event.pos())
        if event.button() == QtCore.Qt.LeftButton and cell is not None and cell[0] == cell[1]:
            adds = bool(event.modifiers() & (QtCore.Qt.ControlModifier | QtCore.Qt.ShiftModifier))
            self.clicked.emit(cell[0], adds)

    def tooltip_at(self, where: QtCore.QPointF) -> str:
        """A cell of the grid in full, or what the time axis below is."""
        cell = self.cell_at(self.mapFromScene(where))
        if cell:
            return self.view.tooltip(*cell)
        return AXIS_HELP if self.n else ""


def _fitting(choice: tuple[str, ...], room: QtCore.QRectF) -> str:
    """The first of some words, in lines, that there is room for; their number alone if none."""
    metrics = QtGui.QFontMetrics(font(WORDS_PX))
    for words in choice:
        lines = words.split("\n")
        width = max(metrics.horizontalAdvance(line) for line in lines) + 3
        if width <= room.width() and len(lines) * metrics.height() <= room.height():
            return words
    return choice[-1].replace("\n", " ").split(" ")[0]


class CorrelogramsPanel(Panel):
    """When the units on screen fire, each beside itself and beside the others."""

    title = "Correlograms"
    draws = ("correlograms",)

    def build(self) -> None:
        """Make grid, message and the switch."""
        self.grid = CorrelogramGrid()
        self.grid.clicked.connect(self._clicked)
        self.fill(self.grid)
        self.intervals = QtWidgets.QPushButton("Intervals")
        self.intervals.setProperty("quiet", True)
        self.intervals.setCheckable(True)
        self.intervals.setFocusPolicy(QtCore.Qt.NoFocus)
        self.intervals.setToolTip("Intervals between spikes that follow each other, on the diagonal  (I)")
        self.intervals.toggled.connect(self.grid.show_intervals)
        self.scale_shown = Scale.of(self.controller.preferences.get(REMEMBERED, None))
        self.scale = QtWidgets.QPushButton()
        self.scale.setProperty("quiet", True)
        self.scale.setFocusPolicy(QtCore.Qt.NoFocus)
        self.scale.setToolTip("How far from a spike correlograms reach, and how wide their bins are, ms")
        self.scale.clicked.connect(lambda: self.scale_menu().popup(self._below_scale()))
        self.header.addWidget(self.scale)
        self.header.addWidget(self.intervals)
        self.note.setToolTip(
            "On the diagonal: spikes of a unit around its own. Above it: spikes of one unit around those of\n"
            "another. The band is the 2 ms in which a neuron does not fire again. Within 2 ms are pairs of\n"
            "spikes 0.7 to 2 ms apart; expected is how many two neurons that do not know of each other have."
        )

    def follow(self) -> None:
        """Follow the sorting on screen, the selection and what was computed."""
        self.follow_sorting()

    def scale_menu(self) -> QtWidgets.QMenu:
        """Menu of windows and bins, those in force checked."""
        menu, now = QtWidgets.QMenu(self), self.scale_shown
        menu.setAttribute(QtCore.Qt.WA_DeleteOnClose)
        for half_ms in HALVES_MS:
            self._choice(menu, f"±{half_ms:g} ms", now.with_half(half_ms), half_ms == now.half_ms)
        menu.addSeparator()
        for bin_ms in BINS_MS:
            self._choice(menu, f"bins of {bin_ms:g} ms", now.with_bin(bin_ms), bin_ms == now.bin_ms)
        return menu

    def _choice(self, menu: QtWidgets.QMenu, words: str, scale: Scale, is_on: bool) -> None:
        entry = menu.addAction(words, lambda: self.set_scale(scale))
        entry.setCheckable(True)
        entry.setChecked(is_on)

    def set_scale(self, scale: Scale) -> None:
        """Take another window and other bins, now and in the next run."""
        self.scale_shown = scale
        self.controller.preferences.set(REMEMBERED, [scale.half_ms, scale.bin_ms])
        self.mark_dirty()

    def _below_scale(self) -> QtCore.QPoint:
        return self.scale.mapToGlobal(self.scale.rect().bottomLeft())

    def redraw(self) -> None:
        """Show the units on screen, or the selected ones."""
        view = present_correlograms(self.workspace, self.controller.data.correlograms(self.scale_shown))
        self.grid.set_view(view, self.theme)
        self.tell(view.message)
        self.note.setText(view.note)
        self.scale.setText(self.scale_shown.words)

    def point_out(self, place: QtCore.QPoint) -> bool:
        """Select the unit, or both, of the cell at a place."""
        viewport = self.grid.viewport()
        here = viewport.mapFromGlobal(place)
        cell = self.grid.cell_at(here) if viewport.rect().contains(here) else None
        return cell is not None and self.point_out_units(*(self.grid.view.units[one] for one in cell))

    def _clicked(self, row: int, adds: bool) -> None:
        self.workspace.pick(self.grid.view.units[row], adds=adds)
