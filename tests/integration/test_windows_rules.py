"""What Windows does otherwise, played on Linux: open files stay, text has other ends, consoles few signs."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from ncpgui.cli.main import run
from ncpgui.cli.streams import show_control_characters
from ncpgui.core.errors import ExportError, SessionError
from ncpgui.core.lock import WriterLock
from ncpgui.core.project import Project
from ncpgui.ephys.event_files import read_events
from ncpgui.export.phy_back import write_back
from ncpgui.export.registry import FORMATS
from ncpgui.session.session_file import create_session, open_session
from ncpgui.session.store import load
from ncpgui.session.swap import swapped
from tests.docs.small_runs import FEW
from tests.reviewed_folder import decided, reviewed, write_folder
from tests.synthetic_project import synthetic_project
from tests.tiny_project import tiny_project
from tests.windows_rules import OpenFileError, ReadOnlyFileError, follow_windows, in_text_mode

pytestmark = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="tells open files by /proc")


def test_the_rules_hold_for_files_that_are_open_or_mapped_and_for_their_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = follow_windows(monkeypatch)
    (tmp_path / "folder").mkdir()
    path, other = tmp_path / "folder" / "a.npy", tmp_path / "b"
    np.save(path, np.arange(4096))
    other.write_text("new")
    for opened in (lambda: path.open("rb"), lambda: np.load(path, mmap_mode="r")):
        held = opened()
        with pytest.raises(OpenFileError):
            other.replace(path)
        with pytest.raises(OpenFileError):
            path.unlink()
        with pytest.raises(OpenFileError):
            path.parent.rename(tmp_path / "moved")
        getattr(held, "close", lambda: None)()
        del held
    assert len(refused) == 6
    path.chmod(0o444)
    for change in (lambda: other.replace(path), path.unlink):
        with pytest.raises(ReadOnlyFileError):
            change()
    path.chmod(0o644)
    other.replace(path)
    assert path.read_text() == "new"


def small_project() -> Project:
    """Two components, with a stimulus."""
    return synthetic_project(2, spikes_per_unit=60, duration_s=20.0)


def test_a_session_is_made_edited_saved_and_closed_without_touching_an_open_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = follow_windows(monkeypatch)
    path = tmp_path / "day.h5"
    with create_session(tiny_project({0: [[0, 0, 1]]}), path) as session:
        session.append({"do": "label", "unit_ids": [0], "label": "good"})
        session.save(tiny_project({0: [[0, 0, 1]]}))
        session.append({"do": "undo"})
    with open_session(path) as session:
        session.save(load(path))
    with create_session(tiny_project({0: [[0, 0, 1]]}), path):
        pass
    assert refused == []
    assert sorted(one.name for one in tmp_path.iterdir() if one.suffix != ".waveforms") == ["day.h5"]


@pytest.mark.parametrize("name", [one for one in FORMATS if one != "nwb"])
def test_an_export_is_replaced_without_touching_an_open_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    session = tmp_path / "day.h5"
    create_session(small_project(), session).close()
    refused = follow_windows(monkeypatch)
    words = ["export", str(session), "--format", name, "--out", str(tmp_path / "out")]
    assert run(words) == 0, capsys.readouterr().err
    assert run([*words, "--overwrite"]) == 0, capsys.readouterr().err
    assert refused == []


def test_decisions_are_written_back_twice_without_touching_an_open_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_folder(tmp_path / "phy", [0, 0, 1, 1, 2])
    project = reviewed(folder)
    refused = follow_windows(monkeypatch)
    write_back(project, decided(project, {9: (0, 1)}))
    assert np.load(folder / "spike_clusters.npy")[-1] == 2
    assert refused == []


@pytest.mark.parametrize("words", ["phy", "csv", "npz"])
def test_an_export_over_a_file_that_is_marked_read_only_is_refused_before_anything_is_changed(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    session = tmp_path / "day.h5"
    create_session(small_project(), session).close()
    command = [
        "export",
        str(session),
        "--format",
        words,
        "--out",
        str(tmp_path / f"out.{words}"),
        "--overwrite",
    ]
    assert run(command) == 0, capsys.readouterr().err
    kept = next(tmp_path.rglob("spike_times.npy"), tmp_path / f"out.{words}")
    kept.chmod(0o444)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    refused = follow_windows(monkeypatch)
    assert run(command) == 2
    assert f"{kept.name} is marked read-only; take the mark off" in capsys.readouterr().err
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    assert refused == []


def test_decisions_are_not_written_into_a_folder_with_a_table_that_is_marked_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_folder(tmp_path / "phy", [0, 0, 1, 1, 2])
    project = reviewed(folder)
    (folder / "spike_clusters.npy").chmod(0o444)
    before = sorted(folder.rglob("*"))
    refused = follow_windows(monkeypatch)
    with pytest.raises(ExportError, match=r"spike_clusters\.npy is marked read-only.*it is as it was"):
        write_back(project, decided(project, {9: (0, 1)}))
    assert [path for path in sorted(folder.rglob("*")) if ".ncpgui-lock" not in path.name] == before
    assert refused == []


def test_a_session_that_is_marked_read_only_is_not_saved_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "day.h5"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o444)
    refused = follow_windows(monkeypatch)
    with pytest.raises(SessionError, match=r"day\.h5 is marked read-only"), swapped(path) as beside:
        beside.write_text("new", encoding="utf-8")
    assert [one.name for one in tmp_path.iterdir()] == ["day.h5"]
    assert refused == []


@pytest.mark.parametrize("ending", ["npz", "csv", "nwb"])
def test_a_file_of_events_is_closed_when_it_has_been_read(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, recording = tmp_path / f"events.{ending}", tiny_project({0: [[0, 0, 1]]}).recording
    middle_s = 0.5 * recording.n_samples / recording.sampling_frequency_hz
    if ending == "npz":
        np.savez(path, flash=[middle_s])
    elif ending == "csv":
        path.write_text(f"time_s\n{middle_s}\n", encoding="utf-8")
    else:
        with h5py.File(path, "w") as file:
            file.attrs["nwb_version"] = "2.7.0"
            file.create_group("intervals/trials").create_dataset("start_time", data=[middle_s])
    refused = follow_windows(monkeypatch)
    events, _ = read_events(path, recording)
    assert events.time_s.tolist() == [middle_s]
    path.replace(tmp_path / "moved")
    assert refused == []


def test_journals_and_locks_have_the_bytes_that_were_written_where_files_are_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_text_mode(monkeypatch)
    path = tmp_path / "day.h5"
    with create_session(tiny_project({0: [[0, 0, 1]]}), path) as session:
        session.append({"do": "undo"})
        session.append({"do": "redo"})
        journal = path.with_name("day.h5.journal").read_bytes()
        assert journal.count(b"\n") == 3
        assert b"\r" not in journal
    with WriterLock(tmp_path / "lock", tmp_path):
        assert (tmp_path / "lock").read_bytes().startswith(b"{")


@pytest.mark.parametrize("encoding", ["cp1252", "cp437"])
def test_a_console_of_few_letters_gets_every_line(
    encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = tmp_path / "Tag → Ω.h5"
    create_session(small_project(), session).close()
    console = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    errors = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", console)
    monkeypatch.setattr(sys, "stderr", errors)
    show_control_characters()
    for words in (["info"], ["findings", "--draws", "4"], ["report", "--draws", "4"]):
        assert run([words[0], str(session), *words[1:]]) == 0
    assert run(["models"]) == 0
    assert run(["info", str(tmp_path / "missing → Ω.h5")]) == 2
    console.flush()
    errors.flush()
    assert console.buffer.getvalue().count(os.linesep.encode()) > 10
    assert b"\\u2192" in errors.buffer.getvalue()
    assert b"Traceback" not in errors.buffer.getvalue()


SMALL = """
n_datasets = 2
n_points = [20, 30]
n_points_end = [20, 30]
validate_points = 20
validate_datasets = 2

[data]
model = "spikes"
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_recording_is_sorted_exported_reviewed_and_written_back_without_touching_an_open_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("few.toml").write_text(FEW, encoding="utf-8")
    Path("small.toml").write_text(SMALL, encoding="utf-8")
    refused = follow_windows(monkeypatch)
    for words in (
        "simulate --out made --duration 4 --rate 12 --probe tetrode --cells 3",
        "sort made --out day.h5 --settings few.toml --jobs 1",
        "sort made --out day.h5 --settings few.toml --jobs 1 --overwrite",
        "export day.h5 --format phy --out phy --copy-traces",
        "review phy --out review.h5 --apply 0.9 --settings few.toml --jobs 1",
        "write-back review.h5",
        "train small.toml --steps 2 --out runs",
        "train small.toml --steps 3 --out runs --resume",
        "simulate --out made --duration 4 --rate 12 --probe tetrode --cells 3 --overwrite",
    ):
        assert run(words.split()) == 0, f"{words}\n{capsys.readouterr().err}"
    assert refused == []
