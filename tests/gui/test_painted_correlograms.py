"""The grid of correlograms as it is painted: of 400 x 218 px, a cell has 190 x 95, the axis 18."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui

from ncpgui.app.model.colors import Color
from ncpgui.app.presenters.correlograms import CorrelogramsView
from ncpgui.gui.items.correlogram_grid import CorrelogramGrid
from ncpgui.gui.theme import LIGHT, font
from tests.gui.told_painting import advance, number, told_of

THIN = "\u2009"
COUNTS = np.array([[[0, 8, 0, 4, 2], [1, 2, 16, 0, 0]], [[0, 0, 16, 2, 1], [1, 0, 0, 0, 0]]])
FOUND: Any = SimpleNamespace(
    counts=COUNTS,
    edges_ms=np.array([-5.0, -3, -1, 1, 3, 5]),
    intervals=np.array([[3, 1, 0, 0], [10, 0, 0, 5]]),
    interval_edges_ms=np.array([0.0, 5, 10, 15, 20]),
    close=np.array([[1, 3], [3, 0]]),
    expected=np.array([[0.4, 9.5], [9.5, 0]]),
)
VIEW = CorrelogramsView(("7", "8"), (Color(0), Color(1)), (7, None), (True, False), FOUND)


@pytest.fixture
def grid(qtbot) -> CorrelogramGrid:
    made = CorrelogramGrid()
    qtbot.addWidget(made)
    made.set_view(VIEW, LIGHT)
    made.resize(400, 218)
    return made


def beside_name(name: str) -> float:
    """Where the name of a unit in its cell ends, with what is free beside it."""
    return QtGui.QFontMetricsF(font(12, bold=True)).horizontalAdvance(f"{name}   ")


def test_a_cell_has_its_bars_the_band_of_two_ms_its_highest_count_and_its_words(grid) -> None:
    """Bars begin 20 px below the top: 75 px for the highest bin, or for eight spikes where it has fewer.

    2 of 5 ms on either side are 76 of 190 px.
    """
    name, eight, sixteen = beside_name("7"), advance("8  ", 10), advance("16  ", 10)
    assert told_of(grid)[:12] == [
        "fill 62,22.5 76x75 bad/26",
        "path 5,97.5 5,97.5 43,97.5 43,22.5 81,22.5 81,97.5 119,97.5 119,60 157,60 157,78.75 195,78.75 "
        "195,97.5 unit 0, no line",
        "line 5,97.5 to 195,97.5 accent 2",
        f'text "8" right top {number(5 + name)},2.5 {number(187 - name)}x95 muted 10',
        f'text "1 within 2 ms, 0.4 expected" left top {number(5 + name)},2.5 '
        f"{number(187 - name - eight)}x95 muted 10",
        "fill 262,22.5 76x75 bad/26",
        "path 205,97.5 205,92.81 243,92.81 243,88.12 281,88.12 281,22.5 319,22.5 319,97.5 357,97.5 "
        "357,97.5 395,97.5 395,97.5 faint, no line",
        "line 205,97.5 to 395,97.5 border 1",
        'text "16" right top 205,2.5 187x95 muted 10',
        f'text "" left top 205,2.5 {187 - sixteen}x95 muted 10',
        'text "7" left top 5,2.5 190x95 unit 0 12 bold',
        'text "between 7 and 8:\n3 within 2 ms, 10 expected" centre middle 5,102.5 190x95 muted 10',
    ]


def test_below_each_column_is_the_time_axis(grid) -> None:
    first = [
        'text "−5" left top 5,200 190x18 muted 10',
        'text "0" centre top 5,200 190x18 muted 10',
        f'text "5{THIN}ms" right top 5,200 190x18 muted 10',
    ]
    assert told_of(grid)[-6:] == [*first, *(line.replace(" 5,200", " 205,200") for line in first)]
    grid.resize(240, 218)
    assert [line for line in told_of(grid) if '"0" centre' in line] == [], (
        "114 px have no room for the middle"
    )


def test_a_single_unit_has_the_whole_grid(grid) -> None:
    """200 of 218 px are above the axis; a twentieth of either side is free."""
    grid.set_view(CorrelogramsView(("7",), (Color(0),), (7,), (False,), FOUND), LIGHT)
    assert grid.cell_rect(0, 0) == QtCore.QRectF(10, 5, 380, 190)
    assert grid.unit_at(QtCore.QPointF(399, 199)) == 0


def test_intervals_begin_at_nought_where_the_band_is_half_as_wide(grid) -> None:
    """2 of 20 ms are 19 of 190 px; three of eight spikes are 28.125 of 75 px high."""
    before = told_of(grid)
    grid.show_intervals(True)
    after = told_of(grid)
    assert after[:2] == [
        "fill 5,22.5 19x75 bad/26",
        "path 5,97.5 5,69.38 52.5,69.38 52.5,88.12 100,88.12 100,97.5 147.5,97.5 147.5,97.5 195,97.5 "
        "195,97.5 unit 0, no line",
    ]
    assert after[3].startswith('text "3" right top')
    assert after[5:10] == before[5:10], "a pair has no intervals"
    assert [line.split('"')[1] for line in after if "top 5,200" in line] == ["−5", "0", f"5{THIN}ms"]
    one = CorrelogramsView(("7",), (Color(0),), (7,), (False,), FOUND)
    grid.set_view(one, LIGHT)
    assert [line.split('"')[1] for line in told_of(grid)[-3:]] == ["0", "10", f"20{THIN}ms"]
    grid.show_intervals(False)
    assert [line.split('"')[1] for line in told_of(grid)[-3:]] == ["−5", "0", f"5{THIN}ms"]


def test_small_cells_are_bars_alone_with_the_name_beside_them_and_one_time_axis(grid) -> None:
    """Of 120 x 98 px a cell has 57 x 38: bars fill it. The name of the first has no room at its left."""
    grid.resize(120, 98)
    assert not grid.has_words
    lines = told_of(grid)
    width = QtGui.QFontMetricsF(font(12, bold=True)).horizontalAdvance("7") + 4
    assert lines[0] == "fill 18.6,1 22.8x38 bad/26"
    assert lines[6:8] == [
        f"fill 0,1 {number(width)}x38 panel/200",
        f'text "7" centre middle 0,1 {number(width)}x38 unit 0 12 bold',
    ]
    assert lines[-3:] == [
        f"fill {number(60.5 - width)},41 {number(width)}x38 panel/200",
        f'text "8" centre middle {number(60.5 - width)},41 {number(width)}x38 unit 1 12 bold',
        'text "each −5 to 5' + THIN + 'ms" left top 1.5,80 118.5x18 muted 10',
    ]


@pytest.mark.parametrize(
    ("width", "height", "has_words"), [(72, 106, True), (71, 106, False), (72, 105, False)]
)
def test_words_need_cells_of_36_by_44_px(grid, width: int, height: int, has_words: bool) -> None:
    grid.setMinimumSize(0, 0)
    grid.resize(width, height)
    assert grid.has_words is has_words


def test_a_place_is_of_a_cell_of_the_axis_or_of_none(grid) -> None:
    def at(x: float, y: float) -> tuple[int, int] | None:
        return grid.cell_at(QtCore.QPointF(x, y))

    assert at(0, 0) == (0, 0)
    assert at(199, 99) == (0, 0)
    assert at(200, 99) == (0, 1)
    assert at(399, 199) == (1, 1)
    assert at(0, 200) is at(400, 0) is at(-1, 0) is at(0, -1) is None
    assert [grid.unit_at(QtCore.QPointF(x, y)) for x, y in ((10, 10), (10, 110), (210, 110))] == [0, -1, 1]
    assert grid.tooltip_at(QtCore.QPointF(5, 205)).startswith("Time from a spike to the other one, ms")
    assert grid.tooltip_at(QtCore.QPointF(5, 105)) == grid.tooltip_at(QtCore.QPointF(205, 5))
    assert "Spikes of unit 8 around those of unit 7" in grid.tooltip_at(QtCore.QPointF(205, 5))
    grid.set_view(CorrelogramsView(), LIGHT)
    assert at(10, 10) is None
    assert grid.tooltip_at(QtCore.QPointF(5, 205)) == ""
    assert told_of(grid) == []


def test_words_of_a_pair_become_fewer_where_there_is_less_room(grid) -> None:
    def words(width: float, height: float) -> str:
        return grid.words_of_pair(1, 0, QtCore.QRectF(0, 0, width, height))

    line = QtGui.QFontMetrics(font(10)).height()
    long = advance("3 within 2 ms, 10 expected", 10) + 3
    short = max(advance(one, 10) for one in ("3 within 2 ms", "10 expected")) + 3
    assert words(long, 2 * line) == "between 7 and 8:\n3 within 2 ms, 10 expected"
    assert words(long, 2 * line - 1) == "3 within 2 ms, 10 expected"
    assert words(long - 1, 2 * line) == words(short, 2 * line) == "3 within 2 ms\n10 expected"
    assert words(short - 1, 2 * line) == words(short, 2 * line - 1) == "3"
