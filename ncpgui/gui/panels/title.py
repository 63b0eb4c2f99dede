"""The title of a panel, by which it is taken: a double click, or a drag onto another panel."""

from __future__ import annotations

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.gui.items.elided_label import ElidedLabel
from ncpgui.gui.plain_text import Label

PANEL_MIME = "application/x-ncpgui-panel"


class PanelTitle(ElidedLabel):
    """`double_clicked`; `menu_asked(place)`; a drag carries the title itself, as `PANEL_MIME`."""

    double_clicked = QtCore.pyqtSignal()
    menu_asked = QtCore.pyqtSignal(QtCore.QPoint)

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self.setObjectName("panelTitle")
        self.setToolTip(
            "Drag it onto another panel to change their places; a double click gives it a window, "
            "a right click a menu"
        )
        self._pressed: QtCore.QPoint | None = None

    def minimumSizeHint(self) -> QtCore.QSize:
        """As wide as the whole title, which is shortened where even that is too much."""
        return Label.minimumSizeHint(self)

    def carried(self) -> QtCore.QMimeData:
        """What a drag of this title carries."""
        data = QtCore.QMimeData()
        data.setData(PANEL_MIME, self.text().encode())
        return data

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        """Begin a drag, perhaps."""
        self._pressed = event.pos() if event.button() == QtCore.Qt.LeftButton else None

    def mouseReleaseEvent(self, _: QtGui.QMouseEvent) -> None:
        """It was none."""
        self._pressed = None

    def mouseMoveEvent(self, event: QtGui.QMouseEvent) -> None:
        """Drag the title."""
        far = QtWidgets.QApplication.startDragDistance()
        if self._pressed is None or (event.pos() - self._pressed).manhattanLength() < far:
            return
        self._pressed = None
        drag = QtGui.QDrag(self)
        drag.setMimeData(self.carried())
        drag.setPixmap(self.grab())
        drag.exec_(QtCore.Qt.MoveAction)

    def contextMenuEvent(self, event: QtGui.QContextMenuEvent) -> None:
        """Tell where a menu is wanted."""
        self.menu_asked.emit(event.globalPos())

    def mouseDoubleClickEvent(self, _: QtGui.QMouseEvent) -> None:
        """Tell of it."""
        self._pressed = None
        self.double_clicked.emit()


def carried_title(data: QtCore.QMimeData) -> str:
    """Title of the panel that a drag carries, '' for a drag of something else."""
    return bytes(data.data(PANEL_MIME)).decode(errors="replace") if data.hasFormat(PANEL_MIME) else ""
