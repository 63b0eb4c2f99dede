"""How much a posterior depends on the order in which the network saw the spikes, which should not matter.

A true posterior is the same in every order; a network's is nearly so on spikes like those that it was
trained on, and less so on others (docs/method/diagnostics.md has the figures). So the spread between orders
says of any recording, without a likelihood, how far its probabilities can be trusted.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.arguments import number
from ncpgui.core.posterior import PosteriorSamples

N_ORDERS = 8
"""Orders of the points over which samplers divide their draws."""

STEADY, SHAKY = 0.06, 0.1
"""Spreads up to which probabilities are steady, and from which on they are not to be trusted."""

Trust = Literal["steady", "unsteady", "shaky"]

_MIN_SAMPLES = 10  # of each order, on average
_N_COMPARED = 250
_AT_ONCE = 1 << 20
"""Draws times clusters times points that are counted in one product of matrices."""


def order_spread(posterior: PosteriorSamples) -> float | None:
    """Spread between orders of the probability that two points share a cluster.

    The standard deviation between orders, less what the finite number of samples of each adds, as a root
    mean square over all pairs of up to 250 points.

    Returns
    -------
    0 .. 0.6, or None where it cannot be told: one point, orders that are not known, a single one, fewer than
    10 samples of each, or samples drawn with unequal weights. What other evidence weighs (`drawn_weight`) is
    left aside: this is about the network, and samples that it did not draw are too
    """
    if posterior.drawn_weight is not None and not posterior.drawn_weight.all():
        posterior = posterior.subset(np.flatnonzero(posterior.drawn_weight))
    labels, n_points = posterior.labels, posterior.n_points
    drawn = posterior.weight if posterior.drawn_weight is None else posterior.drawn_weight
    if posterior.order is None or n_points < 2 or np.ptp(drawn) > 1e-12:
        return None
    orders, n_of_order = np.unique(posterior.order, return_counts=True)
    if len(orders) < 2 or len(labels) < _MIN_SAMPLES * len(orders) or n_of_order.min() < 2:
        return None
    chosen = np.linspace(0, n_points - 1, min(n_points, _N_COMPARED)).astype(int)
    pairs = np.triu_indices(len(chosen), 1)
    few = labels[:, chosen]
    p = np.stack([_together(few[posterior.order == order])[pairs] for order in orders])
    by_chance = (p * (1 - p) / (n_of_order[:, None] - 1)).mean(axis=0)
    return float(np.sqrt(max(0.0, (p.var(axis=0, ddof=1) - by_chance).mean())))


def _together(rows: NDArray[np.integer]) -> NDArray[np.float64]:
    """Share of the draws in which two points share a cluster: (m, m); rows : (S, m)."""
    n_draws, n_points = rows.shape
    clusters = np.arange(int(rows.max()) + 1)[:, None]
    counts = np.zeros((n_points, n_points))
    step = max(1, _AT_ONCE // (len(clusters) * n_points))
    for first in range(0, n_draws, step):
        is_in = (rows[first : first + step, None] == clusters).reshape(-1, n_points).astype(np.float32)
        counts += is_in.T @ is_in
    return counts / len(rows)


def trust(spread: float) -> Trust:
    """What a spread means; InputError where it is no number.

    >>> [trust(spread) for spread in (0.04, 0.08, 0.2)]
    ['steady', 'unsteady', 'shaky']
    """
    spread = number(spread, "the spread")
    return "steady" if spread <= STEADY else "unsteady" if spread < SHAKY else "shaky"
