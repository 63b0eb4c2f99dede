"""What a widget writes and where, as its painters are told: for tests of what is cut and what collides."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from PyQt5 import QtCore, QtGui, QtWidgets

from tests.unknown_numbers import NO_NUMBER

Qt = QtCore.Qt


@dataclass(frozen=True)
class PaintedText:
    """Words, the rectangle that their glyphs fill, and the one they were given (logical pixels)."""

    words: str
    ink: QtCore.QRectF
    room: QtCore.QRectF

    @property
    def overhang_px(self) -> float:
        """By how much the glyphs are wider than their room."""
        return max(self.room.left() - self.ink.left(), self.ink.right() - self.room.right(), 0.0)


def painted_texts(widget: QtWidgets.QWidget) -> list[PaintedText]:
    """All texts of one paint of a widget without children, in its own coordinates; none shows a nan."""
    if hasattr(widget, "_picture"):
        widget._picture = None  # drawn again, so that its texts are told
    with _recorded() as texts:
        widget.grab()
    assert not [text.words for text in texts if NO_NUMBER.search(text.words)]
    return texts


def collisions(texts: list[PaintedText]) -> list[tuple[str, str]]:
    """Pairs of texts whose glyphs lie on each other."""
    return [
        (a.words, b.words)
        for number, a in enumerate(texts)
        for b in texts[number + 1 :]
        if a.ink.adjusted(0.5, 0.5, -0.5, -0.5).intersects(b.ink)
    ]


@contextmanager
def _recorded() -> Iterator[list[PaintedText]]:
    texts: list[PaintedText] = []
    draw = QtGui.QPainter.drawText
    method = vars(QtGui.QPainter)["drawText"]  # binds its painter, which `draw` does not

    def record(painter: QtGui.QPainter, *args: Any) -> Any:
        texts.append(_text(painter, *args))
        return draw(painter, *args)

    QtGui.QPainter.drawText = record
    try:
        yield texts
    finally:
        QtGui.QPainter.drawText = method


def _text(painter: QtGui.QPainter, place: Any, *rest: Any) -> PaintedText:
    words = rest[-1]
    metrics = QtGui.QFontMetricsF(painter.font())
    ink = metrics.tightBoundingRect(words)
    width = metrics.horizontalAdvance(words)
    ink.setLeft(0.0)
    ink.setWidth(width)
    if isinstance(place, (QtCore.QPoint, QtCore.QPointF)):  # the left end of the base line
        ink.translate(QtCore.QPointF(place))
        room = ink
    else:
        room = QtCore.QRectF(place)
        flags = int(rest[0])
        if flags & Qt.AlignRight:
            x = room.right() - width
        elif flags & Qt.AlignHCenter:
            x = room.center().x() - width / 2
        else:
            x = room.left()
        if flags & Qt.AlignVCenter:
            line = room.center().y() - metrics.height() / 2
        elif flags & Qt.AlignBottom:
            line = room.bottom() - metrics.height()
        else:
            line = room.top()
        ink.translate(x, line + metrics.ascent())
    transform = painter.worldTransform()
    return PaintedText(words, transform.mapRect(ink), transform.mapRect(room))
