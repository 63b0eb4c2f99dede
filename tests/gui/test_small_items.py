"""Lines to write in, lists and places that scroll: which keys are theirs, and when others are told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.model.coloring import Legend
from ncpgui.app.model.colors import Color
from ncpgui.gui.buttons import Button, add_choice
from ncpgui.gui.items.color_legend import ColorLegend
from ncpgui.gui.items.command_line import CommandLine
from ncpgui.gui.items.drop_down import DropDown
from ncpgui.gui.items.filter_edit import FilterEdit
from ncpgui.gui.items.lasso_outline import lasso_pen, polygon
from ncpgui.gui.items.rows_model import RowDelegate, RowsModel
from ncpgui.gui.items.scroll_area import ScrollArea
from ncpgui.gui.theme import LIGHT
from tests.gui.told_painting import advance, number, told_of

Qt = QtCore.Qt
PLAIN, CTRL, ALT, SHIFT = Qt.NoModifier, Qt.ControlModifier, Qt.AltModifier, Qt.ShiftModifier


def keeps(widget: QtWidgets.QWidget, key: int, keys: Any = PLAIN) -> bool:
    """Whether a widget keeps a key from the actions of the window."""
    event = QtGui.QKeyEvent(QtCore.QEvent.ShortcutOverride, key, keys)
    event.ignore()
    widget.event(event)
    return event.isAccepted()


@pytest.fixture
def heard(qtbot) -> list[Any]:
    return []


def test_a_line_for_commands_has_all_keys_and_arrows_and_pages_step(qtbot, heard: list[Any]) -> None:
    line = CommandLine()
    qtbot.addWidget(line)
    line.stepped.connect(heard.append)
    line.entered.connect(lambda: heard.append("entered"))
    line.left.connect(lambda: heard.append("left"))
    assert all(keeps(line, key, keys) for key in (Qt.Key_A, Qt.Key_Return) for keys in (PLAIN, CTRL, ALT))
    for key in (Qt.Key_Up, Qt.Key_Down, Qt.Key_PageUp, Qt.Key_PageDown, Qt.Key_Return, Qt.Key_Enter):
        qtbot.keyClick(line, key)
    qtbot.keyClick(line, Qt.Key_Escape)
    assert heard == [-1, 1, -8, 8, "entered", "entered", "left"]
    qtbot.keyClicks(line, "ab")
    assert line.text() == "ab"
    for reason, told in ((Qt.PopupFocusReason, 0), (Qt.MouseFocusReason, 1)):
        heard.clear()
        line.focusOutEvent(QtGui.QFocusEvent(QtCore.QEvent.FocusOut, reason))
        assert len(heard) == told, "a menu of the line has the focus for a moment"


def test_a_filter_keeps_letters_and_the_keys_that_leave_it_and_no_commands(qtbot, heard: list[Any]) -> None:
    edit = FilterEdit("Filter", "a < b")
    qtbot.addWidget(edit)
    edit.left.connect(lambda: heard.append(edit.text()))
    assert (edit.placeholderText(), edit.accessibleName(), edit.objectName()) == (
        "Filter",
        "Filter",
        "filter",
    )
    assert edit.isClearButtonEnabled()
    assert edit.focusPolicy() == Qt.ClickFocus
    assert [keeps(edit, Qt.Key_M, keys) for keys in (PLAIN, SHIFT, ALT)] == [True, True, False]
    assert keeps(edit, Qt.Key_Escape, ALT)
    edit.setText("snr > 3")
    qtbot.keyClick(edit, Qt.Key_Return)
    qtbot.keyClick(edit, Qt.Key_Escape)
    assert heard == ["snr > 3", ""]
    edit.mark("no such column")
    assert edit.property("tone") == "bad"
    edit.mark("")
    assert edit.property("tone") == ""
    edit.setText("again")
    edit.begin()
    assert edit.selectedText() == "again"


def test_a_list_is_as_wide_as_what_it_shows_needs_and_keeps_keys_while_it_is_open(qtbot) -> None:
    choice = DropDown("Height")
    qtbot.addWidget(choice)
    assert (choice.accessibleName(), choice.focusPolicy()) == ("Height", Qt.NoFocus)
    choice.addItems(["depth", "a longer entry"])
    saved = choice.fontMetrics().horizontalAdvance("a longer entry") - choice.fontMetrics().horizontalAdvance(
        "depth"
    )
    assert choice.minimumSizeHint().width() == choice.sizeHint().width() - saved
    choice.setCurrentIndex(1)
    assert choice.minimumSizeHint() == choice.sizeHint()
    event = QtGui.QKeyEvent(QtCore.QEvent.ShortcutOverride, Qt.Key_Return, PLAIN)
    event.ignore()
    assert not choice.eventFilter(choice.view(), event)
    assert event.isAccepted()


def test_a_place_scrolls_one_way_and_never_has_the_focus(qtbot) -> None:
    for direction, across, along in (
        (Qt.Vertical, "horizontalScrollBarPolicy", "verticalScrollBarPolicy"),
        (Qt.Horizontal, "verticalScrollBarPolicy", "horizontalScrollBarPolicy"),
    ):
        content = QtWidgets.QWidget()
        area = ScrollArea(content, direction)
        qtbot.addWidget(area)
        assert getattr(area, across)() == Qt.ScrollBarAlwaysOff
        assert getattr(area, along)() == Qt.ScrollBarAsNeeded
        assert area.widget() is content
        assert area.widgetResizable()
        assert area.focusPolicy() == Qt.NoFocus
        assert not area.viewport().autoFillBackground()
        assert not content.autoFillBackground()


class Numbers(RowsModel):
    """Rows that are (key, value)."""

    n_columns = 2

    def key(self, row: Any) -> object:
        return row[0]

    def data(self, index: QtCore.QModelIndex, role: int = Qt.DisplayRole) -> Any:
        return self.rows[index.row()][1]


def test_a_list_keeps_its_place_when_only_values_changed(qapp, heard: list[Any]) -> None:
    model = Numbers()
    model.dataChanged.connect(
        lambda first, last: heard.append((first.row(), first.column(), last.row(), last.column()))
    )
    model.modelReset.connect(lambda: heard.append("reset"))
    model.set_rows([(7, 1), (8, 2)])
    model.set_rows([(7, 5), (8, 6)])
    model.set_rows([(8, 6), (7, 5)])
    assert heard == ["reset", (0, 0, 1, 1), "reset"]
    assert (model.rowCount(), model.columnCount()) == (2, 2)
    assert (model.rowCount(model.index(0)), model.columnCount(model.index(0))) == (0, 0)
    assert model.data(model.index(1, 1)) == 5
    heard.clear()
    model.set_rows([])
    model.set_rows([])
    assert heard == ["reset"]
    plain = RowsModel()
    plain.set_rows([1000])
    assert plain.columnCount() == 1


def test_a_row_is_painted_a_pixel_inside_its_place(qtbot) -> None:
    seen: list[tuple[Any, ...]] = []

    class Delegate(RowDelegate):
        height = 46

        def paint_row(self, painter: QtGui.QPainter, rect: QtCore.QRectF, row: Any, state: Any) -> None:
            hints = painter.renderHints() & QtGui.QPainter.Antialiasing
            seen.append((rect.getRect(), row, int(state), bool(hints)))
            painter.setPen(Qt.red)

    view = QtWidgets.QWidget()
    qtbot.addWidget(view)
    delegate, model = Delegate(view), Numbers()
    model.set_rows([(7, 1), (8, 2)])
    assert delegate.sizeHint(None, None) == QtCore.QSize(160, 46)
    image = QtGui.QImage(200, 100, QtGui.QImage.Format_RGB32)
    painter = QtGui.QPainter(image)
    option = QtWidgets.QStyleOptionViewItem()
    option.rect, option.state = QtCore.QRect(0, 46, 180, 46), QtWidgets.QStyle.State_Selected
    before = painter.pen().color()
    delegate.paint(painter, option, model.index(1))
    after = painter.pen().color()
    painter.end()
    assert seen == [((0, 47, 178, 44), (8, 2), int(QtWidgets.QStyle.State_Selected), True)]
    assert after == before, "the painter is as it was"


def test_a_legend_is_dots_and_words_or_a_scale_between_its_ends(qtbot) -> None:
    legend = ColorLegend()
    qtbot.addWidget(legend)
    legend.show_legend(Legend("label", (("good", Color(0)), ("mua", Color(1)))), LIGHT)
    x = [advance(words, 11) + 1 for words in ("label", "good", "mua")]
    good = x[0] + 7
    mua = good + 16 + x[1] + 7
    assert told_of(legend) == [
        f'text "label" left middle 0,0 {x[0]}x20 faint 11',
        f"dot {number(good + 4.5)},10 4.5 unit 0, no line",
        f'text "good" left middle {good + 16},0 {x[1]}x20 muted 11',
        f"dot {number(mua + 4.5)},10 4.5 unit 1, no line",
        f'text "mua" left middle {mua + 16},0 {x[2]}x20 muted 11',
    ]
    legend.show_legend(Legend("depth", (("0 µm", Color(-1, 0.0)), ("80 µm", Color(-1, 1.0)))), LIGHT)
    title, low = advance("depth", 11) + 1, advance("0 µm", 11) + 1
    bar = [line for line in told_of(legend) if line.startswith("plate")]
    assert len(bar) == 1
    assert bar[0].startswith(f"plate {title + 7 + low + 7},7 90x6 round 3 ")
    assert bar[0].count(" to ") == 8, "nine stops"
    assert legend.height() == 20


def test_a_lasso_is_a_dashed_line_of_one_width_at_any_zoom(qapp) -> None:
    pen = lasso_pen(LIGHT)
    assert (pen.color(), pen.widthF(), pen.style()) == (LIGHT.color("text"), 1.6, Qt.DashLine)
    assert pen.isCosmetic()
    shape = polygon(np.array([[0.0, 1], [2, 3]]))
    assert [(point.x(), point.y()) for point in shape] == [(0, 1), (2, 3)]


def test_a_choice_in_a_menu_is_checked_where_it_is_in_force(qtbot, heard: list[Any]) -> None:
    menu = QtWidgets.QMenu()
    qtbot.addWidget(menu)
    on = add_choice(menu, "10 ms", lambda: heard.append(10), is_on=True)
    off = add_choice(menu, "20 ms", lambda: heard.append(20), is_on=False, is_possible=False)
    assert [(one.text(), one.isCheckable(), one.isChecked(), one.isEnabled()) for one in (on, off)] == [
        ("10 ms", True, True, True), ("20 ms", True, False, False),
    ]  # fmt: skip
    on.trigger()
    assert heard == [10]
    button = Button("Use", "tip", look="primary")
    qtbot.addWidget(button)
    assert (button.property("primary"), button.property("quiet")) == (True, None)
    assert (button.focusPolicy(), button.toolTip()) == (Qt.NoFocus, "tip")
