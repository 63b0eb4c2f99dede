"""Which of a few sortings each draw is, and how probable each is once draws have other weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.alternatives import MIN_JACCARD, min_unit_size
from ncpgui.core.posterior import PosteriorSamples

OTHER = -1
_AT_ONCE = 1 << 15
"""Points of draws that are counted at a time: what is made of them stays in the cache of a processor."""


def sizeable(sizes: NDArray[np.floating], least: float) -> NDArray[np.bool_]:
    """(..., C) clusters that count as units, at least the largest: see `core.alternatives`."""
    large = sizes >= least
    if sizes.shape[-1] == 0:
        return large
    lonely = ~large.any(axis=-1, keepdims=True)
    return large | (lonely & (np.arange(sizes.shape[-1]) == sizes.argmax(axis=-1)[..., None]))


def tables(
    rows: NDArray[np.integer],
    reference: NDArray[np.integer],
    mass: NDArray[np.floating] | None = None,
    *,
    n_units: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points by (draw, its cluster, cluster of `reference`): (S, C, K); sizes of the draws' clusters: (S, C).

    reference : (m,) 0 .. K-1, -1 = none; mass : (m,) of each point, ones when left out
    n_units : K, where the last ones may have no point
    """
    n_units = int(reference.max(initial=-1)) + 1 if n_units is None else n_units
    n_draws, n_points = rows.shape
    n_clusters = int(rows.max(initial=0)) + 1
    n_cells = n_clusters * (n_units + 1)
    column = np.where(reference < 0, n_units, reference)
    counts = np.empty((n_draws, n_clusters, n_units + 1))
    step = max(1, _AT_ONCE // max(n_points, 1))
    place = np.arange(step)[:, None] * n_cells + column
    for first in range(0, n_draws, step):
        some = rows[first : first + step]
        cell = np.multiply(some, n_units + 1, dtype=np.int64)
        cell += place[: len(some)]
        weight = None if mass is None else np.broadcast_to(mass, some.shape).reshape(-1)
        found = np.bincount(cell.reshape(-1), weight, minlength=len(some) * n_cells)
        counts[first : first + step] = found.reshape(-1, n_clusters, n_units + 1)
    return counts[:, :, :n_units], counts.sum(axis=2)


def way_of_draw(
    posterior: PosteriorSamples, ways: Sequence[NDArray[np.integer]], *, min_spikes: int = 0
) -> NDArray[np.int64]:
    """Index of the sorting that each draw is, `OTHER` where it is none: (S,).

    A draw is a sorting when every sizeable cluster of one has a counterpart in the other, both ways
    (`core.alternatives.same_sorting`); if it is several, the one from which fewest pairs of points differ.

    An echo that a sorting has in no unit is looked for where the spike is that it is an echo of.

    ways : labels of the posterior's points, (m,) each, -1 = none
    min_spikes : clusters of fewer points are none to the sorting
    """
    least = max(min_unit_size(posterior.n_points), min_spikes)
    found = np.full(posterior.n_samples, OTHER, dtype=np.int64)
    nearest = np.full(posterior.n_samples, np.inf)
    for index, way in enumerate(ways):
        if way.max(initial=-1) < 0:
            continue
        if posterior.echo_of is not None:
            way = np.where((way < 0) & (posterior.echo_of >= 0), way[posterior.echo_of], way)
        table, sizes = tables(posterior.rows, way)
        here = table.sum(axis=1)
        jaccard = table / np.maximum(sizes[:, :, None] + here[:, None, :] - table, 1)
        mine = ((jaccard.max(axis=1) > MIN_JACCARD) | ~sizeable(here, least)).all(axis=1)
        theirs = ((jaccard.max(axis=2) > MIN_JACCARD) | ~sizeable(sizes, least)).all(axis=1)
        apart = (sizes**2).sum(axis=1) + (here**2).sum(axis=1) - 2 * (table**2).sum(axis=(1, 2))
        better = mine & theirs & (apart < nearest)
        found[better], nearest[better] = index, apart[better]
    return found


def masses_given(
    mass: NDArray[np.floating],
    way_of: NDArray[np.integer],
    before: NDArray[np.floating],
    after: NDArray[np.floating],
) -> NDArray[np.float64]:
    """Probability of each sorting when draws weigh `after`, from those when they weigh `before`: (A,).

    Bayes' rule over sortings and the rest: P(way | evidence) is proportional to its mass times P(evidence |
    way), the share by which its draws gained. A sorting that no draw is goes with all draws.

    mass : (A,) before; way_of : (S,) sorting of each draw, `OTHER` = the rest; before, after : (S,)
    """
    n_ways = len(mass)
    row = np.where(way_of < 0, n_ways, way_of)
    was = np.bincount(row, before, minlength=n_ways + 1)
    now = np.bincount(row, after, minlength=n_ways + 1)
    gain = np.where(was > 0, now / np.where(was > 0, was, 1), 1.0)
    everything = np.append(mass, max(0.0, 1.0 - float(np.sum(mass)))) * gain
    total = everything.sum()
    return np.asarray((everything / total if total > 0 else now)[:n_ways], dtype=np.float64)
