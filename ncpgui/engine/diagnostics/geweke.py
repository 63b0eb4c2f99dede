"""Geweke's test: clusterings inferred from data of the prior must follow the prior (Geweke, JASA 2004).

c ~ p(c), x ~ p(x | c), c' ~ q(c | x): if q is the posterior then c' ~ p(c) (paper, sec. 7). Compared
are the number of clusters K, the size of the cluster of a point, and P(c_i = c_j). A posterior that
takes no notice of x passes too; `calibration_ranks` tells.

The prior is a CRP, P(c) = J(K, N) prod_k Gamma(n_k), J(K, N) = E[alpha^K Gamma(alpha) / Gamma(alpha + N)].
With s(N, K) the unsigned Stirling numbers of the first kind,

    P(K) = |s(N, K)| J(K, N),   s(N + 1, K) = N s(N, K) + s(N, K - 1);
    P(a point's cluster has m points) = (m / N) C(N, m) Gamma(m) sum_K |s(N - m, K)| J(K + 1, N);
    P(c_i = c_j) = J(1, 2), which is 1 / (1 + alpha) where alpha is fixed

(Antoniak, Ann. Statist. 1974; Ewens, Theor. Popul. Biol. 1972).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from ncpgui.core.progress import Progress, silent
from ncpgui.core.seeds import stream_seed
from ncpgui.engine.diagnostics.exact_posterior import total_variation
from ncpgui.engine.diagnostics.posteriors import Posterior, datasets, draw
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM
from ncpgui.engine.generative.partition_priors import CRP

Array = NDArray[np.float64]


@dataclass(frozen=True)
class GewekeResult:
    """Clusterings of `n_datasets` sets of `n_points` against the prior.

    p_k, exact_p_k : (N + 1,), probability of K = 0 .. N clusters
    p_size, exact_p_size : (N + 1,), probability that the cluster of a point has 0 .. N points
    p_same, exact_p_same : probability that two points share a cluster
    tv_by_chance : expected total variation between exact_p_k and the frequencies of as many exact draws
    k_off, k_off_se : mean of K of a clustering less K of the labels that its data were drawn with, and its
        standard error. Of the same data both vary alike, so that this tells more than the distance of the
        means of K. Without such labels it is from E[K] of the prior
    """

    n_points: int
    n_datasets: int
    p_k: Array
    exact_p_k: Array
    p_size: Array
    exact_p_size: Array
    p_same: float
    exact_p_same: float
    tv_by_chance: float
    k_off: float
    k_off_se: float

    @property
    def total_variation_k(self) -> float:
        """Total variation between the two laws of K."""
        return total_variation(self.p_k, self.exact_p_k)

    @property
    def total_variation_size(self) -> float:
        """Total variation between the two laws of the size of a point's cluster."""
        return total_variation(self.p_size, self.exact_p_size)

    @property
    def mean_k(self) -> tuple[float, float]:
        """E[K] of the clusterings and of the prior."""
        return _mean(self.p_k), _mean(self.exact_p_k)

    @property
    def sd_k(self) -> tuple[float, float]:
        """Standard deviation of K of the clusterings and of the prior."""
        return _sd(self.p_k), _sd(self.exact_p_k)


def geweke_test(
    posterior: Posterior,
    model: GaussianDPMM,
    *,
    n_datasets: int,
    n_points: int,
    seed: int,
    progress: Progress = silent,
) -> GewekeResult:
    """Draw one clustering of each of many datasets of the model, and compare them with its prior."""
    batch = datasets(model, n_datasets, n_points, seed, "geweke", n_points)
    labels = draw(posterior, batch, 1, stream_seed(seed, "geweke draws", n_points), progress)[:, 0]
    return against_prior(labels, model.prior, batch.labels.cpu().numpy())


def against_prior(
    labels: NDArray[np.integer], prior: CRP, true: NDArray[np.integer] | None = None
) -> GewekeResult:
    """Compare independent clusterings (M, N), canonical, with the prior.

    true : (M, N), canonical, the labels that the data of each clustering were drawn with
    """
    n_datasets, n_points = labels.shape
    exact = cluster_number_law(prior, n_points)
    p_k = np.bincount(labels.max(axis=1) + 1, minlength=n_points + 1) / n_datasets
    expected = _mean(exact) if true is None else true.max(axis=1) + 1
    off = labels.max(axis=1) + 1 - expected
    flat = labels + n_points * np.arange(n_datasets)[:, None]
    sizes = np.bincount(flat.ravel(), minlength=n_datasets * n_points)
    p_size = np.bincount(sizes, weights=sizes, minlength=n_points + 1) / labels.size
    pairs = (sizes * (sizes - 1.0)).sum() / (n_datasets * n_points * max(n_points - 1, 1))
    return GewekeResult(
        n_points,
        n_datasets,
        p_k,
        exact,
        p_size,
        cluster_size_law(prior, n_points),
        float(pairs),
        same_cluster_probability(prior),
        distance_by_chance(exact, n_datasets),
        float(off.mean()),
        float(off.std(ddof=1) / math.sqrt(n_datasets)) if n_datasets > 1 else math.nan,
    )


def distance_by_chance(p: Array, n_draws: int) -> float:
    """Expected total variation between `p` and the frequencies of `n_draws` draws (normal approximation)."""
    return float(np.sqrt(2 * p * (1 - p) / (math.pi * n_draws)).sum() / 2)


def cluster_number_law(prior: CRP, n_points: int) -> Array:
    """P(K) for K = 0 .. N: (N + 1,)."""
    return np.exp(_log_stirling(n_points) + prior.log_weight(n_points).numpy())


def cluster_size_law(prior: CRP, n_points: int) -> Array:
    """P(the cluster of a point has m points) for m = 0 .. N: (N + 1,)."""
    weight = prior.log_weight(n_points).numpy()
    law = np.zeros(n_points + 1)
    for m in range(1, n_points + 1):
        rest = _log_stirling(n_points - m)  # ways to cluster the other points, by number of clusters
        ways = gammaln(n_points + 1) - gammaln(n_points - m + 1) - gammaln(m + 1) + gammaln(m)
        law[m] = m / n_points * np.exp(ways + logsumexp(rest + weight[1 : len(rest) + 1]))
    return law


def same_cluster_probability(prior: CRP) -> float:
    """P(c_i = c_j)."""
    return float(prior.log_weight(2)[1].exp())


def _log_stirling(n_points: int) -> Array:
    """Log of the unsigned Stirling numbers of the first kind s(N, K) for K = 0 .. N: (N + 1,)."""
    row = np.full(n_points + 1, -np.inf)
    row[0] = 0.0
    for n in range(n_points):
        grown = row + (math.log(n) if n else -np.inf)
        grown[1:] = np.logaddexp(grown[1:], row[:-1])
        row = grown
    return row


def _mean(p: Array) -> float:
    return float((np.arange(len(p)) * p).sum())


def _sd(p: Array) -> float:
    return math.sqrt(max(0.0, float((np.arange(len(p)) ** 2 * p).sum()) - _mean(p) ** 2))
