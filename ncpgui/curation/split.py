"""Splitting units: along a lasso that a person drew, or one unit as an alternative has it.

Both give the command that does it, over *all* spikes of the units in a component. A unit may reach into other
components (it was merged across components); its spikes there go with the largest of its parts here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.alternatives import min_unit_size
from ncpgui.core.component import Alternative, Component
from ncpgui.core.errors import CurationError
from ncpgui.curation.clustering import Clustering
from ncpgui.curation.commands import Assign


def lasso_split(
    clustering: Clustering,
    component: Component,
    inside: NDArray[np.bool_],
    units: Sequence[int],
    *,
    accepted: Collection[int] = (),
) -> Assign:
    """Return the command that makes one unit of the spikes inside, and one of what is left of each unit.

    Units none of whose spikes are inside stay as they are.

    Parameters
    ----------
    inside : (n,) whether each spike of the component is inside the lasso, whichever unit it is of
    units : those to split; accepted : those that must stay as they are

    Raises
    ------
    CurationError
        No unit of them is divided, or one that would be is accepted.
    """
    ids = component.spike_ids
    now = clustering.unit_of_spike[ids]
    here = [unit for unit in dict.fromkeys(units) if (now == unit).any()]
    if not here:
        raise CurationError(
            "select the unit that the lasso is to split; it splits units with spikes on screen"
            if not units
            else f"{_units(units)} {'has' if len(units) == 1 else 'have'} no spikes on screen; "
            "select the unit to split"
        )
    own = np.isin(now, here)
    if not (own & inside).any():
        raise CurationError(f"no spike of {_units(here)} is inside the lasso; nothing is split")
    if not (own & ~inside).any():
        raise CurationError(f"all spikes of {_units(here)} are inside the lasso; nothing is split")
    touched = [unit for unit in here if (inside & (now == unit)).any()]
    left = [unit for unit in touched if (~inside & (now == unit)).any()]
    if not left:
        raise CurationError(
            f"the lasso divides none of {_units(here)}: each is inside or outside; merge those inside with G"
        )
    _refuse_accepted(touched, accepted)
    cluster = np.full(len(ids), -1, dtype=np.int64)
    for row, unit in enumerate(left, start=1):
        cluster[now == unit] = row
    cluster[inside & np.isin(now, touched)] = 0
    return _assign(clustering, ids, cluster, touched, "by lasso")


def split_as(
    clustering: Clustering,
    component: Component,
    index: int,
    unit: int,
    *,
    accepted: Collection[int] = (),
) -> Assign:
    """Return the command that splits one unit as an alternative does, and touches no other unit.

    Its parts are the clusters of the alternative that have a sizeable number of its spikes
    (`core.alternatives.min_unit_size`). What the alternative has elsewhere, or in no unit, stays with the
    largest.

    Raises
    ------
    CurationError
        The alternative leaves the unit in one piece, or it is accepted, or not in this component.
    """
    alternative = component.alternatives[index]
    ids = component.spike_ids
    own = np.flatnonzero(clustering.unit_of_spike[ids] == unit)
    if len(own) == 0:
        raise CurationError(f"unit {unit} has no spikes on screen; select the unit to split")
    wanted, sizes = _parts(alternative, own)
    if len(wanted) < 2:
        raise CurationError(
            f"alternative {index + 1} leaves unit {unit} in one piece; show one that splits it with ] or its "
            "number"
        )
    _refuse_accepted((unit,), accepted)
    labels = alternative.labels[own]
    cluster = np.full(len(ids), -1, dtype=np.int64)
    cluster[own] = int(sizes.argmax())
    for row, label in enumerate(wanted.tolist()):
        cluster[own[labels == label]] = row
    return _assign(clustering, ids, cluster, (unit,), f"as alternative {index + 1}")


def _parts(alternative: Alternative, own: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Clusters of an alternative that have a sizeable number of some spikes, and how many."""
    labels = alternative.labels[own]
    wanted, sizes = np.unique(labels[labels >= 0], return_counts=True)
    large = sizes >= min_unit_size(len(own))
    return wanted[large].astype(np.int64), sizes[large]


def _assign(
    clustering: Clustering,
    ids: NDArray[np.int64],
    cluster: NDArray[np.int64],
    units: Sequence[int],
    how: str,
) -> Assign:
    """Command that gives spikes to clusters, -1 = untouched; those elsewhere go with most of their unit."""
    now = clustering.unit_of_spike[ids]
    moved = cluster >= 0
    all_ids, all_clusters = [ids[moved]], [cluster[moved]]
    for unit in units:
        elsewhere = np.setdiff1d(clustering.spikes_of(unit), ids, assume_unique=True)
        if len(elsewhere):
            largest = int(np.bincount(cluster[(now == unit) & moved]).argmax())
            all_ids.append(elsewhere)
            all_clusters.append(np.full(len(elsewhere), largest))
    spike_ids, clusters = np.concatenate(all_ids), np.concatenate(all_clusters)
    sizes = " | ".join(map(str, np.bincount(clusters).tolist()))
    words = f"split {' + '.join(map(str, units))} {how} ({sizes} spikes)"
    return Assign(spike_ids, clusters, clustering.probability[spike_ids], words)


def _refuse_accepted(units: Sequence[int], accepted: Collection[int]) -> None:
    held = [unit for unit in units if unit in accepted]
    if held:
        verb, them = ("is", "it") if len(held) == 1 else ("are", "them")
        raise CurationError(f"{_units(held)} {verb} accepted and not split; open {them} (Y) first")


def _units(units: Sequence[int]) -> str:
    names = [str(unit) for unit in units]
    return f"unit {names[0]}" if len(names) == 1 else f"units {', '.join(names[:-1])} and {names[-1]}"
