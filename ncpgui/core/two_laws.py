"""Two normal laws of one covariance fitted to points, against one law: how much better, and who is of which.

With points that have covariance 1 in all, two laws at a distance d, the second with share q, have the
covariance 1 - q (1 - q) d d' each. So only the axis d matters: the log odds of the second law are linear in
the place along it, and EM costs a product of the points with one vector a step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
N_STEPS, ENOUGH = 60, 1e-4
"""Steps of EM at most, and change of the share of the second law below which it ends."""
LEAST_SHARE = 0.15
"""Of spikes: a smaller law is of outliers, such as those that overlapped with spikes of others."""
LEAST_VARIANCE = 1e-9
"""Relative to the largest: directions in which points hardly differ are left out."""


@dataclass(frozen=True, eq=False)
class TwoLaws:
    """Fitted to n points.

    bic : how much better two laws are than one, by the Bayesian information criterion
    share : of the points, of the smaller one
    place : (n,) along the axis towards the smaller one; log_odds : (n,) that a point is of it
    """

    bic: float
    share: float
    place: Floats
    log_odds: Floats


def two_laws(
    points: NDArray[np.floating],
    *,
    n_dimensions: int | None = None,
    n_axes: int = 3,
    at_most: int = 4000,
    least_share: float = 0.0,
) -> TwoLaws | None:
    """Fit two laws to points (n, d), from several axes on; None where all points are the same.

    n_dimensions : principal components in which they are fitted, the largest; all when left out
    n_axes : of these, the largest, that the laws are apart along to begin with
    at_most : points that are fitted, evenly drawn; the others are placed
    least_share : of the smaller law; fits with a smaller one are taken where there are no others
    """
    used = points[np.linspace(0, len(points) - 1, min(len(points), at_most)).astype(np.int64)]
    mean = used.mean(axis=0)
    variance, axes = np.linalg.eigh(np.cov(used.T, bias=True).reshape(len(mean), len(mean)))
    variance, axes = variance[::-1][:n_dimensions], axes[:, ::-1][:, :n_dimensions]
    kept = variance > LEAST_VARIANCE * max(float(variance[0]), 1e-30)
    if not kept.any():
        return None
    white = axes[:, kept] / np.sqrt(variance[kept])
    z = (used - mean) @ white
    fits = [_fit(z, z[:, k]) for k in range(min(n_axes, z.shape[1]))]
    best = max(fits, key=lambda one: (one.share >= least_share, one.nats))
    place = (points - mean) @ white @ best.slope
    return TwoLaws(
        bic=2 * best.nats - (z.shape[1] + 1) * float(np.log(len(z))),
        share=best.share,
        place=place,
        log_odds=place + best.at_mean,
    )


@dataclass(frozen=True, eq=False)
class _Fit:
    """nats : by which two laws are better than one; slope, at_mean : log odds of the smaller one."""

    nats: float
    share: float
    slope: Floats
    at_mean: float


def _fit(z: Floats, start: Floats) -> _Fit:
    """EM from a first guess on, the sign of `start`, (n,); z : (n, d) of mean 0 and covariance 1."""
    odds = 4.0 * start
    share, left, apart, slope = -1.0, 1.0, np.zeros(z.shape[1]), np.zeros(z.shape[1])
    for _ in range(N_STEPS):
        second = 1 / (1 + np.exp(-np.clip(odds, -50, 50)))
        before, share = share, float(np.clip(second.mean(), 1e-3, 1 - 1e-3))
        was, apart = apart, (second @ z) / len(z) / (share * (1 - share))  # of the two means, around 0
        left = max(1 - share * (1 - share) * float(apart @ apart), 1e-3)
        slope = apart / left
        centre = (0.5 - share) * apart  # the middle between the two means
        odds = (z - centre) @ slope + np.log(share / (1 - share))
        if abs(share - before) < ENOUGH and float(np.abs(apart - was).max()) < ENOUGH:
            break
    away = z + share * apart  # from the mean of the first law
    # log density of the first law over that of one law, and of both together
    quadratic = (away**2).sum(axis=1) + (away @ apart) ** 2 * share * (1 - share) / left
    nats = 0.5 * ((z**2).sum(axis=1) - quadratic) - 0.5 * np.log(left) + np.log1p(-share)
    total = float((nats + np.logaddexp(0.0, odds)).sum())
    at_mean = float(np.log(share / (1 - share)) - (0.5 - share) * (apart @ slope))
    sign = 1.0 if share <= 0.5 else -1.0
    return _Fit(total, min(share, 1 - share), sign * slope, sign * at_mean)
