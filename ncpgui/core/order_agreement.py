"""How much a posterior depends on the order in which the network saw the spikes, which should not matter.

A true posterior is the same in every order; a network's is nearly so on spikes like those that it was
trained on, and less so on others (docs/diagnostics.md has the figures). So the spread between orders says
of any recording, without a likelihood, how far its probabilities can be trusted.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ncpgui.core.posterior import PosteriorSamples

N_ORDERS = 8
"""Orders of the points over which samples are divided in turn: sample s is of order s % N_ORDERS."""

STEADY, SHAKY = 0.06, 0.1
"""Spreads up to which probabilities are steady, and from which on they are not to be trusted."""

Trust = Literal["steady", "unsteady", "shaky"]

_MIN_SAMPLES = 10 * N_ORDERS
_N_COMPARED = 250


def order_spread(posterior: PosteriorSamples) -> float | None:
    """Spread between orders of the probability that two points share a cluster.

    The standard deviation between orders, less what the finite number of samples of each adds, as a root
    mean square over all pairs of up to 250 points.

    Returns
    -------
    0 .. 0.6, or None where it cannot be told: one point, fewer than 80 samples, or samples of unequal weight,
    which were drawn in another way
    """
    labels, n_points = posterior.labels, posterior.n_points
    if n_points < 2 or len(labels) < _MIN_SAMPLES or np.ptp(posterior.weight) > 1e-12:
        return None
    chosen = np.linspace(0, n_points - 1, min(n_points, _N_COMPARED)).astype(int)
    first, second = (chosen[index] for index in np.triu_indices(len(chosen), 1))
    together = labels[:, first] == labels[:, second]
    p = np.stack([together[order::N_ORDERS].mean(axis=0) for order in range(N_ORDERS)])
    n_each = np.array([len(labels[order::N_ORDERS]) for order in range(N_ORDERS)])[:, None]
    by_chance = (p * (1 - p) / (n_each - 1)).mean(axis=0)
    return float(np.sqrt(max(0.0, (p.var(axis=0, ddof=1) - by_chance).mean())))


def trust(spread: float) -> Trust:
    """What a spread means.

    >>> [trust(spread) for spread in (0.04, 0.08, 0.2)]
    ['steady', 'unsteady', 'shaky']
    """
    return "steady" if spread <= STEADY else "unsteady" if spread < SHAKY else "shaky"
