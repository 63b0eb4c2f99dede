"""Decisions that somebody made in another program, as edits of the history here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import CurationError
from ncpgui.core.spikes import UNASSIGNED
from ncpgui.curation.commands import Assign, Link, Merge, SetLabel
from ncpgui.curation.history import History
from ncpgui.curation.state import Command

MOST_NAMED = 4


def take_over(
    history: History,
    given: NDArray[np.int64],
    units: NDArray[np.int64],
    labels: Mapping[int, str],
    *,
    source: str,
    apart: Iterable[tuple[int, int]] = (),
) -> tuple[str, ...]:
    """Do what is needed for the units to be as somebody else has them, and return what was done, in words.

    Units that nobody changed there stay as they are here. A change there of units that were changed here too
    is taken only if both are the same.

    Parameters
    ----------
    given : (n_spikes,) unit of each spike before anybody changed anything
    units : (n_spikes,) unit of each as it is there, numbers of their own for new ones, -1 = in none
    labels : unit there -> good, mua or noise
    source : what they are read from, for words
    apart : pairs of units, by numbers of `given`, of which somebody said that they are two neurons

    Raises
    ------
    CurationError
        The same units were changed here and there, in different ways; nothing is done then.
    """
    now = history.clustering.unit_of_spike
    changed = _changed(given, units)
    wanted = np.where(changed, units, given)
    _check_apart(given, now, wanted, changed, source)
    done = []
    for command in _edits(now, np.where(changed, units, UNASSIGNED - 1), source):
        history.do(command)
        done.append(command.words)
    now = history.clustering.unit_of_spike
    for label in dict.fromkeys(labels.values()):
        wanted_units = [
            unit
            for there, told in labels.items()
            if told == label
            for unit in _same_unit(now, wanted == there)
            if history.labels.label(unit) != label
        ]
        if wanted_units:
            history.do(SetLabel(tuple(wanted_units), label))
            done.append(f"{history.commands[-1].words}, as in {source}")
    alive = set(history.clustering.unit_ids.tolist())
    for pair in apart:
        link = Link(pair, same=False)
        if set(pair) <= alive and link not in history.commands:
            history.do(link)
            done.append(f"{link.words}, as in {source}")
    return tuple(done)


def _changed(given: NDArray[np.int64], units: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Spikes of units that lost or gained any."""
    differ = given != units
    touched = np.union1d(given[differ], units[differ])
    return np.isin(given, touched) | np.isin(units, touched)


def _check_apart(
    given: NDArray[np.int64],
    now: NDArray[np.int64],
    wanted: NDArray[np.int64],
    changed: NDArray[np.bool_],
    source: str,
) -> None:
    """Raise where units that were changed there were changed here too, to something else."""
    here = _changed(given, now)
    for unit in np.unique(given[changed & here]).tolist():
        rows = given == unit
        whole = np.isin(now, now[rows]) | np.isin(wanted, wanted[rows])
        if not _same_partition(now[whole], wanted[whole]):
            raise CurationError(
                f"unit {unit} was changed here, and in {source} in another way; undo it here, or there"
            )


def _same_partition(first: NDArray[np.int64], second: NDArray[np.int64]) -> bool:
    """Whether two sortings of some spikes are the same but for numbers; -1 is -1."""
    pairs = np.unique(np.stack([first, second]), axis=1).T
    none = (pairs < 0).any(axis=1) != (pairs < 0).all(axis=1)
    return not none.any() and len(pairs) == len(np.unique(first)) == len(np.unique(second))


def _same_unit(now: NDArray[np.int64], rows: NDArray[np.bool_]) -> Iterator[int]:
    """The unit that has exactly these spikes, if there is one."""
    units = np.unique(now[rows])
    if len(units) == 1 and units[0] != UNASSIGNED and np.array_equal(now == units[0], rows):
        yield int(units[0])


def _edits(now: NDArray[np.int64], units: NDArray[np.int64], source: str) -> Iterator[Command]:
    """Merges of whole units, then one assignment of all other spikes; units : -2 of spikes that stay."""
    moves = np.zeros(len(now), dtype=bool)
    for unit in np.unique(units[units != UNASSIGNED - 1]).tolist():
        rows = units == unit
        sources = np.unique(now[rows])
        is_whole = UNASSIGNED not in sources and np.array_equal(np.isin(now, sources), rows)
        if unit != UNASSIGNED and is_whole:
            if len(sources) > 1:
                yield Merge(tuple(sources.tolist()))
        else:
            moves |= rows & ((unit != UNASSIGNED) | (now != UNASSIGNED))
    if moves.any():
        ids = np.flatnonzero(moves)
        there = units[ids]
        kept = np.unique(there[there != UNASSIGNED])
        cluster = np.where(there == UNASSIGNED, -1, np.searchsorted(kept, there))
        parts = np.unique(now[ids])
        names = ", ".join(map(str, parts[parts >= 0][:MOST_NAMED])) + (
            " …" if len(parts) > MOST_NAMED else ""
        )
        yield Assign(ids, cluster, words=f"sort {names} as in {source}")
