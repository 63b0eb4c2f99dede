"""Units that hide a second cell, of which the draws of a component know nothing.

Of two cells with nearly the same waveform the network may be sure that they are one. Whether the spikes of a
unit are two heaps is asked again of their waveforms, by the difference in BIC between one normal law and two
of the same covariance (`core.two_laws`). Where a second one hides, nothing is said of its share of the spikes
but that it is the smaller one: the share is uniform, and its spikes are those farthest on its side of the
axis between them. A cell whose waveforms are the same shows in firing times alone (`hidden_trains`), which
weigh both. Draws that have a unit as two already count for that (`sorting.second_cells`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Component
from ncpgui.core.two_laws import LEAST_SHARE, two_laws
from ncpgui.evidence.hidden_trains import hidden_train_nats

Floats = NDArray[np.float64]
AT_LEAST = 60
"""Spikes under which nothing is said."""
NATS_AGAINST, NATS_FOR = 1 / 15, 1 / 100
"""Log odds of two cells for each unit of BIC below 0 and above: not a half, since waveforms are no normal
numbers. What is not normal in the waveforms of one cell looks like a second one."""
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
        p = beyond_draws(with_times(p, by_times), p_two(component, in_use[component.sampled] == unit))
        if p >= LEAST_P:
            found[unit] = SecondCell(p, component.spike_ids[rows[np.argsort(place, kind="stable")]])
    return found


def p_two(component: Component, points: NDArray[np.bool_]) -> float:
    """P(some points are two units of which neither is small), by the draws of their component.

    points : (m,) which of the sampled spikes
    """
    n = int(points.sum())
    if n == 0:
        return 0.0
    posterior = component.posterior
    largest = np.array([np.bincount(row).max() for row in posterior.rows[:, points]])
    return float(posterior.weight[n - largest >= LEAST_SHARE * n].sum())


def beyond_draws(p: float, p_of_draws: float) -> float:
    """P(a unit hides a second cell where the draws have it as one), so that it is two with `p` in all."""
    return max(0.0, (p - p_of_draws) / (1 - p_of_draws)) if p_of_draws < 1 else 0.0


def with_times(p_heaps: float, nats: float) -> float:
    """P(a unit hides a second cell), by heaps of its waveforms, or with the same waveforms; and by times.

    nats : log Bayes factor of two cells by their firing times
    """
    odds = (p_heaps / max(1 - p_heaps, 1e-12) + SAME_SHAPE) * np.exp(nats)
    return float(odds / (1 + odds))


def two_heaps(points: Floats) -> tuple[float, Floats]:
    """P(points are two heaps), and the place of each from the larger towards the smaller: (n,)."""
    n, n_dimensions = points.shape
    fitted = two_laws(points) if n >= max(AT_LEAST, 4 * n_dimensions) else None
    if fitted is None:
        return 0.0, np.zeros(n)
    nats = fitted.bic * (NATS_FOR if fitted.bic > 0 else NATS_AGAINST)
    p = 0.0 if fitted.share < LEAST_SHARE else float(1 / (1 + np.exp(-np.clip(nats, -50, 50))))
    return p, fitted.place
