"""Firing times as evidence: how probable the close pairs of spikes are if each cluster is one neuron.

A neuron does not fire again within its refractory period. Take the pairs of spikes at refractory distances.
Each pair lies in one cluster or between two. Spikes of different neurons meet by chance; let a cluster have n
close pairs of its own where E are expected by chance. Against chance everywhere, "the cluster is one neuron"
changes the likelihood of its n pairs from Poisson(E) to Poisson(d E), and nothing between clusters. Here d is
the share of chance coincidences that is left in the cluster: what contaminates it, or 1 for a neuron that
shows no refractory period. So the log likelihood of a sorting, against chance, is a sum over its clusters.

E is not known. Pairs at longer distances count it, in a window of its own: with Q such pairs and r the ratio
of the windows, E is Gamma(Q + 1/2, rate 1 / r), and the ratio of the two likelihoods averaged over E is

    d^n ((1/r + 1) / (1/r + d))^(Q + 1/2 + n),

averaged in turn over d. Rates that vary slowly change both windows alike. The first refractory distances,
at which a detector is dead, are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

REFRACTORY_MS = (0.7, 2.0)
CHANCE_MS = (3.0, 13.0)
"""Past the refractory period of most neurons, and short: cells that a stimulus drives in turn avoid each
other for tens of milliseconds, and are no neuron for that."""
LEFT = (0.01, 0.03, 0.1, 0.3, 1.0)
"""Shares d of chance coincidences that may be left in a cluster ..."""
P_LEFT = (0.25, 0.2, 0.2, 0.15, 0.2)
"""... and the probability of each."""
MAX_CHANCE_PAIRS = 100_000


@dataclass(frozen=True, eq=False)
class ClosePairs:
    """Pairs of spikes of one set that tell something.

    refractory : (P, 2) int64, places of spikes at refractory distances; chance : (Q, 2), at longer ones;
    ratio : chance pairs that are expected at refractory distances for each of `chance`.
    """

    refractory: NDArray[np.int64]
    chance: NDArray[np.int64]
    ratio: float

    @staticmethod
    def of(sample_index: NDArray[np.integer], *, sampling_frequency_hz: float) -> ClosePairs:
        """Find the pairs of (n,) spikes in order of time."""
        per_ms = sampling_frequency_hz / 1000
        close, far = _pairs_within(
            sample_index, [[ms * per_ms for ms in w] for w in (REFRACTORY_MS, CHANCE_MS)]
        )
        ratio = (REFRACTORY_MS[1] - REFRACTORY_MS[0]) / (CHANCE_MS[1] - CHANCE_MS[0])
        every = -(-len(far) // MAX_CHANCE_PAIRS) if len(far) else 1
        return ClosePairs(close, far[::every], ratio * every)

    def of_points(self, point: NDArray[np.int64]) -> ClosePairs:
        """The same pairs as those of the points that speak for the spikes: (n,) point of each spike."""
        return ClosePairs(point[self.refractory], point[self.chance], self.ratio)


def refractory_nats(pairs: ClosePairs, labels: NDArray[np.integer]) -> NDArray[np.float64]:
    """Log likelihood of the pairs under each sorting, against chance: (S,), nats.

    labels : (S, n) cluster of each spike, -1 = none
    """
    rows = np.atleast_2d(labels)
    n_clusters = int(rows.max(initial=-1)) + 1
    result = np.zeros(len(rows))
    for number, row in enumerate(rows):
        close, chance = (_inside(some, row, n_clusters) for some in (pairs.refractory, pairs.chance))
        result[number] = cluster_nats(close, chance, pairs.ratio).sum()
    return result


def cluster_nats(
    n_close: NDArray[np.integer], n_chance: NDArray[np.integer], ratio: float
) -> NDArray[np.float64]:
    """Log likelihood ratio, one neuron against chance, of each cluster: (K,), nats.

    n_close, n_chance : (K,) pairs within the cluster; ratio : as of `ClosePairs`
    """
    n, q = np.asarray(n_close, float)[..., None], np.asarray(n_chance, float)[..., None]
    left, p = np.array(LEFT), np.array(P_LEFT)
    terms = n * np.log(left) + (q + 0.5 + n) * (np.log1p(1 / ratio) - np.log(left + 1 / ratio))
    return np.asarray(logsumexp(terms + np.log(p), axis=-1))


def _inside(pairs: NDArray[np.int64], labels: NDArray[np.integer], n_clusters: int) -> NDArray[np.int64]:
    """Pairs within each cluster: (K,)."""
    first, second = labels[pairs[:, 0]], labels[pairs[:, 1]]
    return np.bincount(first[(first == second) & (first >= 0)], minlength=n_clusters)


def _pairs_within(sample_index: NDArray[np.integer], windows: list[list[float]]) -> list[NDArray[np.int64]]:
    """Pairs (P, 2) more than `low` and at most `high` samples apart, for each window (low, high)."""
    times = np.asarray(sample_index, dtype=np.int64)
    found: list[list[NDArray[np.int64]]] = [[np.zeros((0, 2), np.int64)] for _ in windows]
    longest = max(high for _, high in windows)
    first = np.arange(len(times))
    for step in range(1, len(times)):
        first = first[: np.searchsorted(first, len(times) - step)]
        apart = times[first + step] - times[first]
        first, apart = first[apart <= longest], apart[apart <= longest]
        if len(first) == 0:
            break
        for pairs, (low, high) in zip(found, windows, strict=True):
            one = first[(apart > low) & (apart <= high)]
            pairs.append(np.column_stack([one, one + step]))
    return [np.concatenate(pairs) for pairs in found]
