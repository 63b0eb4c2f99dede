"""Rows that are painted by hand, line by line: the queue, the palette, the unit table; and the traces."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyqtgraph as pg
import pytest
from PyQt5 import QtCore, QtGui, QtWidgets
from PyQt5.QtCore import QPointF, QRectF

from ncpgui.app.model.colors import Color
from ncpgui.app.model.component_status import SAMPLED, ComponentStatus
from ncpgui.app.palette import Entry
from ncpgui.app.presenters.queue import OTHER, QueueRow
from ncpgui.app.presenters.traces import Snippet, TracesView
from ncpgui.gui.items import unit_rows
from ncpgui.gui.items.unit_rows import NUMBERS, UnitDelegate, UnitHeader, UnitTableModel
from ncpgui.gui.palette import EntryDelegate
from ncpgui.gui.panels import similar_units
from ncpgui.gui.panels.queue import QueueDelegate
from ncpgui.gui.panels.traces import TracesPlot
from ncpgui.gui.theme import LIGHT, blend
from tests.gui.told_painting import advance, number, told

PLAIN = QtWidgets.QStyle.State_None
ROOM = QRectF(0, 1, 218, 44)


@pytest.fixture
def view(qtbot) -> Any:
    """What rows are painted in: it has a theme."""
    made: Any = QtWidgets.QWidget()
    qtbot.addWidget(made)
    made.theme = LIGHT
    return made


# -- the queue -----------------------------------------------------------------------------------

QUESTION = QueueRow(0, 4, ("7", "8"), 120, SAMPLED, ((1, 0.25), (2, 0.5), (OTHER, 0.25)), 0.5, True)


def queue_row(view: Any, row: QueueRow, state: Any = PLAIN) -> list[str]:
    return told(lambda painter: QueueDelegate(view).paint_row(painter, ROOM, row, state))


def test_a_question_has_its_sign_its_units_how_many_they_may_be_its_place_and_the_shares(view) -> None:
    """The bar ends 10 px before the place of the question: 180 px are from 29 to 209."""
    heat, pale = LIGHT.heat(0.5), blend(LIGHT.color("panel"), LIGHT.color("accent"), 0.3).name()
    ring = blend(heat, LIGHT.color("text"), 0.25).name()
    left = 29 + advance("Units 7, 8", 13, medium=True) + 8
    bar = 170 - advance("ch 4 · 120 spikes", 11)
    pieces = [
        f"clip 29,30.5 {bar}x6",
        f"fill 29,30.5 {bar}x6 sunken",
        f"fill 29,30.5 {number(bar / 4 - 1)}x6 {pale}",
        f"fill {number(29 + bar / 4)},30.5 {number(bar / 2 - 1)}x6 accent",
        f"fill {number(29 + 3 * bar / 4)},30.5 {number(bar / 4 - 1)}x6 border",
    ]
    assert queue_row(view, QUESTION) == [
        "plate 0,1 218x44 round 7 accent_soft, no line",
        f"ellipse 9,9.5 12x12 {heat.name()}, line {ring} 1",
        'text "Units 7, 8" left middle 29,6 180x19 text 13 medium',
        f'text "1–2 units" right middle {left},6 {209 - left}x19 muted 11',
        'text "ch 4 · 120 spikes" right middle 29,27 180x13 faint 11',
        *pieces,
    ]
    hovered = queue_row(view, replace(QUESTION, is_current=False), QtWidgets.QStyle.State_MouseOver)
    assert hovered[0] == "plate 0,1 218x44 round 7 hover, no line"
    assert queue_row(view, replace(QUESTION, is_current=False))[0].startswith("ellipse")
    sampling = ComponentStatus("sampling", 0.25)
    assert queue_row(view, replace(QUESTION, status=sampling))[-2:] == [
        f"plate 29,30.5 {bar}x6 round 3 border, no line",
        f"plate 29,30.5 {number(bar / 4)}x6 round 3 accent, no line",
    ]
    assert queue_row(view, replace(QUESTION, p_units=()))[-1].startswith("text"), "without draws, no bar"


@pytest.mark.parametrize(
    ("state", "name", "caption"),
    [("sampled", "text", "muted"), ("waiting", "muted", "muted"), ("failed", "muted", "bad")],
)
def test_what_waits_is_quiet_and_what_failed_is_red(view, state: Any, name: str, caption: str) -> None:
    words = [
        line for line in queue_row(view, replace(QUESTION, status=ComponentStatus(state))) if "text" in line
    ]
    assert words[0].endswith(f"{name} 13 medium")
    assert words[1].endswith(f"{caption} 11")


def test_many_units_leave_room_for_how_many_they_are_and_the_longest_name_is_cut(view) -> None:
    units = tuple(str(1000 + k) for k in range(9))
    words = queue_row(view, replace(QUESTION, units=units))[2]
    assert " more" in words
    fits = words.split('"')[1]
    assert advance(fits, 13, medium=True) <= 180 - 8 - 30
    one_more = f"{', '.join(units[: fits.count(',') + 2])} + {9 - fits.count(',') - 2} more"
    assert advance(one_more, 13, medium=True) > 180 - 8 - 30


# -- the palette ---------------------------------------------------------------------------------


def entry(view: Any, state: Any = PLAIN, **more: str) -> list[str]:
    made = Entry(**{"name": "Merge units", "menu": "Units", "keys": "M", "reason": ""} | more, run=print)
    delegate = EntryDelegate(view)
    return told(lambda painter: delegate.paint_row(painter, QRectF(0, 1, 400, 28), made, state))


def test_an_entry_has_its_name_its_keys_and_between_them_its_menu_or_why_it_is_not_allowed(view) -> None:
    name, keys = advance("Merge units", 13), advance("M", 13)
    assert entry(view, QtWidgets.QStyle.State_Selected) == [
        "plate 0,1 400x28 round 6 accent_soft, no line",
        'text "Merge units" left middle 10,1 380x28 text 13',
        'text "M" right middle 10,1 380x28 muted 13',
        f'text "Units" left middle {24 + name},1 {352 - name - keys}x28 faint 11',
    ]
    assert entry(view, reason="nothing is selected") == [
        'text "Merge units" left middle 10,1 380x28 faint 13',
        'text "M" right middle 10,1 380x28 faint 13',
        f'text "Nothing is selected" left middle {24 + name},1 {352 - name - keys}x28 faint 11',
    ]
    long = entry(view, name="a name that is much too long " * 4)[0].split('"')[1]
    assert long.endswith("…")
    assert advance(long, 13) <= 380 - keys - 16


# -- the unit table ------------------------------------------------------------------------------

UNIT: dict[str, Any] = {
    "id": 7, "made": "", "color": Color(0), "accepted": True, "label": "good", "is_label_given": True,
    "n_spikes": 12,
}  # fmt: skip


def cell(view: Any, column: str, state: Any = PLAIN, **more: Any) -> list[str]:
    model = UnitTableModel(view)
    model.set_rows([UNIT | more])
    option = QtWidgets.QStyleOptionViewItem()
    option.rect, option.state = QtCore.QRect(10, 20, 80, 24), state
    index = model.index(0, NUMBERS[column])
    return told(lambda painter: UnitDelegate(view, view).paint(painter, option, index))


def test_cells_have_a_dot_a_padlock_and_words_in_the_colour_of_what_they_say(view) -> None:
    """A cell of 80 x 24 px at (10, 20) has 3 px at either side; the dot takes 15."""
    assert cell(view, "id") == [
        "dot 20,32 4.5 unit 0, no line",
        'text "7" left middle 28,20 59x24 text 13 bold',
    ]
    assert cell(view, "accepted") == [
        "plate 45,30.9 10x6.6 round 1.5 good, no line",
        "arc 47,25.98 6x9.6 0+180 line good 1.4",
    ]
    assert cell(view, "accepted", accepted=False) == []
    assert cell(view, "n_spikes", QtWidgets.QStyle.State_Selected) == [
        "fill 10,20 80x24 accent_soft",
        'text "12" right middle 13,20 74x24 text 13',
    ]
    looks = {label: cell(view, "label", label=label)[0].split()[-2] for label in unit_rows.LABEL_COLORS}
    assert looks == {"good": "good", "noise": "bad", "mua": "muted", "unsorted": "faint"}
    assert cell(view, "label", is_label_given=False)[0].endswith("faint 13")


def test_the_column_that_sorts_has_an_arrow_and_stands_out(view, qtbot) -> None:
    header = UnitHeader(view, view)
    header.setModel(UnitTableModel(view))
    section = NUMBERS["n_spikes"]

    def paint() -> list[str]:
        return told(lambda painter: header.paintSection(painter, QtCore.QRect(10, 0, 80, 24), section))

    title = unit_rows.COLUMNS[section].title
    line = "line 10,23 to 89,23 border 1"
    assert paint() == [line, f'text "{title}" right middle 13,0 74x22 muted 11']
    header.setSortIndicator(section, QtCore.Qt.AscendingOrder)
    assert paint() == [
        line,
        f'text "{title}" right middle 13,0 74x22 text 11 medium',
        "polygon 46,22 54,22 50,17 text, no line",
    ]
    header.setSortIndicator(section, QtCore.Qt.DescendingOrder)
    assert paint()[2] == "polygon 46,17 54,17 50,22 text, no line"


def test_a_list_of_units_selects_rows_and_is_not_written_in(view, qtbot) -> None:
    """Rows of 24 px: a head, three of them, and a border of 2 px."""
    table = unit_rows.UnitList(UnitTableModel(view), "Units", least_width=200, least_rows=3)
    qtbot.addWidget(table)
    assert (table.minimumWidth(), table.minimumHeight()) == (200, 4 * 24 + 2)
    assert table.accessibleName() == "Units"
    assert table.selectionBehavior() == table.SelectRows
    assert table.selectionMode() == table.ExtendedSelection
    assert table.editTriggers() == table.NoEditTriggers
    assert table.verticalScrollMode() == table.horizontalScrollMode() == table.ScrollPerPixel
    assert table.focusPolicy() == QtCore.Qt.NoFocus
    assert (table.showGrid(), table.wordWrap(), table.isCornerButtonEnabled()) == (False, False, False)
    assert table.verticalHeader().isHidden()
    assert table.verticalHeader().defaultSectionSize() == 24
    chosen: list[list[int]] = []
    table.chosen.connect(chosen.append)
    table.model().set_rows([UNIT | {"id": unit} for unit in (4, 5, 6)])
    table.select_rows([0, 2])
    assert (table.selected_rows, chosen) == ([0, 2], []), "nobody is told"
    table.select_rows([])
    assert table.selected_rows == []
    table.selectRow(1)
    assert chosen == [[1]]


def test_the_dot_of_a_unit_is_on_nothing_and_the_same_where_it_is_selected(qapp) -> None:
    icon = similar_units._dot(LIGHT.unit(Color(0)), 1.0)
    size = similar_units.DOT_PX
    for mode in (QtGui.QIcon.Normal, QtGui.QIcon.Selected):
        image = icon.pixmap(QtCore.QSize(size, size), mode).toImage()
        assert image.pixelColor(size // 2, size // 2).name() == LIGHT.unit(Color(0)).name()
        assert [image.pixelColor(x, y).alpha() for x in (0, size - 1) for y in (0, size - 1)] == [0] * 4


# -- traces --------------------------------------------------------------------------------------

TRACES = np.array([[0, -20, 10, 0, 0], [0, 0, 5, 0, 0]], np.float32)
SEEN = TracesView(
    time_ms=np.array([-1.0, -0.5, 0, 0.5, 1]),
    traces=TRACES,
    contacts=(4, 9),
    snippets=(Snippet(Color(0), 0, 1, 3), Snippet(Color(1), 1, 2, 4), Snippet(Color(0), 1, 0, 1)),
    limits_ms=(-200.0, 300.0),
)


@pytest.fixture
def plot(qtbot) -> TracesPlot:
    made = TracesPlot()
    qtbot.addWidget(made)
    made.resize(300, 230)
    made.set_view(SEEN, LIGHT)
    return made


def curves(plot: TracesPlot) -> list[tuple[str, float, list[float], list[float]]]:
    """Colour, width and points of each curve."""
    items = [item for item in plot.getPlotItem().items if isinstance(item, pg.PlotCurveItem)]
    return [
        (
            item.opts["pen"].color().name(),
            item.opts["pen"].widthF(),
            *(np.round(data, 3).tolist() for data in item.getData()),
        )
        for item in items
    ]


def test_traces_lie_below_each_other_and_spikes_have_the_colour_of_their_unit(plot) -> None:
    """The largest deflection, 20 sd, is 1/0.6 of the distance of two contacts: 12 sd are 1."""
    assert plot.spacing_sd == pytest.approx(12)
    grey, first, second = curves(plot)
    assert grey == (
        LIGHT.faint.lower(), 1.0, [-1, -0.5, 0, 0.5, 1] * 2,
        [0, -1.667, 0.833, 0, 0, -1, -1, -0.583, -1, -1],
    )  # fmt: skip
    nan = float("nan")
    assert first[:2] == (LIGHT.unit(Color(0)).name(), 1.6)
    assert first[2] == pytest.approx([-0.5, 0, nan, -1, nan], nan_ok=True)
    assert first[3] == pytest.approx([-1.667, 0.833, nan, -1, nan], nan_ok=True)
    assert second[2] == pytest.approx([0, 0.5, nan], nan_ok=True)
    assert second[3] == pytest.approx([-0.583, -1, nan], nan_ok=True)
    lines = [item for item in plot.getPlotItem().items if isinstance(item, pg.InfiniteLine)]
    assert [(line.value(), line.pen.color().alpha()) for line in lines] == [(0, 110)]
    low, high = plot.getViewBox().viewRange()[1]
    span = 1 + 2 * 20 / 12
    assert (low, high) == pytest.approx((-1 - 20 / 12 - 0.02 * span, 20 / 12 + 0.02 * span))


def test_the_distance_of_contacts_stays_while_one_looks_at_the_same_place_and_small_ones_are_not_blown_up(
    plot,
) -> None:
    plot.set_view(SEEN, LIGHT, scaled_for="here")
    plot.set_view(replace(SEEN, traces=3 * TRACES), LIGHT, scaled_for="here")
    assert plot.spacing_sd == pytest.approx(12)
    plot.set_view(replace(SEEN, traces=3 * TRACES), LIGHT, scaled_for="there")
    assert plot.spacing_sd == pytest.approx(36)
    plot.set_view(replace(SEEN, traces=TRACES / 10), LIGHT)
    assert plot.spacing_sd == 8
    plot.set_view(TracesView(), LIGHT)
    assert curves(plot) == []


def test_contacts_are_named_evenly_as_far_as_names_have_room(plot) -> None:
    """13 px a name: 200 px have room for fifteen of them, of forty contacts every third has one."""

    def names() -> list[tuple[float, str]]:
        return plot.getAxis("left")._tickLevels[0]

    assert names() == [(0, "ch 4"), (-1, "ch 9")]
    for n, step in ((15, 1), (16, 2), (40, 3)):
        many = replace(SEEN, traces=np.zeros((n, 5), np.float32), contacts=(*range(n),), snippets=())
        plot.set_view(many, LIGHT)
        assert names() == [(-row, f"ch {row}") for row in range(0, n, step)]


def test_one_sees_a_second_at_most_less_of_many_contacts_and_zooms_about_the_middle(plot) -> None:
    assert plot.most_ms == 1000
    plot.show_around(40.0, 60.0)
    assert plot.seen_ms == pytest.approx((-20, 100))
    plot.zoom(0.5)
    assert plot.seen_ms == pytest.approx((10, 70))
    plot.move(0.5)
    assert plot.seen_ms == pytest.approx((40, 100))
    plot.move(-1)
    assert plot.seen_ms == pytest.approx((-20, 40))
    plot.zoom(100)
    assert plot.seen_ms == pytest.approx((-200, 300)), "no further than there are traces"
    for n, most in ((79, 1000), (160, 500), (800, 100), (2000, 100)):
        plot.view = replace(SEEN, contacts=(*range(n),))
        assert plot.most_ms == pytest.approx(most)


def test_gain_scales_the_traces_between_a_tenth_and_twenty_and_a_double_click_takes_it_back(plot) -> None:
    plot.scale(2.0)
    assert curves(plot)[0][3][1:3] == [-3.333, 1.667]
    plot.scale(1000)
    assert plot.gain == 20
    plot.set_gain(0.001)
    assert plot.gain == 0.1
    event = QtGui.QMouseEvent(
        QtCore.QEvent.MouseButtonDblClick, QPointF(5, 5), QtCore.Qt.LeftButton, QtCore.Qt.LeftButton,
        QtCore.Qt.NoModifier,
    )  # fmt: skip
    plot.show_around(40.0, 60.0)
    plot.mouseDoubleClickEvent(event)
    assert plot.gain == 1
    assert plot.seen_ms == pytest.approx((-50, 50))
