"""One session is one file: links lead to it, and what others do to its files while it is open is noticed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ncpgui.core.errors import SessionError, SessionLockedError, SessionReplacedError, SessionUnwritableError
from ncpgui.core.project import Project
from ncpgui.session import cache, store
from ncpgui.session.journal_mark import marked_journal
from ncpgui.session.schema import SessionPaths
from ncpgui.session.session_file import create_session, open_session

MERGE, UNDO = {"do": "merge", "unit_ids": [0, 7]}, {"do": "undo"}
Link = Callable[[Path, Path], None]


def by_a_link(real: Path, link: Path) -> None:
    link.symlink_to(real)


def by_a_relative_link(real: Path, link: Path) -> None:
    link.symlink_to(os.path.relpath(real, link.parent))


def by_a_link_to_a_link(real: Path, link: Path) -> None:
    between = link.with_name("between.h5")
    between.symlink_to(real)
    link.symlink_to(between)


def by_a_link_to_its_folder(real: Path, link: Path) -> None:
    link.parent.rmdir()
    link.parent.symlink_to(real.parent)
    if link.name != real.name:
        link.symlink_to(real.name)


LINKS = [by_a_link, by_a_relative_link, by_a_link_to_a_link, by_a_link_to_its_folder]


@pytest.fixture
def link(tmp_path: Path) -> Path:
    """Where a link to the session goes, in a folder of its own."""
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "elsewhere" / "link.h5"


@pytest.mark.parametrize("make", LINKS)
def test_a_session_is_locked_whatever_link_leads_to_it(
    project: Project, path: Path, link: Path, make: Link
) -> None:
    store.save(project, path)
    make(path, link)
    for one, other in ((path, link), (link, path)):
        with open_session(one), pytest.raises(SessionLockedError):
            open_session(other)


@pytest.mark.parametrize("make", LINKS)
def test_what_is_done_through_a_link_is_done_to_the_file_and_the_link_stays(
    project: Project, path: Path, link: Path, make: Link
) -> None:
    store.save(project, path)
    make(path, link)
    with open_session(link) as session:
        session.append(MERGE)
    with open_session(path) as session:
        assert session.journal_entries == (MERGE,)
    with open_session(link) as session:
        session.save(project)
    store.save(project, link)
    assert link.is_symlink()
    assert sorted(item.name for item in path.parent.glob("*.h5.*")) == [f"{path.name}.waveforms"]
    assert link.parent.is_symlink() or not list(link.parent.glob("*.h5.*"))
    with open_session(path) as session:
        assert session.journal_entries == ()


def test_a_new_session_at_a_link_that_leads_nowhere_yet_is_written_where_it_leads(
    project: Project, path: Path, link: Path
) -> None:
    link.symlink_to(path)
    create_session(project, link).close()
    assert path.is_file()
    assert link.is_symlink()


def test_links_in_a_circle_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.h5").symlink_to(tmp_path / "b.h5")
    (tmp_path / "b.h5").symlink_to(tmp_path / "a.h5")
    for read_only in (True, False):
        with pytest.raises(SessionError, match=r"a\.h5.* a link that leads nowhere; give the file"):
            open_session(tmp_path / "a.h5", read_only=read_only)


@pytest.mark.skipif(os.name == "nt", reason="hard links of Windows need no test of their own")
def test_a_file_of_several_names_is_only_read(project: Project, path: Path) -> None:
    store.save(project, path)
    other = path.with_name("other.h5")
    other.hardlink_to(path)
    for name in (path, other):
        with pytest.raises(
            SessionUnwritableError, match=r"has 2 names \(hard links\).* make a copy .* read-only"
        ):
            open_session(name)
        with open_session(name, read_only=True) as session:
            assert session.project.model == project.model
    other.unlink()
    open_session(path).close()


def test_a_second_name_made_while_a_session_is_open_does_not_admit_a_second_writer(
    project: Project, path: Path
) -> None:
    other = path.with_name("other.h5")
    with create_session(project, path) as session:
        other.hardlink_to(path)
        with pytest.raises(SessionUnwritableError):
            open_session(other)
        session.save(project)
    open_session(path).close()


def test_sessions_with_almost_the_same_name_have_journals_of_their_own(
    project: Project, tmp_path: Path
) -> None:
    for number, name in enumerate(("n", "n.h5", "n.H5", "n.hdf5")):
        with create_session(project, tmp_path / name) as session:
            session.append({"n": number})
    for number, name in enumerate(("n", "n.h5", "n.H5", "n.hdf5")):
        with open_session(tmp_path / name) as session:
            assert (session.journal_entries, session.notes) == (({"n": number},), ())


# -- what others do to its files while a session is open ------------------------------------------


def swapped_by_another(path: Path, other: Project) -> None:
    store.save(other, path.with_name("another.h5"))
    path.with_name("another.h5").replace(path)


def overwritten_in_place(path: Path, other: Project) -> None:
    store.save(other, path.with_name("another.h5"))
    path.write_bytes(path.with_name("another.h5").read_bytes())


def cut_short(path: Path, other: Project) -> None:
    os.truncate(path, 1000)


def replaced_by_text(path: Path, other: Project) -> None:
    path.unlink()
    path.write_text("somebody's notes")


REPLACED = [swapped_by_another, overwritten_in_place, cut_short, replaced_by_text]


@pytest.mark.parametrize("replace_it", REPLACED)
def test_a_session_that_was_replaced_while_open_is_noticed_and_not_overwritten(
    project: Project, path: Path, make_project: Callable[..., Project], replace_it: Callable[..., None]
) -> None:
    with create_session(project, path) as session:
        session.append(MERGE)
        replace_it(path, make_project(seed=1))
        there = path.read_bytes()
        for write in (lambda: session.append(UNDO), lambda: session.save(project)):
            with pytest.raises(SessionReplacedError, match=r"replaced or changed .* under another name"):
                write()
        assert path.read_bytes() == there
        create_session(project, path.with_name("mine.h5")).close()
    assert path.read_bytes() == there


def test_a_session_that_is_replaced_while_it_is_saved_is_not_overwritten(
    project: Project, path: Path, make_project: Callable[..., Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    with create_session(project, path) as session:
        verify = store._verify

        def be_replaced(*arguments: object) -> None:
            verify(*arguments)  # type: ignore[arg-type]
            monkeypatch.undo()
            swapped_by_another(path, make_project(seed=1))

        monkeypatch.setattr(store, "_verify", be_replaced)
        with pytest.raises(SessionReplacedError):
            session.save(project)
    assert store.load(path).recording == make_project(seed=1).recording


@pytest.mark.parametrize("touch", [os.utime, lambda path: path.write_bytes(path.read_bytes())])
def test_a_session_that_was_only_touched_or_copied_over_itself_goes_on(
    project: Project, path: Path, touch: Callable[[Path], object]
) -> None:
    with create_session(project, path) as session:
        touch(path)
        session.append(MERGE)
        touch(path)
        session.save(project)


def test_a_session_that_was_deleted_while_open_is_noticed_and_written_again_by_a_save(
    project: Project, path: Path
) -> None:
    with create_session(project, path) as session:
        path.unlink()
        with pytest.raises(
            SessionError, match="was deleted or moved while it is open; save it to write it again"
        ):
            session.append(MERGE)
        session.save(replace(project, history=(*project.history, MERGE)))
        session.append(UNDO)
    with open_session(path) as session:
        assert (*session.project.history, *session.journal_entries) == (*project.history, MERGE, UNDO)


@pytest.mark.parametrize("what", ["deleted", "replaced", "cut short", "added to"])
def test_a_journal_that_others_touched_is_noticed_and_a_save_keeps_what_was_done(
    project: Project, path: Path, what: str
) -> None:
    journal = SessionPaths(path).journal
    with create_session(project, path) as session:
        session.append(MERGE)
        if what == "cut short":
            os.truncate(journal, 10)
        elif what == "added to":
            journal.write_bytes(journal.read_bytes() + b"{}\n")
        else:
            journal.unlink()
        if what == "replaced":
            journal.write_text("somebody's notes")
        with pytest.raises(
            SessionError, match=r"\.journal was (deleted|changed) by another .*; save the session"
        ):
            session.append(UNDO)
        session.save(replace(project, history=(*project.history, MERGE, UNDO)))
        session.append(MERGE)
    kept = journal.with_name(f"{journal.name}.1")
    assert kept.exists() == (what != "deleted")
    if what == "replaced":
        assert kept.read_text() == "somebody's notes"
    with open_session(path) as session:
        assert (session.project.history, session.journal_entries) == (
            (*project.history, MERGE, UNDO),
            (MERGE,),
        )


def test_a_journal_that_somebody_put_there_is_not_removed_on_closing(project: Project, path: Path) -> None:
    journal = SessionPaths(path).journal
    session = create_session(project, path)
    journal.unlink()
    journal.write_text("somebody's notes")
    session.close()
    assert journal.read_text() == "somebody's notes"


# -- a session that was moved away from its journal or its cache -----------------------------------


@pytest.mark.parametrize("read_only", [True, False])
def test_a_session_away_from_its_journal_says_where_its_last_actions_are(
    project: Project, path: Path, tmp_path: Path, read_only: bool
) -> None:
    with create_session(project, path) as session:
        session.append(MERGE)
        session.append(UNDO)
    moved = tmp_path / "moved.h5"
    path.rename(moved)
    for _ in range(2):
        with open_session(moved, read_only=read_only, waveforms=False) as session:
            assert session.journal_entries == ()
            assert session.notes == (
                f"{moved} was saved before what was done last, which is in {SessionPaths(path).journal} and "
                "not beside it; put that file there as moved.h5.journal and open the session again",
            )
    SessionPaths(path).journal.rename(SessionPaths(moved).journal)
    with open_session(moved, waveforms=False) as session:
        assert (session.journal_entries, session.notes) == ((MERGE, UNDO), ())


def test_a_saved_session_may_be_moved_without_a_word(project: Project, path: Path, tmp_path: Path) -> None:
    with create_session(replace(project, waveforms={}), path) as session:
        session.append(MERGE)
        session.save(replace(project, waveforms={}))
    path.rename(tmp_path / "moved.h5")
    with open_session(tmp_path / "moved.h5") as session:
        assert session.notes == ()


def test_actions_done_while_a_session_is_saved_are_not_forgotten_when_it_is_moved(
    project: Project, path: Path, tmp_path: Path
) -> None:
    with create_session(project, path) as session:
        session.append(MERGE)
        n_entries = session.n_entries
        session.append(UNDO)
        session.save(project, n_entries=n_entries)
    path.rename(tmp_path / "moved.h5")
    with open_session(tmp_path / "moved.h5", waveforms=False) as session:
        assert "was saved before what was done last" in session.notes[0]


def test_a_session_away_from_its_cache_says_so(project: Project, path: Path, tmp_path: Path) -> None:
    create_session(project, path).close()
    path.rename(tmp_path / "moved.h5")
    said = (
        "moved.h5 was saved with its waveforms in moved.h5.waveforms, which is not beside it; they are read "
        "from the recording again where it can be found"
    )
    with open_session(tmp_path / "moved.h5", read_only=True, waveforms=False) as session:
        assert session.notes == ()  # nobody asked for them
    with open_session(tmp_path / "moved.h5") as session:
        assert session.notes == (said,)
        session.save(session.project)
    with open_session(tmp_path / "moved.h5") as session:
        assert session.notes == ()  # saved without them


def test_a_session_whose_cache_is_of_another_one_says_so(
    project: Project, path: Path, make_project: Callable[..., Project]
) -> None:
    create_session(project, path).close()
    other = replace(make_project(seed=1), recording=replace(project.recording, fingerprint="another"))
    create_session(other, path.with_name("other.h5")).close()
    SessionPaths(path.with_name("other.h5")).waveforms.replace(SessionPaths(path).waveforms)
    with open_session(path) as session:
        assert "lacks those of 2 components" in session.notes[0]


@pytest.mark.parametrize("name", ["a b", "é", "\udce9", "x" * 200, '"', "\n"])
def test_a_journal_of_any_name_is_named(project: Project, tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.h5"
    with create_session(replace(project, waveforms={}), path) as session:
        session.append(MERGE)
    assert marked_journal(path) == SessionPaths(path).journal


@pytest.mark.parametrize(
    "end", [b"", b"\n", b'\n{"actions in":7}\n', b'\n{"actions in":"x"', b'\n{"actions in":[[[}\n']
)
def test_a_mark_that_is_none_is_not_read(tmp_path: Path, end: bytes) -> None:
    (tmp_path / "s.h5").write_bytes(end)
    assert marked_journal(tmp_path / "s.h5") is None


@pytest.mark.parametrize("moment", ["before the swap", "after the swap"])
def test_an_action_done_while_a_save_swaps_the_file_is_taken(
    project: Project, path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    with create_session(project, path) as session:
        module, name = (store, "_verify") if moment == "before the swap" else (cache, "update")
        step = getattr(module, name)

        def append_first(*arguments: object) -> object:
            monkeypatch.undo()
            session.append(UNDO)
            return step(*arguments)

        session.append(MERGE)
        monkeypatch.setattr(module, name, append_first)
        session.save(replace(project, history=(*project.history, MERGE)), n_entries=1)
        session.append(MERGE)
    assert marked_journal(path) == SessionPaths(path).journal
    with open_session(path) as session:
        assert session.project.history == (*project.history, MERGE)
        assert session.journal_entries == (UNDO, MERGE)
