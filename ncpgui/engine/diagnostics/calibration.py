"""Do probabilities of sharing a cluster, and of the number of clusters, come true?

Over datasets of the generative model, all pairs of points with predicted p_ij = share of posterior
draws with c_i = c_j against the truth: reliability in bins of equal mass, expected calibration error
ECE = sum_b w_b |mean p - share true| (Naeini et al., AAAI 2015), Brier score mean (p - t)^2, log score.
Nearly all pairs are trivial and hide errors, so the hard ones, .02 < p < .98, count for themselves.

Credible sets of K: the fewest most probable numbers of clusters that hold 90 %. Since K is discrete they
hold more than that; right ones contain the truth as often as the mass they hold. Where the last number of
each set counts only for the share of it that makes the set hold 90 % and no more, as if it were taken into
the set at random, right ones contain the truth in 90 % of cases.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from ncpgui.core.progress import Progress, silent
from ncpgui.core.seeds import stream_seed
from ncpgui.engine.diagnostics.posteriors import Posterior, datasets, draw
from ncpgui.engine.generative.batch import GenerativeModel

Array = NDArray[np.float64]

HARD = (0.02, 0.98)
LEVEL = 0.9
"""Of credible sets of the number of clusters."""
N_GROUPS = 20
"""Groups of datasets that standard errors are made of."""


@dataclass(frozen=True)
class Reliability:
    """Predicted probabilities of yes-or-no events against what happened.

    predicted, observed, count : (B,), of each bin: mean probability, share that came true, events
    ece : expected calibration error; brier, log_score : mean (p - t)^2, mean -log p(t) in nats
    slope : b of the fit logit P(t) = a + b logit p (Cox, 1958): 1 where right, below 1 where too sure,
        above 1 where too unsure
    bias : mean p minus share that came true; of pairs, positive where clusters are merged
    ece_se, slope_se, bias_se : standard errors, None where nothing tells them
    """

    predicted: Array
    observed: Array
    count: NDArray[np.int64]
    ece: float
    brier: float
    log_score: float
    slope: float
    bias: float
    ece_se: float | None = None
    slope_se: float | None = None
    bias_se: float | None = None


@dataclass(frozen=True)
class Coverage:
    """Credible sets of K, the fewest numbers of clusters that hold `level` of the posterior.

    coverage : share of the sets that contain the true K; mean_mass : posterior that they hold, a mean
    exact_coverage : the same where the last number of each set counts for the share of it that makes the set
        hold exactly `level`
    mean_k_error : K of a posterior sample minus the true K, a mean
    """

    level: float
    coverage: float
    mean_mass: float
    exact_coverage: float
    mean_k_error: float


@dataclass(frozen=True)
class Calibration:
    """Of all pairs, of the hard ones (None where there are none), and of the number of clusters."""

    n_datasets: int
    n_points: int
    n_samples: int
    all_pairs: Reliability
    hard_pairs: Reliability | None
    k: Coverage


def calibration(
    posterior: Posterior,
    model: GenerativeModel,
    *,
    n_datasets: int,
    n_points: int,
    n_samples: int,
    seed: int,
    progress: Progress = silent,
) -> Calibration:
    """Sample datasets of the model and compare what the draws promise with the truth."""
    batch = datasets(model, n_datasets, n_points, seed, "calibration")
    samples = draw(posterior, batch, n_samples, stream_seed(seed, "calibration draws"), progress)
    return against_truth(samples, batch.labels.numpy())


def against_truth(samples: NDArray[np.integer], truth: NDArray[np.integer]) -> Calibration:
    """Compare posterior draws (M, S, N) with the true clusterings (M, N), both canonical."""
    n_datasets, n_samples, n_points = samples.shape
    p = np.concatenate([co_assignment(rows) for rows in samples])
    together = np.concatenate([co_assignment(row[None]) for row in truth]) > 0.5
    dataset = np.repeat(np.arange(n_datasets), len(p) // n_datasets)
    hard = (p > HARD[0]) & (p < HARD[1])
    floor = 0.5 / n_samples  # the least that so many draws can tell from 0
    return Calibration(
        n_datasets,
        n_points,
        n_samples,
        with_errors(p, together, dataset, floor=floor),
        with_errors(p[hard], together[hard], dataset[hard], floor=floor) if hard.any() else None,
        coverage_of_k(samples.max(axis=2) + 1, truth.max(axis=1) + 1),
    )


def with_errors(
    p: Array, happened: NDArray[np.bool_], dataset: NDArray[np.integer], *, floor: float
) -> Reliability:
    """`reliability` with standard errors: the events of one dataset (E,) are right or wrong together.

    By the jackknife over groups of datasets, of which each is left out in turn.
    """
    whole = reliability(p, happened, floor=floor)
    datasets = np.unique(dataset)
    groups = np.array_split(datasets, min(N_GROUPS, len(datasets)))
    if len(groups) < 2:
        return whole
    kept = [~np.isin(dataset, group) for group in groups]
    parts = [reliability(p[rest], happened[rest], floor=floor) for rest in kept]

    def error(name: str) -> float:
        values = np.array([getattr(part, name) for part in parts])
        return float(np.sqrt((len(parts) - 1) * values.var()))

    return replace(whole, ece_se=error("ece"), slope_se=error("slope"), bias_se=error("bias"))


def co_assignment(labels: NDArray[np.integer]) -> Array:
    """Share of label vectors (S, N) in which each pair i < j of points is together: (N (N - 1) / 2,)."""
    i, j = np.triu_indices(labels.shape[1], 1)
    together = np.zeros(len(i))
    for row in labels:
        together += row[i] == row[j]
    return together / len(labels)


def reliability(
    p: Array, happened: NDArray[np.bool_], *, n_bins: int = 10, floor: float = 1e-3
) -> Reliability:
    """Compare probabilities (E,) with what happened (E,), in bins of equal numbers of events.

    floor : log scores and the slope take probabilities from `floor` to 1 - `floor`
    """
    predicted, observed, count = _in_bins(p, happened, n_bins)
    return Reliability(
        predicted,
        observed,
        count,
        ece=_ece(predicted, observed, count),
        brier=float(np.square(p - happened).mean()),
        log_score=log_score(p, happened, floor=floor),
        slope=calibration_slope(p.clip(floor, 1 - floor), happened),
        bias=float(p.mean() - happened.mean()),
    )


def log_score(p: Array, happened: NDArray[np.bool_], *, floor: float) -> float:
    """Mean -log p of what is true, nats, of probabilities (E,) taken from `floor` to 1 - `floor`."""
    return float(-np.log(np.where(happened, p, 1 - p).clip(floor, 1 - floor)).mean())


def expected_calibration_error(p: Array, happened: NDArray[np.bool_], *, n_bins: int = 10) -> float:
    """Return the `ece` of `reliability`, fitting nothing."""
    return _ece(*_in_bins(p, happened, n_bins))


def _in_bins(p: Array, happened: NDArray[np.bool_], n_bins: int) -> tuple[Array, Array, NDArray[np.int64]]:
    """Mean probability, share that came true and number of the events in each bin."""
    order = np.argsort(p, kind="stable")
    bins = [part for part in np.array_split(order, n_bins) if len(part)]
    return (
        np.array([p[part].mean() for part in bins]),
        np.array([happened[part].mean() for part in bins]),
        np.array([len(part) for part in bins], dtype=np.int64),
    )


def _ece(predicted: Array, observed: Array, count: NDArray[np.int64]) -> float:
    return float((count * np.abs(predicted - observed)).sum() / count.sum())


def calibration_slope(p: Array, happened: NDArray[np.bool_]) -> float:
    """Slope b of the logistic fit of what happened on logit p, 0 < p < 1, by maximum likelihood.

    One event's worth of a prior at a = 0, b = 1 keeps it finite where the fit would be perfect.
    """
    value, place = np.unique(p, return_inverse=True)
    n = np.bincount(place).astype(np.float64)
    n_true = np.bincount(place, weights=happened)
    logit = np.log(value) - np.log1p(-value)
    design = np.stack([np.ones_like(logit), logit])
    prior = np.array([0.0, 1.0])

    def loss(fit: Array) -> tuple[float, Array]:
        score = fit @ design
        nll = (n * np.logaddexp(0, score) - n_true * score).sum() + np.square(fit - prior).sum() / 2
        gradient = design @ (n * expit(score) - n_true) + fit - prior
        return float(nll / n.sum()), gradient / n.sum()

    return float(minimize(loss, prior, jac=True, method="BFGS").x[1])


def coverage_of_k(k: NDArray[np.integer], truth: NDArray[np.integer]) -> Coverage:
    """Coverage of credible sets of K from its draws (M, S), given the true K (M,).

    mean_k_error is the mean of drawn minus true K: negative where clusters are merged.
    """
    held, mass, exact = [], [], []
    for draws, true_k in zip(k, truth, strict=True):
        value, count = np.unique(draws, return_counts=True)
        order = np.argsort(-count, kind="stable")
        total = count[order].cumsum() / len(draws)
        last = int(np.searchsorted(total, LEVEL - 1e-12))
        p_last = count[order[last]] / len(draws)
        held.append(true_k in value[order[: last + 1]])
        mass.append(total[last])
        too_much = (total[last] - LEVEL) / p_last if true_k == value[order[last]] else 0.0
        exact.append(held[-1] - too_much)
    return Coverage(
        LEVEL,
        float(np.mean(held)),
        float(np.mean(mass)),
        float(np.mean(exact)),
        float((k - truth[:, None]).mean()),
    )
