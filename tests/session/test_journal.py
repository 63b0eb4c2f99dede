"""The journal holds each action on disk as soon as it is done, and only those of its session."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ncpgui.core.errors import SessionError, SessionFormatError
from ncpgui.session.journal import Journal, JournalContents, read_journal, unfolded
from ncpgui.session.swap import set_aside


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.journal"


def test_an_action_is_one_line_of_json_after_the_header(path: Path) -> None:
    journal = Journal(path, session_id="s", base="a")
    journal.append({"do": "merge", "unit_ids": [3, 7], "words": "µ\n"})
    lines = path.read_text(encoding="ascii").splitlines()
    assert json.loads(lines[0]) == {"journal": 2, "session": "s", "base": "a"}
    assert [json.loads(line) for line in lines[1:]] == [{"do": "merge", "unit_ids": [3, 7], "words": "µ\n"}]


def test_what_was_appended_is_read_back_in_order(path: Path) -> None:
    journal = Journal(path, session_id="s", base="a")
    for number in range(3):
        journal.append({"n": number})
    contents = read_journal(path)
    assert contents == JournalContents("s", "a", ({"n": 0}, {"n": 1}, {"n": 2}))


@pytest.mark.parametrize("n_bytes", range(1, 9))
def test_a_torn_last_line_costs_only_the_last_action(path: Path, n_bytes: int) -> None:
    journal = Journal(path, session_id="s", base="a")
    journal.append({"n": 0})
    journal.append({"n": 1})
    os.truncate(path, path.stat().st_size - n_bytes)
    contents = read_journal(path)
    assert contents is not None
    assert contents.entries == ({"n": 0},)
    assert (contents.problem == "") == (n_bytes == 8)  # the whole line '{"n":1}\n' is gone, nothing is torn
    if contents.problem:
        assert "line 3 is torn, its last action was not completely written" in contents.problem


def test_lines_after_a_damaged_one_are_ignored(path: Path) -> None:
    journal = Journal(path, session_id="s", base="a")
    for number in range(4):
        journal.append({"n": number})
    path.write_bytes(path.read_bytes().replace(b'{"n":1}', b"\0\0\0\0\0\0\0"))
    contents = read_journal(path)
    assert contents is not None
    assert contents.entries == ({"n": 0},)
    assert contents.problem.endswith("line 3 is torn, 3 lines from there on are ignored")


def test_a_line_nested_too_deeply_is_torn_like_any_other(path: Path) -> None:
    journal = Journal(path, session_id="s", base="a")
    journal.append({"n": 0})
    with path.open("ab") as file:
        file.write(b'{"n":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n")
    contents = read_journal(path)
    assert contents is not None
    assert contents.entries == ({"n": 0},)
    assert "line 3 is torn" in contents.problem


def test_there_may_be_no_journal(path: Path) -> None:
    assert read_journal(path) is None


@pytest.mark.parametrize("data", [b"", b"hello\n", b"[1]\n", b'{"x": 1}\n'])
def test_a_file_without_a_header_belongs_to_no_session(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    contents = read_journal(path)
    assert contents is not None
    assert contents.base == ""
    assert unfolded(contents, save_id="", journal_base="", journal_folded=0) is None


def test_a_newer_journal_is_refused(path: Path) -> None:
    path.write_bytes(b'{"journal":3}\n')
    with pytest.raises(
        SessionFormatError, match=r"version 3 of the journal format, .* up to 2; update ncpgui"
    ):
        read_journal(path)


def test_after_a_save_the_journal_follows_it_with_what_came_later(path: Path) -> None:
    journal = Journal(path, session_id="s", base="a")
    for number in range(3):
        journal.append({"n": number})
    journal.rebase("b", n_folded=2)
    journal.append({"n": 3})
    contents = read_journal(path)
    assert contents is not None
    assert (contents.base, contents.entries) == ("b", ({"n": 2}, {"n": 3}))
    assert journal.count == 4
    assert journal.n_until(3) == 1


def test_a_journal_that_cannot_be_swapped_goes_on_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(path, session_id="s", base="a")
    journal.append({"n": 0})

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(SessionError, match="cannot write"):
            journal.rebase("b", n_folded=1)
    journal.append({"n": 1})
    contents = read_journal(path)
    assert contents is not None
    assert (contents.base, contents.entries) == ("a", ({"n": 0}, {"n": 1}))


def test_an_action_that_cannot_be_written_leaves_the_journal_whole(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(path, session_id="s", base="a")
    journal.append({"n": 0})
    write = os.write

    def half(handle: int, data: memoryview) -> int:
        write(handle, data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", half)
        with pytest.raises(SessionError, match="No space left on device"):
            journal.append({"n": 1})
    journal.append({"n": 2})
    contents = read_journal(path)
    assert contents is not None
    assert contents.entries == ({"n": 0}, {"n": 2})
    assert contents.problem == ""


def test_an_empty_journal_is_removed_when_closed_and_a_closed_one_takes_nothing(path: Path) -> None:
    journal = Journal(path, session_id="s", base="a")
    journal.close()
    assert not path.exists()
    with pytest.raises(SessionError, match="is closed; open the session again"):
        journal.append({"n": 0})


CONTENTS = JournalContents("s", "a", ({"n": 0}, {"n": 1}, {"n": 2}))


def test_a_journal_of_this_save_is_replayed_whole() -> None:
    assert unfolded(CONTENTS, save_id="a", journal_base="z", journal_folded=9) == CONTENTS.entries


def test_a_journal_that_this_save_folded_is_replayed_from_where_it_was_folded() -> None:
    assert unfolded(CONTENTS, save_id="b", journal_base="a", journal_folded=3) == ()
    assert unfolded(CONTENTS, save_id="b", journal_base="a", journal_folded=2) == ({"n": 2},)


def test_a_journal_of_any_other_save_is_not_replayed() -> None:
    assert unfolded(CONTENTS, save_id="c", journal_base="b", journal_folded=0) is None


def test_journals_set_aside_never_replace_each_other(path: Path) -> None:
    names = []
    for text in "ab":
        path.write_text(text)
        names.append(set_aside(path).name)
    assert names == ["x.journal.1", "x.journal.2"]
    assert (path.parent / "x.journal.1").read_text() == "a"


def test_entries_that_were_there_are_counted_though_some_were_folded(path: Path) -> None:
    journal = Journal(path, session_id="s", base="a")
    before = journal.count
    for number in range(3):
        journal.append({"n": number})
    then = journal.count
    journal.append({"n": 3})
    assert (journal.n_until(before), journal.n_until(then)) == (0, 3)
    journal.rebase("b", n_folded=2)
    assert (journal.n_until(before), journal.n_until(then), journal.n_until(journal.count)) == (0, 1, 2)
    journal.close()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="there is no /proc to ask")
@pytest.mark.parametrize("n_entries", [0, 1])
def test_a_closed_journal_is_closed_and_gone_where_it_is_empty(path: Path, n_entries: int) -> None:
    journal = Journal(path, session_id="s", base="a")
    for number in range(n_entries):
        journal.append({"n": number})
    journal.close()
    assert path.exists() == bool(n_entries)
    assert not any(str(path) in str(one.resolve()) for one in Path("/proc/self/fd").iterdir())
