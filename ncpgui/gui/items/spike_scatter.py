"""Spikes as points of a plot, coloured by unit: a click selects a unit, Ctrl+click draws a lasso.

All points are one `SpikeDots`, which copies the picture of each look to many places. A unit has at most 2500
points (`app.presenters.points`): no picture of all is needed, however long the recording.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.points import NO_POINTS, SpikePoints
from ncpgui.gui.items.lasso_outline import LassoOutline
from ncpgui.gui.items.plot import Plot
from ncpgui.gui.items.spike_dots import Look, SpikeDots
from ncpgui.gui.items.unit_names import name_places, paint_names
from ncpgui.gui.theme import Theme

POINT_PX = (3.0, 8.0)
SPARSE = 0.42
"""Diameter of a point as a share of the distance of points that fill the plot evenly."""
NEAR_PX = 8.0
ALPHA = 190
DIMMED = 45
UNASSIGNED = 0.7
OPACITY_STEPS = 8
RING_PX = 1.6


class SpikeScatter(Plot):
    """Draws `SpikePoints`; `clicked(row of a unit, adds)`. The wheel zooms, a double click shows all.

    `spike_clicked(spike)`: before that, which one it was, of a unit or of none.

    `corner_set(x, y)`: a lasso gets a corner, in the coordinates of the points; `cleared`: it is taken away.
    has_names : names of units stand over their points; is_square : both directions have the same scale
    """

    clicked = QtCore.pyqtSignal(int, bool)
    spike_clicked = QtCore.pyqtSignal(int)
    corner_set = QtCore.pyqtSignal(float, float)
    cleared = QtCore.pyqtSignal()

    def __init__(self, name: str, *, has_names: bool = False, is_square: bool = False) -> None:
        super().__init__(name)
        self.points: SpikePoints = NO_POINTS
        self.dots = SpikeDots()
        self.lasso = LassoOutline()
        self._has_names = has_names
        self._corners = np.zeros((0, 2))
        self.setAspectLocked(is_square)
        self.scene().sigMouseClicked.connect(self._clicked)
        if has_names:
            self.getViewBox().sigRangeChanged.connect(lambda *_: self.getViewBox().update())

    def set_points(self, points: SpikePoints, theme: Theme) -> None:
        """Show other points: those of no unit first, those of selected units last."""
        self.points = points
        self.set_theme(theme)
        self.clear()
        self._put_dots()
        self.lasso.put_into(self)
        self.lasso.draw(self._corners, theme)

    def _put_dots(self) -> None:
        """Put all points into the plot, points of a look after each other."""
        points = self.points
        if len(points) == 0:
            return
        ring = np.full(len(points), -1) if points.ring is None else points.ring
        is_dimmed, steps = points.is_dimmed, self._steps()
        key = (~is_dimmed).astype(np.int64)  # one number each: sorted faster than rows of four
        for part in (points.labels + 1, ring + 1, steps):
            key = key * (int(part.max()) + 1) + part
        order = np.argsort(key, kind="stable")
        begins = np.diff(key[order], prepend=-1) > 0
        looks = [
            self._look(one, is_dimmed=bool(is_dimmed[one]), opacity=float(steps[one]) / OPACITY_STEPS)
            for one in order[begins].tolist()
        ]
        look_of_point = np.cumsum(begins) - 1
        self.dots.show_points(points.x[order], points.y[order], looks, look_of_point, size_px=self.point_px)
        self.addItem(self.dots)

    def _steps(self) -> NDArray[np.int64]:
        """Opacity of each point in eighths."""
        opacity = np.ones(len(self.points)) if self.points.opacity is None else self.points.opacity
        return np.ceil(opacity * OPACITY_STEPS).astype(np.int64).clip(1, OPACITY_STEPS)

    def _look(self, point: int, *, is_dimmed: bool, opacity: float) -> Look:
        """How a point looks."""
        theme, label = self.theme, int(self.points.labels[point])
        alpha = (DIMMED if is_dimmed else ALPHA) * opacity
        if label < 0:
            brush = theme.color("faint", round(alpha * UNASSIGNED))
        else:
            brush = theme.unit(self.points.colors[label], round(alpha))
        ring = None if is_dimmed else self.ring(point)
        pen = pg.mkPen(None) if ring is None else pg.mkPen(ring, width=RING_PX)
        return Look(pen, pg.mkBrush(brush))

    def ring(self, point: int) -> QtGui.QColor | None:
        """Colour of the ring around a point; None where it has none."""
        points = self.points
        if points.ring is None or points.ring[point] < 0:
            return None
        color = points.ring_colors[points.ring[point]]
        return self.theme.color("faint") if color is None else self.theme.unit(color)

    @property
    def point_px(self) -> float:
        """Diameter of a point: smaller when there are many for the room."""
        free = self.width() * self.height() / max(len(self.points), 1)
        return float(np.clip(SPARSE * np.sqrt(free), *POINT_PX))

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Draw the points as large as there is room."""
        super().resizeEvent(event)
        if hasattr(self, "dots"):  # pyqtgraph resizes while it is made
            self.dots.set_size(self.point_px)

    def drawForeground(self, painter: QtGui.QPainter, rect: QtCore.QRectF) -> None:
        """Write the names of the units over everything, of the same size at any zoom."""
        super().drawForeground(painter, rect)
        if self._has_names and len(self.points):
            painter.save()
            painter.resetTransform()
            painter.setRenderHint(QtGui.QPainter.Antialiasing)
            room = self.getViewBox().sceneBoundingRect()
            paint_names(painter, self.points, self.pixels(), room, self.theme)
            painter.restore()

    def _name_places(self) -> dict[int, QtCore.QRectF]:
        """Where the name of each unit is, by its row."""
        if not self._has_names or len(self.points) == 0:
            return {}
        return name_places(self.points, self.pixels(), self.getViewBox().sceneBoundingRect())

    def set_lasso(self, corners: NDArray[np.float64]) -> None:
        """Draw a polygon (V, 2) in the coordinates of the points."""
        if len(corners) == len(self._corners) == 0:
            return  # each change of a plot has the window painted
        self._corners = corners
        self.lasso.draw(corners, self.theme)

    # -- what is where ------------------------------------------------------------------------

    def pixels(self) -> NDArray[np.float64]:
        """Place of each point in pixels of the scene: (n, 2)."""
        corner = self.getViewBox().mapViewToScene(QtCore.QPointF(0, 0))
        unit = self.getViewBox().mapViewToScene(QtCore.QPointF(1, 1))
        scale = np.array([unit.x() - corner.x(), unit.y() - corner.y()])
        return np.column_stack([self.points.x, self.points.y]) * scale + [corner.x(), corner.y()]

    def point_at(self, where: QtCore.QPointF) -> int:
        """Nearest point within a few pixels, -1 when there is none; a spike of a unit comes first."""
        if len(self.points) == 0:
            return -1
        distance = np.hypot(*(self.pixels() - [where.x(), where.y()]).T) + 3.0 * (self.points.labels < 0)
        nearest = int(distance.argmin())
        return nearest if distance[nearest] <= NEAR_PX else -1

    def unit_at(self, where: QtCore.QPointF) -> int:
        """Row of the unit of the nearest point, -1 when there is none within a few pixels."""
        point = self.point_at(where)
        return -1 if point < 0 else int(self.points.labels[point])

    def show_all(self) -> None:
        """Fit all points."""
        self.getViewBox().autoRange(padding=0.03)

    # -- mouse --------------------------------------------------------------------------------

    def mouseDoubleClickEvent(self, event: QtGui.QMouseEvent) -> None:
        """Show all points; while a lasso is drawn, two quick clicks are two corners."""
        if event.modifiers() & QtCore.Qt.ControlModifier:
            self._set_corner(self.mapToScene(event.pos()))
        else:
            self.show_all()

    def _set_corner(self, where: QtCore.QPointF) -> None:
        if len(self.points):
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
            point = self.point_at(where)
            row = -1 if point < 0 else int(self.points.labels[point])
            if point >= 0 and self.points.spike_ids is not None:
                self.spike_clicked.emit(int(self.points.spike_ids[point]))
            if row >= 0:
                self.clicked.emit(row, bool(keys & QtCore.Qt.ShiftModifier))

    def tooltip_at(self, where: QtCore.QPointF) -> str:
        """Words about the name of a unit at a place, else about the spike there, or the axis."""
        for label, pill in self._name_places().items():
            if pill.contains(where):
                return self.points.name_tooltip(label)
        point = self.point_at(where)
        return super().tooltip_at(where) if point < 0 else self.points.tooltip(point)
