"""Where each part of a card is painted, and in which colour: a card has a margin of 13.5 px at the left."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui

from ncpgui.app.model.colors import Color
from ncpgui.app.presenters.card import Card, CardUnit
from ncpgui.app.presenters.card_change import CardChange
from ncpgui.gui.items.alternative_cards import CardWidget, OtherCard
from ncpgui.gui.items.card_pictures import has_room, paint_shapes
from ncpgui.gui.theme import LIGHT
from tests.gui.told_painting import advance, number, told, told_of

THIN = "\u2009"
MEAN = np.array([[0, 0], [-10, -5], [5, 0], [0, 0]], np.float32)
"""Of two contacts; the first is the larger one."""
UNITS = (
    CardUnit("7", Color(0), 30, 1.0, True, MEAN),
    CardUnit("new", Color(1), 15, 0.5, False, -MEAN / 2),
)
CARD = Card(0, 0.7, 0.03, "splits 22 in 2", UNITS, 5, False, False)
CONTACTS = np.array([[0.0, 0.0], [0.0, 30.0]])
CHANGE = CardChange(("7", "8"), (np.array([1]), np.array([2])), joins=True)


def found(*counts: int) -> Any:
    """Pairs in bins of 10 ms from -20 to 20 ms: three within 2 ms, where 9.5 are expected."""
    pairs = np.zeros((2, 2, 4), np.int64)
    pairs[0, 1] = counts
    close, expected = np.array([[0, 3], [3, 0]]), np.array([[0, 9.5], [9.5, 0]])
    return SimpleNamespace(
        counts=pairs, edges_ms=np.array([-20.0, -10, 0, 10, 20]), close=close, expected=expected
    )


@pytest.fixture
def card(qtbot) -> CardWidget:
    widget = CardWidget(CARD, 10.0, LIGHT)
    qtbot.addWidget(widget)
    widget.resize(264, 200)
    return widget


def test_a_card_has_its_probability_its_key_its_words_and_a_curve_and_a_share_for_each_unit(card) -> None:
    """Curves: from 75.5, above them words, to 173.5; zero at 34 % of that; 10 sd are 68 % of it."""
    beside = 13.5 + advance(f"70{THIN}%", 27, bold=True) + 6
    title = advance("2 units", 13, medium=True)
    assert told_of(card) == [
        "plate 1.5,1.5 261x197 round 9 sunken, line border 1",
        f'text "70{THIN}%" left middle 12.5,5.5 238x34 text 27 bold',
        f'text "± 3" left middle {number(beside)},16.5 {number(229.5 - beside)}x18 muted 11',
        "plate 233.5,8.5 20x20 round 5 panel, line border 1",
        'text "1" centre middle 233.5,8.5 20x20 muted 11',
        'text "2 units" left middle 13.5,37.5 238x17 text 13 medium',
        f'text "" left middle {number(21.5 + title)},37.5 {number(230 - title)}x17 muted 12',
        'text "splits 22 in 2" left middle 13.5,54.5 238x17 muted 12',
        "plate 13.5,176.5 112x3 round 1.5 border, no line",
        "plate 13.5,176.5 112x3 round 1.5 unit 0, no line",
        'text "7" left middle 13.5,179.5 112x13 text 10 bold',
        "curve 13.5,108.82 50.83,173.5 88.17,75.5 125.5,108.82 unit 0 1.8",
        "plate 130.5,176.5 112x3 round 1.5 border, no line",
        "plate 130.5,176.5 56x3 round 1.5 unit 1, no line",
        'text "new" left middle 130.5,179.5 112x13 muted 10',
        "curve 130.5,108.82 167.83,75.5 205.17,125.48 242.5,108.82 unit 1 1.8",
    ]


def test_the_card_in_use_has_a_pill_that_its_words_leave_room_for_and_what_is_on_screen_the_accent(
    card,
) -> None:
    card.set_card(Card(None, 0.25, 0.02, "", (), 3, True, True, given="given 7"), 10.0, LIGHT)
    beside = 13.5 + advance(f"25{THIN}%", 27, bold=True) + 6
    pill, title = advance("in use", 11, medium=True) + 14, advance("0 units", 13, medium=True)
    assert told_of(card) == [
        "plate 1.5,1.5 261x197 round 9 accent_soft, line accent 2",
        f'text "25{THIN}%" left middle 12.5,5.5 238x34 accent 27 bold',
        f'text "± 2" left middle {number(beside)},16.5 {number(251.5 - beside)}x18 muted 11',
        f"plate {number(253.5 - pill)},36.5 {pill}x20 round 10 #dbede5, no line",
        f'text "in use" centre middle {number(253.5 - pill)},36.5 {pill}x20 good 11 medium',
        'text "0 units" left middle 13.5,37.5 180x17 text 13 medium',
        f'text "given 7" left middle {number(21.5 + title)},37.5 {number(172 - title)}x17 muted 12',
        'text "as the units are now, 3 unassigned" left middle 13.5,54.5 238x17 muted 12',
    ]


def test_under_the_pointer_a_card_lights_up(card, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card, "underMouse", lambda: True)
    assert told_of(card)[0] == "plate 1.5,1.5 261x197 round 9 hover, line faint 1"


def test_what_speaks_for_a_card_is_a_line_of_its_own_before_what_it_changes(card) -> None:
    card.set_card(replace(CARD, evidence={"waveforms": 0.5, "times": 0.7}), 10.0, LIGHT)
    assert told_of(card)[7:9] == [
        'text "all spikes speak for it" left middle 13.5,54.5 238x17 muted 12',
        'text "splits 22 in 2" left middle 13.5,71.5 238x17 muted 12',
    ]


@pytest.mark.parametrize(("height", "n_lines"), [(128, 1), (144, 1), (145, 2), (161, 2), (162, 3), (340, 3)])
def test_a_higher_card_has_more_lines_of_words_three_at_most(card, height: int, n_lines: int) -> None:
    """Below 71.5 px, where what speaks for it ends, and above 39.5 px for the units; a line has 17 px."""
    words = " ".join(["moves spikes of one unit to another and"] * 9)
    card.set_card(replace(CARD, words=words, evidence={"waveforms": 0.5, "times": 0.7}), 10.0, LIGHT)
    card.resize(264, height)
    lines = [line for line in told_of(card) if line.endswith("238x17 muted 12")][1:]
    assert [line.split()[-4] for line in lines] == [f"13.5,{71.5 + 17 * n}" for n in range(n_lines)]


def test_a_high_card_shows_units_at_their_contacts_and_beside_them_the_change(card) -> None:
    """113 px each, 12 px between them. The two contacts are a pitch of the largest mean apart.

    Bars: 200 px are the ten pairs of the highest bin; the band of 4 ms of 40 is 11.3 px wide.
    """
    card.set_card(replace(CARD, change=CHANGE), 10.0, LIGHT)
    card.resize(264, 340)
    card.set_pictures(CONTACTS, None)
    waiting = told_of(card)
    assert waiting[8:10] == [
        'text "7 × 8" centre middle 138.5,77.5 113x13 muted 10',
        'text "computing …" centre middle 138.5,92.5 113x200 muted 10',
    ]
    card.set_pictures(CONTACTS, found(1, 4, 2, 10))
    pictures = told_of(card)[8:]
    assert pictures[:9] == [
        'text "7 × 8" centre middle 138.5,77.5 113x13 muted 10',
        "fill 189.35,92.5 11.3x200 bad/30",
        "fill 138.5,272.5 28.25x20 muted",
        "fill 166.75,212.5 28.25x80 muted",
        "fill 195,252.5 28.25x40 muted",
        "fill 223.25,92.5 28.25x200 muted",
        "line 138.5,292.5 to 251.5,292.5 muted 1",
        'text "−20" left middle 138.5,293.5 113x13 muted 10',
        f'text "20{THIN}ms" right middle 138.5,293.5 113x13 muted 10',
    ]
    curves = [line for line in pictures if line.startswith("curve")]
    assert curves == [line for line in waiting if line.startswith("curve")]
    assert [line.split()[-3:] for line in curves] == [["unit", "0", "1.3"]] * 2 + [["unit", "1", "1.3"]] * 2
    assert [line for line in pictures if line.startswith("plate")] == [
        "plate 13.5,316.5 114x3 round 1.5 border, no line",
        "plate 13.5,316.5 114x3 round 1.5 unit 0, no line",
        "plate 132.5,316.5 114x3 round 1.5 border, no line",
        "plate 132.5,316.5 57x3 round 1.5 unit 1, no line",
    ]


def test_a_few_pairs_do_not_fill_a_correlogram(card) -> None:
    """The highest bin has eight pairs at least: one pair is an eighth of the 200 px."""
    card.set_card(replace(CARD, change=CHANGE), 10.0, LIGHT)
    card.resize(264, 340)
    card.set_pictures(CONTACTS, found(1, 0, 0, 0))
    assert "fill 138.5,267.5 28.25x25 muted" in told_of(card)


@pytest.mark.parametrize(
    ("width", "height", "fits"), [(210, 72, True), (209, 72, False), (210, 71, False), (300, 90, True)]
)
def test_pictures_need_some_room(width: int, height: int, fits: bool) -> None:
    assert has_room(QtCore.QRectF(5, 5, width, height)) is fits


def test_of_many_contacts_those_with_the_seven_largest_waveforms_are_painted(qapp) -> None:
    """In a row 10 µm apart, ten contacts of which the first three are the smallest."""
    mean = np.zeros((3, 10), np.float32)
    mean[1] = -np.array([1, 2, 3, 14, 13, 12, 11, 10, 9, 8])
    units = [CardUnit("1", Color(2), 4, 1.0, False, mean), CardUnit("2", Color(3), 4, 1.0, False, None)]
    positions = np.column_stack([10.0 * np.arange(10), np.zeros(10)])

    def paint(painter: QtGui.QPainter) -> None:
        paint_shapes(painter, QtCore.QRectF(0, 0, 300, 100), units, positions, LIGHT)

    lines = told(paint)
    troughs = [float(line.split()[2].split(",")[1]) for line in lines]
    zeros = {line.split()[1].split(",")[1] for line in lines}
    assert len(lines) == 7
    assert len(zeros) == 1
    down = np.array(troughs) - float(zeros.pop())
    assert down / down[0] == pytest.approx(np.array([14, 13, 12, 11, 10, 9, 8]) / 14, abs=0.01)


def test_what_the_cards_leave_over_has_its_mass_in_the_middle_and_whether_it_is_open(qtbot) -> None:
    other = OtherCard()
    qtbot.addWidget(other)
    other.resize(78, 200)
    other.set_mass(0.05)
    lines = [
        "plate 1.5,1.5 75x197 round 9 nothing, line border 1.2 dashed",
        f'text "5{THIN}%" centre middle 0,74 78x28 muted 20 bold',
        'text "other" centre middle 0,104 78x18 muted 12',
        'text "open" centre middle 0,122 78x16 accent 11',
    ]
    assert told_of(other) == lines
    assert "shows the most probable of them" in other.toolTip()
    other.set_mass(0.05, is_open=True, sampler="beam")
    assert told_of(other) == [*lines[:3], lines[3].replace("open", "close")]
    assert other.toolTip().startswith(f"5{THIN}% of the beam belongs to")
    assert "puts their cards away" in other.toolTip()


@pytest.mark.parametrize(
    ("mass", "is_open", "shown"), [(0.005, False, True), (0.0049, False, False), (0, True, True)]
)
def test_half_a_percent_is_worth_a_card_and_so_are_open_ones(
    qtbot, mass: float, is_open: bool, shown
) -> None:
    other = OtherCard()
    qtbot.addWidget(other)
    other.set_mass(mass, is_open=is_open)
    assert other.isVisible() is shown


@pytest.mark.parametrize(("height", "width"), [(128, 264), (155, 264), (156, 265), (200, 340)])
def test_a_card_is_at_most_as_wide_as_its_height_allows(card, height: int, width: int) -> None:
    card.resize(200, height)
    QtCore.QCoreApplication.sendEvent(card, QtGui.QResizeEvent(card.size(), QtCore.QSize()))
    assert card.maximumWidth() == width
    assert (card.minimumWidth(), card.minimumHeight(), card.maximumHeight()) == (158, 128, 340)


def test_only_the_left_button_clicks(card, qtbot) -> None:
    clicked: list[object] = []
    card.clicked.connect(clicked.append)
    card.double_clicked.connect(lambda index: clicked.append(("twice", index)))
    qtbot.mouseClick(card, QtCore.Qt.RightButton)
    qtbot.mouseDClick(card, QtCore.Qt.RightButton)
    assert clicked == []
    qtbot.mouseClick(card, QtCore.Qt.LeftButton)
    assert clicked == [0]
