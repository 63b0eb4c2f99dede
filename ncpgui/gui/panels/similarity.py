"""Similarity matrix: P(same neuron) of all pairs of units in the order of the table; a click selects both.

Painted by hand: cells are one picture of n by n pixels, however many units there are, scaled to the room.
"""

from __future__ import annotations

import numpy as np
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.similarity_matrix import SimilarityView, present_similarity
from ncpgui.gui.items.glyphs import RIGHT
from ncpgui.gui.items.painted_widget import ExplainedWidget
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.theme import Theme, blend, font

NAME_PX = 26
"""Room of the numbers of units, and of the colours alone where a row is too narrow for a number."""
COLORS_PX = 6
NAMED_FROM_PX = 13.0
LEAST_PX = 104


class SimilarityWidget(ExplainedWidget):
    """Paints the matrix; `clicked(row, column, adds)`."""

    clicked = QtCore.pyqtSignal(int, int, bool)
    is_smooth = False

    def __init__(self) -> None:
        super().__init__("Similarity matrix")
        self.view = SimilarityView()
        self.setMinimumSize(LEAST_PX, LEAST_PX)
        self.setMouseTracking(True)

    def set_view(self, view: SimilarityView, theme: Theme) -> None:
        """Show another matrix."""
        self.view, self.theme = view, theme
        self.update()

    # -- geometry ---------------------------------------------------------------------------

    def cells(self) -> QtCore.QRectF:
        """Place of all cells: a square at the upper left."""
        n = max(len(self.view.units), 1)
        edge = self._edge_px(n)
        side = max(min(self.width(), self.height()) - edge, 1)
        return QtCore.QRectF(edge, edge, side, side)

    def _edge_px(self, n: int) -> int:
        room = min(self.width(), self.height()) - NAME_PX
        return NAME_PX if room / n >= NAMED_FROM_PX else COLORS_PX

    def cell_rect(self, row: int, column: int) -> QtCore.QRectF:
        """Place of a cell."""
        place = self.cells()
        step = place.width() / len(self.view.units)
        return QtCore.QRectF(place.left() + column * step, place.top() + row * step, step, step)

    def cell_at(self, where: QtCore.QPointF) -> tuple[int, int] | None:
        """Row and column of the cell under a point."""
        place, n = self.cells(), len(self.view.units)
        if n == 0 or not place.contains(where):
            return None
        step = place.width() / n
        row, column = int((where.y() - place.top()) // step), int((where.x() - place.left()) // step)
        return min(row, n - 1), min(column, n - 1)

    # -- painting ---------------------------------------------------------------------------

    def paint(self, painter: QtGui.QPainter, _: QtCore.QRect) -> None:
        """Paint cells, colours and numbers of units, and frames around those that are selected."""
        n = len(self.view.units)
        if n == 0:
            return
        place = self.cells()
        painter.drawImage(place, self._image())
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        step, edge = place.width() / n, place.left()
        painter.setFont(font(10))
        for row, color in enumerate(self.view.colors):
            at = place.top() + row * step
            painter.fillRect(QtCore.QRectF(edge - 4, at, 3, max(step - 1, 1)), self.theme.unit(color))
            painter.fillRect(QtCore.QRectF(at, edge - 4, max(step - 1, 1), 3), self.theme.unit(color))
            if edge == NAME_PX:
                name = str(self.view.units[row])
                painter.setPen(self.theme.color("text" if self.view.is_selected[row] else "muted"))
                left = QtCore.QRectF(0, at, NAME_PX - 6, step)
                painter.drawText(left, RIGHT, name)
                if painter.fontMetrics().horizontalAdvance(name) < step - 2:
                    painter.drawText(QtCore.QRectF(at, 4, step, NAME_PX - 10), QtCore.Qt.AlignCenter, name)
        painter.setPen(QtGui.QPen(self.theme.color("accent"), 1.4))
        painter.setBrush(QtCore.Qt.NoBrush)
        chosen = [row for row, is_selected in enumerate(self.view.is_selected) if is_selected]
        for row in chosen:
            for column in chosen:
                painter.drawRect(self.cell_rect(row, column))

    def _image(self) -> QtGui.QImage:
        """A pixel a cell: darker for a larger probability, the ground of the panel where none is known."""
        p = self.view.p_same
        ends = [
            self.theme.color("sunken"),
            blend(self.theme.color("sunken"), self.theme.color("accent"), 0.12),
        ]
        ends.append(self.theme.color("accent"))
        ground, low, high = (np.array(color.getRgb()[:3], np.float64) for color in ends)
        share = np.sqrt(np.nan_to_num(p))[..., None]  # one draw in a hundred is to be seen
        rgb = np.where(np.isnan(p)[..., None], ground, low + share * (high - low))
        rgb[np.eye(len(p), dtype=bool)] = self.theme.color("border").getRgb()[:3]
        pixels = np.full((*p.shape, 4), 255, np.uint8)
        pixels[..., 2::-1] = rgb.round()
        return QtGui.QImage(pixels.tobytes(), len(p), len(p), 4 * len(p), QtGui.QImage.Format_RGB32).copy()

    # -- the mouse --------------------------------------------------------------------------

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        """Tell which pair is clicked; Ctrl or Shift adds it, or takes it off."""
        cell = self.cell_at(event.localPos())
        if event.button() == QtCore.Qt.LeftButton and cell is not None:
            adds = bool(event.modifiers() & (QtCore.Qt.ControlModifier | QtCore.Qt.ShiftModifier))
            self.clicked.emit(*cell, adds)

    def mouseMoveEvent(self, event: QtGui.QMouseEvent) -> None:
        """Show that cells can be clicked."""
        over = self.cell_at(event.localPos()) is not None
        self.setCursor(QtCore.Qt.PointingHandCursor if over else QtCore.Qt.ArrowCursor)

    def tooltip_at(self, where: QtCore.QPointF) -> str:
        """Words about the pair at a point, or the unit whose number or colour is there."""
        cell = self.cell_at(where)
        if cell is None and self.view.units:
            place = self.cells()
            along = where.y() if where.x() < place.left() else where.x()
            beside = QtCore.QPointF(max(along, place.left()), max(along, place.top()))
            cell = self.cell_at(beside) if min(where.x(), where.y()) < place.left() else None
            return f"Number and colour of unit {self.view.units[cell[0]]}, as in the table" if cell else ""
        return self.view.tooltip(*cell) if cell else ""


class SimilarityPanel(Panel):
    """The matrix of all units that the table would list; it is made only while this is visible."""

    title = "Similarity"
    follows = ("units_changed", "components_changed")

    def ordered(self) -> tuple[int, ...]:
        """Ids of the units, in their order; the window replaces it with the order of the table."""
        return tuple(self.workspace.state.clustering.unit_ids.tolist())

    def build(self) -> None:
        """Make the matrix."""
        self.matrix = SimilarityWidget()
        self.matrix.clicked.connect(self._clicked)
        self.fill(self.matrix)
        self.note.setToolTip(
            "Number of units, in the order of the table and as it is filtered. The darker a cell, the more\n"
            "draws have both units in one cluster. A click selects both, Ctrl+click adds them, or takes\n"
            "them off."
        )

    def redraw(self) -> None:
        """Show the matrix."""
        units = () if self.workspace.state.project is None else self.ordered()
        view = present_similarity(self.workspace, units)
        self.tell(view.message, view.note)
        self.matrix.set_view(view, self.theme)

    def point_out(self, place: QtCore.QPoint) -> bool:
        """Select both units of the cell at a place."""
        cell = self.matrix.cell_at(QtCore.QPointF(self.matrix.mapFromGlobal(place)))
        return cell is not None and self.point_out_units(*(self.matrix.view.units[one] for one in cell))

    def _clicked(self, row: int, column: int, adds: bool) -> None:
        units = self.matrix.view.units
        pair = dict.fromkeys((units[row], units[column]))
        before = self.workspace.selected if adds else ()
        if pair.keys() <= {*before}:
            self.workspace.select([unit for unit in before if unit not in pair])
        else:
            self.workspace.select(dict.fromkeys((*before, *pair)))
