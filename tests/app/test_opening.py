"""Sessions, recordings and the demo are opened; what comes too late is dropped and closed."""

from __future__ import annotations

import importlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from app_fakes import FakeJobs, request, start
from later import Later

from ncpgui.app import demo
from ncpgui.app.preferences import Preferences
from ncpgui.app.words import without_options
from ncpgui.app.work import jobs, recordings
from ncpgui.app.work.recognition import is_raw, recognize
from ncpgui.app.work.reviewing import ReviewRequest
from ncpgui.core.errors import RecordingError
from ncpgui.session.session_file import create_session
from ncpgui.session.store import load, save

READS_SESSIONS = True


@pytest.fixture
def opens_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever lies at a path is a recording; a module that is loaded meanwhile would keep this for good."""
    for name in ("simulation", "sorted_recording"):
        importlib.import_module(f"ncpgui.ephys.{name}")
    monkeypatch.setattr("ncpgui.ephys.readers.open_recording", lambda path: None)


# -- sessions -------------------------------------------------------------------------------


def test_a_session_is_opened_with_what_its_journal_recovers(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    with create_session(fake.project, tmp_path / "s.h5") as session:
        session.append({"do": "merge", "unit_ids": [0, 1]})
    controller, ears = start(preferences)
    controller.open_session(tmp_path / "s.h5")
    assert controller.workspace.state.clustering.unit_of_spike[0] == 5
    assert "1 action since the last save recovered from the journal" in ears.told
    controller.close()


def test_memory_that_reading_a_session_took_goes_back(
    fake: FakeJobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(fake.project, tmp_path / "s.h5")
    told: list[str] = []
    monkeypatch.setattr(jobs, "give_back", lambda: told.append("given back"))
    with jobs.open_session(tmp_path / "s.h5") as session:
        assert told == ["given back"]
        assert len(session.project.spikes) == len(fake.project.spikes)


def test_a_session_whose_history_cannot_be_done_is_told_and_closed(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    save(replace(fake.project, history=({"do": "merge", "unit_ids": [0, 99]},)), tmp_path / "s.h5")
    controller, ears = start(preferences)
    for _ in range(2):  # the second time it is not locked by the first
        controller.open_session(tmp_path / "s.h5")
    assert [doing for _, doing in ears.failed] == ["opening s.h5"] * 2
    assert all("unit 99 does not exist" in text for text, _ in ears.failed)
    assert controller.workspace.state.project is None
    assert controller.saving.path is None


def test_a_session_that_another_program_writes_can_be_opened_read_only(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    controller, ears = start(preferences)
    refused: list[tuple[Path, str]] = []
    controller.only_readable.connect(lambda path, error: refused.append((path, str(error))))
    with create_session(fake.project, tmp_path / "s.h5"):
        controller.open_session(tmp_path / "s.h5")
        (path, words) = refused[0]
        assert "open for writing" in words
        assert words.endswith("open the session read-only")
        controller.open_session(path, read_only=True)
        assert controller.workspace.state.project is not None
    assert ears.failed == []
    controller.close()


def test_a_session_that_is_not_there_is_told(preferences: Preferences, tmp_path: Path) -> None:
    controller, ears = start(preferences)
    controller.open_session(tmp_path / "none.h5")
    assert "does not exist" in ears.failed[0][0]
    assert preferences.recent == []


# -- anything -------------------------------------------------------------------------------


def test_a_path_to_a_session_opens_it(fake: FakeJobs, preferences: Preferences, tmp_path: Path) -> None:
    save(fake.project, tmp_path / "s.h5")
    controller, _ = start(preferences)
    controller.open_path(tmp_path / "s.h5")
    assert controller.saving.path == tmp_path / "s.h5"
    controller.close()


@pytest.mark.usefixtures("opens_anything")
def test_a_path_to_a_recording_that_describes_itself_opens_it(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    (tmp_path / "retina.nwb").touch()
    (tmp_path / "retina.ncp.h5").touch()
    controller, _ = start(preferences)
    controller.open_path(tmp_path / "retina.nwb")
    (asked,) = [r for r in fake.requests if isinstance(r, recordings.RecordingRequest)]
    assert asked == recordings.RecordingRequest(tmp_path / "retina.nwb", session=tmp_path / "retina-2.ncp.h5")
    assert controller.workspace.state.project is not None
    controller.close()


def test_a_raw_file_says_that_it_must_be_described(preferences: Preferences, tmp_path: Path) -> None:
    (tmp_path / "retina.raw").write_bytes(bytes(400))
    controller, ears = start(preferences)
    controller.open_path(tmp_path / "retina.raw")
    ((text, doing),) = ears.failed
    assert text.startswith("retina.raw is a raw binary file, which does not say its sampling frequency or")
    assert text.endswith("To say what kind of recording it is, use File > Open recording…")
    assert "--" not in text
    assert doing == "looking at retina.raw"


@pytest.mark.usefixtures("opens_anything")
def test_beside_a_recording_that_cannot_be_written_to_the_session_is_kept_at_home_which_is_said(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(os, "access", lambda place, _: place != tmp_path / "shelf")
    for folder in ("home", "shelf"):
        (tmp_path / folder).mkdir()
    (tmp_path / "shelf" / "retina.nwb").touch()
    controller, ears = start(preferences)
    controller.open_path(tmp_path / "shelf" / "retina.nwb")
    (asked,) = [r for r in fake.requests if isinstance(r, recordings.RecordingRequest)]
    kept = tmp_path / "home" / "retina.ncp.h5"
    assert asked.session == kept
    assert ears.warned == [f"{tmp_path / 'shelf'} cannot be written; the session is kept as {kept}"]
    controller.close()


def test_a_folder_of_phy_is_a_sorting_to_review_whatever_of_it_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "phy"
    folder.mkdir()
    np.save(folder / "spike_times.npy", np.arange(3))
    (folder / "params.py").write_text("dat_path = ['retina.dat']\nsample_rate = 20000.0\n")
    wanted = ReviewRequest(folder, session=tmp_path / "phy.ncp.h5")
    assert recognize(folder) == recognize(folder / "params.py") == wanted


def test_a_sorting_without_its_recording_asks_for_it(preferences: Preferences, tmp_path: Path) -> None:
    np.save(tmp_path / "spike_times.npy", np.arange(3))
    (tmp_path / "params.py").write_text("dat_path = ['retina.dat']\nsample_rate = 20000.0\n")
    controller, ears = start(preferences)
    wanted: list[tuple[ReviewRequest, str]] = []
    controller.recording_wanted.connect(lambda request, error: wanted.append((request, str(error))))
    controller.open_path(tmp_path)
    ((request_, text),) = wanted
    assert "(dat_path = 'retina.dat') is not there; give it with --recording" in text
    assert "is not there; give it, or correct dat_path; without it" in without_options(text)
    controller.open_review(replace(request_, recording=tmp_path / "none.dat"))
    assert "none.dat does not exist" in wanted[1][1]
    assert ears.failed == []


def test_a_path_that_is_not_there_is_told_and_what_was_open_stays(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    save(fake.project, tmp_path / "s.h5")
    controller, ears = start(preferences)
    controller.open_path(tmp_path / "s.h5")
    controller.open_path(tmp_path / "none.nwb")
    assert "none.nwb does not exist" in ears.failed[0][0]
    assert controller.saving.path == tmp_path / "s.h5"
    controller.close()


def test_another_programs_hdf5_file_is_a_recording_and_a_damaged_one_a_session(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "maxwell.h5", "w") as file:
        file["version"] = "20190530"
        file.create_group("wells")
    (tmp_path / "torn.h5").write_bytes(b"no hdf5")
    with pytest.raises(RecordingError, match=r"SpikeInterface cannot read .* as a recording of MaxWell"):
        recognize(tmp_path / "maxwell.h5")
    assert recognize(tmp_path / "torn.h5") == tmp_path / "torn.h5"


# -- the demo -------------------------------------------------------------------------------


def test_the_demo_is_simulated_once_and_sorted_before_ones_eyes(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulated: list[Path] = []

    def simulate(folder: Path, settings: demo.DemoSettings, *, progress: Any) -> None:
        simulated.append(folder)
        (folder / "recording").mkdir(parents=True)
        (folder / "recording" / "recording.json").touch()

    monkeypatch.setattr(demo, "simulate", simulate)
    folder = tmp_path / "demo"
    for _ in range(2):
        controller, ears = start(preferences)
        controller.open_demo(folder)
        assert ears.failed == []
        assert controller.workspace.state.project is not None
        controller.close()
        assert (folder / "session.h5").is_file()
    (folder / "session.h5").unlink()
    controller.open_demo(folder)
    controller.close()
    assert simulated == [folder]
    assert [r.path for r in fake.requests if isinstance(r, recordings.RecordingRequest)] == [
        folder / "recording"
    ] * 2


# -- late results ---------------------------------------------------------------------------


def test_a_component_that_comes_after_its_project_was_closed_is_dropped(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    save(fake.project, tmp_path / "other.h5")
    runner = Later()
    controller, _ = start(preferences, runner)
    controller.open_recording(request(tmp_path))
    runner.work("work")
    runner.deliver()
    runner.work("work")
    controller.open_session(tmp_path / "other.h5")
    runner.deliver()
    runner.run()
    workspace = controller.workspace
    assert workspace.state.project is not None
    assert len(workspace.state.project.components) == 3
    assert workspace.state.is_saved
    assert fake.lives[0].n_closed == 1


def test_a_session_that_nobody_wants_any_more_is_closed(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    for name in ("first.h5", "second.h5"):
        save(fake.project, tmp_path / name)
    runner = Later()
    controller, ears = start(preferences, runner)
    controller.open_session(tmp_path / "first.h5")
    runner.work()
    controller.open_session(tmp_path / "second.h5")
    runner.run()
    assert controller.saving.path == tmp_path / "second.h5"
    controller.open_session(tmp_path / "first.h5")  # not locked any more
    runner.run()
    assert controller.saving.path == tmp_path / "first.h5"
    assert ears.failed == []
    controller.close()


def test_opening_a_session_tells_how_far_it_is_and_can_be_stopped(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    save(fake.project, tmp_path / "s.h5")
    runner = Later()
    controller, ears = start(preferences, runner)
    seen: list[tuple[float | None, bool]] = []
    controller.work.activity_changed.connect(
        lambda now: None if now is None else seen.append((now.fraction, now.can_cancel))
    )
    controller.open_session(tmp_path / "s.h5")
    runner.work("io")
    controller.cancel()
    runner.deliver()
    assert controller.workspace.state.project is None
    assert ears.told == ["Stopped"]
    controller.open_session(tmp_path / "s.h5")  # it is not locked any more
    runner.run()
    assert controller.workspace.state.project is not None
    n = len(fake.project.components)
    once = [(0.0, True), *((k / n, True) for k in range(n + 1))]
    assert [one for one in seen if one[0] is not None] == once + once
    controller.close()


def test_a_save_that_ends_after_its_project_was_closed_does_not_touch_the_next(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    save(fake.project, tmp_path / "first.h5")
    save(fake.project, tmp_path / "second.h5")
    runner = Later()
    controller, _ = start(preferences, runner)
    controller.open_session(tmp_path / "first.h5")
    runner.run()
    controller.workspace.label((0,), "good")
    controller.save()
    runner.work("io")
    controller.open_session(tmp_path / "second.h5")
    runner.run()
    assert controller.workspace.state.session is not None
    assert controller.workspace.state.session.path == tmp_path / "second.h5"
    assert load(tmp_path / "first.h5").history[0]["label"] == "good"
    controller.open_session(tmp_path / "first.h5")
    runner.run()
    assert controller.workspace.state.history.labels.label(0) == "good"
    controller.close()


def test_a_name_that_no_file_can_have_is_told_by_whoever_opens_it(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 300)
    assert not is_raw(long)
    with pytest.raises(RecordingError, match=r"cannot be opened: File name too long; check the path"):
        recognize(long)
