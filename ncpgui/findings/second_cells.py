"""Units that hide a second cell, of which the draws of the network know nothing.

Of two cells with nearly the same waveform the network may be sure that they are one. Whether the spikes of a
unit are two heaps is asked again of their waveforms, by the difference in BIC between one normal law and two
of the same covariance. Where a second one hides, nothing is said of its share of the spikes but that it is
the smaller one: the share is uniform, and its spikes are those farthest on its side of the axis between them.
A cell whose waveforms are the same shows in firing times alone (`hidden_trains`), which weigh both.

With waveforms that have covariance 1 in all, two laws at a distance d, the second with share q, have the
covariance 1 - q (1 - q) d d' each. So only the axis d matters: the log odds of the second law are linear in
the place along it, and EM costs a product of the waveforms with one vector a step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Component
from ncpgui.findings.hidden_trains import hidden_train_nats

Floats = NDArray[np.float64]
AT_MOST, AT_LEAST = 4000, 60
"""Spikes that are looked at, and under which nothing is said."""
N_STEPS, N_AXES = 60, 3
NATS_AGAINST, NATS_FOR = 1 / 15, 1 / 100
"""Log odds of two cells for each unit of BIC below 0 and above: not a half, since waveforms are no normal
numbers. What is not normal in the waveforms of one cell looks like a second one."""
LEAST_SHARE = 0.15
"""Smaller heaps are outliers."""
LEAST_P = 0.01
SAME_SHAPE = 0.05
"""Odds that a unit hides a cell whose waveforms are the same, whatever waveforms say."""


@dataclass(frozen=True, eq=False)
class SecondCell:
    """Of a unit. p : that it hides one; ids : (n,) spikes of the unit, those most of the first cell first."""

    p: float
    ids: NDArray[np.int64]

    def drawn(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Spikes of the second cell in one draw, none where there is none."""
        if rng.random() >= self.p:
            return self.ids[:0]
        return self.ids[round(len(self.ids) * rng.uniform(0.5, 1.0)) :]


def second_cells(
    component: Component,
    coordinates: NDArray[np.floating],
    in_use: NDArray[np.int64],
    fired: NDArray[np.integer],
    *,
    sampling_frequency_hz: float,
) -> dict[int, SecondCell]:
    """Units of a component that may hide a second cell.

    coordinates : (n, d) of the waveforms of its spikes; in_use : (n,) unit of each, -1 = none
    fired : (n,) samples of its spikes, not decreasing, as far apart as they were in time (`Clock.apart`)
    """
    found = {}
    for unit in np.unique(in_use[in_use >= 0]).tolist():
        rows = np.flatnonzero(in_use == unit)
        p, place = two_heaps(coordinates[rows].astype(np.float64))
        by_times = hidden_train_nats(fired[rows], sampling_frequency_hz)
        p = with_times(p, by_times)
        if p >= LEAST_P:
            found[unit] = SecondCell(p, component.spike_ids[rows[np.argsort(place, kind="stable")]])
    return found


def with_times(p_heaps: float, nats: float) -> float:
    """P(a unit hides a second cell), by heaps of its waveforms, or with the same waveforms; and by times.

    nats : log Bayes factor of two cells by their firing times
    """
    odds = (p_heaps / max(1 - p_heaps, 1e-12) + SAME_SHAPE) * np.exp(nats)
    return float(odds / (1 + odds))


def two_heaps(points: Floats) -> tuple[float, Floats]:
    """P(points are two heaps), and the place of each from the larger towards the smaller: (n,)."""
    n, n_dimensions = points.shape
    if n < max(AT_LEAST, 4 * n_dimensions):
        return 0.0, np.zeros(n)
    used = points[np.linspace(0, n - 1, min(n, AT_MOST)).astype(np.int64)]
    mean = used.mean(axis=0)
    variance, axes = np.linalg.eigh(np.cov(used.T, bias=True).reshape(n_dimensions, n_dimensions))
    kept = variance > 1e-9 * max(float(variance.max()), 1e-30)
    if not kept.any():
        return 0.0, np.zeros(n)
    white = axes[:, kept] / np.sqrt(variance[kept])
    z = (used - mean) @ white
    fits = [_fit(z, z[:, -1 - k]) for k in range(min(N_AXES, z.shape[1]))]
    gained, share, axis = max(fits, key=lambda one: one[0])
    bic = 2 * gained - (z.shape[1] + 1) * np.log(len(z))
    nats = bic * (NATS_FOR if bic > 0 else NATS_AGAINST)
    p = 0.0 if share < LEAST_SHARE else float(1 / (1 + np.exp(-np.clip(nats, -50, 50))))
    return p, (points - mean) @ white @ axis


def _fit(z: Floats, start: Floats) -> tuple[float, float, Floats]:
    """Nats by which two laws are better than one, share of the smaller, and the axis towards it.

    z : (n, d) of mean 0 and covariance 1; start : (n,) what the first guess is the sign of
    """
    odds = 4.0 * start
    share, left, apart, slope = 0.5, 1.0, np.zeros(z.shape[1]), np.zeros(z.shape[1])
    for _ in range(N_STEPS):
        second = 1 / (1 + np.exp(-np.clip(odds, -50, 50)))
        share = float(np.clip(second.mean(), 1e-3, 1 - 1e-3))
        apart = (second @ z) / len(z) / (share * (1 - share))  # of the two means, which lie around 0
        left = max(1 - share * (1 - share) * float(apart @ apart), 1e-3)
        slope = apart / left
        centre = (0.5 - share) * apart  # the middle between the two means
        odds = (z - centre) @ slope + np.log(share / (1 - share))
    first = -share * apart
    away = z - first
    # log density of the first law over that of one law, and of both together
    quadratic = (away**2).sum(axis=1) + (away @ apart) ** 2 * share * (1 - share) / left
    nats = 0.5 * ((z**2).sum(axis=1) - quadratic) - 0.5 * np.log(left) + np.log1p(-share)
    total = float((nats + np.logaddexp(0.0, odds)).sum())
    sign = 1.0 if share <= 0.5 else -1.0
    return total, min(share, 1 - share), sign * slope
