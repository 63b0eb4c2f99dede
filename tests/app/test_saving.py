"""Edits and saves in every order, with real session files: a crash at any moment loses nothing."""

from __future__ import annotations

import errno
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from app_fakes import FakeJobs
from later import Later
from read_once import saved_copy

from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.work import jobs, recordings
from ncpgui.app.work.saving import Saving
from ncpgui.core.errors import InputError, SessionError
from ncpgui.core.progress import silent
from ncpgui.session import journal
from ncpgui.session.schema import SessionPaths
from ncpgui.session.session_file import open_session
from ncpgui.session.store import load, save


@pytest.fixture
def runner() -> Later:
    return Later()


@pytest.fixture
def controller(fake: FakeJobs, preferences: Preferences, runner: Later) -> Controller:
    return Controller(Workspace(), runner, preferences)


@pytest.fixture
def opened(controller: Controller, fake: FakeJobs, runner: Later, tmp_path: Path) -> Controller:
    saved_copy(fake.project, tmp_path / "s.h5")
    controller.open_session(tmp_path / "s.h5")
    runner.run()
    return controller


def sampled(controller: Controller, runner: Later, path: Path, n_components: int) -> Workspace:
    """Open a recording and sample so many of its components; saves wait in their lane."""
    controller.open_recording(recordings.RecordingRequest(path.with_suffix(".raw"), session=path))
    for _ in range(1 + n_components):
        runner.work("work")
        runner.deliver()
    return controller.workspace


def after_a_crash(path: Path, folder: Path) -> list[str]:
    """Labels and commands that come back from the files as they are now, in order."""
    folder.mkdir()
    for file in (path, SessionPaths(path).journal):
        if file.is_file():
            shutil.copy(file, folder / file.name)
    workspace = Workspace()
    told: list[str] = []
    workspace.state.told.connect(told.append)
    with open_session(folder / path.name) as session:
        workspace.state.open(session.project, entries=session.journal_entries)
    assert not [text for text in told if "cannot be done" in text]
    return [entry.get("label", entry["do"]) for entry in workspace.state.history.entries]


def test_edits_while_the_session_is_made_follow_its_first_save(
    controller: Controller, runner: Later, tmp_path: Path
) -> None:
    workspace = sampled(controller, runner, tmp_path / "s.h5", 1)
    runner.work("io")  # the session was made with the first component; nobody heard of it yet
    workspace.label((3,), "good")
    workspace.label((3,), "mua")
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "before") == []
    runner.deliver()
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "after") == ["good", "mua"]
    workspace.label((3,), "noise")
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "later") == ["good", "mua", "noise"]
    controller.close()
    runner.run()


def test_an_edit_of_a_unit_that_the_session_does_not_know_makes_it_save(
    controller: Controller, fake: FakeJobs, runner: Later, tmp_path: Path
) -> None:
    fake.matched[13:16] = 3  # two units where component 1 has one
    workspace = sampled(controller, runner, tmp_path / "s.h5", 1)
    runner.run("io")
    runner.work("work")
    runner.deliver()  # another component, a moment after the save: it is not in the file
    assert not runner.is_busy("io")
    units = workspace.state.clustering.unit_ids.tolist()
    workspace.label((units[-1],), "good")
    assert runner.is_busy("io")
    workspace.label((units[-1],), "mua")
    runner.run("io")
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "crash") == ["good", "mua"]
    workspace.label((units[-1],), "noise")
    assert not runner.is_busy("io")
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "later") == ["good", "mua", "noise"]
    controller.close()
    runner.run()


def test_components_sampled_after_an_edit_come_back_with_it(
    controller: Controller, runner: Later, tmp_path: Path
) -> None:
    workspace = sampled(controller, runner, tmp_path / "s.h5", 1)
    workspace.merge((3, 4))
    runner.run()
    units = workspace.state.clustering.unit_of_spike.tolist()
    controller.close()
    runner.run()
    controller.open_session(tmp_path / "s.h5")
    runner.run()
    assert controller.workspace.state.clustering.unit_of_spike.tolist() == units
    assert [controller.workspace.questions.status(c).state for c in (0, 1, 2)] == ["sure", "sampled", "sure"]
    controller.close()


def test_edits_while_a_save_runs_stay_in_the_journal(
    opened: Controller, runner: Later, tmp_path: Path
) -> None:
    workspace = opened.workspace
    workspace.label((0,), "good")
    opened.save()
    workspace.label((0,), "mua")  # after the snapshot, before the file is written
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "before") == ["good", "mua"]
    runner.work("io")
    workspace.label((0,), "noise")  # after the file was written
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "between") == ["good", "mua", "noise"]
    runner.deliver()
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "after") == ["good", "mua", "noise"]
    assert not workspace.state.is_saved
    assert [entry["label"] for entry in load(tmp_path / "s.h5").history] == ["good"]
    opened.close()


def test_a_journal_that_cannot_be_written_is_told_and_the_session_stays_whole(
    opened: Controller, runner: Later, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = opened.workspace
    warned: list[str] = []
    workspace.state.warned.connect(warned.append)
    workspace.label((0,), "good")

    def no_space(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(journal.os, "fsync", no_space)
        workspace.label((0,), "mua")
        (problem,) = warned
        assert problem.startswith("The action was done but not written to the journal: ")
        assert "No space left on device" in problem
    assert workspace.state.history.labels.label(0) == "mua"
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "full") == ["good"]
    workspace.label((0,), "noise")
    runner.run()  # the save that an action without a journal asks for
    assert workspace.state.is_safe
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "again") == ["good", "mua", "noise"]
    opened.close()


def test_an_unwritten_action_makes_the_session_save_at_once(
    opened: Controller, runner: Later, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal.Journal, "append", _refuse)
    opened.workspace.label((0,), "good")
    runner.run("io")
    assert [entry["label"] for entry in load(tmp_path / "s.h5").history] == ["good"]
    assert opened.workspace.state.is_safe
    opened.close()


def test_an_action_that_the_journal_of_the_first_file_cannot_take_makes_it_save_again(
    controller: Controller, runner: Later, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller.open_recording(recordings.RecordingRequest(tmp_path / "r.raw"))
    runner.run()
    controller.workspace.label((1,), "good")
    controller.save(tmp_path / "s.h5")
    controller.workspace.label((1,), "mua")  # it waits for the file to be there
    runner.work("io")
    with monkeypatch.context() as full:
        full.setattr(journal.Journal, "append", _refuse)
        runner.deliver()
    assert not controller.workspace.state.is_safe
    runner.run()
    assert [entry["label"] for entry in load(tmp_path / "s.h5").history] == ["good", "mua"]
    controller.close()


def _refuse(*_: Any) -> None:
    raise SessionError("disk full")


def test_a_save_that_fails_is_told_and_edits_go_on_in_the_journal(
    opened: Controller, runner: Later, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: list[str] = []
    opened.work.failed.connect(lambda error, doing: failed.append(f"{doing}: {error}"))
    with monkeypatch.context() as full:
        full.setattr(jobs, "save", lambda *_, **__: _refuse())
        opened.workspace.label((0,), "good")
        opened.save()
        opened.workspace.label((0,), "mua")
        runner.run()
    assert failed == ["saving s.h5: disk full"]
    opened.workspace.label((0,), "noise")
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "crash") == ["good", "mua", "noise"]
    opened.save()
    runner.run()
    assert opened.workspace.state.is_saved
    opened.close()


def test_saving_elsewhere_takes_the_work_there_and_leaves_the_first_file(
    opened: Controller, runner: Later, tmp_path: Path
) -> None:
    opened.workspace.label((0,), "good")
    opened.save(tmp_path / "t.h5")
    opened.workspace.label((0,), "mua")
    runner.run()
    assert opened.saving.path == tmp_path / "t.h5"
    opened.workspace.label((0,), "noise")
    assert after_a_crash(tmp_path / "t.h5", tmp_path / "there") == ["good", "mua", "noise"]
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "here") == ["good", "mua"]
    open_session(tmp_path / "s.h5").close()  # not locked
    opened.close()


def test_saving_elsewhere_that_fails_leaves_the_file_where_it_was(
    opened: Controller, runner: Later, tmp_path: Path
) -> None:
    failed: list[str] = []
    opened.work.failed.connect(lambda error, doing: failed.append(str(error)))
    opened.save(tmp_path / "nowhere" / "t.h5")
    runner.run()
    assert "does not exist" in failed[0]
    assert opened.saving.path == tmp_path / "s.h5"
    opened.workspace.label((0,), "good")
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "crash") == ["good"]
    opened.close()


def test_the_same_file_under_another_name_is_the_same_file(
    opened: Controller, runner: Later, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: list[Any] = []
    opened.work.failed.connect(lambda error, doing: failed.append(error))
    monkeypatch.chdir(tmp_path)
    opened.save(Path("s.h5"))
    runner.run()
    assert failed == []
    assert opened.workspace.state.is_saved
    opened.close()


def test_a_save_asked_for_while_the_session_is_made_waits_for_it(
    controller: Controller, runner: Later, tmp_path: Path
) -> None:
    failed: list[Any] = []
    told: list[str] = []
    workspace = sampled(controller, runner, tmp_path / "s.h5", 1)
    controller.work.failed.connect(lambda error, doing: failed.append(error))
    workspace.state.told.connect(told.append)
    runner.work("io")
    workspace.label((3,), "good")
    controller.save()
    controller.save()
    runner.deliver()
    runner.run("io")
    assert failed == []
    assert told.count("Saved s.h5") == 1
    assert [entry["label"] for entry in load(tmp_path / "s.h5").history] == ["good"]
    controller.close()
    runner.run()


def test_closing_saves_what_only_memory_holds(
    controller: Controller, fake: FakeJobs, runner: Later, tmp_path: Path
) -> None:
    sampled(controller, runner, tmp_path / "s.h5", 1)
    runner.run("io")
    runner.work("work")
    runner.deliver()
    controller.close()  # the second component is not in the file
    assert controller.workspace.state.project is None
    runner.run()
    assert len(load(tmp_path / "s.h5").components) == 2
    open_session(tmp_path / "s.h5").close()  # not locked


def test_closing_while_the_session_is_made_saves_what_came_since(
    controller: Controller, runner: Later, tmp_path: Path
) -> None:
    workspace = sampled(controller, runner, tmp_path / "s.h5", 1)
    runner.work("io")
    workspace.label((3,), "good")
    controller.close()
    runner.run()
    assert [entry["label"] for entry in load(tmp_path / "s.h5").history] == ["good"]
    open_session(tmp_path / "s.h5").close()


def test_closing_while_it_is_saved_elsewhere_closes_both_files(
    opened: Controller, runner: Later, tmp_path: Path
) -> None:
    opened.workspace.label((0,), "good")
    opened.save(tmp_path / "t.h5")
    opened.close()
    runner.run()
    for name in ("s.h5", "t.h5"):
        open_session(tmp_path / name).close()


def test_a_session_opened_read_only_is_kept_by_saving_it_elsewhere(
    controller: Controller, fake: FakeJobs, runner: Later, tmp_path: Path
) -> None:
    save(fake.project, tmp_path / "s.h5")
    with open_session(tmp_path / "s.h5") as writer:
        writer.append({"do": "label", "unit_ids": [0], "label": "good"})
        controller.open_session(tmp_path / "s.h5", read_only=True)
        runner.run()
        workspace = controller.workspace
        assert workspace.state.history.labels.label(0) == "good"  # from the journal of the other program
        assert (workspace.state.is_saved, workspace.state.is_safe) == (
            True,
            True,
        )  # nothing to ask about on leaving
        assert controller.saving.path is None
        assert controller.read_only_path == tmp_path / "s.h5"
        workspace.label((0,), "mua")
        assert not workspace.state.is_safe
        with pytest.raises(InputError, match="choose one with Save as"):
            controller.save()
        controller.save(tmp_path / "t.h5")
        runner.run()
        workspace.label((0,), "noise")
        assert after_a_crash(tmp_path / "t.h5", tmp_path / "there") == ["good", "mua", "noise"]
        assert after_a_crash(tmp_path / "s.h5", tmp_path / "here") == ["good"]
        controller.close()


def test_closing_what_is_saved_writes_nothing(opened: Controller, runner: Later, tmp_path: Path) -> None:
    opened.workspace.label((0,), "good")
    opened.save()
    runner.run()
    before = (tmp_path / "s.h5").stat().st_mtime_ns
    opened.close()
    assert not runner.waiting
    assert (tmp_path / "s.h5").stat().st_mtime_ns == before


def test_closing_leaves_nothing_in_the_journal_so_that_the_file_alone_can_be_sent_to_others(
    opened: Controller, runner: Later, tmp_path: Path
) -> None:
    opened.workspace.label((0,), "good")
    opened.workspace.label((0,), "mua")
    opened.workspace.undo()
    opened.close()
    runner.run()
    assert sorted(item.name for item in tmp_path.glob("s.*")) == ["s.h5", "s.h5.waveforms"]
    (tmp_path / "s.h5").rename(tmp_path / "sent.h5")
    assert after_a_crash(tmp_path / "sent.h5", tmp_path / "there") == ["good", "mua", "undo"]


def test_a_session_that_was_closed_opens_as_saved_and_can_still_be_undone(
    opened: Controller, runner: Later, tmp_path: Path
) -> None:
    workspace, told, warned = opened.workspace, [], []
    workspace.label((0,), "good")
    workspace.merge((0, 1))
    opened.close()
    workspace.state.told.connect(told.append)
    workspace.state.warned.connect(warned.append)
    failed: list[Any] = []
    opened.work.failed.connect(lambda error, doing: failed.append(error))
    opened.open_session(tmp_path / "s.h5")
    runner.run()
    assert (told, warned, failed) == ([], [], [])
    assert workspace.state.is_saved
    n_units = len(workspace.state.clustering.unit_ids)
    workspace.undo()
    assert len(workspace.state.clustering.unit_ids) == n_units + 1
    workspace.undo()
    assert workspace.state.history.labels.label(0) == "unsorted"
    opened.close()
    runner.run()


def test_a_session_closed_while_it_is_saved_can_be_opened_again_at_once(
    opened: Controller, runner: Later, tmp_path: Path
) -> None:
    refused: list[Any] = []
    opened.only_readable.connect(lambda path, error: refused.append(error))
    opened.workspace.label((0,), "good")
    opened.save()
    runner.work("io")  # saved; nobody heard of it yet
    opened.workspace.label((1,), "mua")
    opened.open_session(tmp_path / "s.h5")
    runner.run()
    assert refused == []
    labels = opened.workspace.state.history.labels
    assert (labels.label(0), labels.label(1)) == ("good", "mua")
    opened.close()
    runner.run()


def test_what_a_crash_left_in_the_journal_is_folded_in_on_closing(
    opened: Controller, runner: Later, tmp_path: Path
) -> None:
    opened.workspace.label((0,), "good")
    (tmp_path / "crash").mkdir()
    for file in (tmp_path / "s.h5", tmp_path / "s.h5.journal", tmp_path / "s.h5.waveforms"):
        shutil.copy(file, tmp_path / "crash")
    opened.close()
    runner.run()
    told: list[str] = []
    opened.workspace.state.told.connect(told.append)
    opened.open_session(tmp_path / "crash" / "s.h5")
    runner.run()
    assert told == ["1 action since the last save recovered from the journal"]
    assert not opened.workspace.state.is_saved
    opened.close()
    runner.run()
    assert [entry["label"] for entry in load(tmp_path / "crash" / "s.h5").history] == ["good"]
    assert not (tmp_path / "crash" / "s.h5.journal").exists()


def test_actions_of_a_journal_that_cannot_be_done_are_kept_when_the_session_is_saved(
    controller: Controller, fake: FakeJobs, runner: Later, tmp_path: Path
) -> None:
    save(fake.project, tmp_path / "s.h5")
    with open_session(tmp_path / "s.h5") as session:
        session.append({"do": "label", "unit_ids": [0], "label": "good"})
        session.append({"do": "merge", "unit_ids": [0, 99]})
    before = (tmp_path / "s.h5.journal").read_bytes()
    warned: list[str] = []
    controller.workspace.state.warned.connect(warned.append)
    controller.open_session(tmp_path / "s.h5")
    runner.run()
    controller.close()
    runner.run()
    assert warned[0].endswith("; the journal is kept as s.h5.journal.1")
    assert (tmp_path / "s.h5.journal.1").read_bytes() == before
    assert [entry["label"] for entry in load(tmp_path / "s.h5").history] == ["good"]


def test_a_session_replaced_while_open_is_said_at_the_next_action_and_kept_beside_on_closing(
    opened: Controller, fake: FakeJobs, runner: Later, tmp_path: Path
) -> None:
    warned: list[str] = []
    failed: list[str] = []
    opened.workspace.state.warned.connect(warned.append)
    opened.work.failed.connect(lambda error, doing: failed.append(f"{doing}: {error}"))
    opened.workspace.label((0,), "good")
    save(replace(fake.project, model="another"), tmp_path / "another.h5")
    (tmp_path / "another.h5").replace(tmp_path / "s.h5")
    opened.workspace.label((1,), "mua")
    runner.run()
    assert "not written to the journal" in warned[0]
    assert "was replaced or changed by another program while it is open" in warned[0]
    opened.close()
    runner.run()
    assert load(tmp_path / "s.h5").model == "another"
    assert failed[-1].startswith("saving s.h5: ")
    assert failed[-1].endswith(f"; what was open is kept in {tmp_path / 's-1.h5'}")
    assert [entry["label"] for entry in load(tmp_path / "s-1.h5").history] == ["good", "mua"]


def test_what_appears_where_a_new_session_goes_is_not_replaced(
    controller: Controller, runner: Later, tmp_path: Path
) -> None:
    warned: list[str] = []
    controller.workspace.state.warned.connect(warned.append)
    workspace = sampled(controller, runner, tmp_path / "s.h5", 1)
    (tmp_path / "s.h5").write_text("somebody's notes")
    runner.run()
    assert (tmp_path / "s.h5").read_text() == "somebody's notes"
    assert controller.saving.path == tmp_path / "s-1.h5"
    assert warned == [
        f"s.h5 appeared meanwhile and is not replaced; the session is kept as {tmp_path / 's-1.h5'}"
    ]
    workspace.label((1,), "good")
    assert after_a_crash(tmp_path / "s-1.h5", tmp_path / "crash") == ["good"]
    controller.save(tmp_path / "s.h5")  # somebody chose it
    runner.run()
    assert [entry["label"] for entry in load(tmp_path / "s.h5").history] == ["good"]
    controller.close()
    runner.run()


def test_a_journal_deleted_while_open_is_said_and_what_was_done_is_saved_at_once(
    opened: Controller, runner: Later, tmp_path: Path
) -> None:
    warned: list[str] = []
    opened.workspace.state.warned.connect(warned.append)
    opened.workspace.label((0,), "good")
    (tmp_path / "s.h5.journal").unlink()
    opened.workspace.label((1,), "mua")
    runner.run()
    assert "s.h5.journal was deleted by another program while the session is open" in warned[0]
    opened.workspace.label((2,), "noise")
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "crash") == ["good", "mua", "noise"]
    assert len(warned) == 1
    opened.close()
    runner.run()


def test_without_a_place_to_save_one_must_be_given(
    controller: Controller, runner: Later, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="nothing to save"):
        controller.save()
    controller.open_recording(recordings.RecordingRequest(tmp_path / "r.raw"))
    runner.run()
    controller.workspace.label((1,), "good")
    assert not runner.is_busy("io")
    with pytest.raises(InputError, match="choose one with Save as"):
        controller.save()
    controller.save(tmp_path / "s.h5")
    runner.run()
    assert controller.saving.path == tmp_path / "s.h5"
    controller.workspace.label((1,), "mua")
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "crash") == ["good", "mua"]
    controller.close()


@pytest.mark.parametrize("has_last", [True, False])
@pytest.mark.parametrize("was_made", [True, False])
def test_at_the_end_the_session_that_was_made_last_is_closed_and_the_one_before_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, was_made: bool, has_last: bool
) -> None:
    """With what the file lacks it is saved and closed in one."""
    log: list[tuple[str, str]] = []

    def session(name: str) -> Any:
        return SimpleNamespace(path=tmp_path / name, close=lambda: log.append(("closed", name)))

    def save_and_close(made: Any, target: Path, *_: object, **__: object) -> None:
        log.append(("saved", target.name))

    monkeypatch.setattr(jobs, "save_and_close", save_and_close)
    saving: Any = SimpleNamespace(_made=session("new") if was_made else None, path=tmp_path / "new")
    last: Any = object() if has_last else None
    Saving._finish(saving, session("old"), last, True, silent)
    before = [("closed", "old")] if was_made else []
    name = "new" if was_made else "old"
    assert log == [*before, ("saved", name) if has_last else ("closed", name)]


@pytest.mark.parametrize("is_open", [True, False])
def test_a_last_save_that_fails_leaves_the_session_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_open: bool
) -> None:
    closed: list[str] = []

    def full(*_: object, **__: object) -> None:
        raise SessionError("the disk is full")

    monkeypatch.setattr(jobs, "save", full)
    session: Any = SimpleNamespace(close=lambda: closed.append("closed")) if is_open else None
    project: Any = object()
    with pytest.raises(SessionError, match="the disk is full"):
        jobs.save_and_close(session, tmp_path / "one.h5", project, is_in_journal=True)
    assert closed == ["closed"] * is_open
