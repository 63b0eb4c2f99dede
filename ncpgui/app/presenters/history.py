"""The edits of a session as a list, those in force and those taken back, and the way to any of them."""

from __future__ import annotations

from dataclasses import dataclass

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.words import count, sentence


@dataclass(frozen=True)
class HistoryRow:
    """One edit, or the beginning. n_done : edits in force when one stands here."""

    words: str
    n_done: int
    is_done: bool
    is_present: bool


def present_history(workspace: Workspace) -> tuple[HistoryRow, ...]:
    """The sorting as it was found, edits in force, and those taken back; () without a project."""
    if workspace.state.project is None:
        return ()
    history = workspace.state.history
    done = [command.words for command in history.commands]
    words = ["as it was sorted", *done, *(command.words for command in history.undone)]
    return tuple(HistoryRow(sentence(one), n, n <= len(done), n == len(done)) for n, one in enumerate(words))


def step_to(workspace: Workspace, n_done: int) -> None:
    """Take back edits, or do them again, until `n_done` are in force or there is no further to go."""
    here = len(workspace.state.history.commands)
    for _ in range(here - n_done):
        workspace.undo()
    for _ in range(n_done - here):
        workspace.redo()
    far = abs(len(workspace.state.history.commands) - here)
    if far > 1:
        workspace.state.told.emit(f"{count(far, 'edit')} {'taken back' if n_done < here else 'done again'}")
