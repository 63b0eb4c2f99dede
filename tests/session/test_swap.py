"""Files of a session are swapped in whole; what is in the way goes aside under a number."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from ncpgui.core.errors import SessionError
from ncpgui.session.swap import kept_copy, set_aside, swapped, write_error


def put(path: Path, text: str = "new", *, meanwhile: Callable[[], None] = lambda: None) -> Path:
    with swapped(path) as beside:
        beside.write_text(text)
        meanwhile()
    return beside


def test_the_new_file_takes_the_place_of_the_old_one_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    path.write_text("old")
    beside = put(path, meanwhile=lambda: None if path.read_text() == "old" else pytest.fail("too early"))
    assert path.read_text() == "new"
    assert beside.name.startswith(".ncpgui-")
    assert beside.suffix == ".saving"
    assert [item.name for item in tmp_path.iterdir()] == ["a.h5"]


def test_the_name_beside_is_the_same_each_time_and_what_a_kill_left_there_goes(tmp_path: Path) -> None:
    beside = put(tmp_path / "a.h5")
    beside.write_text("half")
    assert put(tmp_path / "a.h5") == beside
    assert put(tmp_path / "b.h5") != beside
    assert sorted(item.name for item in tmp_path.iterdir()) == ["a.h5", "b.h5"]


def test_what_fails_leaves_the_old_file_and_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    path.write_text("old")

    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(
        SessionError, match=r"cannot write .*a\.h5: No space left on device; free the disk or"
    ):
        put(path, meanwhile=full)
    assert [item.read_text() for item in tmp_path.iterdir()] == ["old"]


def test_a_new_file_is_for_those_who_may_read_the_session(tmp_path: Path) -> None:
    session = tmp_path / "a.h5"
    session.write_text("")
    session.chmod(0o600)
    with swapped(tmp_path / "a.h5.waveforms", of=session) as beside:
        beside.write_text("")
    assert (tmp_path / "a.h5.waveforms").stat().st_mode & 0o777 == 0o600


def test_a_file_keeps_its_mode_though_its_writer_made_another_one_beside(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    path.write_text("old")
    path.chmod(0o604)
    with swapped(path) as beside:
        beside.unlink()
        beside.write_text("new")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o604)


def test_what_is_in_the_way_goes_aside_under_the_first_number_that_is_free(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    for expected in ("a.journal.1", "a.journal.2"):
        path.write_text(expected)
        assert set_aside(path) == tmp_path / expected
        assert not path.exists()
    path.write_text("kept")
    copy = kept_copy(path)
    assert (copy.name, copy.read_text(), path.read_text()) == ("a.journal.3", "kept", "kept")


def test_what_cannot_be_moved_or_copied_is_said(tmp_path: Path) -> None:
    for move in (set_aside, kept_copy):
        with pytest.raises(
            SessionError, match=r"cannot write .*gone\.1: No such file or directory; free the disk"
        ):
            move(tmp_path / "gone")
    assert list(tmp_path.iterdir()) == []


def test_an_error_without_a_number_is_told_by_its_first_line() -> None:
    assert str(write_error(Path("a"), OSError("odd\nmore"))).startswith("cannot write a: odd; free the disk")
