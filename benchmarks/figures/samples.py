"""Posterior samples of a mixture of 2D Gaussians (paper, sec. 5), with their exact probabilities."""

from __future__ import annotations

from itertools import islice

import numpy as np
import torch
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ncpgui.engine.diagnostics.posteriors import Points, posterior_of
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM

from .base import SOFT, Made, Source, bare, canvas, colour, gaussian_of
from .gibbs_chain import sweeps
from .partitions import N_ORDERS, Labels, distinct_samples, encircle, in_colours_of

MODELS = ("gauss2d",)

DATASET, N_POINTS = 8, 50
"""Seed of the dataset, drawn by the generative model; chosen for how much can be doubted in it."""
N_SHOWN = 7


def make(source: Source) -> Made:
    """Draw samples, and compare their probabilities with the exact ones."""
    checkpoint = source.load("gauss2d")
    model, posterior = gaussian_of(checkpoint), posterior_of(checkpoint.network)
    points, n_draws = dataset(model), source.amount(1000, 200)
    found = distinct_samples(posterior, points, n_draws=n_draws, seed=source.seed)
    visited, log_p = exact(model, points[0][0], found.labels, n_sweeps=source.amount(5000, 300))
    p, q = np.exp(log_p), np.exp(found.log_q)

    x = points[0][0].numpy()
    figure = canvas(5.05)
    axes = figure.subplots(2, N_SHOWN // 2 + 1).ravel()
    observations(axes[0], x)
    axes[0].set_title("observations")
    for ax, row, of_q, of_p in zip(axes[1:], found.labels, q, p, strict=False):
        clustering(ax, x, row, found.labels[0])
        ax.set_title(f"{of_q:.3f}")
        ax.set_title(f"exact {of_p:.3f}", loc="right", fontsize=9.5, fontweight="normal", color=SOFT)

    shown = slice(0, N_SHOWN)
    measured = {
        "n_points": N_POINTS,
        "n_shown": N_SHOWN,
        "n_draws": n_draws,
        "n_orders": N_ORDERS,
        "n_different": len(q),
        "q": q[shown].tolist(),
        "exact": p[shown].tolist(),
        "q_shown": float(q[shown].sum()),
        "exact_shown": float(p[shown].sum()),
        "exact_drawn": float(p.sum()),
        "least_tv": float((np.abs(p - q).sum() + 1 - p.sum()) / 2),
        "first_of_gibbs": f"number {visited + 1} of the samples" if visited >= 0 else "not among the samples",
    }
    return Made(figure, measured)


def dataset(model: GaussianDPMM) -> Points:
    """Return the points that are clustered: ((1, N, 2),)."""
    return model.sample(1, N_POINTS, torch.Generator().manual_seed(DATASET)).points


def exact(
    model: GaussianDPMM, x: torch.Tensor, labels: Labels, *, n_sweeps: int
) -> tuple[int, NDArray[np.float64]]:
    """log p(c | x) of clusterings (M, N), and the place among them of the one that a Gibbs chain finds most.

    p(c | x) = p(c, x) / p(x); of the clusterings that the chain visits often, p(x) is their joint
    probability over their frequency.
    """
    chain = sweeps(x.numpy(), model, seed=0, n_split_merge=3)
    visited = np.stack(list(islice(chain, n_sweeps // 10 + n_sweeps))[n_sweeps // 10 :])
    rows, count = np.unique(visited, axis=0, return_counts=True)
    often = count >= count.max() / 20
    log_joint = model.log_joint(x, torch.from_numpy(rows[often]))
    log_evidence = float(log_joint.logsumexp(0)) - np.log(count[often].sum() / n_sweeps)
    log_p = model.log_joint(x, torch.from_numpy(labels.astype(np.int64))).numpy() - log_evidence
    most = (labels == rows[count.argmax()]).all(1)
    return int(most.argmax()) if most.any() else -1, log_p


def observations(ax: Axes, x: NDArray[np.floating]) -> None:
    """Draw points without labels."""
    ax.scatter(x[:, 0], x[:, 1], c=SOFT, s=24, edgecolors="white", linewidths=0.5)
    _frame(ax, x)


def clustering(ax: Axes, x: NDArray[np.floating], labels: Labels, reference: Labels) -> None:
    """Draw points in the colours of their clusters; what is not as in `reference` is encircled."""
    number = in_colours_of(reference, labels)
    ax.scatter(x[:, 0], x[:, 1], c=[colour(k) for k in number], s=24, edgecolors="white", linewidths=0.5)
    encircle(ax, x[number != reference], radius=1.1, together=3.0)
    _frame(ax, x)


def _frame(ax: Axes, x: NDArray[np.floating]) -> None:
    bare(ax)
    low, high = x.min(0), x.max(0)
    middle, half = (low + high) / 2, (high - low).max() / 2 + 2.0
    ax.set(
        xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half), aspect="equal"
    )
