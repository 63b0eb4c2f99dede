"""What of the work is in its session file: in the last save, in the journal, or only in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ncpgui.core.project import Project


class Session(Protocol):
    """What is needed of a session file (`ncpgui.session.session_file.SessionFile`)."""

    @property
    def path(self) -> Path:
        """Where it is."""

    @property
    def n_entries(self) -> int:
        """Actions written so far."""

    def append(self, entry: dict[str, Any]) -> None:
        """Write an action to the journal."""

    def save(self, project: Project, *, n_entries: int | None = None) -> None:
        """Save the project."""

    def keep_journal(self) -> Path:
        """Copy the journal to a name of its own."""

    def close(self) -> None:
        """Let others write."""


@dataclass(frozen=True)
class SaveMark:
    """The state that a save holds, taken when it begins.

    revision, content, base : counts of `SaveState`; n_entries : actions in the history of the saved project;
    n_in_journal : actions in the journal then.
    """

    revision: int
    content: int
    base: int
    n_entries: int
    n_in_journal: int


class SaveState:
    """Knows what the session file holds, and writes each action to its journal.

    A journal goes on from the sorting that was saved. An action waits for the next save when the
    file lacks what it was done on: the sorting before all edits (it grows while components are sampled)
    or an action before it (writing that one failed).
    """

    def __init__(self) -> None:
        self.session: Session | None = None
        self.revision = 0
        self._content = self._base = 0
        self._saved = SaveMark(0, 0, 0, 0, 0)
        self._n_written = 0
        self._on_hold = False

    def start(
        self,
        session: Session | None,
        *,
        n_saved: int,
        n_entries: int,
        is_whole: bool,
        is_elsewhere: bool = False,
    ) -> None:
        """Begin with a project of `n_entries` actions, `n_saved` of them saved, the others in the journal.

        is_whole : whether the journal holds nothing else; if it does, the next action waits for a save;
        is_elsewhere : whether all of it is in a file that is only read; `session` is None then.
        """
        self.session = session
        self._content = self._base = 0
        self._n_written = n_entries
        self._on_hold = False
        behind = session is None or n_saved < n_entries or not is_whole
        base = 0 if session is not None and is_whole else -1
        self._saved = SaveMark(-1 if behind else self.revision, 0 if session else -1, base, n_saved, 0)
        if is_elsewhere:
            self._saved = SaveMark(self.revision, 0, 0, n_entries, 0)

    def stop(self) -> Session | None:
        """Forget the session without closing it, and return it."""
        session, self.session = self.session, None
        self._saved = SaveMark(self.revision, self._content, self._base, 0, 0)
        self._n_written = 0
        return session

    def change(self, *, content: bool = False, base: bool = False) -> None:
        """Note a change: of actions only, of what no journal keeps, or of the sorting before all edits."""
        self.revision += 1
        self._content += content or base
        self._base += base

    @property
    def is_saved(self) -> bool:
        """Whether the last save holds everything."""
        return self._saved.revision == self.revision

    def is_safe(self, n_entries: int) -> bool:
        """Whether save and journal together hold everything, all `n_entries` actions too."""
        return self._saved.content == self._content and not self.is_behind(n_entries)

    def is_behind(self, n_entries: int) -> bool:
        """Whether actions wait for a save, because the journal cannot take them."""
        if self.session is None:
            return n_entries > 0 and self._saved.revision != self.revision
        return self._n_written < n_entries

    def write(self, entries: Sequence[dict[str, Any]]) -> None:
        """Write the actions that the journal lacks, in order, unless it has to wait for a save.

        Raises
        ------
        SessionError
            One could not be written; it and those after it are tried again with the next.
        """
        if self.session is None or self._saved.base != self._base or self._on_hold:
            return
        while self._n_written < len(entries):
            self.session.append(entries[self._n_written])
            self._n_written += 1

    def mark(self, n_entries: int) -> SaveMark:
        """State that a save begun now will hold. No other may begin before it is `saved` or `missed`."""
        self._on_hold = self._n_written < n_entries  # those are in the save: they must not follow it too
        n_in_journal = 0 if self.session is None else self.session.n_entries
        return SaveMark(self.revision, self._content, self._base, n_entries, n_in_journal)

    def saved(self, session: Session, mark: SaveMark, entries: Sequence[dict[str, Any]]) -> None:
        """Go on with `session`, which holds what `mark` says; actions since then are written to it.

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
        self._n_written = max(self._n_written, mark.n_entries)
        self._saved = mark
        self._on_hold = False
        self.write(entries)

    def missed(self, entries: Sequence[dict[str, Any]]) -> None:
        """Go on after a save that failed."""
        self._on_hold = False
        self.write(entries)
