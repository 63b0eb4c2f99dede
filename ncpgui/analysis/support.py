"""How far the posterior supports units as they stand now: the one place where these numbers are made.

A unit *stands* in a sample that has it as it is: one cluster overlaps it by more than half (Jaccard), no
other sizeable cluster lies mostly in the unit (the sample does not split it), and no other sizeable unit
lies mostly in that cluster (the sample does not merge it). Then:

- P(exists) of a unit is the share of samples in which it stands. A sample that is the same sorting
  (`core.alternatives.same_sorting`) has all its units standing, so no card says less of a unit.
- P(spike) of a sampled spike is the mean Jaccard overlap of its unit with the cluster that each sample has
  it in: the probability that the spike is together with another one, drawn from that unit and that
  cluster, in both. A merge or a split counts by how large it is, whichever side the spike is on. For a
  spike that was not sampled it is the mean of its unit's times the probability of its assignment.
- The entropy of a spike is that of the same overlaps with all units of its component, the rest being none.

Spikes of one component were sampled together; nothing is known of two components at once. A unit of
several components that the sorting joined exists as far as it does in each of them. What a person joined
across components is unknown: nan.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.alternatives import MIN_JACCARD, min_unit_size
from ncpgui.core.component import Component
from ncpgui.core.posterior import PosteriorSamples


@dataclass(frozen=True, eq=False)
class ComponentSupport:
    """Support of K units of a component of n spikes; nan where the posterior says nothing.

    p_exists : (K,) float64; n_sampled : (K,) sampled spikes; probability : (n,) float32, 0 in no unit;
    entropy : (n,) float32, nats; min_sampled : sampled spikes from which a unit counts as one.
    """

    p_exists: NDArray[np.float64]
    n_sampled: NDArray[np.int64]
    probability: NDArray[np.float32]
    entropy: NDArray[np.float32]
    min_sampled: int


def component_support(
    component: Component,
    labels: NDArray[np.integer],
    assigned: NDArray[np.floating],
    *,
    min_spikes: int = 0,
) -> ComponentSupport:
    """Support of the posterior of a component for a sorting of its spikes.

    Parameters
    ----------
    labels : (n,) unit of each spike, 0 .. K-1, -1 = none
    assigned : (n,) probability with which each spike was assigned; used of spikes that were not sampled
    min_spikes : clusters of fewer sampled spikes are none to the sorting (`SortingConfig.min_cluster_spikes`)
    """
    n_units = int(labels.max(initial=-1)) + 1
    sampled, rows = component.sampled, component.posterior.labels
    least = max(min_unit_size(component.posterior.n_points), min_spikes)
    reference = np.asarray(labels, dtype=np.int64)[sampled]
    n_sampled = np.bincount(reference[reference >= 0], minlength=n_units)
    jaccard, table, sizes = _overlaps(rows, reference, n_units)
    weight = component.posterior.weight
    p_exists = np.minimum(weight @ _standing(jaccard, table, sizes, n_sampled, least), 1.0)

    member = np.zeros((len(sampled), n_units))  # mean overlap of the spike's cluster with each unit
    for row, overlap, share in zip(rows, jaccard, weight, strict=True):
        member += share * overlap[row]
    member = np.minimum(member, 1.0)
    own = np.append(member, np.zeros((len(member), 1)), axis=1)[np.arange(len(sampled)), reference]
    sums = np.bincount(reference[reference >= 0], own[reference >= 0], minlength=n_units)
    mean = np.where(n_sampled > 0, sums / np.maximum(n_sampled, 1), np.nan)

    probability = np.append(mean, 0.0)[labels] * np.where(labels >= 0, assigned, 0.0)
    entropy = _entropy(np.stack([probability, 1 - probability], axis=1))
    probability[sampled] = own
    entropy[sampled] = _entropy(np.column_stack([member, 1 - member.sum(axis=1)]))
    p_exists = np.where(n_sampled > 0, p_exists, np.nan)
    return ComponentSupport(
        p_exists, n_sampled, probability.astype(np.float32), entropy.astype(np.float32), least
    )


def samples_of_sorting(
    posterior: PosteriorSamples,
    reference: NDArray[np.integer],
    *,
    min_spikes: int = 0,
) -> NDArray[np.bool_]:
    """Tell which samples are the same sorting as `reference`: (S,).

    Every sizeable cluster has a partner, both ways, as in `core.alternatives.same_sorting`, for all
    samples at once. Spikes that `reference` (-1) leaves unassigned count in the clusters that the samples
    have them in. Options as in `component_support`.
    """
    rows, looked_at = posterior.labels, np.asarray(reference, dtype=np.int64)
    n_units = int(looked_at.max(initial=-1)) + 1
    if n_units == 0:
        return np.zeros(posterior.n_samples, dtype=bool)
    least = max(min_unit_size(posterior.n_points), min_spikes)
    jaccard, _, sizes = _overlaps(rows, looked_at, n_units)
    n_here = np.bincount(looked_at[looked_at >= 0], minlength=n_units)
    mine = (jaccard.max(axis=1) > MIN_JACCARD)[:, _sizeable(n_here, least)].all(axis=1)
    theirs = ((jaccard.max(axis=2) > MIN_JACCARD) | ~_sizeable(sizes, least)).all(axis=1)
    return np.asarray(mine & theirs)


def joined_by_hand(components: NDArray[np.integer], initial: NDArray[np.integer]) -> bool:
    """Whether the parts of a unit in several components were not one unit before any curation.

    components : (n,) id of the component of each of its spikes, -1 = none; initial : (n,) their units before
    curation, -1 = none.
    """
    parts = {int(one): int(one) for one in np.unique(components[components >= 0])}
    if len(parts) < 2:
        return False
    known = (initial >= 0) & (components >= 0)
    pairs = np.unique(np.stack([components, initial], axis=1)[known], axis=0)
    for unit in np.unique(pairs[:, 1]):
        together = {parts[int(one)] for one in pairs[pairs[:, 1] == unit, 0]}
        parts = {c: min(together) if part in together else part for c, part in parts.items()}
    return len(set(parts.values())) > 1


def over_components(parts: Iterable[tuple[float, int, int]]) -> float:
    """P(exists) of a unit of several components: the least of those in which it is sizeable.

    parts : (P(exists), sampled spikes, sampled spikes that count as a unit) in each component; the first,
    that with most of its spikes, counts in any case.
    """
    values = [p for k, (p, n, least) in enumerate(parts) if k == 0 or n >= least]
    return float(np.min(values)) if values else float("nan")


def _overlaps(
    rows: NDArray[np.integer], reference: NDArray[np.int64], n_units: int
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """By sample, its cluster (and unit): Jaccard overlap (S, C, K), spikes (S, C, K); spikes (S, C)."""
    n_clusters = int(rows.max(initial=-1)) + 1
    shape = (len(rows), n_clusters, n_units + 1)
    column = np.where(reference < 0, n_units, reference)
    cell = rows * np.int64(n_units + 1)
    cell += np.arange(shape[0])[:, None] * (n_clusters * (n_units + 1)) + column
    table = np.bincount(cell.reshape(-1), minlength=shape[0] * shape[1] * shape[2]).reshape(shape)
    sizes, table = table.sum(axis=2), table[:, :, :n_units]
    union = sizes[:, :, None] + table.sum(axis=1)[:, None, :] - table
    return table / np.maximum(union, 1), table, sizes


def _sizeable(sizes: NDArray[np.integer], least: int) -> NDArray[np.bool_]:
    """(..., C) clusters that count as units, at least the largest: see `core.alternatives`."""
    large = sizes >= least
    if sizes.shape[-1] == 0:
        return large
    lonely = ~large.any(axis=-1, keepdims=True)
    return large | (lonely & (np.arange(sizes.shape[-1]) == sizes.argmax(axis=-1)[..., None]))


def _standing(
    jaccard: NDArray[np.float64],
    table: NDArray[np.int64],
    sizes: NDArray[np.int64],
    n_here: NDArray[np.int64],
    least: int,
) -> NDArray[np.bool_]:
    """(S, K) whether each unit stands in each sample."""
    n_samples, n_clusters, n_units = table.shape
    if n_units == 0 or n_clusters == 0:
        return np.zeros((n_samples, n_units), dtype=bool)
    partner = jaccard.argmax(axis=1)
    place = partner[:, None, :]
    stands = np.take_along_axis(jaccard, place, axis=1)[:, 0] > MIN_JACCARD
    inside = (2 * table > sizes[:, :, None]) & _sizeable(sizes, least)[:, :, None]  # cluster c in unit k
    np.put_along_axis(inside, place, values=False, axis=1)
    swallowed = (2 * table > n_here) & _sizeable(n_here, least)  # unit k in cluster c
    beside = swallowed.sum(axis=2)[:, :, None] - swallowed
    return stands & ~inside.any(axis=1) & (np.take_along_axis(beside, place, axis=1)[:, 0] == 0)


def _entropy(shares: NDArray[np.floating]) -> NDArray[np.float64]:
    p = np.clip(shares, 0.0, 1.0)
    terms = np.where(p == 0, 0.0, p * np.log(np.where(p == 0, 1.0, p)))
    return np.maximum(-terms.sum(axis=1), 0.0)
