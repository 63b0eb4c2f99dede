"""Where panels are: each in a place of a splitter, or in a window of its own."""

from __future__ import annotations

from typing import Any

from PyQt5 import QtCore, QtGui, QtWidgets

Qt = QtCore.Qt


class PanelWindow(QtWidgets.QWidget):
    """A window that holds one panel; `closed` when a person closes it.

    It is a tool window: keys work in it as in the main window, and it goes with that.
    """

    closed = QtCore.pyqtSignal()

    def __init__(self, panel: QtWidgets.QWidget, title: str, parent: QtWidgets.QWidget) -> None:
        super().__init__(parent, Qt.Tool)
        self.setObjectName("workbench")
        self.setAttribute(Qt.WA_StyledBackground)
        self.setWindowTitle(title)
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.addWidget(panel)

    def closeEvent(self, event: QtGui.QCloseEvent) -> None:
        """Give the panel back."""
        event.accept()
        self.closed.emit()


class Places:
    """Moves panels: two change their places, one gets a window, or goes back to its place.

    panels : by name, each in a splitter already: that is where it belongs; home : widget of the main window
    """

    def __init__(self, panels: dict[str, QtWidgets.QWidget], home: QtWidgets.QWidget) -> None:
        self._panels = panels
        self._home = home
        self._place: dict[str, tuple[QtWidgets.QSplitter, int]] = {}
        for name, panel in panels.items():
            splitter = panel.parent()
            assert isinstance(splitter, QtWidgets.QSplitter)
            self._place[name] = (splitter, splitter.indexOf(panel))
        self.place_of: dict[str, str] = {name: name for name in panels}
        self.windows: dict[str, PanelWindow] = {}

    def swap(self, first: str, second: str) -> None:
        """Let two panels change their places; one in a window goes back to its place before."""
        if first == second:
            return
        for name in (first, second):
            self.dock(name)
        between = QtWidgets.QWidget()
        self._put(first, between)
        self._put(second, self._panels[first])
        splitter, index = self._place[self.place_of[first]]
        splitter.replaceWidget(index, self._panels[second])
        between.setParent(None)
        self.place_of[first], self.place_of[second] = self.place_of[second], self.place_of[first]

    def float(self, name: str) -> PanelWindow:
        """Give a panel a window of its own, where it is on the screen; its place stays empty."""
        if name in self.windows:
            return self.windows[name]
        panel = self._panels[name]
        corner, size = panel.mapToGlobal(QtCore.QPoint(0, 0)), panel.size()
        hidden = QtWidgets.QWidget()
        self._put(name, hidden)
        hidden.hide()
        window = PanelWindow(panel, panel.accessibleName(), self._home.window())
        window.setGeometry(QtCore.QRect(corner, size))
        self.windows[name] = window
        return window

    def dock(self, name: str) -> None:
        """Take a panel out of its window and put it back into its place."""
        window = self.windows.pop(name, None)
        if window is None:
            return
        splitter, index = self._place[self.place_of[name]]
        hidden = splitter.widget(index)
        splitter.replaceWidget(index, self._panels[name])
        hidden.deleteLater()
        window.hide()
        window.deleteLater()

    def _put(self, name: str, widget: QtWidgets.QWidget) -> None:
        splitter, index = self._place[self.place_of[name]]
        splitter.replaceWidget(index, widget)

    # -- remembering ------------------------------------------------------------------------

    def values(self) -> dict[str, Any]:
        """Place of each panel that was moved, and geometry of each window, to be remembered."""
        moved = {name: place for name, place in self.place_of.items() if name != place}
        frames = {name: window.geometry().getRect() for name, window in self.windows.items()}
        return {"moved": moved, "windows": {name: list(rect) for name, rect in frames.items()}}

    def restore(self, values: dict[str, Any]) -> None:
        """Move panels to where they were; what does not fit is ignored."""
        moved, windows = values.get("moved"), values.get("windows")
        for name, place in moved.items() if isinstance(moved, dict) else ():
            if name in self._panels and place in self._panels and self.place_of[name] != place:
                self.swap(name, next(other for other, at in self.place_of.items() if at == place))
        for name, rect in windows.items() if isinstance(windows, dict) else ():
            if name in self._panels and isinstance(rect, list) and len(rect) == 4:
                self.float(name).setGeometry(*(int(value) for value in rect))
