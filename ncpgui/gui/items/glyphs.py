"""Small painted signs that mean the same in every panel: the state of a component, a lock, a bar, a curve."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.queue import OTHER
from ncpgui.gui.theme import Theme, blend, font

LEFT = QtCore.Qt.AlignLeft | QtCore.Qt.AlignVCenter
RIGHT = QtCore.Qt.AlignRight | QtCore.Qt.AlignVCenter
"""Where words stand in their line."""


def paint_state(
    painter: QtGui.QPainter,
    centre: QtCore.QPointF,
    radius: float,
    *,
    state: str,
    fraction: float,
    ambiguity: float,
    theme: Theme,
) -> None:
    """Paint the state of a component: filled by ambiguity when sampled, a tick when settled."""
    disc = QtCore.QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius)
    painter.save()
    painter.setRenderHint(QtGui.QPainter.Antialiasing)
    line = max(1.2, radius * 0.22)
    if state == "sampled":
        heat = theme.heat(ambiguity)
        painter.setPen(QtGui.QPen(blend(heat, theme.color("text"), 0.25), 1))
        painter.setBrush(heat)
        painter.drawEllipse(disc)
    elif state == "units":
        painter.setPen(QtGui.QPen(theme.color("muted"), line))
        painter.setBrush(theme.color("border"))
        painter.drawEllipse(disc.adjusted(line / 2, line / 2, -line / 2, -line / 2))
    elif state in ("curated", "sure"):
        share = 1.0 if state == "curated" else 0.5
        paint_dot(painter, centre, blend(theme.color("panel"), theme.color("good"), share), radius)
        painter.setPen(round_pen(theme.color("panel"), line * 1.15))
        painter.setBrush(QtCore.Qt.NoBrush)
        x, y, r = centre.x(), centre.y(), radius
        painter.drawPolyline(
            QtGui.QPolygonF(
                [
                    QtCore.QPointF(x - 0.45 * r, y + 0.02 * r),
                    QtCore.QPointF(x - 0.1 * r, y + 0.38 * r),
                    QtCore.QPointF(x + 0.48 * r, y - 0.34 * r),
                ]
            )
        )
    elif state == "sampling":
        painter.setPen(QtGui.QPen(theme.color("accent"), line))
        painter.setBrush(QtCore.Qt.NoBrush)
        painter.drawEllipse(disc.adjusted(line / 2, line / 2, -line / 2, -line / 2))
        painter.setPen(QtCore.Qt.NoPen)
        painter.setBrush(theme.color("accent"))
        painter.drawPie(disc, 90 * 16, -int(360 * 16 * fraction))
    elif state == "failed":
        painter.setPen(round_pen(theme.color("bad"), line * 1.3))
        a = 0.6 * radius
        painter.drawLine(centre + QtCore.QPointF(-a, -a), centre + QtCore.QPointF(a, a))
        painter.drawLine(centre + QtCore.QPointF(-a, a), centre + QtCore.QPointF(a, -a))
    else:
        painter.setPen(QtGui.QPen(theme.color("faint" if state else "border"), line))
        painter.setBrush(QtCore.Qt.NoBrush)
        painter.drawEllipse(disc.adjusted(line / 2, line / 2, -line / 2, -line / 2))
    painter.restore()


def paint_shares(
    painter: QtGui.QPainter, rect: QtCore.QRectF, shares: tuple[tuple[int, float], ...], theme: Theme
) -> None:
    """Stacked bar of P(number of units): darker for more units, grey for "other"."""
    painter.save()
    painter.setRenderHint(QtGui.QPainter.Antialiasing)
    clip = QtGui.QPainterPath()
    clip.addRoundedRect(rect, rect.height() / 2, rect.height() / 2)
    painter.setClipPath(clip)
    painter.fillRect(rect, theme.color("sunken"))
    ks = [k for k, _ in shares if k != OTHER]
    x = rect.left()
    for k, share in shares:
        width = share * rect.width()
        if k == OTHER:
            color = theme.color("border")
        else:
            rank = ks.index(k) / max(len(ks) - 1, 1) if len(ks) > 1 else 0.75
            color = blend(theme.color("panel"), theme.color("accent"), 0.30 + 0.70 * rank)
        painter.fillRect(QtCore.QRectF(x, rect.top(), max(width - 1.0, 0.5), rect.height()), color)
        x += width
    painter.restore()


def paint_lock(painter: QtGui.QPainter, rect: QtCore.QRectF, color: QtGui.QColor) -> None:
    """Paint a closed padlock that fills `rect`."""
    painter.save()
    painter.setRenderHint(QtGui.QPainter.Antialiasing)
    body = QtCore.QRectF(rect.left(), rect.top() + 0.45 * rect.height(), rect.width(), 0.55 * rect.height())
    paint_plate(painter, body, color, 1.5)
    painter.setBrush(QtCore.Qt.NoBrush)
    painter.setPen(QtGui.QPen(color, max(1.2, 0.14 * rect.width())))
    shackle = QtCore.QRectF(
        rect.left() + 0.2 * rect.width(),
        rect.top() + 0.04 * rect.height(),
        0.6 * rect.width(),
        0.8 * rect.height(),
    )
    painter.drawArc(shackle, 0, 180 * 16)
    painter.restore()


def paint_dot(
    painter: QtGui.QPainter, centre: QtCore.QPointF, color: QtGui.QColor, radius: float = 4.5
) -> None:
    """Paint a dot, such as that which carries a unit's colour."""
    painter.setPen(QtCore.Qt.NoPen)
    painter.setBrush(color)
    painter.drawEllipse(centre, radius, radius)


def set_ink(
    painter: QtGui.QPainter, color: QtGui.QColor, px: int, *, bold: bool = False, medium: bool = False
) -> None:
    """Write in a colour and a font from now on."""
    painter.setPen(color)
    painter.setFont(font(px, bold=bold, medium=medium))


def paint_plate(
    painter: QtGui.QPainter,
    rect: QtCore.QRectF,
    fill: QtGui.QColor | QtGui.QGradient | QtCore.Qt.BrushStyle,
    corner: float,
    border: QtGui.QPen | QtCore.Qt.PenStyle = QtCore.Qt.NoPen,
) -> None:
    """Paint a rectangle with round corners."""
    painter.setPen(border)
    painter.setBrush(fill)
    painter.drawRoundedRect(rect, corner, corner)


def paint_scale(painter: QtGui.QPainter, bar: QtCore.QRectF, colors: Sequence[QtGui.QColor]) -> None:
    """Paint a bar whose colours go over from one to the next, at equal distances."""
    gradient = QtGui.QLinearGradient(bar.topLeft(), bar.topRight())
    for step, color in enumerate(colors):
        gradient.setColorAt(step / (len(colors) - 1), color)
    paint_plate(painter, bar, gradient, 3)


def round_pen(color: QtGui.QColor, width: float) -> QtGui.QPen:
    """Pen of lines whose ends and corners are round."""
    return QtGui.QPen(color, width, QtCore.Qt.SolidLine, QtCore.Qt.RoundCap, QtCore.Qt.RoundJoin)


def paint_curve(
    painter: QtGui.QPainter,
    x: NDArray[np.floating],
    y: NDArray[np.floating],
    color: QtGui.QColor,
    *,
    width: float = 1.8,
) -> None:
    """Paint a line through points (n,), (n,) in pixels."""
    line = QtGui.QPolygonF([QtCore.QPointF(float(a), float(b)) for a, b in zip(x, y, strict=True)])
    painter.setPen(round_pen(color, width))
    painter.setBrush(QtCore.Qt.NoBrush)
    painter.drawPolyline(line)


def elided(painter: QtGui.QPainter, text: str, width: float) -> str:
    """`text`, cut with an ellipsis to fit `width` pixels in the painter's font."""
    metrics = painter.fontMetrics()
    if metrics.horizontalAdvance(text) <= width:  # Qt would cut what just fits
        return text
    return metrics.elidedText(text, QtCore.Qt.ElideRight, int(width))


def fitting(painter: QtGui.QPainter, text: str, width: float) -> str:
    """`text` whole, else only its numbers, else cut."""
    advance = painter.fontMetrics().horizontalAdvance
    if advance(text) <= width:
        return text
    number = " ".join(word for word in text.split(" ") if any(c.isdigit() for c in word))
    return number if number and advance(number) <= width else elided(painter, text, width)


def wrapped(painter: QtGui.QPainter, text: str, width: float, *, n_lines: int) -> list[str]:
    """`text` in at most `n_lines` lines of `width` pixels, broken between words, the last one cut to fit."""
    advance = painter.fontMetrics().horizontalAdvance
    words, lines = text.split(" "), [""]
    for number, word in enumerate(words):
        longer = f"{lines[-1]} {word}".strip()
        if advance(longer) <= width or not lines[-1]:
            lines[-1] = longer
        elif len(lines) < n_lines:
            lines.append(word)
        else:
            lines[-1] = " ".join([lines[-1], *words[number:]])
            break
    return [*lines[:-1], elided(painter, lines[-1], width)]


def whole_parts(painter: QtGui.QPainter, text: str, width: float, *, n_lines: int) -> list[str]:
    """`text` in at most `n_lines` lines: all of it, else the parts of ``a, b, c`` that fit, and that there is
    more.
    """
    ends = [*(at.start() for at in re.finditer("[,;] ", text)), len(text)]
    choice = [text, *(f"{text[:end]}, and more" for end in reversed(ends[:-1])), text[: ends[0]]]
    for words in choice:
        if _fits(painter, words, width, n_lines):
            return wrapped(painter, words, width, n_lines=n_lines)
    return wrapped(painter, choice[-1], width, n_lines=n_lines)


def _fits(painter: QtGui.QPainter, text: str, width: float, n_lines: int) -> bool:
    lines = wrapped(painter, text, width, n_lines=n_lines)
    return "".join(lines).replace(" ", "") == text.replace(" ", "")
