"""A line for filter expressions that keeps its keys: Enter and Esc leave it, and do nothing else."""

from __future__ import annotations

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.gui.plain_text import plain

LEAVING = (QtCore.Qt.Key_Return, QtCore.Qt.Key_Enter, QtCore.Qt.Key_Escape)


class FilterEdit(QtWidgets.QLineEdit):
    """Emits `textChanged` while one writes and `left` when one is done; Esc takes the filter off."""

    left = QtCore.pyqtSignal()

    def __init__(self, hint: str, tooltip: str) -> None:
        super().__init__()
        self.setObjectName("filter")
        self.setPlaceholderText(hint)
        self.setToolTip(plain(tooltip))
        self.setAccessibleName("Filter")
        self.setClearButtonEnabled(True)
        self.setFocusPolicy(QtCore.Qt.ClickFocus)

    def begin(self) -> None:
        """Write here, over what is there."""
        self.setFocus()
        self.selectAll()

    def mark(self, problem: str) -> None:
        """Show that the text cannot be used; '' that it can."""
        self.setProperty("tone", "bad" if problem else "")
        self.style().unpolish(self)
        self.style().polish(self)

    def event(self, event: QtCore.QEvent) -> bool:
        """Keep keys that would be actions of the window."""
        if event.type() == QtCore.QEvent.ShortcutOverride and isinstance(event, QtGui.QKeyEvent):
            is_command = event.modifiers() & (QtCore.Qt.ControlModifier | QtCore.Qt.AltModifier)
            if event.key() in LEAVING or not is_command:
                event.accept()
                return True
        return bool(super().event(event))

    def keyPressEvent(self, event: QtGui.QKeyEvent) -> None:
        """Leave with Enter or Esc."""
        if event.key() not in LEAVING:
            super().keyPressEvent(event)
            return
        if event.key() == QtCore.Qt.Key_Escape:
            self.clear()
        self.clearFocus()
        self.left.emit()
