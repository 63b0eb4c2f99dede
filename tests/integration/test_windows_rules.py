"""What Windows does otherwise, played on Linux: open files stay, text has other ends, consoles few signs."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from ncpgui.cli.main import run
from ncpgui.cli.streams import show_control_characters
from ncpgui.core.lock import WriterLock
from ncpgui.export.phy_back import write_back
from ncpgui.export.registry import FORMATS
from ncpgui.session.session_file import create_session, open_session
from ncpgui.session.store import load
from tests.docs.small_runs import FEW
from tests.reviewed_folder import decided, reviewed, write_folder
from tests.synthetic_project import synthetic_project
from tests.tiny_project import tiny_project
from tests.windows_rules import OpenFileError, follow_windows, in_text_mode

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
    other.replace(path)
    assert path.read_text() == "new"


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
    create_session(synthetic_project(), session).close()
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
    create_session(synthetic_project(), session).close()
    console = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    errors = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", console)
    monkeypatch.setattr(sys, "stderr", errors)
    show_control_characters()
    assert run(["info", str(session)]) == 0
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
