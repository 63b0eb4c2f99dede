"""A session open for work: the project, what was done since it was saved, and the way to save."""

from __future__ import annotations

import logging
import threading
import uuid
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ncpgui.core.errors import SessionError, SessionReplacedError, SessionUnwritableError
from ncpgui.core.file_stamp import file_stamp
from ncpgui.core.lock import WriterLock
from ncpgui.core.progress import Progress, silent
from ncpgui.core.project import Project
from ncpgui.session import store
from ncpgui.session.journal import Entry, Journal, JournalContents, read_journal, unfolded
from ncpgui.session.journal_mark import mark, marked_journal
from ncpgui.session.schema import SessionPaths
from ncpgui.session.swap import kept_copy, set_aside

logger = logging.getLogger(__name__)

_READ_TIMES = 5
"""How often a session is read again because it was saved meanwhile."""


class SessionFile:
    """A session opened by `open_session` or `create_session`; close it, or use it as a context.

    Attributes
    ----------
    path : the ``.h5`` file
    project : as saved last
    journal_entries : actions done since then that a crash left behind, to be replayed in order
    notes : sentences for the person, such as that the last action was torn by a crash
    read_only : whether `append` and `save` are refused
    """

    def __init__(
        self,
        path: str | Path,
        *,
        read_only: bool = False,
        waveforms: bool = True,
        progress: Progress = silent,
    ) -> None:
        self.paths = SessionPaths.of(path)
        self.read_only = read_only
        self.notes: tuple[str, ...] = ()
        self._saving = threading.Lock()
        self._stamp: tuple[int, ...] | None = None
        self._save_ids: tuple[str, ...] = ()
        self._marked: Path | None = None
        self._lock: WriterLock | None = None
        self._journal: Journal | None = None
        if not self.path.is_file():
            with store.opened(self.path):  # raises the reason
                pass
        if not read_only:
            _refuse_several_names(self.path)
            self._lock = WriterLock(self.paths.lock, self.path)
        try:
            self._header, self.project, contents = self._read(waveforms=waveforms, progress=progress)
            self.journal_entries = self._recover(contents)
        except BaseException:
            self.close()
            raise

    @property
    def path(self) -> Path:
        """The ``.h5`` file."""
        return self.paths.session

    @property
    def n_entries(self) -> int:
        """Actions so far, to tell `save` which of them a project includes."""
        return self._writable().count

    def append(self, entry: Entry) -> None:
        """Write an action to the journal; it survives a crash once this returns.

        Raises
        ------
        SessionError
            It could not be written, the session is closed or read-only, or somebody deleted or replaced
            one of its files.
        """
        journal = self._writable()
        self._check_place("save it to write it again")
        is_first = not journal.entries
        journal.append(entry)
        if is_first:
            self._mark()

    def save(self, project: Project, *, n_entries: int | None = None) -> None:
        """Save `project` and fold the journal into it.

        Parameters
        ----------
        n_entries : `SessionFile.n_entries` at the time when `project` was put together; now, when left
            out. Actions appended later, while another thread saves, stay in the journal.

        Raises
        ------
        SessionError
            The file cannot be written; the session and its journal are as before.
        SessionReplacedError
            Another file is in its place by now; it is left there.
        """
        with self._saving:
            journal = self._writable()
            n_folded = journal.n_until(journal.count if n_entries is None else n_entries)
            header = replace(
                self._header,
                save_id=uuid.uuid4().hex,
                journal_base=journal.base,
                journal_folded=n_folded,
            )
            self._check_place()
            self._save_ids = (self._header.save_id, header.save_id)  # actions go on while the file is swapped
            store.write_session(self.paths, project, header, check=self._check_place)
            self._header, self.project, self.journal_entries = header, project, ()
            self._stamp = file_stamp(self.path)
            try:
                journal.rebase(header.save_id, n_folded=n_folded)
            except SessionError as error:  # the session knows what it holds of the journal as it is
                self._note(f"the session is saved, but its journal still grows: {error}")
            if journal.entries:
                self._mark()

    def keep_journal(self) -> Path:
        """Copy the journal to a name of its own: it holds actions that cannot be done, and no save will.

        Raises
        ------
        SessionError
            It cannot be copied.
        """
        return kept_copy(self.paths.journal)

    def close(self) -> None:
        """Close the journal and let others write; what is in the journal stays there."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> SessionFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _mark(self) -> None:
        """Let the file say that actions are in its journal."""
        mark(self.path, self.paths.journal)
        self._stamp = file_stamp(self.path)

    def _check_place(self, when_gone: str = "") -> None:
        """Raise if another file is in the place of the session, or none and `when_gone` says what to do."""
        found = file_stamp(self.path)
        if found == self._stamp:
            return
        if found is None:
            if when_gone:
                raise SessionError(f"{self.path} was deleted or moved while it is open; {when_gone}")
            return
        if not self._is_same_save():
            raise SessionReplacedError(
                f"{self.path} was replaced or changed by another program while it is open, and is left as it "
                "is; save the session under another name"
            )
        self._stamp = found

    def _is_same_save(self) -> bool:
        with suppress(SessionError), store.opened(self.path) as file:
            return store.read_header(file).save_id in (self._header.save_id, *self._save_ids)
        return False

    def _writable(self) -> Journal:
        if self._journal is None:
            state = "open read-only" if self.read_only else "closed"
            raise SessionError(f"{self.path} is {state}; open it for writing, or save under another name")
        return self._journal

    def _read(
        self, *, waveforms: bool, progress: Progress
    ) -> tuple[store.Header, Project, JournalContents | None]:
        """Read session and journal as they were at one moment, also while another program saves."""
        for _ in range(_READ_TIMES):
            self._stamp = file_stamp(self.path)
            header, project = store.read_session(self.paths, waveforms=waveforms, progress=progress)
            self._marked = marked_journal(self.path)
            contents = read_journal(self.paths.journal)
            with store.opened(self.paths.session, only_header=True) as file:
                if store.read_header(file) == header:
                    if waveforms and len(project.waveforms) < header.n_cached:
                        self._note_missing_waveforms(header.n_cached - len(project.waveforms))
                    return header, project, contents
        raise SessionError(
            f"{self.path} is being saved by another program each time that it is read; try again in a moment"
        )

    def _recover(self, contents: JournalContents | None) -> tuple[Entry, ...]:
        """Find the actions that the session does not hold yet, and make the journal fit to append to."""
        header, path = self._header, self.paths.journal
        entries: tuple[Entry, ...] | None = ()
        if contents is not None:
            entries = unfolded(
                contents,
                save_id=header.save_id,
                journal_base=header.journal_base,
                journal_folded=header.journal_folded,
            )
            if contents.problem and entries is not None:
                self._note(contents.problem)
        if contents is not None and entries is None:
            what = "belongs to another session"
            if not contents.session_id:
                what = "is a link that leads nowhere" if not path.exists() else "is not a journal"
            elif contents.session_id == header.session_id:
                what = f"holds what was done after another save of {self.path.name} than this one"
            if self.read_only:
                self._note(f"{path.name} {what} and is ignored")
            else:
                self._note(f"{path.name} {what}; it was kept as {set_aside(path).name}")
        if self._marked is not None and (contents is None or entries is None):
            self._note(
                f"{self.path} was saved before what was done last, which is in {self._marked} and not beside "
                f"it; put that file there as {path.name} and open the session again"
            )
        entries = entries or ()
        if not self.read_only:
            self._journal = Journal(path, session_id=header.session_id, base=header.save_id, entries=entries)
        return entries

    def _note_missing_waveforms(self, n_missing: int) -> None:
        cache = self.paths.waveforms
        what = f"lacks those of {n_missing} components" if cache.exists() else "is not beside it"
        self._note(
            f"{self.path.name} was saved with its waveforms in {cache.name}, which {what}; they are read "
            "from the recording again where it can be found"
        )

    def _note(self, text: str) -> None:
        logger.warning("%s", text)
        self.notes += (text,)


def _refuse_several_names(path: Path) -> None:
    """Saving replaces a file: of one with several names (hard links), only one would be the saved session."""
    n_names = path.stat().st_nlink
    if n_names > 1:
        raise SessionUnwritableError(
            f"cannot open {path} for writing: the file has {n_names} names (hard links), and saving would "
            "part them; make a copy of it and open that, or open the session read-only"
        )


def open_session(
    path: str | Path, *, read_only: bool = False, waveforms: bool = True, progress: Progress = silent
) -> SessionFile:
    """Open a session; replay its `journal_entries` to get back to where the person was.

    progress : of the components that are read

    Raises
    ------
    SessionLockedError
        Another program has it open for writing (`read_only` opens it all the same).
    SessionFormatError
        The file is damaged, not a session, or of another version of the format.
    SessionError
        The file does not exist, or its folder cannot be written (`read_only` does not need that).
    """
    return SessionFile(path, read_only=read_only, waveforms=waveforms, progress=progress)


def create_session(project: Project, path: str | Path, *, replace: bool = True) -> SessionFile:
    """Write `project` as a new session at `path` and open it (also "save as"); see `store.save`."""
    store.save(project, path, replace=replace)
    return SessionFile(path)
