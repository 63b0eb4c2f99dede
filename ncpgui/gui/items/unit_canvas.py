"""What painted units have in common: the one under the pointer lights up, explains itself, is clicked."""

from __future__ import annotations

from PyQt5 import QtCore, QtGui

from ncpgui.gui.items.painted_widget import ExplainedWidget


def keeps_shapes(painter: QtGui.QPainter) -> bool:
    """Whether what is painted stays lines and words: then no picture of it must be painted in its place."""
    engine = painter.paintEngine()
    return engine is not None and engine.type() == QtGui.QPaintEngine.SVG


class UnitCanvas(ExplainedWidget):
    """A widget that paints units in rows of its view; `clicked(row, whether it adds to the selection)`.

    A subclass says where units are (`unit_at`) and what they tell (`tooltip_at`).
    """

    clicked = QtCore.pyqtSignal(int, bool)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._hover = -1
        self.setMouseTracking(True)

    def unit_at(self, where: QtCore.QPointF) -> int:
        """Row of the unit under a point, -1 when there is none."""
        raise NotImplementedError

    def can_click(self, row: int) -> bool:
        """Whether there is something to click."""
        return row >= 0

    def row_at(self, place: QtCore.QPoint) -> int:
        """Row of the unit at a place of the screen, -1 when there is none."""
        here = self.mapFromGlobal(place)
        return self.unit_at(QtCore.QPointF(here)) if self.visibleRegion().contains(here) else -1

    def mouseMoveEvent(self, event: QtGui.QMouseEvent) -> None:
        """Light up the unit under the pointer."""
        hover = self.unit_at(event.localPos())
        if hover != self._hover:
            self._hover = hover
            is_button = self.can_click(hover)
            self.setCursor(QtCore.Qt.PointingHandCursor if is_button else QtCore.Qt.ArrowCursor)
            self.update()

    def leaveEvent(self, _: QtCore.QEvent) -> None:
        """Back to normal."""
        self._hover = -1
        self.update()

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        """Select the unit that is clicked; Ctrl or Shift adds it."""
        if event.button() == QtCore.Qt.LeftButton:
            self.click(event)

    def click(self, event: QtGui.QMouseEvent) -> None:
        """Tell which unit is clicked."""
        row = self.unit_at(event.localPos())
        if self.can_click(row):
            adds = bool(event.modifiers() & (QtCore.Qt.ControlModifier | QtCore.Qt.ShiftModifier))
            self.clicked.emit(row, adds)
