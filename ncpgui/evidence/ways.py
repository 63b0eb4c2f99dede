"""Which of a few sortings each draw is, and how probable each is once draws have other weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.alternatives import MIN_JACCARD, min_unit_size
from ncpgui.core.component import Alternative, Component
from ncpgui.core.posterior import PosteriorSamples

OTHER = -1
ROUNDING = 1e-6
"""Of floating-point masses: less than this is nothing."""
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
    (`core.alternatives.same_sorting`); if it is several, the one from which fewest pairs of points differ. A
    draw without any such cluster that is no other sorting is the one that has no unit, if that is among them.

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
    empty = [index for index, way in enumerate(ways) if way.max(initial=-1) < 0]
    if empty:
        _, sizes = tables(posterior.rows, np.full(posterior.n_points, -1))
        found[(found == OTHER) & (sizes < least).all(axis=1)] = empty[0]
    return found


def way_of_sorting(
    labels: NDArray[np.integer], ways: Sequence[NDArray[np.integer]], *, min_spikes: int = 0
) -> int:
    """Index of the sorting that one label vector is, as `way_of_draw` tells it; `OTHER` where it is none.

    labels : (m,) of the points, -1 = none
    """
    none = labels < 0
    row = np.where(none, int(labels.max(initial=-1)) + np.cumsum(none), labels)  # clusters of one point
    one = PosteriorSamples(row[None], np.zeros(1))
    return int(way_of_draw(one, ways, min_spikes=min_spikes)[0])


def draws_of_sorting(
    posterior: PosteriorSamples,
    labels: NDArray[np.integer],
    ways: Sequence[NDArray[np.integer]],
    *,
    min_spikes: int = 0,
) -> NDArray[np.bool_]:
    """Which draws are a sorting: (S,). Those of the way that it is; else those of no way that are it.

    So each draw is of one card at most, that of a sorting made by hand among them.
    """
    way_of = way_of_draw(posterior, ways, min_spikes=min_spikes)
    index = way_of_sorting(labels, ways, min_spikes=min_spikes)
    if index != OTHER:
        return np.asarray(way_of == index)
    return np.asarray((way_of == OTHER) & (way_of_draw(posterior, [labels], min_spikes=min_spikes) == 0))


def mass_of_sorting(component: Component, labels: NDArray[np.integer], *, min_spikes: int = 0) -> float:
    """Mass of a sorting of the sampled spikes of a component, (m,), -1 = none: that of the card it has."""
    ways = [way.labels[component.sampled] for way in component.alternatives]
    index = way_of_sorting(labels, ways, min_spikes=min_spikes)
    if index != OTHER:
        return component.alternatives[index].mass
    own = draws_of_sorting(component.posterior, labels, ways, min_spikes=min_spikes)
    return _total(component.posterior.weight, own)


def with_masses(
    ways: Sequence[Alternative],
    posterior: PosteriorSamples,
    sampled: NDArray[np.integer],
    *,
    beside: Sequence[Alternative] = (),
    min_spikes: int = 0,
) -> tuple[Alternative, ...]:
    """Alternatives with the weights of the draws that are each of them, by all evidence and by less.

    sampled : (m,) positions of the posterior's points among all spikes
    beside : others, whose draws are theirs
    """
    way_of = way_of_draw(posterior, [way.labels[sampled] for way in ways], min_spikes=min_spikes)
    others = way_of_draw(posterior, [way.labels[sampled] for way in beside], min_spikes=min_spikes)
    way_of[others != OTHER] = OTHER
    weights = {
        "mass": posterior.weight,
        "mass_waveforms": posterior.drawn_weight,
        "mass_without_stimulus": None
        if posterior.stimulus_nats is None
        else posterior.weight_without_stimulus,
        "mass_without_echoes": posterior.weight_without_echoes,
    }
    found = []
    for index, way in enumerate(ways):
        own = way_of == index
        masses: dict[str, Any] = {
            name: None if weight is None else _total(weight, own) for name, weight in weights.items()
        }
        found.append(replace(way, mass_se=posterior.standard_error(own), **masses))
    return tuple(found)


def ranked(
    ways: Sequence[Alternative],
    posterior: PosteriorSamples,
    sampled: NDArray[np.integer],
    *,
    min_spikes: int = 0,
) -> tuple[Alternative, ...]:
    """Alternatives that are not the same, with their masses, the most probable first."""
    different = distinct(ways, sampled, min_spikes=min_spikes)
    weighed = with_masses(different, posterior, sampled, min_spikes=min_spikes)
    return tuple(sorted(weighed, key=lambda way: -way.mass))


def distinct(
    ways: Sequence[Alternative], sampled: NDArray[np.integer], *, min_spikes: int = 0
) -> tuple[Alternative, ...]:
    """Alternatives without those that are the same sorting as one before them."""
    kept: list[Alternative] = []
    for way in ways:
        before = [one.labels[sampled] for one in kept]
        if way_of_sorting(way.labels[sampled], before, min_spikes=min_spikes) == OTHER:
            kept.append(way)
    return tuple(kept)


def _total(weight: NDArray[np.float64], members: NDArray[np.bool_]) -> float:
    return min(float(weight[members].sum()), 1.0)


def p_n_units(ways: Sequence[Alternative]) -> dict[int, float]:
    """P(number of units) as alternatives have it, by number; what they leave over under `OTHER`, last."""
    mass: dict[int, float] = {}
    for way in ways:
        mass[way.n_units] = mass.get(way.n_units, 0.0) + way.mass
    rest = 1.0 - sum(mass.values())
    return dict(sorted(mass.items())) | ({OTHER: rest} if rest > ROUNDING else {})


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
