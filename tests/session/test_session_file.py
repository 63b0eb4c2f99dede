"""An open session: one writer, actions kept since the last save, folded into the next one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ncpgui.core.errors import SessionError, SessionFormatError, SessionLockedError
from ncpgui.core.progress import Cancelled
from ncpgui.core.project import Project
from ncpgui.curation.clustering import Clustering
from ncpgui.curation.commands import Assign, Merge, SetLabel
from ncpgui.curation.history import History
from ncpgui.session import session_file, store
from ncpgui.session.schema import SessionPaths
from ncpgui.session.session_file import SessionFile, create_session, open_session

MERGE, LABEL, UNDO = {"do": "merge", "unit_ids": [0, 7]}, {"do": "label", "unit": 3}, {"do": "undo"}


def folded(project: Project, *entries: dict[str, object]) -> Project:
    return replace(project, history=project.history + entries)


def test_a_session_opens_with_its_project_and_nothing_to_replay(
    project: Project, path: Path, assert_same: Callable[[object, object], None]
) -> None:
    store.save(project, path)
    with open_session(path) as session:
        assert_same(session.project, project)
        assert (session.journal_entries, session.notes) == ((), ())


def test_actions_since_the_last_save_are_there_to_replay(project: Project, path: Path) -> None:
    with create_session(project, path) as session:
        session.append(MERGE)
        session.append(UNDO)
    with open_session(path) as session:
        assert session.journal_entries == (MERGE, UNDO)
        session.append(LABEL)
    with open_session(path) as session:
        assert session.journal_entries == (MERGE, UNDO, LABEL)
        assert session.n_entries == 3


def test_saving_folds_the_journal(project: Project, path: Path) -> None:
    with create_session(project, path) as session:
        session.append(MERGE)
        session.save(folded(project, MERGE))
        session.append(LABEL)
    with open_session(path) as session:
        assert session.project.history == (*project.history, MERGE)
        assert session.journal_entries == (LABEL,)


def test_actions_done_while_another_thread_saves_stay_in_the_journal(project: Project, path: Path) -> None:
    with create_session(project, path) as session:
        session.append(MERGE)
        mark = session.n_entries
        session.append(LABEL)
        session.save(folded(project, MERGE), n_entries=mark)
        session.append(UNDO)
        mark = session.n_entries
        session.save(folded(project, MERGE, LABEL, UNDO), n_entries=mark)
        session.append(MERGE)
    with open_session(path) as session:
        assert session.project.history == (*project.history, MERGE, LABEL, UNDO)
        assert session.journal_entries == (MERGE,)


def test_a_second_writer_is_refused_and_a_reader_is_not(project: Project, path: Path) -> None:
    with create_session(project, path) as session:
        session.append(MERGE)
        with pytest.raises(SessionLockedError):
            open_session(path)
        with pytest.raises(SessionLockedError):
            store.save(project, path)
        with open_session(path, read_only=True) as reader:
            assert reader.journal_entries == (MERGE,)
            for write in (lambda: reader.append(LABEL), lambda: reader.save(project)):
                with pytest.raises(SessionError, match="is open read-only; open it for writing"):
                    write()
        session.append(LABEL)
    with open_session(path) as session:
        assert session.journal_entries == (MERGE, LABEL)


def test_a_closed_session_leaves_only_itself_and_its_cache(project: Project, path: Path) -> None:
    session = create_session(project, path)
    session.close()
    session.close()
    paths = SessionPaths(path)
    assert set(path.parent.iterdir()) == {path, paths.waveforms}
    with pytest.raises(SessionError, match="is closed; open it for writing"):
        session.append(MERGE)


def test_a_torn_last_line_is_told_and_the_next_action_follows_a_whole_line(
    project: Project, path: Path
) -> None:
    with create_session(project, path) as session:
        session.append(MERGE)
        session.append(LABEL)
    journal = SessionPaths(path).journal
    journal.write_bytes(journal.read_bytes()[:-3])
    with open_session(path) as session:
        assert session.journal_entries == (MERGE,)
        assert "its last action was not completely written" in session.notes[0]
        session.append(UNDO)
    with open_session(path) as session:
        assert (session.journal_entries, session.notes) == ((MERGE, UNDO), ())


def test_a_journal_of_a_sorting_that_was_replaced_is_kept_aside(project: Project, path: Path) -> None:
    with create_session(project, path) as session:
        session.append(MERGE)
    store.save(project, path)
    with open_session(path, read_only=True) as session:
        assert session.journal_entries == ()
        assert session.notes[0].endswith("belongs to another session and is ignored")
    with open_session(path) as session:
        assert session.journal_entries == ()
        assert session.notes[0].endswith("was kept as retina é.h5.journal.1")
    assert b'"merge"' in (path.parent / "retina é.h5.journal.1").read_bytes()


def test_a_backup_does_not_replay_actions_that_followed_a_later_save(project: Project, path: Path) -> None:
    backup = path.with_name("backup.h5")
    with create_session(project, path) as session:
        shutil.copy(path, backup)
        session.append(MERGE)
        session.save(folded(project, MERGE))
        session.append({"do": "merge", "unit_ids": [8, 1]})
    shutil.copy(backup, path)
    with open_session(path) as session:
        assert session.project.history == project.history
        assert session.journal_entries == ()
        assert session.notes[0] == (
            "retina é.h5.journal holds what was done after another save of retina é.h5 than this one; "
            "it was kept as retina é.h5.journal.1"
        )


def test_what_is_no_journal_is_said_to_be_none(project: Project, path: Path) -> None:
    create_session(project, path).close()
    SessionPaths(path).journal.write_bytes(b"hello")
    with open_session(path, read_only=True) as session:
        assert session.notes == ("retina é.h5.journal is not a journal and is ignored",)


@pytest.mark.skipif(os.name == "nt", reason="links of Windows need rights")
def test_a_journal_that_a_link_does_not_lead_to_is_said_and_nothing_is_written_there(
    project: Project, path: Path, tmp_path: Path
) -> None:
    create_session(project, path).close()
    journal = SessionPaths(path).journal
    for number in (1, 2):
        journal.symlink_to(tmp_path / "unmounted.journal")
        with open_session(path, read_only=True) as session:
            assert session.notes[0] == f"{journal.name} is a link that leads nowhere and is ignored"
        with open_session(path) as session:
            aside = journal.with_name(f"{journal.name}.{number}")
            assert (
                session.notes[0]
                == f"{journal.name} is a link that leads nowhere; it was kept as {aside.name}"
            )
            assert aside.readlink() == tmp_path / "unmounted.journal"
            session.append({"do": "undo"})
        journal.unlink()
    assert not (tmp_path / "unmounted.journal").exists()


@pytest.mark.parametrize("moment", ["before the journal", "after the journal"])
def test_a_reader_while_another_program_saves_gets_every_action(
    project: Project, path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    read, saves = session_file.read_journal, [1]
    with create_session(project, path) as writer:
        writer.append(MERGE)

        def read_while_it_is_saved(place: Path) -> object:
            contents = read(place) if moment == "after the journal" else None
            if saves:
                saves.pop()
                writer.save(folded(project, MERGE))
                writer.append(LABEL)
            return contents or read(place)

        monkeypatch.setattr(session_file, "read_journal", read_while_it_is_saved)
        with open_session(path, read_only=True) as reader:
            assert (*reader.project.history, *reader.journal_entries) == (*project.history, MERGE, LABEL)
            assert reader.notes == ()


def test_a_reader_gives_up_on_a_session_that_is_saved_each_time_it_is_read(
    project: Project, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = session_file.read_journal
    with create_session(project, path) as writer:

        def read_while_it_is_saved(place: Path) -> object:
            writer.save(project)
            return read(place)

        monkeypatch.setattr(session_file, "read_journal", read_while_it_is_saved)
        with pytest.raises(SessionError, match=r"being saved by another program .*; try again in a moment"):
            open_session(path, read_only=True)


def test_a_session_whose_journal_could_not_be_swapped_is_saved_and_replays_nothing_twice(
    project: Project, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise SessionError("disk full")

    with create_session(project, path) as session:
        session.append(MERGE)
        with monkeypatch.context() as patch:
            patch.setattr("ncpgui.session.journal.Journal._start", fail)
            session.save(folded(project, MERGE))
        assert "its journal still grows: disk full" in session.notes[0]
        session.append(LABEL)
        shutil.copytree(path.parent, path.parent.with_name("killed here"))
        session.save(folded(project, MERGE, LABEL))
        session.append(UNDO)
    with open_session(path.parent.with_name("killed here") / path.name, read_only=True) as session:
        assert session.project.history == (*project.history, MERGE)
        assert session.journal_entries == (LABEL,)
    with open_session(path) as session:
        assert session.project.history == (*project.history, MERGE, LABEL)
        assert session.journal_entries == (UNDO,)


def test_a_damaged_session_lets_go_of_its_lock(project: Project, path: Path) -> None:
    store.save(project, path)
    path.write_bytes(path.read_bytes()[:1000])
    for _ in range(2):
        with pytest.raises(SessionFormatError, match="damaged"):
            open_session(path)
    assert not SessionPaths(path).lock.exists()


def test_opening_what_is_not_there_makes_no_lock(path: Path) -> None:
    with pytest.raises(SessionError, match="does not exist"):
        SessionFile(path)
    assert list(path.parent.iterdir()) == []


def test_a_history_read_back_from_session_and_journal_gives_the_same_units(
    project: Project, path: Path
) -> None:
    def replayed(entries: tuple[dict[str, object], ...]) -> History:
        history = History(Clustering(project.unit_of_spike, project.probability))
        history.replay(entries)
        return history

    bare = replace(project, history=())
    with create_session(bare, path) as session:
        history = replayed(())
        history.do(Merge((0, 7)))
        history.undo()
        history.do(SetLabel((7,), "good"))
        session.save(replace(bare, history=history.entries))
        history.do(Assign([1, 3, 6], [0, 1, 1], [0.5, 0.75, 1.0]))
        history.do(Merge((0, 7)))
        history.undo()
        for entry in history.entries[3:]:
            session.append(entry)
    with open_session(path) as session:
        again = replayed(session.project.history + session.journal_entries)
    assert len(session.journal_entries) == 3
    assert again.clustering.unit_of_spike.tolist() == history.clustering.unit_of_spike.tolist()
    assert again.clustering.probability.tolist() == history.clustering.probability.tolist()
    assert again.labels.label(7) == "good"
    assert (again.can_undo, again.can_redo) == (True, True)


def test_a_session_whose_opening_is_stopped_half_way_is_not_locked(project: Project, path: Path) -> None:
    store.save(project, path)

    def stop(done: int, _total: int, _message: str = "") -> None:
        if done == 1:
            raise Cancelled

    with pytest.raises(Cancelled):
        open_session(path, progress=stop)
    open_session(path).close()


def test_a_session_that_is_private_stays_private(project: Project, path: Path) -> None:
    store.save(project, path)
    files = (path, SessionPaths(path).waveforms)
    for file in files:
        file.chmod(0o600)
    with open_session(path) as session:
        session.append(MERGE)
        session.save(replace(project, model="x", history=(MERGE,)), n_entries=1)
    assert store.load(path).model == "x"
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


def test_what_is_new_beside_a_private_session_is_private_too(project: Project, path: Path) -> None:
    before = os.umask(0o022)
    try:
        store.save(project, path)
        path.chmod(0o600)
        SessionPaths(path).waveforms.unlink()
        with open_session(path) as session:
            session.append(MERGE)
            assert SessionPaths(path).journal.stat().st_mode & 0o777 == 0o600
            session.save(replace(project, model="x", history=(MERGE,)), n_entries=1)
    finally:
        os.umask(before)
    assert SessionPaths(path).waveforms.stat().st_mode & 0o777 == 0o600


def test_what_lies_beside_a_session_follows_the_umask(project: Project, path: Path) -> None:
    before = os.umask(0o077)
    try:
        with create_session(project, path) as session:
            session.append(MERGE)
            modes = {item.name: f"{item.stat().st_mode & 0o777:o}" for item in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert len(modes) == 4, f"session, journal, lock and waveforms: {modes}"
    assert set(modes.values()) == {"600"}, modes
