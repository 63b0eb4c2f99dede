"""The unit table: numbers known by hand, sorting, and one selection for table and workspace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.controller import Controller
from ncpgui.app.model.colors import Color
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.presenters.unit_columns import COLUMNS, ONLY_IF_GIVEN
from ncpgui.gui.panels.unit_table import UnitTablePanel
from ncpgui.gui.theme import DARK, LIGHT
from tests.synthetic_project import synthetic_project

THIN = "\u2009"
TITLES = [column.title for column in COLUMNS]


@pytest.fixture
def panel(show) -> UnitTablePanel:
    return show(UnitTablePanel, 700, 300)


def cell(panel: UnitTablePanel, row: int, title: str) -> str:
    return panel.model.index(row, TITLES.index(title)).data()


def units(panel: UnitTablePanel) -> list[str]:
    return [cell(panel, row, "unit") for row in range(panel.model.rowCount())]


def chosen(panel: UnitTablePanel) -> list[str]:
    return [cell(panel, row, "unit") for row in panel.table.selected_rows]


def centre(panel: UnitTablePanel, row: int, column: int = TITLES.index("ch")) -> QtCore.QPointF:
    return QtCore.QPointF(panel.table.visualRect(panel.model.index(row, column)).center())


def test_the_units_of_the_card_on_screen_come_first_with_numbers_of_their_own(
    panel, workspace, screen
) -> None:
    workspace.show_alternative(1)
    screen.settle()
    assert units(panel) == ["0+1", "0", "1"]
    assert [cell(panel, row, "spikes") for row in range(3)] == ["10", "6", "4"]
    workspace.show_alternative(0)
    screen.settle()
    assert units(panel) == ["0", "1"]


def test_the_numbers_of_a_unit(panel) -> None:
    """Six spikes in 2 s, one of the five intervals is 0.5 ms; one of four samples merges both units."""
    assert units(panel) == ["0", "1"]
    assert cell(panel, 0, "spikes") == "6"
    assert cell(panel, 0, "Hz") == "3.0"
    assert cell(panel, 0, "SNR") == "10.0"
    assert cell(panel, 0, "ISI") == f"20.0{THIN}%"
    assert [cell(panel, 0, title) for title in ("neuron", "pure", "compl.", "false", "miss")] == [
        "–", "100", "75", "0", "10",
    ]  # fmt: skip
    assert [cell(panel, 1, title) for title in ("spikes", "Hz", "SNR", "ISI", "pure", "compl.", "miss")] == [
        "4", "2.0", "5.0", f"0.0{THIN}%", "100", "75", "15",
    ]  # fmt: skip
    assert panel.note.text() == "2 units on screen"


def test_numbers_are_aligned_right_and_words_left(panel) -> None:
    for number, column in enumerate(COLUMNS):
        side = panel.model.index(0, number).data(QtCore.Qt.TextAlignmentRole)
        assert bool(side & QtCore.Qt.AlignRight) == column.is_number
    assert not COLUMNS[TITLES.index("label")].is_number


def test_a_row_has_the_colour_of_its_unit(panel, screen) -> None:
    for row in (0, 1):
        rect = QtCore.QRectF(panel.table.visualRect(panel.model.index(row, 0)))
        colors = screen.colors(panel.table.viewport(), rect)
        assert LIGHT.unit(Color(row)).name() in colors
        assert LIGHT.unit(Color(1 - row)).name() not in colors


def test_labels_and_locks_appear(panel, workspace, screen) -> None:
    assert cell(panel, 0, "label") == "–"
    workspace.label((1,), "good")
    workspace.set_accepted((1,), True)
    screen.settle()
    assert cell(panel, 1, "label") == "good"
    assert cell(panel, 1, "") == "accepted"
    assert cell(panel, 0, "") == ""
    rect = QtCore.QRectF(panel.table.visualRect(panel.model.index(1, TITLES.index(""))))
    assert LIGHT.good.lower() in screen.colors(panel.table.viewport(), rect)


def test_a_click_on_a_header_sorts_and_another_turns_it_round(panel, screen) -> None:
    header = panel.table.horizontalHeader()
    column = TITLES.index("spikes")
    x = header.sectionViewportPosition(column) + header.sectionSize(column) / 2
    screen.click(header.viewport(), QtCore.QPointF(x, header.height() / 2))
    assert units(panel) == ["1", "0"]
    screen.click(header.viewport(), QtCore.QPointF(x, header.height() / 2))
    assert units(panel) == ["0", "1"]


def test_the_order_stays_when_the_rows_change(panel, workspace, screen) -> None:
    panel.table.sortByColumn(TITLES.index("miss"), QtCore.Qt.DescendingOrder)
    assert units(panel) == ["1", "0"]
    workspace.label((0,), "mua")
    screen.settle()
    assert units(panel) == ["1", "0"]
    assert cell(panel, 1, "label") == "mua"


def test_clicks_select_in_the_workspace(panel, workspace, screen) -> None:
    screen.click(panel.table.viewport(), centre(panel, 1))
    assert workspace.selected == (1,)
    screen.click(panel.table.viewport(), centre(panel, 0), ctrl=True)
    assert workspace.selected == (1, 0)
    screen.click(panel.table.viewport(), centre(panel, 0))
    assert workspace.selected == (0,)


def test_the_workspace_selects_in_the_table_without_an_echo(panel, workspace, screen) -> None:
    told: list[tuple[int, ...]] = []
    workspace.selection_changed.connect(lambda: told.append(workspace.selected))
    workspace.select([1, 0])
    screen.settle()
    assert chosen(panel) == ["0", "1"]
    workspace.select([1])
    screen.settle()
    assert chosen(panel) == ["1"]
    assert told == [(1, 0), (1,)]


def test_a_selection_survives_sorting(panel, workspace, screen) -> None:
    workspace.select([1])
    screen.settle()
    panel.table.sortByColumn(TITLES.index("spikes"), QtCore.Qt.AscendingOrder)
    assert chosen(panel) == ["1"]
    assert workspace.selected == (1,)
    rect = QtCore.QRectF(panel.table.visualRect(panel.model.index(0, TITLES.index("ch"))))
    assert screen.colors(panel.table.viewport(), rect)[LIGHT.accent_soft.lower()] > 100


def test_a_merge_leaves_one_row_that_is_selected(panel, workspace, screen) -> None:
    workspace.merge((0, 1))
    screen.settle()
    assert units(panel) == ["2"]
    assert chosen(panel) == ["2"]
    assert cell(panel, 0, "spikes") == "10"


def test_single_letter_keys_are_left_to_the_window(panel) -> None:
    for widget in (panel.table, panel.table.horizontalHeader()):
        assert widget.focusPolicy() == QtCore.Qt.NoFocus


def test_headers_explain_themselves(panel) -> None:
    for number in range(len(COLUMNS)):
        words = panel.model.headerData(number, QtCore.Qt.Horizontal, QtCore.Qt.ToolTipRole)
        assert words.endswith("Click to sort")


AT_FIRST = [column.name for column in COLUMNS if column.is_shown and column.name not in ONLY_IF_GIVEN]


def test_all_columns_but_depth_are_seen_at_500_pixels(show) -> None:
    panel = show(UnitTablePanel, 500, 420)
    assert panel.table.horizontalScrollBar().maximum() == 0
    assert list(panel.shown_columns) == [name for name in AT_FIRST if name != "depth"]


def test_a_narrow_table_leaves_out_expected_errors_first_and_brings_them_back(show, screen) -> None:
    panel = show(UnitTablePanel, 460, 420)
    left_out = set(AT_FIRST) - set(panel.shown_columns)
    assert left_out in ({"depth", "misses"}, {"depth", "misses", "false_positives"})
    assert panel.table.horizontalScrollBar().maximum() == 0
    panel.resize(700, 420)
    screen.settle()
    assert list(panel.shown_columns) == AT_FIRST
    assert panel.table.viewport().width() >= panel.table.horizontalHeader().length()


def test_all_units_lists_every_component_and_a_double_click_goes_there(
    qtbot, theme, runner, tmp_path: Path, screen
) -> None:
    workspace = Workspace(
        synthetic_project(3, duration_s=5, n_samples=8, spikes_per_unit=40, with_stimulus=False)
    )
    panel = UnitTablePanel(workspace, Controller(workspace, runner, Preferences(tmp_path)))
    qtbot.addWidget(panel)
    panel.set_theme(theme)
    panel.resize(700, 500)
    panel.show()
    workspace.show_component(0)
    screen.settle()
    assert units(panel) == ["0", "1", "2"]
    panel.set_all_units(True)
    screen.settle()
    assert panel.all_units
    assert units(panel) == [str(unit) for unit in range(9)]
    assert panel.note.text() == "9 units of the whole recording"
    qtbot.mouseClick(panel.table.viewport(), QtCore.Qt.LeftButton, pos=centre(panel, 4).toPoint())
    qtbot.mouseDClick(panel.table.viewport(), QtCore.Qt.LeftButton, pos=centre(panel, 4).toPoint())
    assert workspace.component_id == 1
    assert workspace.selected == (4,)


def test_a_component_that_waits_has_a_message(panel, workspace, screen) -> None:
    workspace.show_component(1)
    screen.settle()
    assert panel.message.isVisible()
    assert panel.message.text() == "Units appear when these spikes are sampled."
    assert not panel.table.isVisible()
    workspace.state.close()
    screen.settle()
    assert panel.message.text() == "Open a recording or a session to begin."


def test_both_themes_have_their_own_colours(panel, screen) -> None:
    screen.in_theme(panel, DARK)
    colors = screen.colors(panel.table.viewport())
    assert max(colors, key=colors.__getitem__) == DARK.panel.lower()
    assert DARK.unit(Color(0)).name() in colors
    assert isinstance(panel.table.itemDelegate(), QtWidgets.QStyledItemDelegate)


def test_labels_by_p_neuron_are_faint_and_those_by_hand_win(panel, workspace, screen) -> None:
    project = workspace.state.project
    workspace.state.open(replace(project, p_neuron=np.where(project.unit_of_spike == 0, 0.1, 0.6)))
    screen.settle()
    assert [cell(panel, row, "label") for row in (0, 1)] == ["noise", "mua"]
    rect = QtCore.QRectF(panel.table.visualRect(panel.model.index(0, TITLES.index("label"))))
    assert LIGHT.bad.lower() not in screen.colors(panel.table.viewport(), rect)
    workspace.label((0,), "noise")
    screen.settle()
    assert LIGHT.bad.lower() in screen.colors(panel.table.viewport(), rect)
    workspace.label((0,), "good")
    screen.settle()
    assert [cell(panel, row, "label") for row in (0, 1)] == ["good", "mua"]
    assert [cell(panel, row, "neuron") for row in (0, 1)] == ["10", "60"]


def test_a_filter_lists_some_units_and_says_how_many(panel, workspace, screen) -> None:
    panel.filter.setText("n_spikes > 4")
    screen.settle()
    assert units(panel) == ["0"]
    assert panel.note.text() == "1 of 2 units on screen"
    assert panel.listed_units == (0,)
    panel.filter.setText("1")
    assert panel.listed_units == (1,)
    panel.filter.clear()
    screen.settle()
    assert units(panel) == ["0", "1"]


def test_a_bad_filter_is_said_and_the_last_good_one_stays(panel, workspace, screen) -> None:
    told: list[str] = []
    workspace.state.told.connect(told.append)
    panel.filter.setText("n_spikes > 4")
    panel.filter.setText("n_spikse > 4")
    screen.settle()
    assert units(panel) == ["0"]
    assert panel.note.text().startswith("There is no 'n_spikse' to filter by; there are id, name, accepted,")
    assert panel.filter.property("tone") == "bad"
    assert told == []
    panel.filter.left.emit()
    assert told == [panel.note.text()]
    panel.filter.setText("n_spikes < 5")
    screen.settle()
    assert units(panel) == ["1"]
    assert panel.filter.property("tone") == ""


def test_keys_of_the_filter_stay_in_it(panel, qtbot) -> None:
    """Enter and Esc would be actions of the window."""
    panel.filter.begin()
    for key in (QtCore.Qt.Key_Return, QtCore.Qt.Key_Enter, QtCore.Qt.Key_Escape, QtCore.Qt.Key_G):
        event = QtGui.QKeyEvent(QtCore.QEvent.ShortcutOverride, key, QtCore.Qt.NoModifier, "g")
        event.ignore()
        panel.filter.event(event)
        assert event.isAccepted()
    qtbot.keyClicks(panel.filter, "fr > 1")
    with qtbot.waitSignal(panel.filter.left):
        qtbot.keyClick(panel.filter, QtCore.Qt.Key_Return)
    assert panel.filter.text() == "fr > 1"
    assert not panel.filter.hasFocus()
    with qtbot.waitSignal(panel.filter.left):
        qtbot.keyClick(panel.filter, QtCore.Qt.Key_Escape)
    assert panel.filter.text() == ""


def test_columns_are_chosen_in_the_menu_of_the_header_and_remembered(panel, controller, qtbot) -> None:
    menu = {entry.text(): entry for entry in panel.columns_menu().actions()}
    assert menu["Hz  (fr)"].isChecked()
    assert not menu["present  (presence_ratio)"].isChecked()
    menu["Hz  (fr)"].trigger()
    menu["present  (presence_ratio)"].trigger()
    assert "fr" not in panel.shown_columns
    assert "presence_ratio" in panel.shown_columns
    again = UnitTablePanel(panel.workspace, controller)
    qtbot.addWidget(again)
    again.resize(300, 300)
    again.redraw_now()
    assert again.shown_columns == panel.shown_columns
    assert panel.shown_columns[0] == "id"
    {entry.text(): entry for entry in panel.columns_menu().actions()}["Columns as at first"].trigger()
    assert list(panel.shown_columns) == AT_FIRST


def test_a_width_that_was_dragged_is_kept_and_remembered(panel, controller, qtbot, screen) -> None:
    header, number = panel.table.horizontalHeader(), TITLES.index("label")
    edge = QtCore.QPoint(header.sectionViewportPosition(number) + header.sectionSize(number) - 1, 10)
    before = header.sectionSize(number)
    qtbot.mousePress(header.viewport(), QtCore.Qt.LeftButton, pos=edge)
    event = QtGui.QMouseEvent(
        QtCore.QEvent.MouseMove, edge + QtCore.QPoint(33, 0), QtCore.Qt.NoButton, QtCore.Qt.LeftButton,
        QtCore.Qt.NoModifier,
    )  # fmt: skip
    QtWidgets.QApplication.sendEvent(header.viewport(), event)
    qtbot.mouseRelease(header.viewport(), QtCore.Qt.LeftButton, pos=edge + QtCore.QPoint(33, 0))
    assert header.sectionSize(number) == before + 33
    panel.mark_dirty()
    screen.settle()
    assert header.sectionSize(number) == before + 33
    assert controller.preferences.get("unit_table", {})["widths"] == {"label": before + 33}


def test_metrics_are_computed_when_their_column_is_shown(panel, controller, runner, screen) -> None:
    assert not [task for task in runner.held if task.words == "Quality metrics"]
    panel.show_column("isi_violations_ratio", True)
    assert cell(panel, 0, "ISI ratio") == "–"
    runner.let_go()
    screen.settle()
    assert controller.data.metrics([1], ask=False)[1].isi_violations_ratio == 0
    assert cell(panel, 1, "ISI ratio") == "0.00"
    assert float(cell(panel, 0, "ISI ratio")) > 1


def test_rows_are_copied_as_csv_the_selected_ones_or_all(panel, workspace) -> None:
    panel.table.sortByColumn(TITLES.index("spikes"), QtCore.Qt.AscendingOrder)
    panel.copy()
    lines = QtWidgets.QApplication.clipboard().text().splitlines()
    assert lines[0].split(",") == list(panel.shown_columns)
    assert [line.split(",")[0] for line in lines[1:]] == ["1", "0"]
    assert lines[2].split(",")[AT_FIRST.index("n_spikes")] == "6"
    workspace.select([0])
    panel.copy()
    assert len(QtWidgets.QApplication.clipboard().text().splitlines()) == 2


def test_a_tag_brings_its_column(panel, workspace, screen) -> None:
    assert "tag" not in panel.shown_columns
    workspace.write((1,), "tag", "axon")
    screen.settle()
    assert "tag" in panel.shown_columns
    assert [cell(panel, row, "tag") for row in (0, 1)] == ["", "axon"]
    workspace.undo()
    screen.settle()
    assert "tag" not in panel.shown_columns


def test_the_filter_ends_where_the_columns_end(panel, screen) -> None:
    """Right of both is the room of the scroll bar."""
    screen.settle()
    room = panel.table.verticalScrollBar().sizeHint().width()
    assert panel.filter.geometry().right() == panel.table.geometry().right() - room
