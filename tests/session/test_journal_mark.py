"""The last bytes of a session name its journal, while actions are only there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ncpgui.session.journal_mark import mark, marked_journal


def test_a_session_names_the_journal_that_it_was_marked_with_last(tmp_path: Path) -> None:
    session = tmp_path / "é.h5"
    session.write_bytes(b"HDF5")
    assert marked_journal(session) is None
    for name in ("a.journal", "µ b.journal"):
        mark(session, tmp_path / name)
        assert marked_journal(session) == tmp_path / name
    assert session.read_bytes().startswith(b"HDF5\n")


def test_a_path_that_is_not_whole_is_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.h5").touch()
    mark(Path("a.h5"), Path("a.journal"))
    assert marked_journal(Path("a.h5")) == tmp_path / "a.journal"


def test_where_nothing_can_be_written_there_is_no_mark_and_it_is_noted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        mark(tmp_path, tmp_path / "a.journal")  # a folder
    assert "does not say that it has a journal" in caplog.text


@pytest.mark.parametrize("n_before", [0, 40_000])
def test_a_mark_is_found_behind_a_session_of_any_length(tmp_path: Path, n_before: int) -> None:
    session = tmp_path / "a.h5"
    session.write_bytes(b"x" * n_before)
    mark(session, tmp_path / "a.journal")
    assert marked_journal(session) == tmp_path / "a.journal"


@pytest.mark.parametrize(("n_bytes", "is_found"), [(32_768, True), (32_769, False)])
def test_a_mark_has_at_most_32_kib(tmp_path: Path, n_bytes: int, is_found: bool) -> None:
    session = tmp_path / "a.h5"
    line = b'\n{"actions in":' + json.dumps("").encode() + b"}\n"
    path = "p" * (n_bytes - len(line))
    session.write_bytes(b"HDF5" + line.replace(b'""', json.dumps(path).encode()))
    assert marked_journal(session) == (Path(path) if is_found else None)


@pytest.mark.parametrize(
    "end",
    [
        b'\n{"actions in":"a"}',
        b'\n{"actions in":"a"}\n more',
        b'\n{"actions in":3}\n',
        b'\n{"actions in":}\n',
    ],
)
def test_what_is_not_a_whole_mark_is_none(tmp_path: Path, end: bytes) -> None:
    (tmp_path / "a.h5").write_bytes(b"HDF5" + end)
    assert marked_journal(tmp_path / "a.h5") is None
