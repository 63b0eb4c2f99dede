"""Spikes as points of a plot, coloured by unit: a click selects a unit, Ctrl+click draws a lasso."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.presenters.points import NO_POINTS, SpikePoints
from ncpgui.gui.items.lasso_outline import LassoOutline
from ncpgui.gui.items.plot import Plot
from ncpgui.gui.theme import Theme

POINT_PX = 3.0
NEAR_PX = 8.0
ALPHA = 150
DIMMED = 40


class SpikeScatter(Plot):
    """Draws `SpikePoints`; `clicked(row of a unit, adds)`. The wheel zooms, a double click shows all.

    `corner_set(x, y)`: a lasso gets a corner, in the coordinates of the points; `cleared`: it is taken away.
    """

    clicked = QtCore.pyqtSignal(int, bool)
    corner_set = QtCore.pyqtSignal(float, float)
    cleared = QtCore.pyqtSignal()

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.points: SpikePoints = NO_POINTS
        self.scatters: list[pg.ScatterPlotItem] = []
        self.lasso = LassoOutline()
        self._corners = np.zeros((0, 2))
        self.scene().sigMouseClicked.connect(self._clicked)

    def set_points(self, points: SpikePoints, theme: Theme) -> None:
        """Show other points: those of no unit first, those of selected units last."""
        self.points = points
        self.set_theme(theme)
        self.clear()
        self.scatters = []
        dimmed = points.is_dimmed
        labels = np.unique(points.labels)
        for is_bright in (False, True):
            for label in labels.tolist():
                rows = np.flatnonzero((points.labels == label) & (dimmed != is_bright))
                if len(rows):
                    self._add(rows, label, is_bright)
        self.lasso.put_into(self)
        self.lasso.draw(self._corners, theme)

    def set_lasso(self, corners: np.ndarray) -> None:
        """Draw a polygon (V, 2) in the coordinates of the points."""
        self._corners = corners
        self.lasso.draw(corners, self.theme)

    def _add(self, rows: np.ndarray, label: int, is_bright: bool) -> None:
        alpha = ALPHA if is_bright else DIMMED
        theme = self.theme
        color = theme.color("faint", alpha) if label < 0 else theme.unit(self.points.colors[label], alpha)
        item = pg.ScatterPlotItem(
            self.points.x[rows], self.points.y[rows], size=POINT_PX, pen=pg.mkPen(None), brush=color
        )
        self.scatters.append(item)
        self.addItem(item)

    def pixels(self) -> np.ndarray:
        """Place of each point in pixels of the scene: (n, 2)."""
        corner = self.getViewBox().mapViewToScene(QtCore.QPointF(0, 0))
        unit = self.getViewBox().mapViewToScene(QtCore.QPointF(1, 1))
        scale = np.array([unit.x() - corner.x(), unit.y() - corner.y()])
        return np.column_stack([self.points.x, self.points.y]) * scale + [corner.x(), corner.y()]

    def unit_at(self, where: QtCore.QPointF) -> int:
        """Row of the unit of the nearest point, -1 when there is none within a few pixels."""
        if len(self.points) == 0:
            return -1
        distance = np.hypot(*(self.pixels() - [where.x(), where.y()]).T) + 3.0 * (self.points.labels < 0)
        nearest = int(distance.argmin())
        return int(self.points.labels[nearest]) if distance[nearest] <= NEAR_PX else -1

    def show_all(self) -> None:
        """Fit all points."""
        self.getViewBox().autoRange(padding=0.03)

    def mouseDoubleClickEvent(self, event: QtGui.QMouseEvent) -> None:
        """Show all points; while a lasso is drawn, two quick clicks are two corners."""
        if event.modifiers() & QtCore.Qt.ControlModifier:
            self._set_corner(self.mapToScene(event.pos()))
        else:
            self.show_all()

    def _set_corner(self, where: QtCore.QPointF) -> None:
        corner = self.getViewBox().mapSceneToView(where)
        self.corner_set.emit(corner.x(), corner.y())

    def _clicked(self, event: object) -> None:
        button, keys = event.button(), event.modifiers()  # type: ignore[attr-defined]
        where = event.scenePos()  # type: ignore[attr-defined]
        if button == QtCore.Qt.RightButton:
            self.cleared.emit()
        elif button == QtCore.Qt.LeftButton and keys & QtCore.Qt.ControlModifier:
            self._set_corner(where)
        elif button == QtCore.Qt.LeftButton:
            row = self.unit_at(where)
            if row >= 0:
                self.clicked.emit(row, bool(keys & QtCore.Qt.ShiftModifier))

    def viewportEvent(self, event: QtCore.QEvent) -> bool:
        """Name the unit under the pointer."""
        if isinstance(event, QtGui.QHelpEvent) and event.type() == QtCore.QEvent.ToolTip:
            row = self.unit_at(self.mapToScene(event.pos()))
            words = f"Unit {self.points.names[row]}" if row >= 0 else ""
            QtWidgets.QToolTip.showText(event.globalPos(), words, self)
            return True
        return bool(super().viewportEvent(event))
