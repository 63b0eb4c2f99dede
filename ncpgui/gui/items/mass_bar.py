"""All probability of a component as one bar; painted by hand, for it is a line of pieces to click."""

from __future__ import annotations

from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.alternatives import AlternativesView
from ncpgui.gui.items.painted_widget import PaintedWidget
from ncpgui.gui.theme import blend


class MassBar(PaintedWidget):
    """All probability as one bar: a piece for each card, the rest hatched."""

    clicked = QtCore.pyqtSignal(object)

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[tuple[float, int | None, bool]] = []
        self._other = 0.0
        self.setFixedHeight(8)
        self.setCursor(QtCore.Qt.PointingHandCursor)

    def set_view(self, view: AlternativesView) -> None:
        """Show the masses of a view."""
        self._pieces = [
            (card.mass, card.index, card.is_shown) for card in view.cards if card.index is not None
        ]
        self._other = view.other_mass
        self.setVisible(bool(self._pieces))
        self.update()

    def paint(self, painter: QtGui.QPainter, _: QtCore.QRect) -> None:
        """Paint the pieces."""
        rect = QtCore.QRectF(self.rect())
        clip = QtGui.QPainterPath()
        clip.addRoundedRect(rect, 4, 4)
        painter.setClipPath(clip)
        painter.fillRect(rect, self.theme.color("border"))
        x = 0.0
        soft = blend(self.theme.color("panel"), self.theme.color("accent"), 0.38)
        for mass, _, shown in self._pieces:
            width = mass * rect.width()
            color = self.theme.color("accent") if shown else soft
            painter.fillRect(QtCore.QRectF(x, 0, max(width - 2, 1), rect.height()), color)
            x += width
        if self._other > 0:
            hatch = QtGui.QBrush(self.theme.color("faint"), QtCore.Qt.BDiagPattern)
            painter.fillRect(QtCore.QRectF(x, 0, rect.width() - x, rect.height()), hatch)

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        """Show the sorting of the piece that is clicked."""
        share, total = event.localPos().x() / max(self.width(), 1), 0.0
        for mass, index, _ in self._pieces:
            total += mass
            if share <= total:
                self.clicked.emit(index)
                return
