"""The queue: components in the order in which decisions settle most; a click puts one on screen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PyQt5 import QtCore

from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.component_status import ComponentStatus
from ncpgui.gui.panels.queue import ROW_HEIGHT, QueuePanel
from ncpgui.gui.theme import DARK, LIGHT
from tests.gui.painted_text import painted_texts
from tests.gui.windows import redraws


@pytest.fixture
def panel(show) -> QueuePanel:
    return show(QueuePanel, 240, 300)


def row_rect(panel: QueuePanel, row: int) -> QtCore.QRectF:
    return QtCore.QRectF(panel.view.visualRect(panel.model.index(row)))


def test_the_sampled_component_comes_first_and_the_waiting_one_last(panel) -> None:
    assert [row.component_id for row in panel.model.rows] == [0, 1]
    assert [row.status.state for row in panel.model.rows] == ["sampled", "waiting"]
    assert panel.model.index(0).data() == "Units 0, 1"
    assert panel.note.text() == "0 of 2 settled"
    assert row_rect(panel, 1).top() == ROW_HEIGHT


def test_the_tooltip_tells_how_many_units_are_how_likely(panel) -> None:
    words = panel.model.index(0).data(QtCore.Qt.ToolTipRole)
    assert words.splitlines()[1:] == [
        "1 unit: 25 %",
        "2 units: 70 %",
        "other: 5 %",
        "in use: 2 units",
        "expected wrong assignments: 1",
        "an answer is expected to put right: 0",
    ]
    assert panel.model.rows[0].caption == "1–2 units"
    assert panel.model.rows[1].caption == "not checked yet"


def test_the_component_on_screen_is_lit(panel, screen) -> None:
    lit = LIGHT.accent_soft.lower()
    assert screen.colors(panel.view.viewport(), row_rect(panel, 0))[lit] > 1000
    assert lit not in screen.colors(panel.view.viewport(), row_rect(panel, 1))


def test_an_ambiguous_component_is_amber(panel, screen) -> None:
    assert LIGHT.amber.lower() in screen.colors(panel.view.viewport(), row_rect(panel, 0))


def test_a_click_puts_a_component_on_screen(panel, workspace, screen) -> None:
    screen.click(panel.view.viewport(), row_rect(panel, 1).center())
    assert workspace.component_id == 1
    screen.settle()
    assert panel.model.rows[1].is_current
    assert LIGHT.accent_soft.lower() in screen.colors(panel.view.viewport(), row_rect(panel, 1))


def test_a_settled_component_is_counted_and_green(panel, workspace, screen) -> None:
    adopt(workspace)
    screen.settle()
    assert panel.note.text() == "1 of 2 settled"
    assert [row.component_id for row in panel.model.rows] == [1]
    assert panel.toggle.text() == "▸  Settled: 1"
    assert not panel.settled.isVisible()
    panel.toggle.click()
    screen.settle()
    settled = QtCore.QRectF(panel.settled.visualRect(panel.settled.rows.index(0)))
    assert LIGHT.good.lower() in screen.colors(panel.settled.viewport(), settled)
    workspace.show_component(1)
    screen.click(panel.settled.viewport(), settled.center())
    assert workspace.component_id == 0


def test_sampling_shows_how_far_it_is(panel, workspace, screen) -> None:
    workspace.state.set_status(1, ComponentStatus("sampling", 0.4))
    screen.settle()
    assert panel.model.rows[1].caption == "sampling 40 %"
    workspace.state.set_failed(1, "too few spikes")
    screen.settle()
    assert panel.model.rows[1].caption == "failed"
    assert "too few spikes" in panel.model.index(1).data(QtCore.Qt.ToolTipRole)


def test_progress_does_not_reset_the_list(panel, workspace, screen, qtbot) -> None:
    """A reset would scroll the list back to its top."""
    with qtbot.assertNotEmitted(panel.model.modelReset):
        workspace.state.set_status(1, ComponentStatus("sampling", 0.1))
        workspace.state.set_status(1, ComponentStatus("sampling", 0.2))
        screen.settle()


def test_many_changes_are_one_redraw(panel, workspace, screen) -> None:
    drawn = redraws(panel)
    for step in range(5):
        workspace.state.set_status(1, ComponentStatus("sampling", step / 5))
    screen.settle()
    assert len(drawn) == 1


def test_single_letter_keys_are_left_to_the_window(panel) -> None:
    assert panel.view.focusPolicy() == QtCore.Qt.NoFocus


def test_without_a_project_the_list_is_empty(panel, workspace, screen) -> None:
    workspace.state.close()
    screen.settle()
    assert panel.model.rowCount() == 0
    assert panel.note.text() == ""


def test_both_themes_have_their_own_ground(panel, screen) -> None:
    screen.in_theme(panel, DARK)
    colors = screen.colors(panel.view.viewport())
    assert max(colors, key=colors.__getitem__) == DARK.panel.lower()
    assert DARK.amber.lower() in colors


def test_what_cannot_be_sampled_is_not_counted_among_what_is_asked(panel, workspace, screen) -> None:
    workspace.state.set_failed(1, "only 3 spikes, at least 20 are needed")
    screen.settle()
    assert panel.note.text() == "0 of 1 settled · 1 cannot be sampled"
    workspace.show_component(0)
    adopt(workspace)
    screen.settle()
    assert panel.note.text() == "1 of 1 settled · 1 cannot be sampled"


def test_a_long_name_leaves_its_first_word_before_the_number_of_units_loses_its_own(panel, screen) -> None:
    row = replace(panel.model.rows[0], units=("8", "9", "10", "11"), p_units=((4, 1.0),))
    fitting = set()
    for width in range(215, 300, 5):
        panel.resize(width, 300)
        panel.view.show_rows((row,))
        screen.settle()
        words = [text.words for text in painted_texts(panel.view.viewport())]
        name, caption = words[0], next((one for one in words[1:] if one.startswith("4")), "")
        fitting.add((name, caption))
    assert ("Units 8, 9, 10, 11", "4") not in fitting
    assert {("8, 9, 10, 11", "4 units"), ("Units 8, 9, 10, 11", "4 units")} <= fitting
