"""Marks painted by hand: the bar of numbers of units has a piece for each, darker for more units."""

from __future__ import annotations

from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.queue import OTHER
from ncpgui.gui.items.glyphs import paint_shares
from ncpgui.gui.theme import LIGHT, blend


def painted(qapp, *shares: tuple[int, float]) -> list[str]:
    """Colours along the middle of a bar of 200 pixels."""
    image = QtGui.QImage(200, 9, QtGui.QImage.Format_RGB32)
    painter = QtGui.QPainter(image)
    paint_shares(painter, QtCore.QRectF(0, 0, 200, 9), shares, LIGHT)
    painter.end()
    return [image.pixelColor(x, 4).name() for x in range(200)]


def between(share: float) -> str:
    return blend(LIGHT.color("panel"), LIGHT.color("accent"), share).name()


def test_pieces_are_as_wide_as_they_are_probable_and_darker_for_more_units(qapp) -> None:
    colors = painted(qapp, (1, 0.25), (3, 0.5), (OTHER, 0.25))
    assert set(colors[6:48]) == {between(0.3)}
    assert set(colors[52:148]) == {between(1.0)}
    assert set(colors[152:194]) == {LIGHT.color("border").name()}


def test_three_numbers_have_three_shades_and_one_alone_a_dark_one(qapp) -> None:
    colors = painted(qapp, (1, 0.25), (2, 0.25), (3, 0.25))
    assert [colors[x] for x in (25, 75, 125)] == [between(0.3), between(0.65), between(1.0)]
    assert colors[175] == LIGHT.color("sunken").name()
    assert painted(qapp, (2, 1.0))[100] == between(0.825)
