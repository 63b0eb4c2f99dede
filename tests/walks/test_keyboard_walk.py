"""A whole curation by keys alone: every question of a project is answered, saved, and there again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PyQt5 import QtCore, QtWidgets

from ncpgui.app.demo import DemoSettings, run_demo
from ncpgui.gui.dialogs.export import ExportDialog
from ncpgui.gui.main_window import MainWindow
from tests.gui.windows import keep_draws, press_key, settle, shown_window

from .random_edits import digest_of

Qt = QtCore.Qt
MOST_STEPS = 400


class Keyboard:
    """Presses keys on a window and counts them; there is no mouse."""

    def __init__(self, qtbot, window: MainWindow) -> None:
        self._qtbot = qtbot
        self._window = window
        self.n_pressed = 0

    def press(self, *names: str) -> None:
        for name in names:
            press_key(self._qtbot, self._window, name)
            self.n_pressed += 1

    def write(self, text: str) -> None:
        self._qtbot.keyClicks(self._window.focusWidget(), text)
        self.n_pressed += len(text)
        settle()

    def export_as_offered(self, window: MainWindow) -> Path:
        """Export in the format and to the place that the dialog offers; the place."""
        places: list[Path] = []

        def accept() -> None:
            dialog = QtWidgets.QApplication.activeModalWidget()
            assert isinstance(dialog, ExportDialog)
            places.append(dialog.path)
            self._qtbot.keyClick(dialog, Qt.Key_Return)

        QtCore.QTimer.singleShot(0, accept)
        self.press("Ctrl+E")
        QtWidgets.QApplication.setActiveWindow(window)  # as a window manager does
        return places[0]


def settled(window: MainWindow) -> str:
    return window.bench.queue.note.text()


def split_as_a_card_has_it(window: MainWindow, keyboard: Keyboard, n_cards: int, n_units: int) -> None:
    """Split the first unit that a card splits, that one alone."""
    workspace = window.workspace
    for number in range(n_cards):
        keyboard.press(str(number + 1))
        for _ in range(n_units):
            keyboard.press("Down", "Shift+K")
            if workspace.proposal is not None:
                keyboard.press("K")
                return


def answer_everything(window: MainWindow, keyboard: Keyboard) -> list[int]:
    """Accept what is in use in most questions; use the next card, merge, split, or accept units in others.

    A merge is taken back and done again on the way.
    """
    workspace = window.workspace
    asked: list[int] = []
    for step in range(MOST_STEPS):
        questions = [
            one for one in workspace.questions.queue_order() if not workspace.questions.status(one).is_settled
        ]
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
        elif step % 4 == 2 and n_units > 1 and workspace.state.history.labels.accepted.isdisjoint(units):
            keyboard.press("Down", "Alt+G", "Ctrl+A", "G", "Ctrl+Z", "Ctrl+Y")  # one neuron
        elif step % 5 == 4:
            split_as_a_card_has_it(window, keyboard, n_cards, n_units)
        elif step % 4 == 3:
            for _ in range(n_units):
                keyboard.press("Down")
                if not workspace.state.history.labels.is_accepted(workspace.selected[0]):
                    keyboard.press("Y")
        if not workspace.questions.status(workspace.component_id).is_settled:
            if workspace.preview is not None:
                keyboard.press("Escape")
            keyboard.press("Return")
    raise AssertionError(f"{settled(window)} after {MOST_STEPS} questions")


def test_every_question_is_answered_by_keys_and_is_answered_when_opened_again(
    qtbot, opened: MainWindow, session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_draws(monkeypatch)
    workspace, keyboard = opened.workspace, Keyboard(qtbot, opened)
    n = len(workspace.questions.queue_order())
    at_first = workspace.questions.wrong_left()
    assert at_first > 1
    asked = answer_everything(opened, keyboard)
    assert len(set(asked)) > 3
    assert settled(opened) == f"{n} of {n} settled"
    assert opened.status.wrong_left.text() == "Expected wrong assignments left: 0"
    done = {row["do"] for row in workspace.state.history.entries}
    assert done >= {"merge", "assign", "label", "accept", "undo", "redo"}
    assert any(row.get("words", "").startswith("split") for row in workspace.state.history.entries)
    keyboard.press(":")
    keyboard.write("s unit desc")
    keyboard.press("Return", "U", "F3", "F2", "Ctrl+S")
    assert not opened.isWindowModified()
    exported = keyboard.export_as_offered(opened)
    clusters = np.load(exported / "spike_clusters.npy").ravel()
    assert np.array_equal(
        clusters, workspace.state.clustering.unit_of_spike[workspace.state.clustering.unit_of_spike >= 0]
    )
    state = digest_of(workspace)
    keyboard.press("Ctrl+W")
    assert opened.pages.currentWidget() is opened.start
    opened.open_path(session)
    settle()
    assert settled(opened) == f"{n} of {n} settled"
    assert digest_of(workspace) == state


@pytest.mark.parametrize("draws_anew", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_all_of_it_is_taken_back_by_keys_too(
    qtbot, opened: MainWindow, monkeypatch: pytest.MonkeyPatch, draws_anew: bool
) -> None:
    """New draws are edits as well."""
    if not draws_anew:
        keep_draws(monkeypatch)
    workspace, keyboard = opened.workspace, Keyboard(qtbot, opened)
    before = workspace.state.clustering.unit_of_spike.copy()
    order, wrong = workspace.questions.queue_order(), workspace.questions.wrong_left()
    answer_everything(opened, keyboard)
    for _ in range(len(workspace.state.history.commands)):
        keyboard.press("Ctrl+Z")
    assert np.array_equal(workspace.state.clustering.unit_of_spike, before)
    assert workspace.questions.queue_order() == order
    assert workspace.questions.wrong_left() == wrong


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_whole_demo_is_curated_by_keys(qtbot, tmp_path: Path) -> None:
    """The session that `ncpgui demo` sorts: 49 contacts on a simulated retina."""
    done = run_demo(tmp_path / "demo", DemoSettings())
    with shown_window(qtbot, tmp_path) as window:
        window.open_path(done.session)
        settle()
        n = len(window.workspace.questions.queue_order())
        assert n > 10
        keyboard = Keyboard(qtbot, window)
        answer_everything(window, keyboard)
        assert settled(window) == f"{n} of {n} settled"
        keyboard.press("Ctrl+S")
        exported = keyboard.export_as_offered(window)
        assert (exported / "pc_features.npy").is_file()
        state = digest_of(window.workspace)
        keyboard.press("Ctrl+W")
        window.open_path(done.session)
        settle()
        assert digest_of(window.workspace) == state
