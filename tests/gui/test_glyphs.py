"""Marks painted by hand: the bar of numbers of units has a piece for each, darker for more units."""

from __future__ import annotations

import pytest
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.queue import OTHER
from ncpgui.gui.items.card_pictures import has_room
from ncpgui.gui.items.correlogram_grid import WORDS_PX, _fits
from ncpgui.gui.items.glyphs import elided, fitting, paint_shares, whole_parts, wrapped
from ncpgui.gui.theme import LIGHT, blend, font


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


WORDS = "splits 22 in 2, moves 26 spikes 23 → 22, moves 6 more; 13 and 15 stay as accepted"


@pytest.mark.parametrize(
    ("room", "n_lines", "lines"),
    [
        (WORDS, 1, [WORDS]),
        ("splits 22 in 2, moves 26 spikes 23 → 22, moves", 1, ["splits 22 in 2, and more"]),
        ("splits 22 in 2, moves 26 spikes 23", 1, ["splits 22 in 2, and more"]),
        ("splits 22 in 2, a", 1, ["splits 22 in 2"]),
        ("splits 22 in 2", 1, ["splits 22 in 2"]),
        ("splits 22 in 2, moves 26", 2, ["splits 22 in 2, and more"]),
    ],
)
def test_words_that_do_not_fit_lose_whole_parts_and_say_so(
    qapp, room: str, n_lines: int, lines: list[str]
) -> None:
    image = QtGui.QImage(10, 10, QtGui.QImage.Format_RGB32)
    painter = QtGui.QPainter(image)
    painter.setFont(font(12))
    width = painter.fontMetrics().horizontalAdvance(room) + 2
    found = whole_parts(painter, WORDS, width, n_lines=n_lines)
    painter.end()
    assert found == lines


@pytest.fixture
def painter(qapp):
    image = QtGui.QImage(9, 9, QtGui.QImage.Format_RGB32)
    painter = QtGui.QPainter(image)
    painter.setFont(font())
    yield painter
    painter.end()


def test_what_just_fits_is_whole_and_a_pixel_less_cuts_it(painter) -> None:
    words, advance = "one 23 two", painter.fontMetrics().horizontalAdvance
    width = advance(words)
    assert elided(painter, words, width) == fitting(painter, words, width) == words
    assert elided(painter, words, width - 1).endswith("…")
    assert fitting(painter, words, width - 1) == "23", "its number alone"
    assert fitting(painter, words, advance("23")) == "23"
    assert fitting(painter, words, advance("23") - 1) != "23"
    assert fitting(painter, "no number", 30).endswith("…")


def test_words_are_broken_into_lines_as_wide_as_there_is_room(painter) -> None:
    advance = painter.fontMetrics().horizontalAdvance
    words, width = "first second third", advance("first second")
    assert wrapped(painter, words, width, n_lines=2) == ["first second", "third"]
    assert wrapped(painter, words, width - 1, n_lines=3) == ["first", "second", "third"]
    assert wrapped(painter, words, width, n_lines=1)[0].endswith("…")
    assert wrapped(painter, "averylongword", advance("avery"), n_lines=2)[0].endswith("…")


def test_words_in_a_cell_have_three_pixels_beside_them(qapp) -> None:
    metrics = QtGui.QFontMetrics(font(WORDS_PX))
    width, height = metrics.horizontalAdvance("3 within 2 ms") + 3, metrics.height()
    words = "3 within 2 ms\n1 chance"
    assert _fits(words, QtCore.QRectF(0, 0, width, 2 * height))
    assert not _fits(words, QtCore.QRectF(0, 0, width - 1, 2 * height))
    assert not _fits(words, QtCore.QRectF(0, 0, width, 2 * height - 1))


def test_pictures_of_a_card_need_210_by_72_pixels() -> None:
    sizes = [(210, 72), (209.5, 72), (210, 71.5), (400, 300)]
    assert [has_room(QtCore.QRectF(5, 5, *size)) for size in sizes] == [True, False, False, True]
