"""A line for commands: while it has the focus, every key is for it and none for the actions of the window."""

from __future__ import annotations

from PyQt5 import QtCore, QtGui, QtWidgets

STEPS = {
    QtCore.Qt.Key_Up: -1,
    QtCore.Qt.Key_Down: 1,
    QtCore.Qt.Key_PageUp: -8,
    QtCore.Qt.Key_PageDown: 8,
}


class CommandLine(QtWidgets.QLineEdit):
    """`entered` on Enter, `left` on Esc or when the focus goes, `stepped(by)` on arrows and page keys."""

    entered = QtCore.pyqtSignal()
    left = QtCore.pyqtSignal()
    stepped = QtCore.pyqtSignal(int)

    def event(self, event: QtCore.QEvent) -> bool:
        """Keep keys from the actions of the window."""
        if event.type() == QtCore.QEvent.ShortcutOverride:
            event.accept()
            return True
        return bool(super().event(event))

    def keyPressEvent(self, event: QtGui.QKeyEvent) -> None:
        """Enter, leave, step, or type."""
        if event.key() in (QtCore.Qt.Key_Return, QtCore.Qt.Key_Enter):
            self.entered.emit()
        elif event.key() == QtCore.Qt.Key_Escape:
            self.left.emit()
        elif event.key() in STEPS:
            self.stepped.emit(STEPS[event.key()])
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QtGui.QFocusEvent) -> None:
        """Leave, unless a menu of this line has the focus for a moment."""
        super().focusOutEvent(event)
        if event.reason() != QtCore.Qt.PopupFocusReason:
            self.left.emit()
