"""What of a journal can be done again, and where the rest of it is kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ncpgui.core.errors import CurationError, NcpguiError
from ncpgui.curation.history import History

if TYPE_CHECKING:
    from ncpgui.session.session_file import SessionFile


def kept_journal(session: SessionFile | None) -> str:
    """Keep a journal that the next save will not hold all of; say where."""
    if session is None:
        return ""
    try:
        return f"; the journal is kept as {session.keep_journal().name}"
    except NcpguiError as error:
        return f"; {error}"


def recover(history: History, entries: Iterable[dict[str, Any]]) -> tuple[int, str]:
    """Do the entries of a journal as far as they go: how many, and what stopped the rest."""
    n_done = 0
    for entry in entries:
        try:
            n_done += history.replay([entry])
        except CurationError as error:
            return (
                n_done,
                f"Action {n_done + 1} of the journal and those after it cannot be repeated: {error}",
            )
    return n_done, ""
