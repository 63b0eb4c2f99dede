"""Clusterings side by side: distinct samples in the order of their probability, and what tells them apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Ellipse
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.optimize import linear_sum_assignment

from ncpgui.core.seeds import stream
from ncpgui.engine.diagnostics.posteriors import Points, Posterior

from .base import INK

Labels = NDArray[np.integer]

N_ORDERS = 16
"""Orders of the points over which samples are divided, and probabilities averaged."""


@dataclass(frozen=True)
class Distinct:
    """Distinct clusterings (M, N), canonical, the most probable first, with log q of each: (M,)."""

    labels: Labels
    log_q: NDArray[np.float64]

    def first(self, n: int) -> Distinct:
        """Return the `n` most probable ones."""
        return Distinct(self.labels[:n], self.log_q[:n])


def over_orders(
    posterior: Posterior, points: Points, labels: Labels, *, seed: int, n_orders: int = N_ORDERS
) -> NDArray[np.float64]:
    """log q(c | x) of clusterings (M, N), q averaged over random orders of the points: (M,)."""
    shuffle = stream(seed, "orders")
    each = [posterior.log_prob(points, labels, shuffle.permutation(labels.shape[1])) for _ in range(n_orders)]
    return np.logaddexp.reduce(each) - np.log(n_orders)


def most_probable_first(labels: Labels, log_q: NDArray[np.float64]) -> Distinct:
    """Sort distinct clusterings by their probability."""
    order = np.argsort(-log_q, kind="stable")
    return Distinct(labels[order], log_q[order])


def distinct_samples(posterior: Posterior, points: Points, *, n_draws: int, seed: int) -> Distinct:
    """Draw samples in several random orders of the points, each partition once."""
    each = n_draws // N_ORDERS
    drawn = [posterior.sample(points, each, 1000 * seed + i).labels for i in range(N_ORDERS)]
    labels = np.unique(np.concatenate(drawn), axis=0)
    return most_probable_first(labels, over_orders(posterior, points, labels, seed=seed))


def in_colours_of(reference: Labels, labels: Labels) -> Labels:
    """Number the clusters of `labels` (N,) as those of `reference` (N,) that share most points with them.

    Clusters without a counterpart get numbers that `reference` has not.
    """
    n_reference, n_clusters = int(reference.max()) + 1, int(labels.max()) + 1
    shared = np.zeros((n_clusters, n_reference))
    np.add.at(shared, (labels, reference), 1)
    own, others = linear_sum_assignment(-shared)
    number = np.full(n_clusters, -1)
    for k, other in zip(own, others, strict=True):
        if shared[k, other]:
            number[k] = other
    number[number < 0] = n_reference + np.arange((number < 0).sum())
    return number[labels]


def encircle(ax: Axes, places: NDArray[np.floating], *, radius: float, together: float) -> None:
    """Draw dotted ellipses around groups of points (M, 2).

    radius : from a point to the ellipse around it, at least
    together : points nearer than this to another are in one group
    """
    if not len(places):
        return
    group = fcluster(linkage(places), together, "distance") if len(places) > 1 else np.ones(1, dtype=int)
    for g in np.unique(group):
        ax.add_patch(_around(places[group == g], radius))


def _around(places: NDArray[np.floating], radius: float) -> Ellipse:
    """Ellipse that holds all of the points (M, 2), along their principal axes."""
    centre = (places.min(0) + places.max(0)) / 2
    axes = np.linalg.svd(places - places.mean(0))[2] if len(places) > 2 else _along(places)
    turned = (places - centre) @ axes.T
    middle = (turned.min(0) + turned.max(0)) / 2
    half = np.maximum((turned.max(0) - turned.min(0)) / 2, 1e-9)
    grown = max(1.0, np.sqrt((((turned - middle) / half) ** 2).sum(1).max())) if len(places) > 2 else 1.0
    width, height = 2 * (half * grown + radius)
    x, y = centre + middle @ axes
    return Ellipse(
        (x, y),
        width,
        height,
        angle=float(np.degrees(np.arctan2(axes[0, 1], axes[0, 0]))),
        fill=False,
        edgecolor=INK,
        linewidth=1.1,
        linestyle=(0, (1, 1.6)),
        zorder=4,
    )


def _along(places: NDArray[np.floating]) -> NDArray[np.floating]:
    """Axes of one point, or of two: along the line between them."""
    way = places[-1] - places[0]
    way = way / np.linalg.norm(way) if way.any() else np.array([1.0, 0.0])
    return np.array([way, [-way[1], way[0]]])
