"""What widgets that are painted by hand have in common: they explain what is under the pointer."""

from __future__ import annotations

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.gui.plain_text import plain


class ExplainedWidget(QtWidgets.QWidget):
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
