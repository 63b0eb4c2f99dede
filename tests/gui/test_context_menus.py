"""A right click on units, rows and cards selects what it is on; its menu has what can be done with it."""

from __future__ import annotations

import pytest
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.actions import CONTEXT, action
from ncpgui.gui.main_window import MainWindow
from tests.gui.windows import settle


def right_click(window: MainWindow, widget: QtWidgets.QWidget, place: QtCore.QPoint) -> list[str]:
    """Entries of the menu that comes, which is closed; the window has followed by then."""
    asked = QtGui.QContextMenuEvent(QtGui.QContextMenuEvent.Mouse, place, widget.mapToGlobal(place))
    QtWidgets.QApplication.sendEvent(widget, asked)
    menu = QtWidgets.QApplication.activePopupWidget()
    assert isinstance(menu, QtWidgets.QMenu)
    entries = [entry.text() for entry in menu.actions() if entry.text()]
    menu.close()
    settle(deleted=True)
    return entries


def names(what: str) -> list[str]:
    return [action(name).name for name in CONTEXT[what] if name]


@pytest.fixture
def window(opened: MainWindow) -> MainWindow:
    opened.resize(1920, 1200)
    settle()
    return opened


def shown_units(window: MainWindow) -> list[int]:
    return [unit.unit for unit in window.workspace.shown().units]


def test_a_row_of_the_table_is_selected_and_has_the_menu_of_units(window: MainWindow) -> None:
    table, rows = window.bench.units.table, window.bench.units.model.rows
    place = table.visualRect(window.bench.units.model.index(1, 0)).center()
    assert right_click(window, table.viewport(), place) == names("units")
    assert window.workspace.selected == (rows[1]["id"],)


def test_what_is_selected_already_stays_so(window: MainWindow) -> None:
    pair = shown_units(window)[:2]
    window.workspace.select(pair)
    settle()
    table = window.bench.units.table
    right_click(window, table.viewport(), table.visualRect(window.bench.units.model.index(1, 0)).center())
    assert sorted(window.workspace.selected) == sorted(pair)


def test_a_unit_in_the_waveforms_has_the_menu_of_units(window: MainWindow) -> None:
    plot = window.bench.waveforms.plot
    place = plot.column_rect(1).center().toPoint()
    assert right_click(window, plot, place) == names("units")
    assert window.workspace.selected == (plot.view.columns[1].unit,)


def test_a_cell_of_two_units_has_both_selected(window: MainWindow) -> None:
    grid = window.bench.correlograms.grid
    place = grid.cell_rect(0, 1).center().toPoint()
    assert right_click(window, grid, place) == names("units")
    assert window.workspace.selected == tuple(grid.view.units[:2])


def test_a_row_of_the_queue_comes_on_screen_and_has_the_menu_of_questions(window: MainWindow) -> None:
    view = window.bench.queue.view
    second = view.rows.rows[1].component_id
    place = view.visualRect(view.model().index(1)).center()
    assert right_click(window, view.viewport(), place) == names("question")
    assert window.workspace.component_id == second


def test_a_card_is_shown_and_has_the_menu_of_cards(window: MainWindow) -> None:
    card = window.bench.alternatives.cards[1]
    assert right_click(window, card, card.rect().center()) == names("card")
    assert window.workspace.preview == card.card.index


def test_where_nothing_is_the_menu_is_that_of_the_panel(window: MainWindow) -> None:
    table = window.bench.units.table
    below = QtCore.QPoint(20, table.viewport().height() - 3)
    assert "Hide" in right_click(window, table.viewport(), below)


def test_a_right_click_in_a_plane_of_spikes_clears_the_lasso_and_has_no_menu(window: MainWindow) -> None:
    viewport = window.bench.embedding.scatter.viewport()
    place = viewport.rect().center()
    asked = QtGui.QContextMenuEvent(QtGui.QContextMenuEvent.Mouse, place, viewport.mapToGlobal(place))
    QtWidgets.QApplication.sendEvent(viewport, asked)
    assert QtWidgets.QApplication.activePopupWidget() is None


def test_a_panel_on_which_another_would_be_dropped_lights_up(window: MainWindow) -> None:
    onto, data = window.bench.units, window.bench.waveforms.title_label.carried()
    keys = (QtCore.Qt.MoveAction, data, QtCore.Qt.LeftButton, QtCore.Qt.NoModifier)
    QtWidgets.QApplication.sendEvent(onto, QtGui.QDragEnterEvent(QtCore.QPoint(5, 5), *keys))
    assert onto.property("dropTarget") is True
    QtWidgets.QApplication.sendEvent(onto, QtGui.QDragLeaveEvent())
    assert onto.property("dropTarget") is False
