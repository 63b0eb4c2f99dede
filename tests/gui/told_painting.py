"""What is painted, told in lines: each shape with its place, its colours by name, and its words.

A line says what, where and how, in logical pixels: ``fill 10,20 30x40 sunken``, ``plate 0,0 20x10 round 5
panel, line accent 1.5``, ``line 0,4 to 8,4 border 1``, ``text "ch 3" left middle 0,2 80x16 muted 11``.
A colour is named as in the theme; ``unit 2`` is the third colour of units; ``accent/90`` is not opaque.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PyQt5 import QtCore, QtGui

from ncpgui.app.model.colors import Color
from ncpgui.gui.items.painted_widget import PaintedWidget
from ncpgui.gui.theme import LIGHT, font

Qt = QtCore.Qt
NAMES = (
    "panel", "sunken", "hover", "border", "text", "muted", "faint", "accent", "accent_soft", "amber",
    "amber_soft", "good", "bad", "window",
)  # fmt: skip
SIDES = {Qt.AlignLeft: "left", Qt.AlignRight: "right", Qt.AlignHCenter: "centre"}
HEIGHTS = {Qt.AlignTop: "top", Qt.AlignBottom: "bottom", Qt.AlignVCenter: "middle"}


def told(paint: Callable[[QtGui.QPainter], object], width: int = 400, height: int = 300) -> list[str]:
    """What a function paints."""
    image = QtGui.QImage(width, height, QtGui.QImage.Format_ARGB32)
    painter = _Teller(image)
    try:
        paint(painter)
    finally:
        painter.end()
    return painter.lines


def told_of(widget: PaintedWidget) -> list[str]:
    """What a widget paints as it is now."""
    return told(lambda painter: widget.paint(painter, widget.rect()), widget.width(), widget.height())


def advance(words: str, px: int, *, bold: bool = False, medium: bool = False) -> int:
    """Width of words in the font of the program."""
    return QtGui.QFontMetrics(font(px, bold=bold, medium=medium)).horizontalAdvance(words)


def number(value: float) -> str:
    """A number of a line, in hundredths at most."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _at(point: QtCore.QPointF) -> str:
    return f"{number(point.x())},{number(point.y())}"


def _place(rect: QtCore.QRectF) -> str:
    rect = QtCore.QRectF(rect)
    return f"{_at(rect.topLeft())} {number(rect.width())}x{number(rect.height())}"


def _color(color: Any) -> str:
    if isinstance(color, QtGui.QGradient):
        return " to ".join(f"{_color(stop)} {number(at)}" for at, stop in color.stops())
    if isinstance(color, QtGui.QBrush):
        if color.style() == Qt.NoBrush:
            return "nothing"
        if color.gradient() is not None:
            return _color(color.gradient())
        hatch = "" if color.style() == Qt.SolidPattern else " hatched"
        return f"{_color(color.color())}{hatch}"
    color = QtGui.QColor(color)
    known = {LIGHT.unit(Color(k)).name(): f"unit {k}" for k in reversed(range(8))}
    known |= {LIGHT.color(name).name(): name for name in reversed(NAMES)}
    opacity = "" if color.alpha() == 255 else f"/{color.alpha()}"
    return f"{known.get(color.name(), color.name())}{opacity}"


def _pen(pen: QtGui.QPen) -> str:
    if pen.style() == Qt.NoPen:
        return "no line"
    dashes = "" if pen.style() == Qt.SolidLine else " dashed"
    return f"line {_color(pen.color())} {number(pen.widthF())}{dashes}"


class _Teller(QtGui.QPainter):
    """A painter that keeps what it was told; see the top of this file."""

    def __init__(self, image: QtGui.QImage) -> None:
        super().__init__(image)
        self.lines: list[str] = []

    def _tell(self, *parts: str) -> None:
        self.lines.append(" ".join(part for part in parts if part))

    def _look(self) -> str:
        return f"{_color(self.brush())}, {_pen(self.pen())}"

    def setClipPath(self, path: QtGui.QPainterPath, *rest: Any) -> None:
        self._tell("clip", _place(path.boundingRect()))
        super().setClipPath(path, *rest)

    def setClipRect(self, rect: QtCore.QRectF, *rest: Any) -> None:
        self._tell("clip", _place(rect))
        super().setClipRect(rect, *rest)

    def translate(self, x: float, y: float) -> None:
        self._tell("move by", f"{number(x)},{number(y)}")
        super().translate(x, y)

    def rotate(self, degrees: float) -> None:
        self._tell("turn by", number(degrees))
        super().rotate(degrees)

    def fillRect(self, rect: QtCore.QRectF, color: Any) -> None:
        self._tell("fill", _place(rect), _color(color))

    def drawRoundedRect(self, rect: QtCore.QRectF, x: float, y: float) -> None:
        assert x == y
        self._tell("plate", _place(rect), f"round {number(x)}", self._look())

    def drawRect(self, rect: QtCore.QRectF) -> None:
        self._tell("rect", _place(rect), self._look())

    def drawRects(self, rects: list[QtCore.QRectF]) -> None:
        for rect in rects:
            self.drawRect(rect)

    def drawEllipse(self, *where: Any) -> None:
        if len(where) == 1:
            self._tell("ellipse", _place(where[0]), self._look())
        else:
            radius = number(where[1]) if where[1] == where[2] else f"{number(where[1])}x{number(where[2])}"
            self._tell("dot", _at(where[0]), radius, self._look())

    def drawLine(self, one: QtCore.QPointF, other: QtCore.QPointF) -> None:
        self._tell("line", f"{_at(one)} to {_at(other)}", _pen(self.pen()).removeprefix("line "))

    def drawPolyline(self, line: QtGui.QPolygonF) -> None:
        self._tell("curve", *map(_at, line), _pen(self.pen()).removeprefix("line "))

    def drawPolygon(self, shape: QtGui.QPolygonF) -> None:
        self._tell("polygon", *map(_at, shape), self._look())

    def drawPath(self, path: QtGui.QPainterPath) -> None:
        corners = [path.elementAt(n) for n in range(path.elementCount())]
        places = [
            f"{'| ' if one.isMoveTo() and n else ''}{_at(QtCore.QPointF(one.x, one.y))}"
            for n, one in enumerate(corners)
        ]
        self._tell("path", *places, self._look())

    def drawArc(self, rect: QtCore.QRectF, start: int, span: int) -> None:
        self._tell("arc", _place(rect), f"{number(start / 16)}+{number(span / 16)}", _pen(self.pen()))

    def drawPie(self, rect: QtCore.QRectF, start: int, span: int) -> None:
        self._tell("pie", _place(rect), f"{number(start / 16)}+{number(span / 16)}", self._look())

    def drawImage(self, place: QtCore.QRectF | QtCore.QPointF, image: QtGui.QImage) -> None:
        where = _at(place) if isinstance(place, QtCore.QPointF) else _place(place)
        self._tell("image", where, f"of {image.width()}x{image.height()}")

    def drawText(self, place: QtCore.QRectF, flags: int, words: str) -> None:
        side = next((word for flag, word in SIDES.items() if int(flags) & flag), "left")
        level = next((word for flag, word in HEIGHTS.items() if int(flags) & flag), "top")
        weight = {QtGui.QFont.Bold: " bold", QtGui.QFont.DemiBold: " medium"}.get(self.font().weight(), "")
        look = f"{_color(self.pen().color())} {self.font().pixelSize()}{weight}"
        self._tell(f'text "{words}"', side, level, _place(place), look)
