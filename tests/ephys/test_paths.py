"""Paths are looked at before anything is opened: what is not there or not a file is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.ephys import paths
from ncpgui.ephys.paths import existing_path, files_inside, refuse_hollow, refuse_special


def test_a_path_that_is_there_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").touch()
    monkeypatch.chdir(tmp_path)
    assert existing_path("a") == tmp_path / "a"
    assert existing_path(tmp_path) == tmp_path
    with pytest.raises(RecordingError, match="b does not exist; check the path, or mount the disk"):
        existing_path("b")
    with pytest.raises(RecordingError, match="cannot be opened: "):
        existing_path("a" * 5000)
    with pytest.raises(InputError, match="the path must be given as text or a path"):
        existing_path(3)  # type: ignore[arg-type]


@pytest.mark.skipif(os.name == "nt", reason="there are no named pipes in folders on Windows")
def test_a_named_pipe_is_refused_wherever_it_is(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    refuse_special(tmp_path / "a")
    os.mkfifo(tmp_path / "pipe")
    for look in (refuse_special, existing_path):
        with pytest.raises(RecordingError, match="pipe is a named pipe, not a file, and is not waited for"):
            look(tmp_path / "pipe")
    with pytest.raises(RecordingError, match="is a named pipe"):
        list(files_inside(tmp_path))


def test_a_file_that_was_hardly_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "whole").write_bytes(b"x" * 1000)
    refuse_hollow(tmp_path / "whole")
    refuse_hollow(tmp_path / "gone")
    with (tmp_path / "hollow").open("wb") as file:
        file.truncate(1 << 34)
    with pytest.raises(RecordingError, match="hollow has 17179869184 bytes, of which hardly any were ever"):
        refuse_hollow(tmp_path / "hollow")


def test_files_of_all_folders_are_found_once_and_those_of_one_may_be_left_out(tmp_path: Path) -> None:
    for name in ("a", "b/c", "b/d/e", "aside/f"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "b" / "round").symlink_to(tmp_path)

    def found(**options: object) -> list[str]:
        return sorted(str(file.relative_to(tmp_path)) for file in files_inside(tmp_path, **options))  # type: ignore[arg-type]

    assert found() == ["a", "aside/f", "b/c", "b/d/e"]
    assert found(but=tmp_path / "aside") == ["a", "b/c", "b/d/e"]
    (tmp_path / "far").symlink_to(tmp_path / "aside")
    assert "far/f" in found(but=tmp_path / "aside")
    assert found(but=tmp_path / "aside", behind_links=False) == ["a", "b/c", "b/d/e"]


def test_as_many_files_as_a_recording_may_have_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).touch()
    monkeypatch.setattr(paths, "MOST_FILES", 3)
    assert len(list(files_inside(tmp_path))) == 3
    (tmp_path / "d").touch()
    with pytest.raises(
        RecordingError, match="holds more than 3 files, which no recording does; give the folder"
    ):
        list(files_inside(tmp_path))
