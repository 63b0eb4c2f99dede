"""What of the work is in its session file: in the last save, in the journal, or only in memory."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

from ncpgui.core.project import Project

if TYPE_CHECKING:  # HDF5 is loaded when a session is opened
    from ncpgui.session.session_file import SessionFile


class SaveState:
    """Knows what the session file holds, and writes each action to its journal.

    What is saved is known by the snapshot that was: as long as the project has the very same values, and as
    many actions, there is nothing to save. A journal goes on from the sorting that was saved. An action
    waits for the next save when the file lacks what it was done on: the sorting before all edits (it grows
    while components are sampled) or an action before it (writing that one failed).

    In all that follows, `now` is the project as it is, everything that was done in its history.
    """

    def __init__(self) -> None:
        self.session: SessionFile | None = None
        self._saved: Project | None = None
        self._n_written = 0
        self._on_hold = False

    def start(self, session: SessionFile | None, saved: Project | None, *, n_written: int = 0) -> None:
        """Begin with a project of which `n_written` actions are in the save or in the journal behind it.

        saved : what a file holds, None of a project that is in none, or whose journal holds something else;
            without a `session` it is a file that is only read
        """
        self.session, self._saved = session, saved
        self._n_written, self._on_hold = n_written, False

    def stop(self) -> SessionFile | None:
        """Forget the session without closing it, and return it."""
        session = self.session
        self.start(None, None)
        return session

    def is_saved(self, now: Project) -> bool:
        """Whether the last save holds everything."""
        saved = self._saved
        return saved is not None and _is_same(saved, now) and len(saved.history) == len(now.history)

    def is_safe(self, now: Project) -> bool:
        """Whether save and journal together hold everything."""
        return self._saved is not None and _is_same(self._saved, now) and not self.is_behind(now)

    def is_behind(self, now: Project) -> bool:
        """Whether actions wait for a save, because the journal cannot take them."""
        if self.session is None:
            return len(now.history) > 0 and not self.is_saved(now)
        return self._n_written < len(now.history)

    def write(self, now: Project) -> None:
        """Write the actions that the journal lacks, in order, unless it has to wait for a save.

        Raises
        ------
        SessionError
            One could not be written; it and those after it are tried again with the next.
        """
        if self.session is None or self._saved is None or self._on_hold:
            return
        if self._saved.unit_of_spike is not now.unit_of_spike:
            return
        while self._n_written < len(now.history):
            self.session.append(now.history[self._n_written])
            self._n_written += 1

    def begin(self, now: Project) -> int:
        """A save of `now` begins: actions in the journal. No other may before it is `saved` or `missed`."""
        self._on_hold = self._n_written < len(now.history)  # the save has those: they must not follow it too
        return 0 if self.session is None else self.session.n_entries

    def saved(self, session: SessionFile, snapshot: Project, now: Project) -> None:
        """Go on with `session`, which holds `snapshot`; actions since then are written to it.

        Raises
        ------
        SessionError
            They could not be written, see `write`.
        """
        if session is not self.session:
            if self.session is not None:
                self.session.close()
            self.session = session
            self._n_written = 0
        self._n_written = max(self._n_written, len(snapshot.history))
        self._saved = replace(snapshot, waveforms={})
        self._on_hold = False
        self.write(now)

    def missed(self, now: Project) -> None:
        """Go on after a save that failed."""
        self._on_hold = False
        self.write(now)


def _is_same(one: Project, other: Project) -> bool:
    """Whether two states of a project have the same values, but for actions and the cache of waveforms."""
    names = (field.name for field in fields(Project) if field.name not in ("history", "waveforms"))
    return all(getattr(one, name) is getattr(other, name) for name in names)
