"""A whole curation by keys alone: every question of a project is answered, saved, and there again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PyQt5 import QtCore

from ncpgui.app.demo import DemoSettings, run_demo
from ncpgui.gui.main_window import MainWindow
from tests.gui.windows import press_keys, settle, shown_window

Qt = QtCore.Qt
MOST_STEPS = 400


class Keyboard:
    """Presses keys on a window and counts them; there is no mouse."""

    def __init__(self, qtbot, window: MainWindow) -> None:
        self._qtbot = qtbot
        self._window = window
        self.n_pressed = 0

    def press(self, *names: str) -> None:
        press_keys(self._qtbot, self._window, *names)
        self.n_pressed += len(names)

    def write(self, text: str) -> None:
        self._qtbot.keyClicks(self._window.focusWidget(), text)
        self.n_pressed += len(text)
        settle()


def settled(window: MainWindow) -> str:
    return window.bench.queue.note.text()


def answer_everything(window: MainWindow, keyboard: Keyboard) -> list[int]:
    """Accept what is in use in most questions; use the next card, merge, or accept unit by unit in others."""
    workspace = window.workspace
    asked: list[int] = []
    for step in range(MOST_STEPS):
        questions = [one for one in workspace.queue_order() if not workspace.status(one).is_settled]
        if not questions:
            return asked
        if workspace.component_id not in questions:
            keyboard.press("Space")
        assert workspace.component_id in questions
        asked.append(workspace.component_id)
        n_cards = len(workspace.component().alternatives)
        units = [unit.unit for unit in workspace.current().units if unit.unit is not None]
        n_units = len(units)
        if step % 4 == 1 and n_cards > 1:
            keyboard.press("]", "Return")  # the next card is used
        elif step % 4 == 2 and n_units > 1 and workspace.history.labels.locked.isdisjoint(units):
            keyboard.press("Down", "Alt+G", "Ctrl+A", "G")  # one neuron
        elif step % 4 == 3:
            for _ in range(n_units):
                keyboard.press("Down")
                if not workspace.history.labels.is_locked(workspace.selected[0]):
                    keyboard.press("Y")
        if not workspace.status(workspace.component_id).is_settled:
            if workspace.preview is not None:
                keyboard.press("Escape")
            keyboard.press("Return")
    raise AssertionError(f"{settled(window)} after {MOST_STEPS} questions")


def test_every_question_is_answered_by_keys_and_is_answered_when_opened_again(
    qtbot, opened: MainWindow, session: Path
) -> None:
    workspace, keyboard = opened.workspace, Keyboard(qtbot, opened)
    n = len(workspace.queue_order())
    at_first = workspace.wrong_left()
    assert at_first > 1
    asked = answer_everything(opened, keyboard)
    assert len(set(asked)) > 3
    assert settled(opened) == f"{n} of {n} settled"
    assert opened.status.wrong_left.text() == "Expected wrong assignments left: 0"
    keyboard.press(":")
    keyboard.write("s unit desc")
    keyboard.press("Return", "U", "F3", "F2", "Ctrl+S")
    assert not opened.isWindowModified()
    units = workspace.clustering.unit_of_spike.copy()
    history = [row["do"] for row in workspace.history.entries]
    keyboard.press("Ctrl+W")
    assert opened.pages.currentWidget() is opened.start
    opened.open_path(session)
    settle()
    assert settled(opened) == f"{n} of {n} settled"
    assert np.array_equal(workspace.clustering.unit_of_spike, units)
    assert [row["do"] for row in workspace.history.entries] == history


def test_all_of_it_is_taken_back_by_keys_too(qtbot, opened: MainWindow) -> None:
    workspace, keyboard = opened.workspace, Keyboard(qtbot, opened)
    before = workspace.clustering.unit_of_spike.copy()
    order, wrong = workspace.queue_order(), workspace.wrong_left()
    answer_everything(opened, keyboard)
    for _ in range(len(workspace.history.commands)):
        keyboard.press("Ctrl+Z")
    assert np.array_equal(workspace.clustering.unit_of_spike, before)
    assert workspace.queue_order() == order
    assert workspace.wrong_left() == wrong


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_whole_demo_is_curated_by_keys(qtbot, tmp_path: Path) -> None:
    """The session that `ncpgui demo` sorts: 49 contacts on a simulated retina."""
    done = run_demo(tmp_path / "demo", DemoSettings())
    with shown_window(qtbot, tmp_path) as window:
        window.open_path(done.session)
        settle()
        n = len(window.workspace.queue_order())
        assert n > 10
        answer_everything(window, Keyboard(qtbot, window))
        assert settled(window) == f"{n} of {n} settled"
