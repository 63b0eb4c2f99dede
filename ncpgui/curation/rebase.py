"""The same edits on another sorting to start from.

While components are sampled, the sorting that edits start from changes; at the end all components are put
together, and units get other numbers. A person may have edited meanwhile. Each
edit is then done again on the joined sorting, as the person would have done it there: a unit stands
for the unit that has most of its spikes now, an alternative is adopted anew, and spikes that the
joined sorting leaves unassigned stay so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ncpgui.core.component import Component
from ncpgui.core.errors import CurationError
from ncpgui.core.spikes import UNASSIGNED
from ncpgui.curation.adopt import adopt_command
from ncpgui.curation.clustering import Clustering
from ncpgui.curation.commands import NEW, Assign, Command, Link, Merge
from ncpgui.curation.history import History
from ncpgui.curation.resample import Resample


@dataclass(frozen=True)
class Rebased:
    """A history on another sorting; `void` says in words which of its edits had nothing left to do."""

    history: History
    void: tuple[str, ...]


def rebased(
    history: History, before: Clustering, after: Clustering, components: Iterable[Component]
) -> Rebased:
    """Do the edits of `history`, which began at `before`, again from `after` on.

    What was undone is undone again, so that it can be redone. `before` and `after` are edited.

    Parameters
    ----------
    components : components as they were sampled first
    """
    sampled = tuple(components)
    old = History(before, sampled, history.labels_before)
    new = History(after, sampled, history.labels_before)
    void: list[str] = []
    n_undone = 0
    for number, command in enumerate((*history.commands, *history.undone)):
        try:
            translated = _translated(command, old, new)
            if translated is not None:
                new.do(translated)
        except CurationError:
            translated = None
        old.do(command)
        if translated is not None:
            n_undone += number >= len(history.commands)
        else:
            void.append(command.words)
    for _ in range(n_undone):
        new.undo()
    return Rebased(new, tuple(void))


def counterparts(units: Iterable[int], before: Clustering, after: Clustering) -> tuple[int, ...]:
    """Units of `after` that have most spikes of each of `units`, each once; none for one without spikes."""
    found = []
    for unit in units:
        now = after.unit_of_spike[before.spikes_of(unit)]
        now = now[now != UNASSIGNED]
        if len(now):
            found.append(int(np.bincount(now).argmax()))
    return tuple(dict.fromkeys(found))


def _translated(command: Command, old: History, new: History) -> Command | None:
    """The command on the units of `new`; None when it has nothing to do there."""
    if isinstance(command, Assign):
        if command.adopts is not None:
            return _adopted(command.adopts, new)
        return _assigned(command, old.clustering, new.clustering)
    units = counterparts(command.unit_ids, old.clustering, new.clustering)
    if isinstance(command, Merge):
        return Merge(units) if len(units) > 1 else None
    if isinstance(command, Link):
        return replace(command, unit_ids=units) if len(units) > 1 else None
    if isinstance(command, Resample):
        return replace(command, unit_ids=units)
    return replace(command, unit_ids=units) if units else None


def _adopted(adopts: tuple[int, int], new: History) -> Assign | None:
    component_id, index = adopts
    component = new.posteriors.get(component_id)
    if component is None or index >= len(component.alternatives):
        raise CurationError(f"component {component_id} has no alternative {index + 1}")
    return adopt_command(
        new.clustering,
        component,
        component.alternatives[index],
        accepted=new.labels.accepted,
    )


def _assigned(command: Assign, old: Clustering, new: Clustering) -> Assign | None:
    ids = command.spike_ids
    was, now = old.unit_of_spike[ids], new.unit_of_spike[ids]
    moves = (was == UNASSIGNED) | (now != UNASSIGNED)
    if not moves.any():
        return None
    units = [(*counterparts([unit], old, new), NEW)[0] for unit in command.unit_ids]
    return Assign(ids[moves], command.cluster[moves], command.probability[moves], command.words, tuple(units))
