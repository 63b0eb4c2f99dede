"""The draws of one component as units: those in use as far as they are there, and new ones.

In one draw the clusters and the units in use are matched one to one, so that as many spikes as possible keep
their unit; a pair counts if it has half of the smaller of the two. A unit without a cluster is not there in
this draw. A sizeable cluster without a unit is a new one; what is in none of these is in no unit.

A new unit has the number of the alternative's unit that it is most like, so that what is found again and
again has one number. The rest are numbered by size.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.alternatives import MIN_JACCARD, min_unit_size
from ncpgui.core.component import Component, ComponentWaveforms
from ncpgui.core.partition import contingency
from ncpgui.core.spikes import UNASSIGNED
from ncpgui.sorting.all_spikes import nearest_sampled

HALF = 0.5


@dataclass(frozen=True, eq=False)
class ComponentDraws:
    """Units of the spikes of a component in each draw.

    component : given what was decided
    followed : (n,) point of the posterior that each spike goes with
    in_use : (n,) unit of each spike as it stands, -1 = none
    held : units that have in every draw the spikes that they have
    first_new : number of the first new unit
    min_spikes : points below which the sorting dropped clusters
    """

    component: Component
    followed: NDArray[np.int64]
    in_use: NDArray[np.int64]
    first_new: int
    held: frozenset[int] = frozenset()
    min_spikes: int = 0
    _known: dict[int, NDArray[np.int64]] = field(default_factory=dict)

    @property
    def n_new(self) -> int:
        """Numbers that new units may have."""
        return int(self.component.posterior.rows.max(initial=0)) + 1 + len(self._named)

    def units(self, row: int) -> NDArray[np.int64]:
        """Unit of each spike in one draw, a row of the posterior: (n,), -1 = none."""
        if row not in self._known:
            self._known[row] = self._unit_of_cluster(row)
        found = self._known[row][self._labels(row)]
        return np.where(self._is_free, found, self.in_use)

    @cached_property
    def _is_free(self) -> NDArray[np.bool_]:
        return ~np.isin(self.in_use, list(self.held))

    @cached_property
    def _free_units(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Units in use that are not held, and the row of each free spike's, -1 = none."""
        free = self.in_use[self._is_free]
        names = np.unique(free[free >= 0])
        return names, np.where(free >= 0, np.searchsorted(names, free), -1)

    def _labels(self, row: int) -> NDArray[np.integer]:
        return np.asarray(self.component.posterior.rows[row][self.followed])

    def _unit_of_cluster(self, row: int) -> NDArray[np.int64]:
        """Unit that each cluster of a draw is: (C,), -1 = none."""
        labels = self._labels(row)[self._is_free].astype(np.int64)
        names, unit = self._free_units
        n_clusters = int(self.component.posterior.rows[row].max(initial=0)) + 1
        found = np.full(n_clusters, UNASSIGNED, dtype=np.int64)
        for cluster, one in matched(labels, unit, n_clusters, len(names)):
            found[cluster] = names[one]
        points = self.component.posterior.rows[row][self._is_free[self.component.sampled]]
        least = max(min_unit_size(self.component.posterior.n_points), self.min_spikes)
        sizeable = np.bincount(points[points >= 0], minlength=n_clusters) >= least
        new = np.flatnonzero((found < 0) & sizeable)
        found[new] = self.first_new + self._numbers(labels, new)
        return found

    @cached_property
    def _named(self) -> list[NDArray[np.bool_]]:
        """Free spikes of units that alternatives have and the sorting in use lacks, each once: (f,) each."""
        names, unit = self._free_units
        named: list[NDArray[np.bool_]] = []
        for alternative in self.component.alternatives:
            labels = alternative.labels[self._is_free].astype(np.int64)
            known = {cluster for cluster, _ in matched(labels, unit, alternative.n_units, len(names))}
            for cluster in sorted(set(range(alternative.n_units)) - known):
                members = labels == cluster
                if members.any() and not any(_jaccard(members, one) > MIN_JACCARD for one in named):
                    named.append(members)
        return named

    def _numbers(self, labels: NDArray[np.int64], new: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number of each new cluster of a draw, from 0 on."""
        sizes = np.bincount(labels[labels >= 0], minlength=int(new.max(initial=-1)) + 1)
        found, taken = {}, set[int]()
        for cluster in new[np.argsort(-sizes[new], kind="stable")].tolist():
            members = labels == cluster
            alike = [0.0 if k in taken else _jaccard(members, one) for k, one in enumerate(self._named)]
            best = int(np.argmax(alike)) if alike else -1
            if best < 0 or alike[best] <= MIN_JACCARD:
                best = next(k for k in range(len(self._named), self.n_new) if k not in taken)
            taken.add(best)
            found[cluster] = best
        return np.array([found[cluster] for cluster in new.tolist()], dtype=np.int64)


def matched(
    labels: NDArray[np.int64], unit: NDArray[np.int64], n_clusters: int, n_units: int
) -> list[tuple[int, int]]:
    """Pairs (cluster, unit) of one and the same, each at most once; of equal ones the first.

    labels : (n,) 0 .. n_clusters - 1; unit : (n,) 0 .. n_units - 1; -1 = none in both
    """
    from scipy.optimize import linear_sum_assignment  # the window opens without it

    table = np.zeros((n_clusters, n_units), dtype=np.int64)
    counts = contingency(labels, unit)
    table[: counts.shape[0], : counts.shape[1]] = counts
    size = np.bincount(labels[labels >= 0], minlength=n_clusters)
    size_in_use = np.bincount(unit[unit >= 0], minlength=n_units)
    early = [np.arange(n, 0, -1) / (n + 1) ** 2 / 2 for n in (n_clusters, n_units)]
    first = early[0][:, None] / (n_units + 1) + early[1]  # all of them together are less than a spike
    pairs = zip(*linear_sum_assignment(table + first * (table > 0), maximize=True), strict=True)
    return [
        (int(cluster), int(one))
        for cluster, one in pairs
        if 0 < table[cluster, one] >= HALF * min(size[cluster], size_in_use[one])
    ]


def followed_points(
    component: Component, waveforms: ComponentWaveforms | None, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Point of the posterior that each spike of a component goes with: (n,).

    The nearest in the coordinates among those of its unit, as in the weights of the draws. Where these are
    not kept, one drawn from those that all alternatives have in the same units.
    """
    company = component.alternatives[0].labels
    coordinates = None if waveforms is None else waveforms.coordinates
    if coordinates is not None and len(coordinates) == len(company):
        return nearest_sampled(component.sampled, coordinates, company)
    _, cell = np.unique(
        np.array([alternative.labels for alternative in component.alternatives]), axis=1, return_inverse=True
    )
    cell, sampled = cell.reshape(-1), component.sampled
    found = np.empty(len(company), dtype=np.int64)
    for one in np.unique(cell):
        members = np.flatnonzero(cell == one)
        points = np.flatnonzero(cell[sampled] == one)
        if not len(points):
            points = np.flatnonzero(company[sampled] == company[members[0]])
        found[members] = rng.choice(points if len(points) else len(sampled), len(members))
    found[sampled] = np.arange(len(sampled))
    return found


def _jaccard(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    return float((one & other).sum()) / max(float((one | other).sum()), 1.0)
