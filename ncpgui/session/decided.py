"""A session with all that was done to it, for commands that read it; what only its journal held is saved."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from ncpgui.core.errors import NcpguiError
from ncpgui.core.project import Project
from ncpgui.curation.conditioned import as_it_stands
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.curation.history import History
from ncpgui.session.journal import Entry
from ncpgui.session.session_file import open_session

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class DecidedSession:
    """A project as it was saved, and the history of everything done to it."""

    project: Project
    history: History

    @cached_property
    def as_it_stands(self) -> Project:
        """The project with its components given what was decided: what its numbers are of."""
        return as_it_stands(self.project, self.history)

    @property
    def decisions(self) -> CuratedSorting:
        """The sorting as it was decided."""
        return CuratedSorting.of(self.history, self.project.unit_of_spike)


def read_decided(path: str | Path, *, waveforms: bool = True) -> DecidedSession:
    """Read a session and do everything of its history and its journal again.

    Raises
    ------
    SessionError
        See `open_session`.
    CurationError
        An action cannot be done.
    """
    with open_session(path, read_only=True, waveforms=waveforms) as opened:
        project, entries = opened.project, opened.journal_entries
    found = decided(project, entries)
    if entries:
        fold_journal(path)
    return found


def decided(project: Project, entries: tuple[Entry, ...] = ()) -> DecidedSession:
    """A project with everything of its history, and of `entries` after it, done again.

    Raises
    ------
    CurationError
        An action cannot be done.
    """
    return DecidedSession(project, History.of(project, entries))


def fold_journal(path: str | Path) -> bool:
    """Save what only the journal of a session holds into it; whether that was done.

    It is not where another program has the session open, nothing can be written, or an action cannot be done:
    what is in the journal stays there.
    """
    try:
        with open_session(path, waveforms=False) as session:
            if not session.journal_entries:
                return False
            decided(session.project, session.journal_entries)
            history = (*session.project.history, *session.journal_entries)
            session.save(replace(session.project, history=history))
    except NcpguiError as error:
        logger.info("what is in the journal of %s stays there: %s", path, error)
        return False
    return True
