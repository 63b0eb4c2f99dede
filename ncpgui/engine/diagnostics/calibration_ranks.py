"""Simulation-based calibration: the truth is one more draw of the posterior (Talts et al., 2018).

For (c*, x) of the generative model and L draws c_1 .. c_L of q(c | x), the rank of T(c*) among the
T(c_l) is uniform on 0 .. L for every statistic T when q is the posterior. Ties are broken at random:
u = (number below + V (number equal + 1)) / (L + 1), V uniform, is then uniform on (0, 1).

Too sure a posterior has too many ranks at both ends (`spread` above 1), too unsure a one in the middle
(below 1); a rank that is high on average means draws that are too low.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import stats

from ncpgui.core.progress import Progress, silent
from ncpgui.core.seeds import stream, stream_seed
from ncpgui.engine.diagnostics.posteriors import Points, Posterior, datasets, draw, one
from ncpgui.engine.generative.batch import GenerativeModel
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM

Array = NDArray[np.float64]

Statistic = Callable[[Points, NDArray[np.int64]], Array]
"""Points of one dataset and label vectors (S, N), canonical -> (S,)."""


@dataclass(frozen=True)
class Ranks:
    """Ranks of the truth of M datasets among posterior draws, for one statistic.

    u : (M,), uniform on (0, 1) for the right posterior
    """

    u: Array

    @property
    def mean(self) -> float:
        """Mean rank: 1/2 for the right posterior, more where the draws are too low."""
        return float(self.u.mean())

    @property
    def spread(self) -> float:
        """Mean square distance from the middle, times 12: 1 for the right posterior, more where too sure."""
        return float(12 * ((self.u - 0.5) ** 2).mean())

    @property
    def p_value(self) -> float:
        """p value of the chi-square test in ten equal bins (fewer where datasets are few)."""
        n_bins = max(2, min(10, len(self.u) // 5))
        return float(stats.chisquare(np.histogram(self.u, n_bins, (0.0, 1.0))[0]).pvalue)

    def ecdf_difference(self, place: Array) -> Array:
        """Share of ranks up to each place, minus the place: (P,), 0 for the right posterior."""
        return np.searchsorted(np.sort(self.u), place, side="right") / len(self.u) - place

    def band(self, coverage: float = 0.95) -> float:
        """Half width of the band that holds the whole `ecdf_difference` with this probability.

        The exact law of the Kolmogorov-Smirnov distance of as many uniform numbers.
        """
        return float(stats.kstwo.ppf(coverage, len(self.u)))


def calibration_ranks(
    posterior: Posterior,
    model: GenerativeModel,
    *,
    n_datasets: int,
    n_points: int,
    n_samples: int,
    seed: int,
    progress: Progress = silent,
) -> dict[str, Ranks]:
    """Rank the truth of datasets of the model by each of the `statistics_of` the model."""
    batch = datasets(model, n_datasets, n_points, seed, "ranks")
    samples = draw(posterior, batch, n_samples, stream_seed(seed, "rank draws"), progress)
    ties = stream(seed, "ties")
    statistics = statistics_of(model)
    u = {name: np.empty(n_datasets) for name in statistics}
    for i, truth in enumerate(batch.labels.numpy()):
        rows = np.concatenate([truth[None], samples[i]])
        for name, statistic in statistics.items():
            values = statistic(one(batch.points, i), rows)
            u[name][i] = rank_of_first(values, ties)
    return {name: Ranks(values) for name, values in u.items()}


def statistics_of(model: GenerativeModel) -> dict[str, Statistic]:
    """Statistics whose ranks are looked at: the last one only where the model's likelihood is known."""
    known: dict[str, Statistic] = {
        "number of clusters": lambda points, labels: labels.max(axis=1) + 1.0,
        "largest cluster": lambda points, labels: _largest(labels),
        "first two together": lambda points, labels: (labels[:, 0] == labels[:, 1]).astype(float),
    }
    if isinstance(model, GaussianDPMM):
        gaussian = model
        known["log p(c, x)"] = lambda points, labels: gaussian.log_joint(
            points[0][0], torch.from_numpy(labels)
        ).numpy()
    return known


def rank_of_first(values: Array, ties: np.random.Generator) -> float:
    """u of the first of 1 + L values among the others: in (0, 1)."""
    # equal partitions reach the same log-probability by sums in another order
    same = np.isclose(values[1:], values[0], rtol=1e-9, atol=1e-9)
    below = ((values[1:] < values[0]) & ~same).sum()
    return float((below + ties.random() * (same.sum() + 1)) / len(values))


def _largest(labels: NDArray[np.int64]) -> Array:
    n_rows, n_points = labels.shape
    flat = labels + n_points * np.arange(n_rows)[:, None]
    sizes = np.bincount(flat.ravel(), minlength=n_rows * n_points)
    return sizes.reshape(n_rows, n_points).max(axis=1).astype(float)
