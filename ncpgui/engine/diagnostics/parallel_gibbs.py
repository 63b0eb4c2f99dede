"""Collapsed Gibbs sampling of many chains side by side: the fastest rival that numpy allows.

In each chain (Neal, J. Comput. Graph. Stat. 2000, algorithm 3) one point after the other leaves its cluster
and joins one again. All chains visit the same point at a time, so that the fixed cost of an operation is
shared by S chains as it is by S samples of a network.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.partition import canonical
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


def parallel_sweeps(x: Array, model: GaussianDPMM, start: Labels, *, seed: int) -> Iterator[Labels]:
    """Yield the clusterings (S, N), canonical, after each sweep of all S chains, without end.

    Parameters
    ----------
    x : (N, D), points; start : (S, N), clusterings to begin with
    """
    chains = _Chains(np.asarray(x, dtype=np.float64), model, canonical(start), np.random.default_rng(seed))
    while True:
        uniform = chains.random.random((len(x), len(start)))
        for i in range(len(x)):
            chains.visit(i, uniform[i])
        yield canonical(chains.labels)


class _Chains:
    """S chains with the number and the sum of the points in each of K slots; one slot at least is empty."""

    def __init__(self, x: Array, model: GaussianDPMM, start: Labels, random: np.random.Generator) -> None:
        n_chains, n_points = start.shape
        self.x, self.labels, self.random = x, start.copy(), random
        log_weight = model.prior.log_weight(n_points).numpy()
        self.log_new = np.concatenate(
            [[0.0], np.diff(log_weight[1:])]
        )  # of opening a cluster beside K others
        self.ratio = model.settings.sigma_mu**2 / model.settings.sigma**2
        self.scale = 0.5 / model.settings.sigma**2
        self.row = np.arange(n_chains)
        one_hot = (start[:, None] == np.arange(start.max() + 2)[:, None]).astype(np.float64)
        self.n, self.total = one_hot.sum(2), one_hot @ x
        size = np.arange(n_points + 2.0)
        self.shrink = self.scale * self.ratio / (1 + size * self.ratio)
        self.penalty = 0.5 * x.shape[1] * np.log1p(size * self.ratio)
        with np.errstate(divide="ignore"):
            self.log_size = np.log(size)

    def visit(self, i: int, uniform: Array) -> None:
        """Let point i leave its cluster and join one again, in every chain."""
        row, point = self.row, self.x[i]
        now = self.labels[:, i]
        self.n[row, now] -= 1
        self.total[row, now] -= point
        size = self.n.astype(np.int64)
        empty = size == 0
        new = empty.argmax(1)
        grown = self.total + point
        score = self.log_size[size] + self.penalty[size] - self.penalty[size + 1]
        score += self.shrink[size + 1] * np.einsum("skd,skd->sk", grown, grown)
        score -= self.shrink[size] * np.einsum("skd,skd->sk", self.total, self.total)
        alone = self.shrink[1] * (point @ point) - self.penalty[1]
        score[row, new] = self.log_new[(~empty).sum(1)] + alone
        cumulative = np.exp(score - score.max(1, keepdims=True)).cumsum(1)
        chosen = (cumulative <= (uniform * cumulative[:, -1])[:, None]).sum(1)
        self.labels[:, i] = chosen
        self.n[row, chosen] += 1
        self.total[row, chosen] += point
        if not (self.n == 0).any(1).all():
            self.n = np.pad(self.n, ((0, 0), (0, 1)))
            self.total = np.pad(self.total, ((0, 0), (0, 1), (0, 0)))


def effective_sample_size(traces: Array) -> float:
    """Independent draws that traces (S, T) of two chains or more are worth (Vehtari et al., 2021, eq. 10).

    Where chains disagree their draws are correlated, however little each chain's own: chains that stay
    where they began are worth one draw each at most.
    """
    n_chains, n = traces.shape
    centred = traces - traces.mean(1, keepdims=True)
    spectrum = np.abs(np.fft.rfft(centred, 2 * n, axis=1)) ** 2
    covariance = (np.fft.irfft(spectrum, axis=1)[:, :n] / n).mean(0)
    within = covariance[0] * n / (n - 1)
    between = traces.mean(1).var(ddof=1)
    total = covariance[0] + between
    if total == 0:
        return float(n_chains * n)  # all chains agree all the time
    correlation = 1 - (within - covariance) / total
    pairs = correlation[: n // 2 * 2].reshape(-1, 2).sum(1)
    negative = np.flatnonzero(pairs < 0)
    kept = pairs[: negative[0]] if len(negative) else pairs
    return float(min(n_chains * n, n_chains * n / max(2 * kept.sum() - 1, 1e-12)))
