"""How many spikes of a sorting are expected to be in a wrong unit.

In one draw each unit stands for at most one cluster, and each cluster for at most one unit, so that as many
spikes as possible are right. The others are wrong: those of the smaller part of a unit that the draw cuts,
those of the smaller of two units that it has as one, and single spikes that it has elsewhere. The
expectation is over the draws by their weights. Spikes of no unit are not counted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FEW_UNITS = 8
"""Of which all sets are gone through; 2 to the power of this many."""


def stands_for(labels: NDArray[np.integer], sampled: NDArray[np.integer]) -> NDArray[np.float64]:
    """Spikes that each sampled one stands for: those of its unit for each that was sampled of it: (m,).

    labels : (n,) unit of each spike, -1 = none; sampled : (m,) positions among them
    """
    unit = labels + 1
    n_all = np.bincount(unit)
    n_sampled = np.bincount(unit[sampled], minlength=len(n_all))
    return np.asarray((n_all / np.maximum(n_sampled, 1))[unit[sampled]], dtype=np.float64)


def wrong_in_draws(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Spikes in a wrong unit if each draw were true: (S,).

    table : spikes by draw, its cluster and unit, (S, C, K)
    """
    if table.shape[2] == 0:
        return np.zeros(len(table))
    ordered = np.sort(table.argmax(axis=1), axis=1)  # cluster that each unit would have: (S, K)
    right = table.max(axis=1).sum(axis=1)
    shared = (np.diff(ordered, axis=1) == 0).any(axis=1)
    right[shared] = most_right(table[shared])
    return np.maximum(table.sum(axis=(1, 2)) - right, 0)


def most_right(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Most spikes that are right when no two units have one cluster: (S,); table : (S, C, K).

    Cluster after cluster, the most for each set of units that may have had one of them.
    """
    n_draws, n_clusters, n_units = table.shape
    if n_units > FEW_UNITS:
        from scipy.optimize import linear_sum_assignment  # the window opens without it

        pairs = [linear_sum_assignment(one, maximize=True) for one in table]
        return np.array([one[pair].sum() for one, pair in zip(table, pairs, strict=True)])
    units = np.arange(1 << n_units)
    best = np.zeros((n_draws, len(units)))
    for cluster in range(n_clusters):
        before = best.copy()
        for unit in range(n_units):
            without = units[units & (1 << unit) == 0]
            after = before[:, without] + table[:, cluster, unit, None]
            best[:, without | (1 << unit)] = np.maximum(best[:, without | (1 << unit)], after)
    return best[:, -1]
