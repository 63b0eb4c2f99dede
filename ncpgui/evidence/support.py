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
from ncpgui.evidence.draws_by_alternative import tables

TOLERATED = 0.1
_AT_ONCE = 1 << 15
"""Points of draws that are compared at a time: what is made of them stays in the cache of a processor."""


@dataclass(frozen=True, eq=False)
class UnitSupport:
    """Support of K units on m points; nan for a unit without points.

    p_pure, p_complete, p_exists : (K,) float64, the last P(pure and complete at once)
    misses : (K,) expected share of the cell's spikes that are not in the unit
    membership : (m, K) float64, P(each point is of the cell of each unit); where a draw merges units, each
        gets an even part, so that rows sum to at most one; nan where nobody asked for it
    probability : (m,) P(each point is of the cell of its unit), 0 in no unit
    """

    p_pure: NDArray[np.float64]
    p_complete: NDArray[np.float64]
    p_exists: NDArray[np.float64]
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
    n_units: int | None = None,
    membership: bool = True,
) -> UnitSupport:
    """Support of units by the draws.

    Parameters
    ----------
    labels : (m,) unit of each point, 0 .. K-1, -1 = none
    stands_for : (m,) spikes that each point stands for, where some units were drawn more densely; ones
        when left out
    n_units : K, where the last units may have no point
    membership : whether to compute it, which takes as long as all the rest
    """
    unit, n_units, mass = units_and_mass(labels, stands_for, n_units)
    used = np.flatnonzero(posterior.weight > 0)
    rows, share = posterior.rows[used], posterior.weight[used]
    in_unit = unit >= 0
    size = np.bincount(unit[in_unit], mass[in_unit], minlength=n_units)
    cell, overlap, cell_size = cells_of(rows, unit, n_units, mass, is_echo=posterior.is_echo)
    outside = 1 - overlap / np.maximum(size, 1e-12)
    elsewhere = 1 - overlap / np.maximum(cell_size, 1e-12)
    is_pure, is_complete = outside <= TOLERATED, elsewhere <= TOLERATED
    pure, complete, exists, missed = (
        np.where(size == 0, np.nan, np.clip(share @ value, 0, 1))
        for value in (is_pure, is_complete, is_pure & is_complete, elsewhere)
    )
    parts = _parts(cell, size, share) if membership else None
    is_member, probability = np.zeros((n_units, len(unit))), np.zeros(len(unit))
    for one in range(n_units):
        own = np.flatnonzero(unit == one)
        probability[own] = _weighed(share, np.take(rows, own, axis=1), cell[:, one])
        if parts is not None:
            is_member[one] = _weighed(parts[:, one], rows, cell[:, one])
    is_member = np.minimum(is_member.T, 1) if membership else np.full((len(unit), n_units), np.nan)
    return UnitSupport(pure, complete, exists, missed, is_member, np.minimum(probability, 1))


def _weighed(
    weight: NDArray[np.float64], rows: NDArray[np.integer], cell: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Weight of the draws (S,) in which each point is in a cell: (m,); rows : (S, m); cell : (S,)."""
    total = np.zeros(rows.shape[1])
    step = max(1, _AT_ONCE // max(rows.shape[1], 1))
    for first in range(0, len(rows), step):
        some = slice(first, first + step)
        total += weight[some] @ (rows[some] == cell[some, None]).astype(np.float64)
    return total


def _parts(
    cell: NDArray[np.int64], size: NDArray[np.number], share: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What each draw gives to each unit, (S, K): its weight, in even parts to those that it has as one."""
    is_same = (cell[:, :, None] == cell[:, None, :]) & (size > 0)  # (S, K, K)
    sharing = is_same.sum(axis=2)  # units of which it is the cell
    return np.asarray(np.where(size > 0, share[:, None] / np.maximum(sharing, 1), 0.0))


def units_and_mass(
    labels: NDArray[np.integer], stands_for: NDArray[np.floating] | None, n_units: int | None
) -> tuple[NDArray[np.int64], int, NDArray[np.float64]]:
    """Unit of each point (m,), how many units there are, and the spikes that each point stands for (m,).

    As they were given; the units that have a point, and ones, where they were left out.
    """
    unit = np.asarray(labels, dtype=np.int64)
    given = int(unit.max(initial=-1)) + 1 if n_units is None else n_units
    mass = np.ones(len(unit)) if stands_for is None else np.asarray(stands_for, dtype=np.float64)
    return unit, given, mass


def cells_of(
    rows: NDArray[np.integer],
    unit: NDArray[np.integer],
    n_units: int,
    mass: NDArray[np.floating],
    *,
    is_echo: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Cell of each unit in each draw, its cluster, what both share, and the size of the cell: (S, K) each.

    An echo is one more sighting of a spike: only a unit that has it counts it in the size of its cell.

    rows : (S, m) labels of the draws; unit : (m,) 0 .. K-1, -1 = none; mass : (m,) of each point
    is_echo : (m,) as of `PosteriorSamples`
    """
    table, sizes = tables(rows, unit, mass, n_units=n_units)
    cell = table.argmax(axis=1)

    def of_cell(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.take_along_axis(values, cell[:, None, :], axis=1)[:, 0]

    shared = of_cell(table)
    if is_echo is None or not is_echo.any():
        return cell, shared, np.take_along_axis(sizes, cell, axis=1)
    seen_once, once = tables(rows, unit, np.where(is_echo, 0.0, mass), n_units=n_units)
    return cell, shared, np.take_along_axis(once, cell, axis=1) + shared - of_cell(seen_once)
