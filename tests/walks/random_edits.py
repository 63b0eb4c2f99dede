"""Random edits of a session, drawn from a seed; as a program it does them as the application does, and tells.

    python random_edits.py SESSION SEED N

Each edit goes to the journal; the session is saved now and then on another thread meanwhile. Nothing is
sampled: new draws would come when they like, and be an edit among the others. After each edit a line with the
digest of the state goes to the standard output. The program is there to be killed: it does not end.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.workspace import Workspace
from ncpgui.core.errors import CurationError
from ncpgui.curation.commands import Assign

SAVE_EVERY = 9
LABELS = ("good", "mua", "noise", "unsorted")
Edit = Callable[[Workspace, np.random.Generator], None]


def digest_of(workspace: Workspace) -> str:
    """What must be there again: units, marks of units, and what can be undone and done again."""
    history = workspace.state.history
    units = workspace.state.clustering.unit_of_spike
    marks = [(unit, history.labels.mark(unit)) for unit in workspace.state.clustering.unit_ids.tolist()]
    words = repr((marks, history.undo_words, history.redo_words, len(history.commands), len(history.entries)))
    return hashlib.sha256(units.tobytes() + words.encode()).hexdigest()[:16]


def edited(workspace: Workspace, seed: int, n_edits: int) -> Iterator[str]:
    """Do random edits; the digest of the state after each."""
    rng = np.random.default_rng(seed)
    for _ in range(n_edits):
        n_before = len(workspace.state.history.entries)
        while len(workspace.state.history.entries) == n_before:
            component = int(rng.choice(workspace.state.components.ids))
            workspace.show_component(component)
            try:
                EDITS[int(rng.integers(len(EDITS)))](workspace, rng)
            except CurationError:
                continue  # not possible as things stand: another one
        yield digest_of(workspace)


def _units(workspace: Workspace) -> list[int]:
    current = workspace.current()
    return [] if current is None else [unit.unit for unit in current.units if unit.unit is not None]


def _some(workspace: Workspace, rng: np.random.Generator, n: int) -> tuple[int, ...]:
    units = _units(workspace)
    if len(units) < n:
        raise CurationError("there are not so many units")
    return tuple(int(unit) for unit in rng.choice(units, n, replace=False))


def _merge(workspace: Workspace, rng: np.random.Generator) -> None:
    workspace.merge(_some(workspace, rng, 2))


def _split(workspace: Workspace, rng: np.random.Generator) -> None:
    (unit,) = _some(workspace, rng, 1)
    ids = workspace.state.clustering.spikes_of(unit)
    workspace.state.do(Assign(ids, (rng.random(len(ids)) < 0.3).astype(np.int64), words=f"split {unit}"))


def _adopt(workspace: Workspace, rng: np.random.Generator) -> None:
    component = workspace.component()
    assert component is not None
    workspace.show_alternative(int(rng.integers(len(component.alternatives))))
    adopt(workspace)


def _lock(workspace: Workspace, rng: np.random.Generator) -> None:
    units = _some(workspace, rng, 1)
    workspace.set_accepted(units, not workspace.state.history.labels.is_accepted(units[0]))


EDITS: tuple[Edit, ...] = (
    _merge,
    _split,
    _split,
    _adopt,
    _lock,
    lambda workspace, rng: workspace.label(_some(workspace, rng, 1), str(rng.choice(LABELS))),
    lambda workspace, rng: workspace.write(_some(workspace, rng, 1), "note", f"seen {rng.integers(99)}"),
    lambda workspace, rng: workspace.link(_some(workspace, rng, 2), same=False),
    lambda workspace, _: workspace.undo(),
    lambda workspace, _: workspace.redo(),
)


def main() -> None:
    """Edit a session as the application does, then save it again and again, until somebody kills this."""
    from PyQt5 import QtCore

    from ncpgui.app.controller import Controller
    from ncpgui.app.preferences import Preferences
    from ncpgui.app.work.sampling import Sampling
    from ncpgui.gui.worker import Workers

    Sampling.draw_where_few_are_left = lambda *_: None  # type: ignore[method-assign]
    session, seed, n_edits = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    application = QtCore.QCoreApplication([])
    workers = Workers()
    workspace = Workspace()
    controller = Controller(workspace, workers, Preferences(session.parent / "preferences"))
    controller.open_session(session)
    while workspace.state.project is None:
        application.processEvents(QtCore.QEventLoop.WaitForMoreEvents)
    for number, digest in enumerate(edited(workspace, seed, n_edits)):
        os.write(1, f"{digest}\n".encode())
        if number % SAVE_EVERY == 0:
            controller.save()
        application.processEvents()
    while True:
        controller.save()
        application.processEvents(QtCore.QEventLoop.WaitForMoreEvents)


if __name__ == "__main__":
    main()
