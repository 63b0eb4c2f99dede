"""Adopting an alternative: the Assign that makes a component look like one way to sort it.

What a person already knows by number keeps its number: a cluster whose spikes are exactly those
that a unit has in this component is that unit. Other clusters become new units. A unit may reach into
other components (it was merged across components); its spikes there follow the cluster that takes over
most of its spikes here (Jaccard overlap of at least 0.5 within the component), else they stay with it.

Accepted units are left alone: they lose no spikes and gain none. Free spikes that the alternative puts
into a cluster which is mostly an accepted unit are not free to go there: they go with their unit, like its
spikes elsewhere. A spike becomes unassigned only where the alternative itself has no cluster for it.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Alternative, Component
from ncpgui.core.counted import few
from ncpgui.core.partition import canonical
from ncpgui.core.spikes import UNASSIGNED
from ncpgui.curation.clustering import Clustering, unit_codes
from ncpgui.curation.commands import NEW, NONE, Assign

FOLLOW_JACCARD = 0.5


def adopt_command(
    clustering: Clustering,
    component: Component,
    alternative: Alternative,
    *,
    accepted: Collection[int] = (),
    words: str = "",
) -> Assign | None:
    """Return the command that sorts a component as `alternative` says; None when it already is.

    Parameters
    ----------
    accepted : units to leave alone
    """
    ids = component.spike_ids
    now = clustering.unit_of_spike[ids]
    code, here = unit_codes(now)
    fixed = np.array([unit in accepted for unit in here.tolist()], dtype=bool)[code]
    wanted = alternative.labels.astype(np.int64)
    free = ~(fixed | _is_owned_by_locked(wanted, fixed))
    clusters = canonical(wanted[free])
    units = now[free]
    unit_row, unit_table = _unit_rows(units)
    table = _table(unit_row, len(unit_table), clusters)
    keeps = _kept(table)
    taken = _followers(table)

    moves = np.ones(len(clusters), dtype=bool)
    for row, column in keeps.items():
        moves[(clusters == column) & (unit_row == row)] = False
    moves &= ~((clusters == NONE) & (units == UNASSIGNED))
    pieces = [(ids[free][moves], clusters[moves], alternative.probability[free][moves])]
    for row, column in taken.items():
        if row in keeps:
            continue
        elsewhere = np.setdiff1d(clustering.spikes_of(int(unit_table[row])), ids[free], assume_unique=True)
        if len(elsewhere):
            same = np.full(len(elsewhere), column, dtype=np.int64)
            pieces.append((elsewhere, same, clustering.probability[elsewhere]))
    spike_ids, cluster, probability = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
    if len(spike_ids) == 0:
        return None
    compact = canonical(cluster)
    n_units = alternative.n_units
    return Assign(
        spike_ids,
        compact,
        probability,
        words or f"sort {_subject(unit_table, component)} as {n_units} unit{'' if n_units == 1 else 's'}",
        (NEW,) * (int(compact.max()) + 1),
        _which(component, alternative),
    )


def _which(component: Component, alternative: Alternative) -> tuple[int, int] | None:
    """(component id, index) of an alternative, whatever its mass is given decisions; None of another one."""
    same = (i for i, one in enumerate(component.alternatives) if one.labels is alternative.labels)
    index = next(same, None)
    return None if index is None else (component.id, index)


def present_alternative(units: NDArray[np.integer], component: Component) -> int | None:
    """Index of the alternative that a component shows now; None when it is none of them.

    That is the first one which adopting would not change a spike by, if no unit were accepted.

    units : (n,) unit of each of its spikes, -1 = none
    """
    row, unit_table = _unit_rows(units)
    for index, alternative in enumerate(component.alternatives):
        table = _table(row, len(unit_table), alternative.labels)
        if sum(table[row, column] for row, column in _kept(table).items()) + table[-1, -1] == len(units):
            return index
    return None


def _subject(units: NDArray[np.int64], component: Component) -> str:
    """What is sorted, in words: some units, or where the spikes are when they are in none."""
    return few(units.tolist()) or f"contact {component.channel}"


def _is_owned_by_locked(wanted: NDArray[np.int64], fixed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether the cluster of each spike is one more than half of which are spikes of accepted units."""
    if not fixed.any():
        return fixed
    n = int(wanted.max(initial=-1)) + 1
    in_locked = np.bincount(wanted[fixed & (wanted >= 0)], minlength=n)
    owned = 2 * in_locked > np.bincount(wanted[wanted >= 0], minlength=n)
    return np.append(owned, False)[wanted]


def _unit_rows(units: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Units as (row, table) with table[row] == units; the row of the unassigned is past the last."""
    code, table = unit_codes(units)
    n_none = int(len(table) > 0 and table[0] == UNASSIGNED)
    unit_table = table[n_none:]
    return np.where(code < n_none, len(unit_table), code.astype(np.int64) - n_none), unit_table


def _table(row: NDArray[np.int64], n_units: int, clusters: NDArray[np.integer]) -> NDArray[np.int64]:
    """Spikes by (unit now, cluster wanted), with the unassigned in the last row and column."""
    n_columns = int(clusters.max(initial=-1)) + 2
    column = np.where(clusters == NONE, n_columns - 1, clusters)
    n = n_units + 1
    return np.bincount(row * n_columns + column, minlength=n * n_columns).reshape(n, n_columns)


def _kept(table: NDArray[np.int64]) -> dict[int, int]:
    """Match each unit (row) with the cluster (column) that has exactly its spikes."""
    kept = {}
    for row in range(table.shape[0] - 1):
        column = int(table[row].argmax())
        n = table[row, column]
        if column < table.shape[1] - 1 and n and n == table[row].sum() == table[:, column].sum():
            kept[row] = column
    return kept


def _followers(table: NDArray[np.int64]) -> dict[int, int]:
    """Match each unit (row) with the cluster (column) that takes over most of it."""
    overlap = table[:-1, :-1].astype(np.float64)
    if overlap.size == 0:
        return {}
    union = table[:-1].sum(axis=1)[:, None] + table[:, :-1].sum(axis=0)[None] - overlap
    jaccard = overlap / np.maximum(union, 1)
    best = jaccard.argmax(axis=1)
    return {r: int(c) for r, c in enumerate(best) if jaccard[r, c] >= FOLLOW_JACCARD}
