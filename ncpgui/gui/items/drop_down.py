"""A drop-down list that has all keys while it is open: Enter takes an entry, and does nothing else."""

from __future__ import annotations

from PyQt5 import QtCore, QtWidgets


class DropDown(QtWidgets.QComboBox):
    """Never takes the focus from the window; while its list is open, no key is an action of the window.

    Where the list has no focus of its own, as under X11, its keys pass the window: `MainWindow.event`.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setFocusPolicy(QtCore.Qt.NoFocus)
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(
            QtWidgets.QComboBox.AdjustToContents
        )  # entries change with what is on screen
        self.currentTextChanged.connect(lambda _: self.updateGeometry())
        self.view().installEventFilter(self)
        self.view().window().installEventFilter(self)

    def minimumSizeHint(self) -> QtCore.QSize:
        """As wide as the entry that is shown needs; as wide as any of them is only wished for."""
        advance = self.fontMetrics().horizontalAdvance
        widest = max((advance(self.itemText(k)) for k in range(self.count())), default=0)
        whole = self.sizeHint()
        return QtCore.QSize(whole.width() - max(widest - advance(self.currentText()), 0), whole.height())

    def eventFilter(self, watched: QtCore.QObject, event: QtCore.QEvent) -> bool:
        """Keep keys of the list from the actions of the window.

        Qt closes the list when it asks whether Enter is a shortcut, and then finds one: that of the window.
        """
        if event.type() == QtCore.QEvent.ShortcutOverride:
            event.accept()
        return False
