"""``--resume``: a sorting or review that was stopped goes on from the steps it kept beside its session."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncpgui.cli.terminal import notes, tell
from ncpgui.core.counted import count
from ncpgui.core.errors import ExportError, SessionError

if TYPE_CHECKING:
    from ncpgui.session.steps_folder import Leftover, StepsFolder


def is_finished(out: Path, *, resume: bool, overwrite: bool) -> bool:
    """Whether a run to go on with has written its session already; refuse to pass over what one left.

    Raises
    ------
    ExportError
        A stopped run left steps, and neither to go on nor to begin anew was asked for; or there are none to
        go on with, but a session; or something else is where steps are kept.
    """
    from ncpgui.session.schema import SessionPaths
    from ncpgui.session.steps_folder import discard

    steps = SessionPaths.of(out).steps
    before = left_beside(out)
    if before is not None and resume and _is_result(out, before.id):
        discard(steps)
        tell(f"nothing is left to do: {out} is finished; open it with 'ncpgui {out}'")
        return True
    if before is None or not before.n_steps:
        if resume and os.path.lexists(out) and not overwrite:
            raise ExportError(
                f"{out} exists, and there is no {steps} to go on with; open it with 'ncpgui {out}', give "
                "another name, or --overwrite to replace it"
            )
    elif not resume and not overwrite:
        raise ExportError(f"{before.words}; --resume goes on with them, --overwrite begins anew")
    return False


def left_beside(session: Path) -> Leftover | None:
    """Steps that a stopped run left beside a session, which need not be there."""
    from ncpgui.session.schema import SessionPaths
    from ncpgui.session.steps_folder import leftover

    return leftover(SessionPaths.of(session).steps)


def _is_result(out: Path, run_id: str) -> bool:
    """Whether the session at `out` is the one that a run was to write."""
    from ncpgui.session.store import session_id

    try:
        return out.is_file() and session_id(out) == run_id
    except SessionError:
        return False


@contextmanager
def kept_steps(out: Path, run: Mapping[str, Any], *, resume: bool) -> Iterator[StepsFolder | None]:
    """Keep the steps of a run beside its session while the block runs; None where the disk has no room.

    What was not `finish`ed when the block ends with an exception stays, and is named.

    Raises
    ------
    InputError, ExportError, SessionLockedError
        As `session.steps_folder.StepsFolder`.
    """
    from ncpgui.session.schema import SessionPaths
    from ncpgui.session.steps_folder import steps_beside

    place = SessionPaths.of(out).steps
    steps = steps_beside(out, run, go_on=resume)
    if resume and steps is not None:
        before = steps.went_on
        said = f"going on: {before.words}" if before else f"there is nothing in {place} to go on with"
        notes(f"{said}{'' if before else ', so this begins at the start'}")
    try:
        yield steps
    finally:
        if steps is not None:
            n_steps = steps.n_steps
            steps.close()
            if n_steps:
                kept = f"{count(n_steps, 'finished step')} kept in {place}"
                notes(f"{kept}; the same command with --resume goes on")
