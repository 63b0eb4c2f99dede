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
_A_CLUSTER, _FEW = 20, 400
"""Points are counted in bits, which takes a time of about this many columns more for each cluster, up to so
many columns in all: from there on it takes longer than one by one."""


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
    column = np.where(reference < 0, n_units, reference)
    if n_clusters * (n_units + _A_CLUSTER) <= _FEW and (mass is None or (mass == mass[:1]).all()):
        counts = _counted_in_bits(rows, column, n_clusters, n_units + 1)
        counts *= 1.0 if mass is None or len(mass) == 0 else mass[0]
        return counts[:, :, :n_units], counts.sum(axis=2)
    n_cells = n_clusters * (n_units + 1)
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


def _counted_in_bits(
    rows: NDArray[np.integer], column: NDArray[np.integer], n_clusters: int, n_columns: int
) -> NDArray[np.float64]:
    """Points by (draw, its cluster, column), 64 points at a time: (S, C, K)."""
    columns = _in_bits(column == np.arange(n_columns)[:, None])
    counts = np.empty((len(rows), n_clusters, n_columns))
    for cluster in range(n_clusters):
        both = _in_bits(rows == cluster)[:, None] & columns
        counts[:, cluster] = np.bitwise_count(both).sum(axis=2)
    return counts


def _in_bits(is_so: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """(n, m) as bits of (n, m / 64) numbers; bits past the m-th are 0."""
    bits = np.zeros((len(is_so), -(-is_so.shape[1] // 64) * 8), np.uint8)
    bits[:, : -(-is_so.shape[1] // 8)] = np.packbits(is_so, axis=1)
    return bits.view(np.uint64)


class CountedPoints:
    """Points by draw and cluster, counted once for several sortings: those that all treat alike are one kind.

    references : (m,) each, 0 .. K-1, -1 = none
    mass : (m,) of each point, ones when left out
    """

    def __init__(
        self,
        rows: NDArray[np.integer],
        references: Sequence[NDArray[np.integer]],
        mass: NDArray[np.floating] | None = None,
    ) -> None:
        kind = np.zeros(rows.shape[1], dtype=np.int64)
        if mass is not None and (mass != mass[:1]).any():
            kind = np.unique(mass, return_inverse=True)[1]
        for reference in references:
            joint = kind * (int(reference.max(initial=-1)) + 2) + reference + 1
            kind = np.cumsum(np.bincount(joint) > 0)[joint] - 1
        self._one_of_kind = np.zeros(int(kind.max(initial=-1)) + 1, dtype=np.int64)
        self._one_of_kind[kind] = np.arange(len(kind))
        self._mass = None if mass is None else mass[self._one_of_kind]
        self._counts, self.sizes = tables(rows, kind, n_units=len(self._one_of_kind))

    def table(self, reference: NDArray[np.integer], *, weighed: bool = False) -> NDArray[np.float64]:
        """`tables` of one of the references: (S, C, K); weighed : by the mass of points."""
        units = np.arange(int(reference.max(initial=-1)) + 1)
        counts_as = (reference[self._one_of_kind, None] == units).astype(np.float64)
        if weighed and self._mass is not None:
            counts_as *= self._mass[:, None]
        return np.asarray(self._counts @ counts_as)


def as_draws_see(
    posterior: PosteriorSamples, alternatives: Sequence[NDArray[np.integer]]
) -> list[NDArray[np.integer]]:
    """Sortings in which an echo that is in no unit is where the spike is that it is an echo of: (m,) each."""
    if posterior.echo_of is None:
        return list(alternatives)
    is_echo = posterior.echo_of >= 0
    return [np.where((one < 0) & is_echo, one[posterior.echo_of], one) for one in alternatives]


def alternative_of_draw(
    posterior: PosteriorSamples,
    alternatives: Sequence[NDArray[np.integer]],
    *,
    min_spikes: int = 0,
    counted: CountedPoints | None = None,
) -> NDArray[np.int64]:
    """Index of the sorting that each draw is, `OTHER` where it is none: (S,).

    A draw is a sorting when every sizeable cluster of one has a counterpart in the other, both ways
    (`core.alternatives.same_sorting`); if it is several, the one from which fewest pairs of points differ. A
    draw without any such cluster that is no other sorting is the one that has no unit, if that is among them.

    An echo that a sorting has in no unit is looked for where the spike is that it is an echo of.

    alternatives : labels of the posterior's points, (m,) each, -1 = none
    min_spikes : clusters of fewer points are none to the sorting
    counted : the points, for the alternatives `as_draws_see` them, if they are counted already
    """
    least = max(min_unit_size(posterior.n_points), min_spikes)
    found = np.full(posterior.n_samples, OTHER, dtype=np.int64)
    nearest = np.full(posterior.n_samples, np.inf)
    if not alternatives:
        return found
    seen = as_draws_see(posterior, alternatives)
    counted = CountedPoints(posterior.rows, seen) if counted is None else counted
    sizes = counted.sizes
    for index, reference in enumerate(seen):
        if alternatives[index].max(initial=-1) < 0:
            continue
        table = counted.table(reference)
        here = table.sum(axis=1)
        jaccard = table / np.maximum(sizes[:, :, None] + here[:, None, :] - table, 1)
        mine = ((jaccard.max(axis=1) > MIN_JACCARD) | ~sizeable(here, least)).all(axis=1)
        theirs = ((jaccard.max(axis=2) > MIN_JACCARD) | ~sizeable(sizes, least)).all(axis=1)
        apart = (sizes**2).sum(axis=1) + (here**2).sum(axis=1) - 2 * (table**2).sum(axis=(1, 2))
        better = mine & theirs & (apart < nearest)
        found[better], nearest[better] = index, apart[better]
    empty = [index for index, alternative in enumerate(alternatives) if alternative.max(initial=-1) < 0]
    if empty:
        found[(found == OTHER) & (sizes < least).all(axis=1)] = empty[0]
    return found


def alternative_of_sorting(
    labels: NDArray[np.integer], alternatives: Sequence[NDArray[np.integer]], *, min_spikes: int = 0
) -> int:
    """Index of the sorting that one label vector is (see `alternative_of_draw`); `OTHER` where it is none.

    labels : (m,) of the points, -1 = none
    """
    none = labels < 0
    row = np.where(none, int(labels.max(initial=-1)) + np.cumsum(none), labels)  # clusters of one point
    one = PosteriorSamples(row[None], np.zeros(1))
    return int(alternative_of_draw(one, alternatives, min_spikes=min_spikes)[0])


def draws_of_sorting(
    posterior: PosteriorSamples,
    labels: NDArray[np.integer],
    alternatives: Sequence[NDArray[np.integer]],
    *,
    min_spikes: int = 0,
) -> NDArray[np.bool_]:
    """Which draws are a sorting: (S,).

    They are those of the alternative that the sorting is; else those of no alternative that are the sorting.
    So each draw is of one card at most, that of a sorting made by hand among them.
    """
    alternative_of = alternative_of_draw(posterior, alternatives, min_spikes=min_spikes)
    index = alternative_of_sorting(labels, alternatives, min_spikes=min_spikes)
    if index != OTHER:
        return np.asarray(alternative_of == index)
    return np.asarray(
        (alternative_of == OTHER) & (alternative_of_draw(posterior, [labels], min_spikes=min_spikes) == 0)
    )


def mass_of_sorting(component: Component, labels: NDArray[np.integer], *, min_spikes: int = 0) -> float:
    """Mass of a sorting of the sampled spikes of a component, (m,), -1 = none: that of the card it has."""
    alternatives = [alternative.labels[component.sampled] for alternative in component.alternatives]
    index = alternative_of_sorting(labels, alternatives, min_spikes=min_spikes)
    if index != OTHER:
        return component.alternatives[index].mass
    own = draws_of_sorting(component.posterior, labels, alternatives, min_spikes=min_spikes)
    return _total(component.posterior.weight, own)


def with_masses(
    alternatives: Sequence[Alternative],
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
    alternative_of = alternative_of_draw(
        posterior, [alternative.labels[sampled] for alternative in alternatives], min_spikes=min_spikes
    )
    others = alternative_of_draw(
        posterior, [alternative.labels[sampled] for alternative in beside], min_spikes=min_spikes
    )
    alternative_of[others != OTHER] = OTHER
    weights = {
        "mass": posterior.weight,
        "mass_waveforms": posterior.drawn_weight,
        "mass_without_stimulus": None
        if posterior.stimulus_nats is None
        else posterior.weight_without_stimulus,
        "mass_without_echoes": posterior.weight_without_echoes,
    }
    found = []
    for index, alternative in enumerate(alternatives):
        own = alternative_of == index
        masses: dict[str, Any] = {
            name: None if weight is None else _total(weight, own) for name, weight in weights.items()
        }
        found.append(replace(alternative, mass_se=posterior.standard_error(own), **masses))
    return tuple(found)


def ranked(
    alternatives: Sequence[Alternative],
    posterior: PosteriorSamples,
    sampled: NDArray[np.integer],
    *,
    min_spikes: int = 0,
    first_stays: bool = False,
) -> tuple[Alternative, ...]:
    """Alternatives that are not the same, with their masses, the most probable first.

    first_stays : the first one stays the first, and others that are the same go
    """
    different = distinct(alternatives, sampled, min_spikes=min_spikes)
    weighed = with_masses(different, posterior, sampled, min_spikes=min_spikes)
    n_staying = int(first_stays)
    return (*weighed[:n_staying], *sorted(weighed[n_staying:], key=lambda alternative: -alternative.mass))


def distinct(
    alternatives: Sequence[Alternative], sampled: NDArray[np.integer], *, min_spikes: int = 0
) -> tuple[Alternative, ...]:
    """Alternatives without those that are the same sorting as one before them."""
    kept: list[Alternative] = []
    for alternative in alternatives:
        before = [one.labels[sampled] for one in kept]
        if alternative_of_sorting(alternative.labels[sampled], before, min_spikes=min_spikes) == OTHER:
            kept.append(alternative)
    return tuple(kept)


def _total(weight: NDArray[np.float64], members: NDArray[np.bool_]) -> float:
    return min(float(weight[members].sum()), 1.0)


def p_n_units(alternatives: Sequence[Alternative]) -> dict[int, float]:
    """P(number of units) as alternatives have it, by number; what they leave over under `OTHER`, last."""
    mass: dict[int, float] = {}
    for alternative in alternatives:
        mass[alternative.n_units] = mass.get(alternative.n_units, 0.0) + alternative.mass
    rest = 1.0 - sum(mass.values())
    return dict(sorted(mass.items())) | ({OTHER: rest} if rest > ROUNDING else {})


def masses_given(
    mass: NDArray[np.floating],
    alternative_of: NDArray[np.integer],
    before: NDArray[np.floating],
    after: NDArray[np.floating],
) -> NDArray[np.float64]:
    """Probability of each sorting when draws weigh `after`, from those when they weigh `before`: (A,).

    Bayes' rule over sortings and the rest: P(sorting | evidence) is proportional to its mass times
    P(evidence | sorting), the share by which its draws gained. A sorting that no draw is goes with all draws.

    mass : (A,) before; alternative_of : (S,) sorting of each draw, `OTHER` = the rest; before, after : (S,)
    """
    n_alternatives = len(mass)
    row = np.where(alternative_of < 0, n_alternatives, alternative_of)
    was = np.bincount(row, before, minlength=n_alternatives + 1)
    now = np.bincount(row, after, minlength=n_alternatives + 1)
    gain = np.where(was > 0, now / np.where(was > 0, was, 1), 1.0)
    everything = np.append(mass, max(0.0, 1.0 - float(np.sum(mass)))) * gain
    total = everything.sum()
    return np.asarray((everything / total if total > 0 else now)[:n_alternatives], dtype=np.float64)
