"""What a person does is not lost on the way: rows that wait, undo, layouts, messages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ncpgui.app.work import jobs, recordings
from ncpgui.core.errors import RecordingError
from ncpgui.session.session_file import create_session
from tests.gui.conftest import _small_project
from tests.gui.windows import settle


def open_session_that_waits(window, tmp_path: Path, monkeypatch, *, is_there: bool) -> list[int]:
    """Open a project of which component 1 waits to be sampled; ids of what is sampled from then on."""
    sampled: list[int] = []

    class Live:
        notes = ()

        def close(self) -> None:
            """There is nothing to close."""

    def reopen(*_args: object, **_more: object) -> Live:
        if not is_there:
            raise RecordingError("the recording is not there")
        return Live()

    def sample(_live: object, waiting, **_more: object) -> None:
        sampled.append(waiting.id)
        raise RecordingError("that was all of it")

    monkeypatch.setattr(recordings, "reopen", reopen)
    monkeypatch.setattr(jobs, "sample", sample)
    path = tmp_path / "waits.h5"
    create_session(_small_project(), path).close()
    window.open_path(path)
    settle()
    return sampled


def test_looking_at_a_row_that_waits_samples_it(window, tmp_path, monkeypatch) -> None:
    sampled = open_session_that_waits(window, tmp_path, monkeypatch, is_there=True)
    assert sampled == []
    window.workspace.show_component(1)
    settle()
    assert sampled == [1]
    window.workspace.show_component(0)
    window.workspace.show_component(1)  # it failed: asking again is for "Sample all questions"
    settle()
    assert sampled == [1]


def test_a_row_whose_recording_is_gone_says_so_once(window, tmp_path, monkeypatch) -> None:
    open_session_that_waits(window, tmp_path, monkeypatch, is_there=False)
    window.workspace.show_component(1)
    settle()
    assert "the recording is not there" in window.banner.text.text()
    window.banner.hide()
    window.workspace.show_component(0)
    window.workspace.show_component(1)
    settle()
    assert not window.banner.isVisible()


def test_an_error_of_one_project_does_not_stand_over_the_next(opened, session) -> None:
    opened.show_error(RecordingError("the disk is gone"), "reading")
    assert opened.banner.isVisible()
    opened.controller.close()
    settle()
    assert not opened.banner.isVisible()


def test_undo_of_a_link_leaves_the_selection_for_the_next_key(array_window, qtbot) -> None:
    from tests.gui.windows import press_keys

    workspace = array_window.workspace
    workspace.show_component(0)
    workspace.select([0, 1])
    press_keys(qtbot, array_window, "J", "Ctrl+Z")
    assert workspace.selected == (0, 1)
    press_keys(qtbot, array_window, "D")
    assert len(workspace.state.history.entries) > 0
    assert not workspace.state.history.can_redo
    array_window.controller.close()


def test_a_layout_keeps_the_panels_that_were_opened_in_it(array_window, qtbot) -> None:
    from tests.gui.windows import press_keys

    press_keys(qtbot, array_window, "S")
    before = array_window.bench.shown
    assert "similar" in before
    press_keys(qtbot, array_window, "F3")
    assert "similar" not in array_window.bench.shown
    press_keys(qtbot, array_window, "F2")
    assert array_window.bench.shown == before
    array_window.actions_["reset_layout"].trigger()
    assert "similar" not in array_window.bench.shown
    array_window.controller.close()


def test_a_split_does_not_settle_the_question(array_window) -> None:
    from ncpgui.curation.split import lasso_split

    workspace = array_window.workspace
    workspace.show_component(0)
    component = workspace.component()
    half = np.zeros(len(component.spike_ids), bool)
    half[: len(half) // 2] = True
    workspace.state.do(lasso_split(workspace.state.clustering, component, half, (0,)))
    settle()
    assert not workspace.questions.status(0).is_settled
    assert array_window.bench.alternatives.adopt.text().startswith("Keep ")
    array_window.controller.close()


@pytest.fixture(autouse=True)
def leaves(monkeypatch) -> None:
    """Nobody is asked whether to leave a project that is not saved."""
    from ncpgui.gui.main_window import MainWindow

    monkeypatch.setattr(MainWindow, "may_leave", lambda _: True)


KEYS_THAT_NEED_MORE = {
    "G": "Merge: fewer than two units are selected",
    "D": "Never merge: fewer than two units are selected",
    "Y": "Accept unit: no unit is selected",
    "Alt+M": "Label MUA: no unit is selected",
    "Ctrl+G": "Label similar good, MUA, noise or unsorted: no unit in the list of similar units is selected",
    "Ctrl+Z": "Undo: there is nothing to undo",
    "Ctrl+Y": "Redo: there is nothing to do again",
}


@pytest.mark.parametrize("key", KEYS_THAT_NEED_MORE)
def test_a_key_that_is_not_allowed_now_says_why(array_window, qtbot, key: str) -> None:
    from tests.gui.windows import press_keys

    array_window.workspace.show_component(0)
    array_window.workspace.select([])
    press_keys(qtbot, array_window, key)
    assert array_window.status.currentMessage() == KEYS_THAT_NEED_MORE[key]
    array_window.controller.close()


def test_without_a_project_keys_say_that_something_is_to_be_opened(window, qtbot) -> None:
    from tests.gui.windows import press_keys

    for key in ("G", "]", "Return", "Space", "F3", "Ctrl+E"):
        window.status.clearMessage()
        press_keys(qtbot, window, key)
        assert "open a recording or a session first" in window.status.currentMessage(), key


def test_a_key_of_one_allowed_action_does_it_and_refuses_nothing(array_window, qtbot) -> None:
    from tests.gui.windows import press_keys

    workspace, said = array_window.workspace, []
    workspace.show_component(0)
    workspace.select([0])
    workspace.state.told.connect(said.append)
    press_keys(qtbot, array_window, "Alt+M")
    assert workspace.state.history.labels.label(0) == "mua"
    assert said == ["Label unit 0 mua"]
    array_window.controller.close()


def test_an_error_goes_when_the_same_kind_of_work_succeeds(array_window) -> None:
    show, work = array_window.show_error, array_window.controller.work
    show(RecordingError("the disk is full"), "saving a.h5")
    work.succeeded.emit("Exporting to b.csv")
    assert array_window.banner.isVisible(), "an export says nothing of saves"
    work.succeeded.emit("saving a.h5")
    assert not array_window.banner.isVisible()
    show(RecordingError("the disk is full"), "exporting to b.csv")
    work.succeeded.emit("Exporting to c.csv")
    assert not array_window.banner.isVisible()
    array_window.controller.close()


def test_an_action_that_no_file_has_is_warned_of_until_a_save_has_it(array_window, tmp_path) -> None:
    array_window.workspace.state.warned.emit(
        "The action was done but not written to the journal: No space left on device"
    )
    assert array_window.banner.isVisible()
    array_window.controller.save(tmp_path / "s.h5")
    settle()
    assert not array_window.banner.isVisible()
    array_window.controller.close()
