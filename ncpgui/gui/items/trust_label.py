"""How far probabilities of a component can be trusted, as a dot and a word; painted: no label has a dot."""

from __future__ import annotations

from typing import ClassVar

from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.trust_badge import TrustBadge
from ncpgui.gui.items.glyphs import LEFT, paint_dot, paint_plate, set_ink
from ncpgui.gui.items.painted_widget import PaintedWidget
from ncpgui.gui.plain_text import plain
from ncpgui.gui.theme import blend, font


class TrustLabel(PaintedWidget):
    """A dot and a word: how far the probabilities of the component can be trusted."""

    ROLES: ClassVar[dict[str, str]] = {
        "steady": "good", "unsteady": "amber", "shaky": "bad", "beam": "amber",
        "few draws": "bad",
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.badge: TrustBadge | None = None
        self.setFixedHeight(22)

    def set_badge(self, badge: TrustBadge | None) -> None:
        """Show another badge, or none."""
        self.badge = badge
        self.setVisible(badge is not None)
        if badge is not None:
            self.setToolTip(plain(badge.help))
            self.setAccessibleName(f"Probabilities: {badge.text}")
            self.setFixedWidth(QtGui.QFontMetrics(font(12)).horizontalAdvance(badge.text) + 30)
        self.update()

    def paint(self, painter: QtGui.QPainter, _: QtCore.QRect) -> None:
        """Paint dot and word on a tint of the dot's colour."""
        if self.badge is None:
            return
        color = self.theme.color(self.ROLES[self.badge.trust])
        rect = QtCore.QRectF(self.rect()).adjusted(0, 1, 0, -1)
        paint_plate(painter, rect, blend(self.theme.color("panel"), color, 0.13), 10)
        paint_dot(painter, QtCore.QPointF(rect.left() + 11, rect.center().y()), color, 3.5)
        set_ink(painter, self.theme.color("text"), 12)
        painter.drawText(rect.adjusted(20, 0, 0, 0), LEFT, self.badge.text)
