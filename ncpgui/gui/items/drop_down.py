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
        self.view().installEventFilter(self)
        self.view().window().installEventFilter(self)

    def eventFilter(self, watched: QtCore.QObject, event: QtCore.QEvent) -> bool:
        """Keep keys of the list from the actions of the window.

        Qt closes the list when it asks whether Enter is a shortcut, and then finds one: that of the window.
        """
        if event.type() == QtCore.QEvent.ShortcutOverride:
            event.accept()
        return False
