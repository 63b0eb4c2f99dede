"""Posterior samples grouped into structurally different sortings, each with its mass.

Two thousand spikes give hundreds of near-duplicate samples; people want the few that differ in
structure. Two samples are the same sorting when every sizeable cluster of one has a counterpart in
the other, both ways: one with a Jaccard overlap above `MIN_JACCARD`. Above one half a counterpart
is unique, and a cluster that is cut in two, however unequally, leaves a part without one. Sortings are
taken greedily, each the sample that most of the samples left agree with, together with those. The
mass of a sorting is the weight of its samples, with the Monte Carlo standard error, which knows that the
samples of one order of the points are alike.

Its representative is their consensus: the clusters of the medoid by variation of information (the
sample that is on average closest to the others of its kind), and each point in the one in which most
of its samples have it. Any single sample scatters the doubtful points at random.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncpgui.core.arguments import WHOLE_NUMBERS, array, instance, number, whole_number
from ncpgui.core.errors import InputError
from ncpgui.core.partition import canonical
from ncpgui.core.posterior import PosteriorSamples

MIN_CLUSTER_SPIKES = 20
MIN_CLUSTER_SHARE = 0.01
MIN_JACCARD = 0.5

_ROWS_AT_ONCE = 32  # samples that are compared with all others at a time


@dataclass(frozen=True)
class SortingMode:
    """One structurally different sorting found among posterior samples.

    labels : (N,) int, the representative; mass, mass_se : its probability and standard error;
    members : (m,) rows of the posterior that are this sorting.
    """

    labels: NDArray[np.int32]
    mass: float
    mass_se: float
    members: NDArray[np.int64]

    @property
    def n_units(self) -> int:
        """Number of sizeable clusters, those that a person would call units."""
        return len(sizeable_clusters(self.labels))


def min_unit_size(n_points: int) -> int:
    """Spikes that a cluster needs to count as a unit: 20, or 1 % of large sets; fewer in tiny sets."""
    return int(max(min(MIN_CLUSTER_SPIKES, max(2, n_points // 10)), MIN_CLUSTER_SHARE * n_points))


def sizeable_clusters(labels: ArrayLike) -> NDArray[np.int64]:
    """Labels of the clusters that count as units; at least the largest one when there is any."""
    array = np.asarray(labels, dtype=np.int64)
    sizes = np.bincount(array[array >= 0])
    if len(sizes) == 0:
        return np.zeros(0, dtype=np.int64)
    large = np.flatnonzero(sizes >= min_unit_size(len(array)))
    return large if len(large) else np.array([int(sizes.argmax())])


def same_sorting(a: ArrayLike, b: ArrayLike, *, min_jaccard: float = MIN_JACCARD) -> bool:
    """Whether two label vectors are the same sorting but for small clusters and single spikes.

    Raises
    ------
    InputError
        They are no vectors of whole numbers of one length.
    """
    a, b = (array(labels, "labels", WHOLE_NUMBERS) for labels in (a, b))
    min_jaccard = number(min_jaccard, "min_jaccard")
    if a.ndim != 1 or a.shape != b.shape:
        raise InputError(
            f"two sortings need one label each for the same points, got shapes {a.shape} and {b.shape}"
        )
    return bool(same_sortings(np.stack([a, b]), min_jaccard=min_jaccard)[0, 1])


def same_sortings(labels: NDArray[np.integer], *, min_jaccard: float = MIN_JACCARD) -> NDArray[np.bool_]:
    """`same_sorting` of every two of S label vectors: (S, n) to (S, S)."""
    return _Overlap.of(labels, min_jaccard).same


def group_alternatives(
    posterior: PosteriorSamples, *, min_jaccard: float = MIN_JACCARD, max_shown: int = 9
) -> list[SortingMode]:
    """Group samples into sortings, the most probable first, at most `max_shown` of them.

    The masses of what is shown sum to at most 1; the rest is "other".
    """
    posterior = instance(posterior, PosteriorSamples, "posterior", "make one of labels and log_prob")
    max_shown = whole_number(max_shown, "max_shown", least=1)
    overlap = _Overlap.of(posterior.labels, number(min_jaccard, "min_jaccard"))
    left = np.ones(posterior.n_samples, dtype=bool)
    modes: list[SortingMode] = []
    while left.any():
        support = (overlap.same & left) @ posterior.weight
        leader = int(np.where(left, support, -1).argmax())
        members = np.flatnonzero(overlap.same[leader] & left)
        weight = posterior.weight[members]
        medoid = int((overlap.variation[np.ix_(members, members)] @ weight).argmin())
        mass = min(float(weight.sum()), 1.0)
        error = posterior.standard_error(members)
        modes.append(SortingMode(_consensus(posterior.subset(members), medoid), mass, error, members))
        left[members] = False
    modes.sort(key=lambda mode: -mode.mass)
    return modes[:max_shown]


def _consensus(posterior: PosteriorSamples, row: int) -> NDArray[np.int32]:
    """Clusters of sample `row`, each point in the one in which most samples have it: (N,), canonical."""
    start = posterior.labels[row]
    share = posterior.membership(start)
    share[np.arange(len(start)), start] += 1e-4  # where samples are divided, as in `row`
    return canonical(share.argmax(axis=1)).astype(np.int32)


@dataclass(frozen=True)
class _Overlap:
    """All pairs of S samples: same (S, S) bool, the same sorting; variation (S, S), VI in nats.

    Points without a cluster (-1) are in no comparison; variation is of samples that have none.
    """

    same: NDArray[np.bool_]
    variation: NDArray[np.float64]

    @staticmethod
    def of(labels: NDArray[np.integer], min_jaccard: float) -> _Overlap:
        """Compare every sample with every other, some samples at a time: matrix products of some size."""
        n_samples, n_points = labels.shape
        n_clusters = np.maximum(labels.max(axis=1) + 1, 1)  # a sample without any has an empty one
        start = np.concatenate([[0], n_clusters.cumsum()])
        member = np.zeros((start[-1], n_points), dtype=np.float32)  # clusters of all samples x points
        sample, point = np.nonzero(labels >= 0)
        member[labels[sample, point] + start[sample], point] = 1
        of_sample = np.repeat(np.arange(n_samples), n_clusters)
        sizes = member @ (labels >= 0).astype(np.float32).T  # of a cluster: points that each sample has too
        must_match = np.zeros(start[-1], dtype=bool)
        for row in range(n_samples):
            must_match[start[row] + sizeable_clusters(labels[row])] = True
        covered = np.zeros((n_samples, n_samples), dtype=bool)  # clusters of i have counterparts in j
        joint = np.zeros((n_samples, n_samples))
        for first in range(0, n_samples, _ROWS_AT_ONCE):
            rows = slice(first, min(first + _ROWS_AT_ONCE, n_samples))
            mine = slice(start[rows.start], start[rows.stop])
            inside = start[rows] - start[rows.start]  # where each sample's clusters begin
            shared = member[mine] @ member.T
            union = sizes[mine][:, of_sample] + sizes[:, of_sample[mine]].T - shared
            best = np.maximum.reduceat(shared / np.maximum(union, 1), start[:-1], axis=1)
            met = (best > min_jaccard) | ~must_match[mine, None]
            covered[rows] = np.logical_and.reduceat(met, inside, axis=0)
            p = shared / n_points
            information = np.add.reduceat(-p * np.log(np.maximum(p, 1e-30)), start[:-1], axis=1)
            joint[rows] = np.add.reduceat(information, inside, axis=0, dtype=np.float64)
        own = joint.diagonal()
        variation = np.maximum(2 * joint - own[:, None] - own[None], 0)
        return _Overlap(covered & covered.T, variation)
