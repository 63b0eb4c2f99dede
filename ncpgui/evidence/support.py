"""What the draws of a posterior say of units as they stand: pure, complete, and each spike's probability.

In one draw, the *cell* of a unit is the cluster that has most of the unit's spikes. Then

- the unit is *pure* in the draw if all but `TOLERATED` of its spikes are in its cell: no other cell's spikes
  are in it beyond single ones;
- it is *complete* if all but `TOLERATED` of its cell's spikes are in the unit: no sizeable part of the cell
  is elsewhere;
- a spike of it is right if it is in the unit's cell.

Probabilities and expected shares are means over the draws, by their weights. A draw that splits the unit
counts against its being pure, and against the spikes of the smaller part; a draw that merges it with another
counts against its being complete, and not against its spikes: they are of one cell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.posterior import PosteriorSamples

TOLERATED = 0.1


@dataclass(frozen=True, eq=False)
class UnitSupport:
    """Support of K units on m points; nan for a unit without points.

    p_pure, p_complete, p_exists : (K,) float64, the last P(pure and complete at once)
    false_positives : (K,) expected share of the unit's spikes that are of other cells
    misses : (K,) expected share of the cell's spikes that are not in the unit
    membership : (m, K) float64, P(each point is of the cell of each unit); where a draw merges units, each
        gets an even part, so that rows sum to at most one
    probability : (m,) P(each point is of the cell of its unit), 0 in no unit
    """

    p_pure: NDArray[np.float64]
    p_complete: NDArray[np.float64]
    p_exists: NDArray[np.float64]
    false_positives: NDArray[np.float64]
    misses: NDArray[np.float64]
    membership: NDArray[np.float64]
    probability: NDArray[np.float64]

    @property
    def entropy_nats(self) -> NDArray[np.float64]:
        """Entropy of the unit of each point, "of none" counted as one more: (m,)."""
        shares = np.column_stack([self.membership, 1 - self.membership.sum(axis=1)])
        shares = np.clip(shares, 1e-300, 1)
        return np.maximum(-(shares * np.log(shares)).sum(axis=1), 0)


def unit_support(
    posterior: PosteriorSamples,
    labels: NDArray[np.integer],
    *,
    stands_for: NDArray[np.floating] | None = None,
    weight: NDArray[np.floating] | None = None,
    n_units: int | None = None,
) -> UnitSupport:
    """Support of units by the draws.

    Parameters
    ----------
    labels : (m,) unit of each point, 0 .. K-1, -1 = none
    stands_for : (m,) spikes that each point stands for, where some units were drawn more densely; ones
        when left out
    weight : (S,) of the draws, those of the posterior when left out
    n_units : K, where the last units may have no point
    """
    unit = np.asarray(labels, dtype=np.int64)
    n_units = int(unit.max(initial=-1)) + 1 if n_units is None else n_units
    mass = np.ones(len(unit)) if stands_for is None else np.asarray(stands_for, dtype=float)
    in_unit = unit >= 0
    size = np.bincount(unit[in_unit], mass[in_unit], minlength=n_units)
    pure, complete, exists, strange, missed = (np.zeros(n_units) for _ in range(5))
    membership = np.zeros((len(unit), n_units))
    probability = np.zeros(len(unit))
    for row, share in zip(posterior.labels, posterior.weight if weight is None else weight, strict=True):
        if share == 0:
            continue
        cell, overlap, cell_size = cells_of(row, unit, n_units, mass)
        outside = 1 - overlap / np.maximum(size, 1e-12)
        elsewhere = 1 - overlap / np.maximum(cell_size[cell], 1e-12)
        is_pure, is_complete = outside <= TOLERATED, elsewhere <= TOLERATED
        pure += share * is_pure
        complete += share * is_complete
        exists += share * (is_pure & is_complete)
        strange += share * outside
        missed += share * elsewhere
        n_here = np.bincount(cell[size > 0], minlength=len(cell_size))
        inside = (row[:, None] == cell) & (size > 0)
        membership += share * inside / np.maximum(n_here[row], 1)[:, None]
        probability[in_unit] += share * (row[in_unit] == cell[unit[in_unit]])
    for value in (pure, complete, exists, strange, missed):
        value[:] = np.where(size == 0, np.nan, np.minimum(value, 1))
    return UnitSupport(
        pure, complete, exists, strange, missed, np.minimum(membership, 1), np.minimum(probability, 1)
    )


def cells_of(
    row: NDArray[np.integer], unit: NDArray[np.int64], n_units: int, mass: NDArray[np.floating]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Cell of each unit in one draw: its cluster (K,), what both share (K,), and the clusters' sizes (C,)."""
    n_clusters = int(row.max(initial=0)) + 1
    seen = unit >= 0
    cell = row[seen].astype(np.int64) * n_units + unit[seen]
    table = np.bincount(cell, mass[seen], minlength=n_clusters * n_units).reshape(n_clusters, n_units)
    main = table.argmax(axis=0)
    sizes = np.bincount(row, mass, minlength=n_clusters).astype(np.float64)
    return main, table[main, np.arange(n_units)].astype(np.float64), sizes
