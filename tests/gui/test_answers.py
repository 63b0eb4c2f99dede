"""Buttons say what they do, the brightest is the most probable, and an answer brings the next question."""

from __future__ import annotations

import pytest
from PyQt5 import QtCore

from ncpgui.core.project import Project
from ncpgui.gui.main_window import MainWindow

from .windows import press_keys, settle, shown_window


@pytest.fixture
def window(qtbot, tmp_path, array_project: Project):
    with shown_window(qtbot, tmp_path, goes_on=True) as window:
        window.workspace.state.open(array_project)
        settle()
        yield window
        window.controller.close()


def questions(window: MainWindow) -> list[int]:
    workspace = window.workspace
    return [
        one for one in workspace.questions.queue_order() if workspace.questions.status(one).state == "sampled"
    ]


def test_enter_answers_and_the_next_question_comes(qtbot, window: MainWindow) -> None:
    first, second, *_ = questions(window)
    window.workspace.show_component(first)
    press_keys(qtbot, window, "Return")
    assert window.workspace.questions.status(first).is_settled
    assert window.workspace.component_id == second


def test_it_stays_where_it_is_once_that_is_switched_off(qtbot, window: MainWindow) -> None:
    first, *_ = questions(window)
    window.workspace.show_component(first)
    assert window.actions_["next_after_answer"].isChecked()
    window.actions_["next_after_answer"].trigger()
    assert not window.actions_["next_after_answer"].isChecked()
    press_keys(qtbot, window, "Return")
    assert window.workspace.questions.status(first).is_settled
    assert window.workspace.component_id == first


def test_after_the_last_answer_nothing_moves(qtbot, window: MainWindow) -> None:
    while questions(window):
        last = questions(window)[0]
        window.workspace.show_component(last)
        press_keys(qtbot, window, "Return")
    assert window.workspace.component_id == last


def test_the_less_probable_is_never_the_bright_button(qtbot, window: MainWindow) -> None:
    workspace, panel = window.workspace, window.bench.alternatives
    for component_id in questions(window):
        workspace.show_component(component_id)
        settle()
        masses = [widget.card.mass for widget in panel.cards]
        for number in range(len(masses)):
            workspace.show_alternative(number)
            settle()
            shown = next(widget.card for widget in panel.cards if widget.card.is_shown)
            is_best = shown.mass == max(masses)
            assert bool(panel.adopt.property("primary")) == is_best
            assert panel.better.isVisible() == (not is_best)
            assert shown.percent in panel.adopt.text()


def test_the_bright_button_uses_the_most_probable(qtbot, window: MainWindow) -> None:
    workspace, panel = window.workspace, window.bench.alternatives
    component_id = next(one for one in questions(window) if len(workspace.component(one).alternatives) > 1)
    workspace.show_component(component_id)
    best = workspace.component().alternatives[0]
    workspace.show_alternative(1)
    settle()
    assert panel.better.text().startswith("Keep " if workspace.present_alternative() == 0 else "Use ")
    qtbot.mouseClick(panel.better, QtCore.Qt.LeftButton)
    settle()
    assert workspace.questions.status(component_id).is_settled
    assert workspace.present_alternative(component_id) == 0
    assert best.mass >= 0.5
