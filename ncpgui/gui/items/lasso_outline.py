"""How a lasso looks in a plot of pyqtgraph: a dashed closed line, its inside, and its corners."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.gui.theme import Theme

LINE_PX = 1.6
CORNER_PX = 6
FILL_ALPHA = 28


def lasso_pen(theme: Theme) -> QtGui.QPen:
    """Pen of the border, of the same width at any zoom; the colour of words, which no unit has."""
    pen = QtGui.QPen(theme.color("text"), LINE_PX, QtCore.Qt.DashLine)
    pen.setCosmetic(True)
    return pen


def polygon(corners: NDArray[np.floating]) -> QtGui.QPolygonF:
    """Corners (V, 2) as Qt takes them."""
    return QtGui.QPolygonF([QtCore.QPointF(x, y) for x, y in corners.tolist()])


class LassoOutline:
    """Polygon and corners, which do not count as data: the plot keeps its range."""

    def __init__(self) -> None:
        self.border = QtWidgets.QGraphicsPolygonItem()
        self.corners = pg.ScatterPlotItem(size=CORNER_PX)
        for item in (self.border, self.corners):
            item.setZValue(100)
            item.setAcceptedMouseButtons(QtCore.Qt.NoButton)

    def put_into(self, plot: pg.PlotWidget) -> None:
        """Draw in a plot that was cleared."""
        for item in (self.border, self.corners):
            plot.addItem(item, ignoreBounds=True)

    def draw(self, corners: NDArray[np.float64], theme: Theme) -> None:
        """Show a polygon (V, 2); none hides it."""
        self.border.setPen(lasso_pen(theme))
        self.border.setBrush(theme.color("accent", FILL_ALPHA))
        self.border.setPolygon(polygon(corners))
        self.corners.setData(
            corners[:, 0], corners[:, 1], brush=theme.color("text"), pen=pg.mkPen(theme.color("panel"))
        )
