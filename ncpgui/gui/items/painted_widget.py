"""What widgets that are painted by hand have in common: a theme, and words about what the pointer is on."""

from __future__ import annotations

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.gui.plain_text import plain
from ncpgui.gui.theme import LIGHT, Theme


class PaintedWidget(QtWidgets.QWidget):
    """A widget that a subclass paints in `paint`, with smooth edges unless `is_smooth` is False."""

    is_smooth = True

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self.theme: Theme = LIGHT
        self.setAccessibleName(name)

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.theme = theme
        self.update()

    def paint(self, painter: QtGui.QPainter, seen: QtCore.QRect) -> None:
        """Paint what is in a part of the widget, or more."""
        raise NotImplementedError

    def paintEvent(self, event: QtGui.QPaintEvent) -> None:
        """Paint with a painter that is ended at once."""
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.Antialiasing, self.is_smooth)
        self.paint(painter, event.rect())
        painter.end()


class ExplainedWidget(PaintedWidget):
    """A widget whose tool tip depends on the place: see `tooltip_at`."""

    def tooltip_at(self, where: QtCore.QPointF) -> str:
        """Words about what is at a point, '' where there is nothing."""
        raise NotImplementedError

    def event(self, event: QtCore.QEvent) -> bool:
        """Explain what is under the pointer."""
        if isinstance(event, QtGui.QHelpEvent) and event.type() == QtCore.QEvent.ToolTip:
            words = self.tooltip_at(QtCore.QPointF(event.pos()))
            QtWidgets.QToolTip.showText(event.globalPos(), plain(words), self)
            return True
        return bool(super().event(event))
