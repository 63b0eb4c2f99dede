"""How much a posterior depends on the order in which points are visited (paper, sec. 7 and SM C).

The model is exchangeable, a pointwise network only nearly so. Of P orders of the same (x, c): the
standard deviation of the negative log-likelihood -log q(c | x), over its mean and in nats (what
importance weights feel), and the change of the probabilities that two points share a cluster.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.progress import Progress, portion, reported, silent
from ncpgui.core.seeds import stream, stream_seed
from ncpgui.engine.diagnostics.calibration import co_assignment
from ncpgui.engine.diagnostics.posteriors import Posterior, datasets, draw, one
from ncpgui.engine.generative.batch import GenerativeModel

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Exchangeability:
    """Spread over orders of the points, of M datasets.

    nll : (M, P), -log q(c | x) of the true clustering in each order, nats
    change : (M,), mean |p_ij - p'_ij| over pairs of points and pairs of orders
    change_by_chance : (M,), what the finite number of draws alone gives `change`
    """

    n_points: int
    nll: Array
    change: Array
    change_by_chance: Array

    @property
    def nll_per_point(self) -> float:
        """Mean -log q(c_n | c_<n, x) of the truth, in nats a point."""
        return float(self.nll.mean() / self.n_points)

    @property
    def sd_nats(self) -> float:
        """Standard deviation over the orders of one dataset, in nats (root mean square over datasets)."""
        if self.nll.shape[1] < 2:
            return math.nan
        return float(np.sqrt(self.nll.var(axis=1, ddof=1).mean()))

    @property
    def sd_over_mean(self) -> float:
        """Standard deviation over mean of the NLL of all M datasets over the orders (paper, SM C).

        It falls with M; the paper's minibatches have 64 datasets.
        """
        if self.nll.shape[1] < 2:
            return math.nan
        batch = self.nll.mean(axis=0)
        return float(batch.std(ddof=1) / abs(batch.mean()))

    @property
    def sd_over_mean_each(self) -> float:
        """`sd_nats` over the mean NLL of a dataset: the stricter ratio, of single datasets."""
        return self.sd_nats / abs(float(self.nll.mean()))


def exchangeability(
    posterior: Posterior,
    model: GenerativeModel,
    *,
    n_datasets: int,
    n_points: int,
    n_orders: int = 8,
    n_samples: int = 100,
    seed: int,
    progress: Progress = silent,
) -> Exchangeability:
    """Score the truth of datasets of the model in several orders, and sample them in two.

    n_orders : the first of them that of the points; of one order alone, spreads are nan
    n_samples : draws in each of the two orders between which the change of p_ij is measured
    """
    batch = datasets(model, n_datasets, n_points, seed, "exchangeability")
    shuffle = stream(seed, "orders")
    orders = [np.arange(n_points), *(shuffle.permutation(n_points) for _ in range(n_orders - 1))]
    first, second = (
        draw(
            posterior,
            batch,
            n_samples,
            stream_seed(seed, "order draws", k),
            portion(progress, k, k + 1, 3),
        )
        for k in range(2)
    )
    nll = np.empty((n_datasets, n_orders))
    change, by_chance = np.empty(n_datasets), np.empty(n_datasets)
    for i, truth in enumerate(reported(batch.labels.numpy(), portion(progress, 2, 3, 3))):
        points = one(batch.points, i)
        nll[i] = [-posterior.log_prob(points, truth[None], order)[0] for order in orders]
        change[i], by_chance[i] = co_assignment_change(first[i], second[i])
    return Exchangeability(n_points, nll, change, by_chance)


def co_assignment_change(first: NDArray[np.integer], second: NDArray[np.integer]) -> tuple[float, float]:
    """Mean |p_ij - p'_ij| between draws (S, N) in two orders of one dataset, and what chance alone gives.

    Each p_ij is a share of S draws: without any effect of the order the difference has variance
    2 p (1 - p) / S, and a mean size of sqrt(2 / pi) times its standard deviation.
    """
    n_samples, n_points = first.shape
    if n_points < 2:
        return 0.0, 0.0
    p, q = co_assignment(first), co_assignment(second)
    pooled = (p + q) / 2
    # pooled (1 - pooled) of 2 S draws is on average too small by the part 1 / (2 S)
    variance = 2 * pooled * (1 - pooled) / n_samples * (2 * n_samples / (2 * n_samples - 1))
    return float(np.abs(p - q).mean()), float(np.sqrt(2 / np.pi * variance).mean())
