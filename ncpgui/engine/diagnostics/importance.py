"""Posterior draws as importance samples and as proposals (paper, sec. 1, uses ii and iii).

With the exact joint known, w_s = p(c_s, x) / q(c_s | x) for draws c_s of q. Their mean estimates p(x);
ESS / S = (sum w)^2 / (S sum w^2) is the share of draws that count (Kong, 1992); the shape k of a
generalised Pareto law fitted to the largest weights tells whether either can be trusted: k <= 0.7 yes
(PSIS: Vehtari et al., JMLR 2024; fit of Zhang & Stephens, Technometrics 2009).

Independent Metropolis-Hastings goes from c to the next draw c' with probability min(1, w' / w) and has the
exact posterior as its stationary law.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.posterior import PosteriorSamples, effective_draws
from ncpgui.core.progress import Progress, reported, silent
from ncpgui.core.seeds import stream, stream_seed
from ncpgui.engine.diagnostics.posteriors import ExactModel, Points, Posterior, datasets, one

Array = NDArray[np.float64]

PARETO_LIMIT = 0.7
FEWEST_IN_TAIL = 5


@dataclass(frozen=True)
class ImportanceWeights:
    """Weights of S draws of one posterior.

    log_weight : (S,), log p(c_s, x) - log q(c_s | x)
    ess_share : ESS / S, 1 where q is the posterior up to a factor
    pareto_k : shape of the tail of the weights; nan where too few of them are distinct to tell
    log_evidence, log_evidence_se : estimate of log p(x), and its standard error
    """

    log_weight: Array
    ess_share: float
    pareto_k: float
    log_evidence: float
    log_evidence_se: float


@dataclass(frozen=True)
class ImportanceSummary:
    """Of M datasets of `n_points`: (M,) each.

    acceptance : of independent Metropolis-Hastings with the same draws
    """

    n_points: int
    n_samples: int
    ess_share: Array
    pareto_k: Array
    acceptance: Array
    log_evidence_se: Array

    @property
    def share_not_trusted(self) -> float:
        """Share of datasets with pareto_k above 0.7, of those where it can be told; nan where of none."""
        told = self.pareto_k[np.isfinite(self.pareto_k)]
        return float((told > PARETO_LIMIT).mean()) if len(told) else math.nan


def importance_summary(
    posterior: Posterior,
    model: ExactModel,
    *,
    n_datasets: int,
    n_points: int,
    n_samples: int,
    seed: int,
    progress: Progress = silent,
) -> ImportanceSummary:
    """Weigh draws for datasets of the model."""
    batch = datasets(model, n_datasets, n_points, seed, "importance")
    rows = []
    for i in reported(range(n_datasets), progress):
        points = one(batch.points, i)
        samples = posterior.sample(points, n_samples, stream_seed(seed, "importance draws", i))
        if np.isnan(samples.log_prob).any():  # clusterwise networks tell it when asked
            samples = PosteriorSamples(samples.labels, posterior.log_prob(points, samples.labels))
        weights = importance_weights(samples, points, model)
        chain = independent_metropolis_hastings(weights.log_weight, seed=stream_seed(seed, "chain", i))
        moved = float((np.diff(chain) != 0).mean()) if n_samples > 1 else 1.0
        rows.append((weights.ess_share, weights.pareto_k, moved, weights.log_evidence_se))
    ess, k, acceptance, se = np.array(rows).reshape(n_datasets, 4).T
    return ImportanceSummary(n_points, n_samples, ess, k, acceptance, se)


def importance_weights(samples: PosteriorSamples, points: Points, model: ExactModel) -> ImportanceWeights:
    """Weigh independent draws of q, whose log-probabilities are in `samples`, by the exact joint.

    Of spikes of a recording the joint is that of the model, not nature's: a small k says that the draws stand
    for the model's posterior.

    Raises
    ------
    InputError
        Draws without a log-probability, that are weighted already, of other points, or all ruled out by the
        model.
    """
    if not np.isfinite(samples.log_prob).all():
        raise InputError(
            "draws without a log-probability cannot be weighed; take those of 'ancestral_samples' of a "
            "pointwise network, not swept"
        )
    if not np.allclose(samples.weight, samples.weight[0]):
        raise InputError(
            "draws that have weights already cannot be weighed; draw without links between spikes"
        )
    x = points[0][0].cpu()
    if samples.n_points != len(x):
        raise InputError(f"draws are of {samples.n_points} points, but there are {len(x)}")
    log_joint = model.log_joint(x, torch.from_numpy(samples.labels.astype(np.int64))).numpy()
    if not np.isfinite(log_joint).any():
        raise InputError("every draw has more clusters than the model can have; raise its k_max")
    return weights_of(log_joint - samples.log_prob)


def weights_of(log_weight: Array) -> ImportanceWeights:
    """Summarise the weights (S,) of draws, given as logarithms."""
    n = len(log_weight)
    top = float(log_weight.max())
    w = np.exp(log_weight - top)
    mean = float(w.mean())
    se = float(w.std(ddof=1) / math.sqrt(n) / mean) if n > 1 else math.nan  # of log mean, to first order
    ess_share = effective_draws(w) / n
    return ImportanceWeights(log_weight, ess_share, pareto_k(log_weight), top + math.log(mean), se)


def pareto_k(log_weight: Array) -> float:
    """Shape of the generalised Pareto law of the largest weights; nan where too few stand out.

    The tail is the largest min(S / 5, 3 sqrt(S)) weights, as in PSIS; of clusterings many are equal, and
    only those above the largest one outside the tail count.
    """
    n = len(log_weight)
    n_tail = math.ceil(min(0.2 * n, 3 * math.sqrt(n)))
    if n_tail < FEWEST_IN_TAIL:
        return math.nan
    w = np.sort(np.exp(log_weight - log_weight.max()))
    excess = w[-n_tail:] - w[-n_tail - 1]
    excess = excess[excess > 1e-9]  # equal weights differ by rounding
    if len(excess) < FEWEST_IN_TAIL:
        return math.nan
    k, _ = generalised_pareto(excess)
    return (len(excess) * k + 10 * 0.5) / (len(excess) + 10)  # prior of PSIS: ten draws at k = 1/2


def generalised_pareto(excess: Array) -> tuple[float, float]:
    """Shape k and scale sigma of the law with density (1 + k x / sigma)^(-1/k - 1) / sigma, x > 0.

    The nearly Bayesian estimate of Zhang & Stephens (2009): with b = -k / sigma, the profile likelihood
    l(b) = n (log(-b / k(b)) - k(b) - 1), k(b) = mean log(1 - b x), weighs a grid of b, whose mean gives k.

    Parameters
    ----------
    excess : (n,), positive
    """
    x = np.sort(excess)
    n = len(x)
    n_grid = 30 + int(math.sqrt(n))
    quartile = x[int(n / 4 + 0.5) - 1]
    grid = 1 - np.sqrt(n_grid / (np.arange(1, n_grid + 1) - 0.5))
    b = 1 / x[-1] + grid / (3 * quartile)
    k = np.log1p(-b[:, None] * x).mean(axis=1)
    likelihood = n * (np.log(-b / k) - k - 1)
    weight = np.exp(likelihood - likelihood.max())
    b_mean = float((b * weight).sum() / weight.sum())
    shape = float(np.log1p(-b_mean * x).mean())
    return shape, -shape / b_mean


def independent_metropolis_hastings(log_weight: Array, *, seed: int) -> NDArray[np.int64]:
    """Walk through independent draws of q, given log w of each, the first of them the start.

    Returns
    -------
    (S,) int64, the draw at which the chain is after each proposal; the state after proposal s is draw s
    where it was accepted
    """
    log_u = np.log(stream(seed, "metropolis").random(len(log_weight)))
    chain = np.zeros(len(log_weight), dtype=np.int64)
    here = 0
    for s in range(1, len(log_weight)):
        if log_u[s] < log_weight[s] - log_weight[here]:
            here = s
        chain[s] = here
    return chain
