"""Points of a plot that have few looks: one item, and one picture for each look.

Painted by hand, with the pictures of pyqtgraph: its scatter plot keeps a record of fifteen fields for each
point, some of them objects, and looks up the picture of each: with ten units, three times as much work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt5 import QtCore, QtGui, QtWidgets
from pyqtgraph.graphicsItems.ScatterPlotItem import SymbolAtlas, drawSymbol
from pyqtgraph.Qt.internals import PrimitiveArray

PLACE = slice(0, 2)
PICTURE = slice(2, 6)
SCALES = slice(6, 8)
ROTATION, OPACITY = 8, 9
"""Columns of what Qt calls a fragment: a copy of a part of a picture at a place."""
CORNER = 0.7072
"""Half a diagonal of a square: how far a picture reaches from its middle, of its width."""
FARTHEST_PX = 2.0**30
"""Qt fails on points that are farther away."""


@dataclass(frozen=True)
class Look:
    """Line and colour of a point."""

    pen: QtGui.QPen
    brush: QtGui.QBrush


class SpikeDots(pg.GraphicsObject):
    """Circles of one size, in pixels."""

    def __init__(self) -> None:
        super().__init__()
        self._places = np.zeros((2, 0))
        self._bounds: list[tuple[float, float] | tuple[None, None]] = [(None, None), (None, None)]
        self._looks: Sequence[Look] = ()
        self._look_of_point = np.zeros(0, np.int64)
        self._size_px = 1.0
        self._atlas = SymbolAtlas()
        self._rects = np.zeros((0, 4))
        self._fragments = PrimitiveArray(QtGui.QPainter.PixmapFragment, 10)
        screen = QtGui.QGuiApplication.primaryScreen()
        self._atlas.setDevicePixelRatio(screen.devicePixelRatio() if screen else 1.0)

    @property
    def n_points(self) -> int:
        """How many points there are."""
        return len(self._look_of_point)

    @property
    def n_looks(self) -> int:
        """How many looks the points have."""
        return len(self._looks)

    def show_points(
        self,
        x: NDArray[np.float64],
        y: NDArray[np.float64],
        looks: Sequence[Look],
        look_of_point: NDArray[np.int64],
        *,
        size_px: float,
    ) -> None:
        """Show points (n,) in this order; look_of_point : (n,) row of `looks`."""
        self._places = np.stack([x, y])
        ends = ((float(np.nanmin(one)), float(np.nanmax(one))) if len(x) else (None, None) for one in (x, y))
        self._bounds = list(ends)
        self._looks, self._look_of_point = looks, look_of_point
        self.set_size(size_px)
        self.informViewBoundsChanged()

    def set_size(self, size_px: float) -> None:
        """Draw them of another diameter."""
        self.prepareGeometryChange()
        self._size_px = size_px
        self._make_pictures()
        self.update()

    def _make_pictures(self) -> None:
        self._atlas.clear()
        styles = [("o", self._size_px, look.pen, look.brush) for look in self._looks]
        self._rects = np.array(self._atlas[styles], dtype=np.float64).reshape(-1, 4)

    # -- what a view asks of an item -------------------------------------------------------------

    def dataBounds(
        self, ax: int, frac: float = 1.0, orthoRange: object = None
    ) -> tuple[float, float] | tuple[None, None]:
        """Least and largest coordinate of the points."""
        return self._bounds[ax]

    def pixelPadding(self) -> float:
        """How far a point reaches beyond its place."""
        return float(CORNER * self._atlas.maxWidth)

    def _reach(self) -> tuple[float, float]:
        """The same in the coordinates of the points."""
        px, py = self.pixelVectors()
        padding = self.pixelPadding()
        return (padding * px.length(), padding * py.length()) if px is not None else (0.0, 0.0)

    def boundingRect(self) -> QtCore.QRectF:
        """Place of all points."""
        (left, right), (low, high) = self._bounds
        if left is None or right is None or low is None or high is None:
            return QtCore.QRectF()
        x, y = self._reach()
        return QtCore.QRectF(left - x, low - y, right - left + 2 * x, high - low + 2 * y)

    def viewTransformChanged(self) -> None:
        """Points reach as many pixels as before: not as far in their coordinates."""
        self.prepareGeometryChange()
        super().viewTransformChanged()

    def paint(
        self,
        painter: QtGui.QPainter,
        _: QtWidgets.QStyleOptionGraphicsItem,
        widget: QtWidgets.QWidget | None = None,
    ) -> None:
        """Paint the points that are in view."""
        view, (x, y) = self.viewRect(), self._reach()
        inside = (self._places[0] > view.left() - x) & (self._places[0] < view.right() + x)
        inside &= (self._places[1] > view.top() - y) & (self._places[1] < view.bottom() + y)
        places = pg.functions.transformCoordinates(painter.transform(), self._places[:, inside])
        places = np.clip(places, -FARTHEST_PX, FARTHEST_PX)
        look_of_point = self._look_of_point[inside]
        painter.resetTransform()
        if self._exportOpts is not False:
            self._draw(painter, places, look_of_point)
            return
        if widget is not None and widget.devicePixelRatioF() != self._atlas.devicePixelRatio():
            self._atlas.setDevicePixelRatio(widget.devicePixelRatioF())
            self._make_pictures()
        self._fragments.resize(len(look_of_point))
        fragments = self._fragments.ndarray()
        fragments[:, PLACE] = places.T
        fragments[:, PICTURE] = self._rects[look_of_point]
        fragments[:, SCALES] = 1 / self._atlas.devicePixelRatio()
        fragments[:, ROTATION], fragments[:, OPACITY] = 0.0, 1.0
        painter.drawPixmapFragments(*self._fragments.drawargs(), self._atlas.pixmap)

    def _draw(
        self, painter: QtGui.QPainter, places: NDArray[np.float64], look_of_point: NDArray[np.int64]
    ) -> None:
        """Draw each point as a shape, for a picture that can be enlarged."""
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        for place, row in zip(places.T.tolist(), look_of_point.tolist(), strict=True):
            painter.resetTransform()
            painter.translate(*place)
            drawSymbol(painter, "o", self._size_px, self._looks[row].pen, self._looks[row].brush)
