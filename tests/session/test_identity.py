"""One session is one file: links lead to it, and what others do to its files while it is open is noticed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ncpgui.core.errors import SessionError, SessionLockedError, SessionUnwritableError
from ncpgui.core.project import Project
from ncpgui.session import store
from ncpgui.session.session_file import create_session, open_session

MERGE = {"do": "merge", "units": [0, 7]}
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
