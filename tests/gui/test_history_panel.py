"""The history as a list: what was done, where one stands, and a click that goes there."""

from __future__ import annotations

import pytest
from PyQt5 import QtCore, QtWidgets

from ncpgui.gui.panels.history import HistoryPanel
from ncpgui.gui.theme import DARK


@pytest.fixture
def panel(show) -> HistoryPanel:
    return show(HistoryPanel, 240, 200)


def click(screen, panel: HistoryPanel, row: int) -> None:
    place = panel.view.visualItemRect(panel.view.item(row)).center()
    screen.click(panel.view.viewport(), QtCore.QPointF(place))
    screen.settle()


def texts(panel: HistoryPanel) -> list[str]:
    return [panel.view.item(row).text() for row in range(panel.view.count())]


def bold(panel: HistoryPanel) -> list[str]:
    rows = (panel.view.item(row) for row in range(panel.view.count()))
    return [item.text() for item in rows if item.font().bold()]


def test_a_click_on_an_edit_takes_back_what_came_after_and_another_does_it_again(
    screen, panel, workspace
) -> None:
    workspace.label((0,), "good")
    workspace.merge((0, 1))
    screen.settle()
    merged = workspace.state.clustering.unit_of_spike.copy()
    assert texts(panel) == ["As it was sorted", "Label unit 0 good", "Merge 0 + 1"]
    assert bold(panel) == ["Merge 0 + 1"]
    assert panel.note.text() == "2 edits"
    click(screen, panel, 1)
    assert bold(panel) == ["Label unit 0 good"]
    assert 1 in workspace.state.clustering
    assert texts(panel)[2] == "Merge 0 + 1"
    assert panel.view.item(2).foreground().color() == panel.theme.color("faint")
    assert "does it again" in panel.view.item(2).toolTip()
    click(screen, panel, 0)
    assert workspace.state.history.labels.label(0) == "unsorted"
    assert panel.note.text() == "0 edits"
    click(screen, panel, 2)
    assert bold(panel) == ["Merge 0 + 1"]
    assert (workspace.state.clustering.unit_of_spike == merged).all()


def test_without_a_project_it_says_what_to_do(screen, panel, workspace) -> None:
    workspace.state.close()
    screen.settle()
    assert panel.message.isVisible()
    assert not panel.view.isVisible()


def test_a_short_history_begins_at_the_top(screen, panel, workspace) -> None:
    panel.hide()
    workspace.label((0,), "good")
    panel.show()
    screen.settle()
    assert panel.view.visualItemRect(panel.view.item(0)).top() <= 2


def test_the_edit_on_which_one_stands_is_in_view(screen, panel, workspace) -> None:
    for number in range(40):
        workspace.label((0,), "good" if number % 2 else "mua")
    screen.settle()
    last = panel.view.visualItemRect(panel.view.item(40))
    assert panel.view.viewport().rect().contains(last)
    panel.set_theme(DARK)
    QtWidgets.QApplication.processEvents()
    assert panel.view.item(0).foreground().color() == DARK.color("text")
