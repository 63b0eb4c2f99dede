"""Distance of a posterior from the exact one, where all partitions can be listed; the last point's law.

Where the joint is known (2D Gaussians, spikes of finite templates) p(c | x) = p(c, x) / sum_c' p(c', x), the
sum over all partitions of N <= 9 points (4140 for N = 8). Distances: KL(p || q) = sum_c p log(p / q), in
nats, and total variation TV = 1/2 sum_c |p - q|.

Given the labels of all other points the law of the last one is known for any N, for Gaussians (paper, sec. 7)
p(c_N = k | c_<N, x) ~ n_k N(x_N; m_k, (sigma^2 + v_k) 1), and ~ alpha N(x_N; 0, (sigma_mu^2 + sigma^2) 1)
for a cluster of its own. That of q is q(c_<N, c_N | x), normalised over c_N, with N visited last.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.progress import Progress, reported, silent
from ncpgui.core.seeds import stream
from ncpgui.engine.diagnostics.posteriors import (
    ExactModel,
    ExactPosterior,
    Points,
    Posterior,
    datasets,
    log_prob_of_likely,
    one,
)
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM

Array = NDArray[np.float64]


@dataclass(frozen=True)
class DistanceToExact:
    """Of M datasets of `n_points`, q averaged over `n_orders` orders of their points.

    kl, total_variation : (M,); of a posterior that was asked for the likely partitions only (see
        `log_prob_of_likely`) the sums over these, which lack at most a thousandth of the exact law
    q_mass : (M,), sum of q over all partitions, 1 for a law that is normalised; nan where only the likely
        ones could be scored
    """

    n_points: int
    n_orders: int
    kl: Array
    total_variation: Array
    q_mass: Array

    @property
    def mean_kl(self) -> float:
        """Mean over the datasets, in nats."""
        return float(self.kl.mean())

    @property
    def mean_total_variation(self) -> float:
        """Mean over the datasets."""
        return float(self.total_variation.mean())


@dataclass(frozen=True)
class LastPointOnALine:
    """Law of a last point that moves on a line past two clusters of 20 points.

    points (40, 2), labels (40,) : the others; position (L,) : x of the last point, whose y is 0
    exact, network : (L, 3), cluster on the left, on the right, of its own
    """

    points: Array
    labels: NDArray[np.int64]
    position: Array
    exact: Array
    network: Array

    @property
    def largest_error(self) -> float:
        """Largest |exact - network| on the line."""
        return float(np.abs(self.exact - self.network).max())

    @property
    def mean_error(self) -> float:
        """Mean |exact - network| over the line and the three choices."""
        return float(np.abs(self.exact - self.network).mean())


@dataclass(frozen=True)
class LastPointError:
    """Of M datasets of `n_points`.

    error : (M,), mean |exact - network| over the choices of the last point
    total_variation : (M,), half the sum over the choices
    """

    n_points: int
    error: Array
    total_variation: Array


def kl_divergence(log_p: Array, log_q: Array) -> float:
    """KL(p || q) in nats of two laws on the same list."""
    p = np.exp(log_p)
    return float((p * np.where(p > 0, log_p - log_q, 0.0)).sum())


def total_variation(p: Array, q: Array) -> float:
    """Half the sum of |p - q|: 0 for equal laws, 1 for laws that share nothing."""
    return float(np.abs(p - q).sum() / 2)


def distance_to_exact(
    posterior: Posterior,
    model: ExactModel,
    *,
    n_datasets: int,
    n_points: int,
    seed: int,
    n_orders: int = 1,
    progress: Progress = silent,
) -> DistanceToExact:
    """Compare q with the exact posterior on all partitions of datasets of the model.

    n_orders : orders over which q is averaged, the first of them that of the points

    Raises
    ------
    InputError
        More points than can be enumerated.
    """
    exact = ExactPosterior(model)
    batch = datasets(model, n_datasets, n_points, seed, "exact")
    shuffle = stream(seed, "orders")
    kl, tv, mass = np.empty(n_datasets), np.empty(n_datasets), np.empty(n_datasets)
    for i in reported(range(n_datasets), progress):
        points = one(batch.points, i)
        orders = [None, *(shuffle.permutation(n_points) for _ in range(n_orders - 1))]
        log_p = exact.log_prob_of_all(points)
        log_q = np.logaddexp.reduce([log_prob_of_likely(posterior, points, log_p, order) for order in orders])
        log_q -= np.log(n_orders)
        known = np.isfinite(log_q)
        kl[i] = kl_divergence(log_p[known], log_q[known])
        tv[i] = np.clip(np.exp(log_p[known]) - np.exp(log_q[known]), 0, None).sum()
        mass[i] = np.exp(log_q).sum() if known.all() else np.nan
    return DistanceToExact(n_points, n_orders, kl, tv, mass)


def last_point(posterior: Posterior, points: Points, labels: NDArray[np.integer]) -> Array:
    """q(c_N = k | c_<N, x) given the canonical labels (N - 1,) of all but the last: (K + 1,)."""
    n_choices = int(labels.max(initial=-1)) + 2
    rows = np.concatenate(
        [np.broadcast_to(labels, (n_choices, len(labels))), np.arange(n_choices)[:, None]], axis=1
    )
    log_q = posterior.log_prob(points, rows)
    q = np.exp(log_q - log_q.max())
    return q / q.sum()


def last_point_on_a_line(
    posterior: Posterior,
    model: GaussianDPMM,
    *,
    seed: int,
    n_positions: int = 81,
    progress: Progress = silent,
) -> LastPointOnALine:
    """Move a 41st point on a line past two clusters of 20 points, 8 sigma apart (paper, sec. 7)."""
    generator = stream(seed, "line")
    sigma = model.settings.sigma
    labels = np.concatenate([[0], generator.permutation(np.repeat([0, 1], (19, 20)))])  # left one is first
    centre = np.array([[-4.0, 0.0], [4.0, 0.0]])[labels]
    points = (sigma * (centre + generator.normal(size=(40, 2)))).astype(np.float32)
    position = sigma * np.linspace(-10.0, 10.0, n_positions)
    exact, network = np.empty((n_positions, 3)), np.empty((n_positions, 3))
    for i, x in enumerate(reported(position, progress)):
        whole = torch.from_numpy(np.concatenate([points, [[x, 0.0]]]).astype(np.float32))
        exact[i] = model.last_point(whole, torch.from_numpy(labels)).numpy()
        network[i] = last_point(posterior, (whole[None],), labels)
    return LastPointOnALine(points.astype(np.float64), labels, position, exact, network)


def last_point_error(
    posterior: Posterior,
    model: ExactModel,
    *,
    n_datasets: int,
    n_points: int,
    seed: int,
    progress: Progress = silent,
) -> LastPointError:
    """Compare the law of the last point, given the true labels of the others, on datasets of the model.

    Raises
    ------
    InputError
        Fewer than two points.
    """
    if n_points < 2:
        raise InputError(f"the last of at least 2 points is looked at, got {n_points}")
    batch = datasets(model, n_datasets, n_points, seed, "last", n_points)
    error, tv = np.empty(n_datasets), np.empty(n_datasets)
    for i in reported(range(n_datasets), progress):
        others = batch.labels[i, :-1]
        exact = model.last_point(batch.points[0][i], others).numpy()
        q = last_point(posterior, one(batch.points, i), others.numpy())
        error[i], tv[i] = np.abs(exact - q).mean(), total_variation(exact, q)
    return LastPointError(n_points, error, tv)
