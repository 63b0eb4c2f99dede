"""A line of words that gives up what does not fit: its last parts first, then all but its first words."""

from __future__ import annotations

import re

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.gui.items.glyphs import LEFT
from ncpgui.gui.plain_text import Label, plain

PARTS = " · "
BREAKS = re.compile(r"[,;:] |(?<!\d) (?=(?:of|near|on|to|and|in|with|from) )| (?=of )")
"""Where words may end that are shortened."""
UNFINISHED = re.compile(r"(?:^| )(?:of|near|on|to|and|in|with|from)$")
"""Ends of words that lead on to others, as a colon does."""
COUNT = re.compile(r"\d[\d\u2009]* ")
"""A number of things, which would be another number if it were cut."""


class ElidedLabel(Label):
    """Label that never widens what it is in; the tool tip tells what it left out."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self._meaning = ""

    def setToolTip(self, meaning: str) -> None:
        """Take the words that say what the text means."""
        self._meaning = meaning
        super().setToolTip(plain(meaning))

    def minimumSizeHint(self) -> QtCore.QSize:
        """As narrow as may be."""
        return QtCore.QSize(0, super().minimumSizeHint().height())

    def sizeHint(self) -> QtCore.QSize:
        """As wide as the whole text."""
        margins = self.contentsMargins()
        width = self.fontMetrics().horizontalAdvance(self.text()) + margins.left() + margins.right() + 1
        return QtCore.QSize(width, super().sizeHint().height())

    def shown_text(self) -> str:
        """As much of the text as there is room for."""
        return shortened(self.text(), self.fontMetrics(), self.contentsRect().width())

    def paintEvent(self, _: QtGui.QPaintEvent) -> None:
        """Paint what fits."""
        painter = QtGui.QPainter(self)
        painter.setFont(self.font())
        painter.setPen(self.palette().color(self.foregroundRole()))
        place = QtCore.QRectF(self.contentsRect())
        painter.drawText(place, int(LEFT), self.shown_text())
        painter.end()

    def event(self, event: QtCore.QEvent) -> bool:
        """Tell the whole text when it is shortened, before what it means."""
        if isinstance(event, QtGui.QHelpEvent) and event.type() == QtCore.QEvent.ToolTip:
            whole = "" if self.shown_text() == self.text() else self.text()
            words = "\n".join(filter(None, (whole, self._meaning)))
            QtWidgets.QToolTip.showText(event.globalPos(), plain(words), self)
            return True
        return bool(super().event(event))


def shortened(text: str, metrics: QtGui.QFontMetrics, width: float) -> str:
    """`text` in `width` pixels: whole parts of ``a · b · c`` from the left, else its first words, or nothing.

    The first words end where a new thought begins: "some spikes" of "some spikes of each unit, and the mean".
    Only what cannot be broken, such as a name, is cut; a number is not.
    """
    parts = text.split(PARTS)
    some = [PARTS.join(parts[:n]) for n in range(len(parts), 0, -1)]
    heads = [parts[0][: at.start()] for at in BREAKS.finditer(parts[0]) if at.group() != ": "]
    heads = [
        head for head in reversed(heads) if any(c.isalpha() for c in head) and not UNFINISHED.search(head)
    ]
    for words in [*some, *heads]:
        if metrics.horizontalAdvance(words) <= width:
            return words
    if BREAKS.search(parts[0]) or COUNT.match(parts[0]):
        return ""
    return metrics.elidedText(parts[0], QtCore.Qt.ElideRight, int(width))
