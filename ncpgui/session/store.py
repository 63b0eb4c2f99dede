"""Save and load a project as one HDF5 file (``docs/reference/session_file.md``)."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import get_type_hints

import h5py

import ncpgui
from ncpgui.core.arguments import instance
from ncpgui.core.errors import SessionError, SessionFormatError, SessionReplacedError
from ncpgui.core.files import too_long
from ncpgui.core.lock import WriterLock
from ncpgui.core.names import refused_name
from ncpgui.core.own_contents import READ_WHOLE, not_its_own
from ncpgui.core.progress import Progress, silent
from ncpgui.core.project import Project
from ncpgui.core.regular_files import special
from ncpgui.session import cache
from ncpgui.session.codecs import attribute, read_attributes, write_attributes
from ncpgui.session.hdf5_file import reason, written_hdf5
from ncpgui.session.project_codec import read_project, write_project
from ncpgui.session.schema import FORMAT_VERSION, SESSION, SessionPaths
from ncpgui.session.swap import swapped

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Header:
    """Which session this is, and which actions it holds.

    session_id : the same from save to save; save_id : of this save;
    journal_base, journal_folded : the journal folded into this save and how many of its entries;
    program, saved_at : what wrote it and when (UTC);
    n_cached : of how many components the waveform cache beside it has waveforms.
    """

    session_id: str
    save_id: str
    journal_base: str = ""
    journal_folded: int = 0
    program: str = ""
    saved_at: str = ""
    n_cached: int = 0


def save(project: Project, path: str | Path, *, session_id: str | None = None, replace: bool = True) -> None:
    """Write `project` as a new session, in place of whatever session is at `path`.

    session_id : of the new session; one of its own when left out
    replace : whether what is at `path` by the end is replaced

    The waveforms go to a cache beside it. A journal left there by another session is kept aside
    when the new one is opened.

    Raises
    ------
    SessionError
        The file cannot be written; a session that was there is untouched.
    SessionLockedError
        A program has the session at `path` open for writing.
    SessionReplacedError
        Something is at `path` and is not replaced.
    """
    instance(project, Project, "what is saved", "sort a recording first, or load a session")
    paths = checked_paths(path)

    def check() -> None:
        if not replace and paths.session.exists():
            raise SessionReplacedError(f"{paths.session} appeared meanwhile and is not replaced")

    check()
    with WriterLock(paths.lock, paths.session):
        write_session(paths, project, new_header(session_id), check=check)


def load(path: str | Path, *, waveforms: bool = True) -> Project:
    """Read the project as it was saved last; `open_session` also tells what was done since.

    Parameters
    ----------
    waveforms : whether to fill `Project.waveforms` from the cache, where there is one

    Raises
    ------
    SessionFormatError
        The file is damaged, not a session, or of another version of the format.
    SessionError
        The file does not exist or cannot be read.
    """
    return read_session(SessionPaths.of(path), waveforms=waveforms)[1]


def session_id(path: Path) -> str:
    """Id of a session, the same from save to save; errors as of `load`."""
    with opened(path) as file:
        return read_header(file).session_id


def new_header(session_id: str | None = None) -> Header:
    """Header of a session that was never saved."""
    return Header(session_id=session_id or uuid.uuid4().hex, save_id=uuid.uuid4().hex)


def checked_paths(path: str | Path) -> SessionPaths:
    """Where a session at `path` goes, if it can be written there."""
    paths = SessionPaths.of(path)
    result = paths.session
    problem = too_long(result, paths.waveforms) or refused_name(result)
    if problem:
        raise SessionError(f"cannot write {result}: {problem}")
    if result.is_dir():
        raise SessionError(
            f"cannot write {result}: it is a folder; give the name of a file, such as session.h5"
        )
    if special(result):
        raise SessionError(
            f"cannot write {result}: it is {special(result)}; give the name of a file, such as session.h5"
        )
    if not result.absolute().parent.is_dir():
        raise SessionError(
            f"cannot write {result}: the folder {result.parent} does not exist; create it first"
        )
    return paths


def write_session(
    paths: SessionPaths, project: Project, header: Header, *, check: Callable[[], None] = lambda: None
) -> None:
    """Write session and waveform cache; the caller holds the lock.

    check : called when all is written, before it takes the place of what is there: raises to leave that
    """
    header = replace(header, n_cached=cache.n_kept(paths.waveforms, project))
    with swapped(paths.session) as beside:
        with written_hdf5(beside) as file:
            _write_header(file, header)
            write_project(file, project)
            names = set(file)
        _verify(beside, header, names)
        check()
    try:
        cache.update(paths.waveforms, project)
    except OSError as error:
        logger.warning("the waveform cache was not written (waveforms will be read again): %s", error)


def read_session(
    paths: SessionPaths, *, waveforms: bool = True, progress: Progress = silent
) -> tuple[Header, Project]:
    """Read header and project."""
    with opened(paths.session) as file:
        header = read_header(file)
        project = read_project(file, progress=progress)
    if waveforms:
        project = replace(project, waveforms=cache.load(paths.waveforms, project))
    return header, project


@contextmanager
def opened(path: Path, *, only_header: bool = False) -> Iterator[h5py.File]:
    """Open a session for reading; whatever HDF5 cannot read is a SessionFormatError of one line.

    only_header : nothing but that is read, of whatever file it is
    """
    if not path.exists():
        raise SessionError(f"{path} does not exist; check the name of the session")
    if path.is_dir():
        raise SessionError(f"{path} is a folder, not a session; give the .h5 file")
    if special(path):
        raise SessionError(f"{path} is {special(path)}, not a session; give the .h5 file")
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise SessionError(f"cannot read {path}: {error.strerror}; check its permissions") from error
    try:
        with h5py.File(path, "r", locking=False) as file:
            problem = "" if only_header else not_its_own(file, READ_WHOLE)
            if problem:
                raise SessionFormatError(f"{path} cannot be used: {problem}")
            yield file
    except SessionError:
        raise
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, ArithmeticError, MemoryError) as error:
        raise SessionFormatError(
            f"{path} is damaged or not an ncpgui session ({reason(error)}); use a backup of it, or sort again"
        ) from error


def read_header(file: h5py.File) -> Header:
    """Read the header and refuse what this program cannot read."""
    path = file.filename
    if file.attrs.get("encoding") != SESSION:
        raise SessionFormatError(
            f"{path} is an HDF5 file but not an ncpgui session; open a file written by 'ncpgui sort'"
        )
    version = attribute(file, "version", int)
    if version > FORMAT_VERSION:
        raise SessionFormatError(
            f"{path} was written by version {version} of the session format, this program reads up to "
            f"{FORMAT_VERSION}; update ncpgui"
        )
    if version < FORMAT_VERSION:
        raise SessionFormatError(
            f"{path} was written before the first release of ncpgui (version {version} of the session "
            f"format, the first that is read is {FORMAT_VERSION}); sort the recording again"
        )
    return Header(**read_attributes(file, get_type_hints(Header)))


def _write_header(file: h5py.File, header: Header) -> None:
    file.attrs["encoding"] = SESSION
    file.attrs["version"] = FORMAT_VERSION
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    header = replace(header, program=f"ncpgui {ncpgui.__version__}", saved_at=now)
    write_attributes(file, header, get_type_hints(Header))


def _verify(path: Path, header: Header, names: set[str]) -> None:
    """Read back what was written before it takes the place of the old file."""
    with opened(path, only_header=True) as file:
        found = read_header(file)
        if found.save_id != header.save_id or set(file) != names:
            raise SessionError(
                f"{path} does not read back as it was written; check the disk, then save elsewhere"
            )
