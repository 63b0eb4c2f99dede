"""A Markov chain over clusterings of points of 2D Gaussians: the gold standard.

Collapsed Gibbs sampling (Neal, J. Comput. Graph. Stat. 2000, algorithm 3): each point in turn leaves its
cluster and joins k with probability ~ n_k J(K, N) p(x_i | cluster k), or opens one with
~ J(K + 1, N) p(x_i). The prior of a clustering is J(K, N) prod_k Gamma(n_k). Split-merge proposals with
restricted Gibbs scans (Jain & Neal, J. Comput. Graph. Stat. 2004, sec. 3.2) move whole clusters, which
single points rarely do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncpgui.core.partition import canonical
from ncpgui.core.seeds import stream
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


class Clusters(NamedTuple):
    """The model of 2D Gaussians as a Markov chain over N points sees it.

    statistic : (N, 2), the points, whose sum over a cluster is all that its evidence asks
    log_weight : (N + 1,), log J(K, N) for K = 0 .. N clusters
    ratio : sigma_mu^2 / sigma^2; scale : 1 / (2 sigma^2)
    """

    statistic: Array
    log_weight: Array
    ratio: float
    scale: float

    @classmethod
    def of(cls, x: Array, model: GaussianDPMM) -> Clusters:
        variance = model.settings.sigma**2
        ratio = model.settings.sigma_mu**2 / variance
        return cls(x, model.prior.log_weight(len(x)).numpy(), ratio, 0.5 / variance)

    def log_evidence(self, n: Array, total: Array) -> Array:
        """log m(X) of clusters of n points (...), with the sum of their points (..., 2): (...)."""
        grown = 1 + n * self.ratio
        square = np.einsum("...d,...d->...", total, total)
        return self.scale * self.ratio * square / grown - 0.5 * total.shape[-1] * np.log(grown)


def sweeps(
    x: ArrayLike,
    model: GaussianDPMM,
    *,
    seed: int,
    start: NDArray[np.integer] | None = None,
    n_gibbs: int = 1,
    n_split_merge: int = 0,
    n_scans: int = 5,
) -> Iterator[Labels]:
    """Yield the clustering (N,), canonical, after each sweep, without end.

    Parameters
    ----------
    x : (N, 2) points
    start : (N,), clustering to begin with; all points in one cluster when left out
    n_gibbs, n_split_merge : of a sweep: passes over all points, split-merge proposals
    n_scans : restricted scans that prepare a split-merge proposal
    """
    points = np.asarray(x, dtype=np.float64)
    chain = _Chain(Clusters.of(points, model), start, stream(seed, "gibbs"))
    while True:
        for _ in range(n_split_merge):
            chain.split_or_merge(n_scans)
        for _ in range(n_gibbs):
            chain.gibbs_pass()
        yield canonical(chain.labels)


class _Chain:
    """Labels of N points with the number and the sum of the points of each cluster; K slots are in use."""

    def __init__(
        self, clusters: Clusters, start: NDArray[np.integer] | None, random: np.random.Generator
    ) -> None:
        self.x = clusters.statistic
        n_points = len(self.x)
        self.labels = np.zeros(n_points, dtype=np.int64) if start is None else canonical(start)
        self.log_weight = clusters.log_weight
        self.evidence = clusters.log_evidence
        self.random = random
        self.n_clusters = int(self.labels.max(initial=-1)) + 1
        self.n = np.bincount(self.labels, minlength=n_points + 1).astype(np.float64)
        self.total = np.zeros((n_points + 1, self.x.shape[1]))
        np.add.at(self.total, self.labels, self.x)
        self.log_open = self.evidence(np.ones(n_points), self.x)

    def gibbs_pass(self) -> None:
        """Let every point leave and join again, in the order of the points."""
        uniform = self.random.random(len(self.x))
        for i, point in enumerate(self.x):
            self.leave(i)
            k = self.n_clusters
            n, total = self.n[:k], self.total[:k]
            score = np.empty(k + 1)
            score[:k] = np.log(n) + self.evidence(n + 1, total + point) - self.evidence(n, total)
            score[k] = self.log_weight[k + 1] - self.log_weight[k] + self.log_open[i] if k else 0.0
            cumulative = np.exp(score - score.max()).cumsum()
            self.join(i, int(np.searchsorted(cumulative, uniform[i] * cumulative[-1])))

    def leave(self, i: int) -> None:
        """Take a point out; the last cluster moves to a slot that became empty."""
        k = self.labels[i]
        self.n[k] -= 1
        self.total[k] -= self.x[i]
        self.labels[i] = -1
        if self.n[k] == 0:
            last = self.n_clusters - 1
            self.labels[self.labels == last] = k
            self.n[k], self.total[k] = self.n[last], self.total[last]
            self.n[last], self.total[last] = 0.0, 0.0
            self.n_clusters = last

    def join(self, i: int, k: int) -> None:
        """Put a point into cluster k, a new one when k is the number of clusters."""
        self.labels[i] = k
        self.n[k] += 1
        self.total[k] += self.x[i]
        self.n_clusters = max(self.n_clusters, k + 1)

    def split_or_merge(self, n_scans: int) -> None:
        """Propose to split the cluster of two points drawn at random, or to merge their clusters."""
        if len(self.x) < 2:
            return
        i, j = (int(a) for a in self.random.choice(len(self.x), 2, replace=False))
        k, other = int(self.labels[i]), int(self.labels[j])
        inside = (self.labels == k) | (self.labels == other)
        inside[[i, j]] = False
        rest = np.flatnonzero(inside)
        side = self.random.random(len(rest)) < 0.5  # True: with j
        for _ in range(n_scans):
            side, _ = self.restricted_scan(i, j, rest, side, None)
        target = None if k == other else self.labels[rest] == other
        side, log_q = self.restricted_scan(i, j, rest, side, target)
        gain = self.log_split_ratio(i, j, rest, side)
        if k == other:
            if math.log(self.random.random()) < gain - log_q:
                for point in (j, *rest[side]):
                    self.leave(int(point))
                    self.join(int(point), self.n_clusters if point == j else int(self.labels[j]))
        elif math.log(self.random.random()) < log_q - gain:
            for point in np.flatnonzero(self.labels == other):
                self.leave(int(point))  # may move the last cluster, but not one that i is in and stays in
                self.join(int(point), int(self.labels[i]))

    def restricted_scan(
        self, i: int, j: int, rest: Labels, side: NDArray[np.bool_], target: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.bool_], float]:
        """One Gibbs scan of the points `rest` between the clusters of i and of j only.

        Returns
        -------
        side, log_q : the new sides, drawn or forced to `target`, and the log-probability of getting there
        """
        side = side.copy()
        n = np.array([1.0 + (~side).sum(), 1.0 + side.sum()])
        total = np.stack([self.x[i] + self.x[rest[~side]].sum(0), self.x[j] + self.x[rest[side]].sum(0)])
        log_u = np.log(self.random.random(len(rest)))
        log_q = 0.0
        for place, point in enumerate(self.x[rest]):
            now = int(side[place])
            n[now] -= 1
            total[now] -= point
            grown = self.evidence(np.append(n + 1, n), np.concatenate([total + point, total]))
            prior = math.log(n[1] / n[0])
            score = prior + grown[1] - grown[3] - grown[0] + grown[2]
            log_p = (-_softplus(score), -_softplus(-score))
            now = int(log_u[place] < log_p[1]) if target is None else int(target[place])
            side[place] = bool(now)
            log_q += log_p[now]
            n[now] += 1
            total[now] += point
        return side, log_q

    def log_split_ratio(self, i: int, j: int, rest: Labels, side: NDArray[np.bool_]) -> float:
        """log of p(c, x) with the points of i and of j apart, over p(c, x) with them together."""
        first = self.x[[i, *rest[~side]]]
        second = self.x[[j, *rest[side]]]
        both = np.concatenate([first, second])
        apart_k = self.n_clusters + int(self.labels[i] == self.labels[j])

        def block(points: Array) -> float:
            n = float(len(points))
            return math.lgamma(n) + float(self.evidence(np.asarray(n), points.sum(0)))

        prior = self.log_weight[apart_k] - self.log_weight[apart_k - 1]
        return float(prior) + block(first) + block(second) - block(both)


def _softplus(x: float) -> float:
    """log(1 + e^x)."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))
