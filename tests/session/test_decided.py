"""Commands that read a session take in what is in its journal, and leave nothing there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_project import tiny_project

from ncpgui.core.errors import CurationError
from ncpgui.session import store
from ncpgui.session.decided import fold_journal, read_decided
from ncpgui.session.schema import SessionPaths
from ncpgui.session.session_file import create_session, open_session

GOOD = {"do": "label", "unit_ids": [0], "label": "good"}


@pytest.fixture
def left_over(tmp_path: Path) -> Path:
    """A session with an action that only its journal holds."""
    path = tmp_path / "s.h5"
    with create_session(tiny_project({0: [[0, 0, 1, 1]]}), path) as session:
        session.append(GOOD)
    return path


def test_what_was_decided_is_read_and_what_only_the_journal_held_is_saved(left_over: Path) -> None:
    for _ in range(2):
        assert read_decided(left_over).decisions.labels[0] == "good"
        assert store.load(left_over).history == (GOOD,)
        assert not SessionPaths(left_over).journal.exists()


def test_a_session_without_a_journal_is_only_read(left_over: Path) -> None:
    fold_journal(left_over)
    before = left_over.stat().st_mtime_ns
    assert not fold_journal(left_over)
    read_decided(left_over)
    assert left_over.stat().st_mtime_ns == before


def test_the_journal_of_a_session_that_is_open_elsewhere_stays_there(left_over: Path) -> None:
    with open_session(left_over) as session:
        assert read_decided(left_over).decisions.labels[0] == "good"
        assert session.journal_entries == (GOOD,)
        session.append(GOOD)
    assert store.load(left_over).history == ()


def test_a_journal_that_cannot_be_done_stays_as_it_is(left_over: Path) -> None:
    with open_session(left_over) as session:
        session.append({"do": "merge", "unit_ids": [0, 99]})
    before = SessionPaths(left_over).journal.read_bytes()
    with pytest.raises(CurationError):
        read_decided(left_over)
    assert not fold_journal(left_over)
    assert SessionPaths(left_over).journal.read_bytes() == before
    assert store.load(left_over).history == ()


def test_on_a_full_disk_the_journal_stays_and_the_session_is_read(
    left_over: Path, small_disk: Callable[[int], Path]
) -> None:
    disk = small_disk(200)
    for file in left_over.parent.glob("s.h5*"):
        (disk / file.name).write_bytes(file.read_bytes())
    (disk / "rest").write_bytes(b"")
    with pytest.raises(OSError, match="No space left"), (disk / "rest").open("wb") as file:
        file.write(bytes(10**6))
    assert read_decided(disk / "s.h5").decisions.labels[0] == "good"
    (disk / "rest").unlink()
    assert read_decided(disk / "s.h5").decisions.labels[0] == "good"
    assert store.load(disk / "s.h5").history == (GOOD,)
