"""Edits and saves in every order, with real session files: a crash at any moment loses nothing."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path
from typing import Any

import pytest
from app_fakes import FakeJobs
from later import Later

from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.work import jobs
from ncpgui.core.errors import InputError, SessionError
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
    save(fake.project, tmp_path / "s.h5")
    controller.open_session(tmp_path / "s.h5")
    runner.run()
    return controller


def sampled(controller: Controller, runner: Later, path: Path, n_groups: int) -> Workspace:
    """Open a recording and sample so many of its components; saves wait in their lane."""
    controller.open_recording(jobs.RecordingRequest(path.with_suffix(".raw"), session=path))
    for _ in range(1 + n_groups):
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
    workspace.told.connect(told.append)
    with open_session(folder / path.name) as session:
        workspace.open(session.project, entries=session.journal_entries)
    assert not [text for text in told if "cannot be done" in text]
    return [entry.get("label", entry["do"]) for entry in workspace.history.entries]


def test_edits_while_the_session_is_made_follow_its_first_save(
    controller: Controller, runner: Later, tmp_path: Path
) -> None:
    workspace = sampled(controller, runner, tmp_path / "s.h5", 1)
    runner.work("io")  # the session was made with the first component; nobody heard of it yet
    workspace.label((0,), "good")
    workspace.label((0,), "mua")
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "before") == []
    runner.deliver()
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "after") == ["good", "mua"]
    workspace.label((0,), "noise")
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "later") == ["good", "mua", "noise"]
    controller.close()
    runner.run()


def test_an_edit_of_a_unit_that_the_session_does_not_know_makes_it_save(
    controller: Controller, runner: Later, tmp_path: Path
) -> None:
    workspace = sampled(controller, runner, tmp_path / "s.h5", 1)
    runner.run("io")
    runner.work("work")
    runner.deliver()  # another component, a moment after the save: it is not in the file
    assert not runner.is_busy("io")
    units = workspace.clustering.unit_ids.tolist()
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


def test_groups_sampled_after_an_edit_come_back_with_it(
    controller: Controller, runner: Later, tmp_path: Path
) -> None:
    workspace = sampled(controller, runner, tmp_path / "s.h5", 1)
    workspace.merge((0, 1))
    runner.run()
    units = workspace.clustering.unit_of_spike.tolist()
    controller.close()
    runner.run()
    controller.open_session(tmp_path / "s.h5")
    runner.run()
    assert controller.workspace.clustering.unit_of_spike.tolist() == units
    assert [controller.workspace.status(c).state for c in (0, 1, 2)] == ["sure", "sampled", "sure"]
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
    assert not workspace.is_saved
    assert [entry["label"] for entry in load(tmp_path / "s.h5").history] == ["good"]
    opened.close()


def test_a_journal_that_cannot_be_written_is_told_and_the_session_stays_whole(
    opened: Controller, runner: Later, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = opened.workspace
    warned: list[str] = []
    workspace.warned.connect(warned.append)
    workspace.label((0,), "good")

    def no_space(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(journal.os, "fsync", no_space)
        workspace.label((0,), "mua")
        (problem,) = warned
        assert problem.startswith("The action was done but not written to the journal: ")
        assert "No space left on device" in problem
    assert workspace.history.labels.label(0) == "mua"
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "full") == ["good"]
    workspace.label((0,), "noise")
    runner.run()  # the save that an action without a journal asks for
    assert workspace.is_safe
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "again") == ["good", "mua", "noise"]
    opened.close()


def test_an_unwritten_action_makes_the_session_save_at_once(
    opened: Controller, runner: Later, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal.Journal, "append", _refuse)
    opened.workspace.label((0,), "good")
    runner.run("io")
    assert [entry["label"] for entry in load(tmp_path / "s.h5").history] == ["good"]
    assert opened.workspace.is_safe
    opened.close()


def _refuse(*_: Any) -> None:
    raise SessionError("disk full")


def test_a_save_that_fails_is_told_and_edits_go_on_in_the_journal(
    opened: Controller, runner: Later, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: list[str] = []
    opened.failed.connect(lambda error, doing: failed.append(f"{doing}: {error}"))
    with monkeypatch.context() as full:
        full.setattr(jobs, "save", lambda *_, progress: _refuse())
        opened.workspace.label((0,), "good")
        opened.save()
        opened.workspace.label((0,), "mua")
        runner.run()
    assert failed == ["saving s.h5: disk full"]
    opened.workspace.label((0,), "noise")
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "crash") == ["good", "mua", "noise"]
    opened.save()
    runner.run()
    assert opened.workspace.is_saved
    opened.close()


def test_saving_elsewhere_takes_the_work_there_and_leaves_the_first_file(
    opened: Controller, runner: Later, tmp_path: Path
) -> None:
    opened.workspace.label((0,), "good")
    opened.save(tmp_path / "t.h5")
    opened.workspace.label((0,), "mua")
    runner.run()
    assert opened.session_path == tmp_path / "t.h5"
    opened.workspace.label((0,), "noise")
    assert after_a_crash(tmp_path / "t.h5", tmp_path / "there") == ["good", "mua", "noise"]
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "here") == ["good", "mua"]
    open_session(tmp_path / "s.h5").close()  # not locked
    opened.close()


def test_saving_elsewhere_that_fails_leaves_the_file_where_it_was(
    opened: Controller, runner: Later, tmp_path: Path
) -> None:
    failed: list[str] = []
    opened.failed.connect(lambda error, doing: failed.append(str(error)))
    opened.save(tmp_path / "nowhere" / "t.h5")
    runner.run()
    assert "does not exist" in failed[0]
    assert opened.session_path == tmp_path / "s.h5"
    opened.workspace.label((0,), "good")
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "crash") == ["good"]
    opened.close()


def test_the_same_file_under_another_name_is_the_same_file(
    opened: Controller, runner: Later, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: list[Any] = []
    opened.failed.connect(lambda error, doing: failed.append(error))
    monkeypatch.chdir(tmp_path)
    opened.save(Path("s.h5"))
    runner.run()
    assert failed == []
    assert opened.workspace.is_saved
    opened.close()


def test_a_save_asked_for_while_the_session_is_made_waits_for_it(
    controller: Controller, runner: Later, tmp_path: Path
) -> None:
    failed: list[Any] = []
    told: list[str] = []
    workspace = sampled(controller, runner, tmp_path / "s.h5", 1)
    controller.failed.connect(lambda error, doing: failed.append(error))
    workspace.told.connect(told.append)
    runner.work("io")
    workspace.label((0,), "good")
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
    assert controller.workspace.project is None
    runner.run()
    assert len(load(tmp_path / "s.h5").components) == 2
    open_session(tmp_path / "s.h5").close()  # not locked


def test_closing_while_the_session_is_made_saves_what_came_since(
    controller: Controller, runner: Later, tmp_path: Path
) -> None:
    workspace = sampled(controller, runner, tmp_path / "s.h5", 1)
    runner.work("io")
    workspace.label((0,), "good")
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
        writer.append({"do": "label", "units": [0], "label": "good"})
        controller.open_session(tmp_path / "s.h5", read_only=True)
        runner.run()
        workspace = controller.workspace
        assert workspace.history.labels.label(0) == "good"  # from the journal of the other program
        assert (workspace.is_saved, workspace.is_safe) == (True, True)  # nothing to ask about on leaving
        assert controller.session_path is None
        assert controller.read_only_path == tmp_path / "s.h5"
        workspace.label((0,), "mua")
        assert not workspace.is_safe
        with pytest.raises(InputError, match="choose one with Save as"):
            controller.save()
        controller.save(tmp_path / "t.h5")
        runner.run()
        workspace.label((0,), "noise")
        assert after_a_crash(tmp_path / "t.h5", tmp_path / "there") == ["good", "mua", "noise"]
        assert after_a_crash(tmp_path / "s.h5", tmp_path / "here") == ["good"]
        controller.close()


def test_closing_what_is_safe_writes_nothing(opened: Controller, runner: Later, tmp_path: Path) -> None:
    opened.workspace.label((0,), "good")
    before = (tmp_path / "s.h5").stat().st_mtime_ns
    opened.close()
    assert not runner.waiting
    assert (tmp_path / "s.h5").stat().st_mtime_ns == before
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "crash") == ["good"]


def test_without_a_place_to_save_one_must_be_given(
    controller: Controller, runner: Later, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="nothing to save"):
        controller.save()
    controller.open_recording(jobs.RecordingRequest(tmp_path / "r.raw"))
    runner.run()
    controller.workspace.label((0,), "good")
    assert not runner.is_busy("io")
    with pytest.raises(InputError, match="choose one with Save as"):
        controller.save()
    controller.save(tmp_path / "s.h5")
    runner.run()
    assert controller.session_path == tmp_path / "s.h5"
    controller.workspace.label((0,), "mua")
    assert after_a_crash(tmp_path / "s.h5", tmp_path / "crash") == ["good", "mua"]
    controller.close()
