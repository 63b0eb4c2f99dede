"""Quiet text in place of what a panel shows: as many of its sentences as there is room for."""

from __future__ import annotations

import re

from PyQt5 import QtCore, QtGui

from ncpgui.gui.plain_text import Label, plain

ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
"""Between two sentences."""
ANY_HEIGHT = 1 << 20


class Message(Label):
    """Centred words that say what to do next; the tool tip has all of them where some are left out."""

    def __init__(self, text: str = "") -> None:
        self._whole = ""
        super().__init__(text)
        self.setObjectName("message")
        self.setAlignment(QtCore.Qt.AlignCenter)
        self.setWordWrap(True)

    def text(self) -> str:
        """All of them."""
        return self._whole

    def setText(self, text: str) -> None:
        """Take other words."""
        self._whole = text
        self._fit()

    def shown_text(self) -> str:
        """The first sentences that fit, at least one."""
        starts = [self._whole[: end.start()] for end in ENDS.finditer(self._whole)]
        return next(filter(self._fits, [self._whole, *reversed(starts)]), (starts or [self._whole])[0])

    def _fits(self, text: str) -> bool:
        room = self.contentsRect()
        place = QtCore.QRect(0, 0, room.width(), ANY_HEIGHT)
        needed = self.fontMetrics().boundingRect(place, QtCore.Qt.TextWordWrap, text)
        return needed.height() <= room.height()

    def _fit(self) -> None:
        shown = self.shown_text()
        super().setText(shown)
        self.setToolTip("" if shown == self._whole else plain(self._whole))

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """See what fits now."""
        super().resizeEvent(event)
        self._fit()
