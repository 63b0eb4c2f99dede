"""The unit table: numbers known by hand, sorting, and one selection for table and workspace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt5 import QtCore, QtWidgets

from ncpgui.app.controller import Controller
from ncpgui.app.model.colors import Color
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.gui.panels.unit_table import COLUMNS, UnitTablePanel
from ncpgui.gui.theme import DARK, LIGHT, apply_theme
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
    rows = sorted(index.row() for index in panel.table.selectionModel().selectedRows())
    return [cell(panel, row, "unit") for row in rows]


def centre(panel: UnitTablePanel, row: int, column: int = 4) -> QtCore.QPointF:
    return QtCore.QPointF(panel.table.visualRect(panel.model.index(row, column)).center())


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
    workspace.lock((1,), True)
    screen.settle()
    assert cell(panel, 1, "label") == "good"
    assert cell(panel, 1, "") == "accepted"
    assert cell(panel, 0, "") == ""
    rect = QtCore.QRectF(panel.table.visualRect(panel.model.index(1, 1)))
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
    rect = QtCore.QRectF(panel.table.visualRect(panel.model.index(0, 4)))
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


def test_all_columns_are_seen_at_500_pixels(show) -> None:
    panel = show(UnitTablePanel, 500, 420)
    assert panel.table.horizontalScrollBar().maximum() == 0
    assert not any(map(panel.table.isColumnHidden, range(len(COLUMNS))))


def test_a_narrow_table_leaves_out_expected_errors_first_and_brings_them_back(show, screen) -> None:
    panel = show(UnitTablePanel, 460, 420)
    hidden = [TITLES[k] for k in range(len(COLUMNS)) if panel.table.isColumnHidden(k)]
    assert hidden in (["miss"], ["false", "miss"])
    assert panel.table.horizontalScrollBar().maximum() == 0
    panel.resize(700, 420)
    screen.settle()
    assert not any(map(panel.table.isColumnHidden, range(len(COLUMNS))))
    assert panel.table.viewport().width() >= panel.table.horizontalHeader().length()


def test_all_units_lists_every_group_and_a_double_click_goes_there(
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


def test_a_group_that_waits_has_a_message(panel, workspace, screen) -> None:
    workspace.show_component(1)
    screen.settle()
    assert panel.message.isVisible()
    assert panel.message.text() == "Units appear when the component is sampled."
    assert not panel.table.isVisible()
    workspace.close()
    screen.settle()
    assert panel.message.text() == "Open a recording or a session to begin."


def test_both_themes_have_their_own_colours(panel, screen, qapp) -> None:
    apply_theme(qapp, DARK)
    panel.set_theme(DARK)
    screen.settle()
    colors = screen.colors(panel.table.viewport())
    assert max(colors, key=colors.__getitem__) == DARK.panel.lower()
    assert DARK.unit(Color(0)).name() in colors
    assert isinstance(panel.table.itemDelegate(), QtWidgets.QStyledItemDelegate)


def test_labels_by_p_neuron_are_faint_and_those_by_hand_win(panel, workspace, screen) -> None:
    project = workspace.project
    workspace.open(replace(project, p_neuron=np.where(project.unit_of_spike == 0, 0.1, 0.6)))
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
