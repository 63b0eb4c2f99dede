"""`PairContext.in_orders` compiled for a CPU: pairs are looked at while they lie in its cache."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.engine.compiled.options import Array, compiled

_POINTS_AT_ONCE = 128


@compiled
def seen_in_orders(
    seen: Array, seeing: Array, metric: Array, apart: Array, place: NDArray[np.int64]
) -> Array:
    """Sum of r over the points after each in each order.

    Parameters
    ----------
    seen, seeing, metric (N, S) : tables of the points; apart (2 S, S) : from squared and absolute distance
    place (P, N) : of each point in each order

    Returns
    -------
    (P, N, S)
    """
    n_points, size = seen.shape
    inputs = np.empty((_POINTS_AT_ONCE, 2 * size), np.float32)
    r = np.empty((_POINTS_AT_ONCE, size), np.float32)
    after = np.empty((len(place), _POINTS_AT_ONCE), np.float32)
    part = np.empty((len(place), size), np.float32)
    total = np.zeros((len(place), n_points, size), np.float32)
    for start in range(0, n_points, _POINTS_AT_ONCE):
        stop = min(start + _POINTS_AT_ONCE, n_points)
        inputs[stop - start :] = 0
        after[:, stop - start :] = 0
        for n in range(n_points):
            for i in range(stop - start):
                row = inputs[i]
                for j in range(size):
                    distance = metric[n, j] - metric[start + i, j]
                    row[j] = distance * distance
                    row[size + j] = abs(distance)
            np.dot(inputs, apart, r)
            for i in range(stop - start):
                for j in range(size):
                    r[i, j] = max(r[i, j] + seeing[n, j] + seen[start + i, j], np.float32(0))
            for p in range(len(place)):
                for i in range(stop - start):
                    after[p, i] = np.float32(1) if place[p, start + i] > place[p, n] else np.float32(0)
            np.dot(after, r, part)
            for p in range(len(place)):
                for j in range(size):
                    total[p, n, j] += part[p, j]
    return total
