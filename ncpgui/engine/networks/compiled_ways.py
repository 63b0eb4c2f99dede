"""`moving_clusters` compiled for a CPU: where a cluster was at the time of a point, and how it got there.

The row of a cluster holds, between its moments and its part of g, for each number of knots M a table
(M, V + 1) of sums weighted by hats, their weights first, and last the squares of its place in the metric. A
place is the scores (C) and then the metric (E); the first way is of all of it, the others of the scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numba
import numpy as np
import torch
from numpy.typing import NDArray

from ncpgui.engine.networks.compiled_options import FAST, Array
from ncpgui.engine.networks.moving_clusters import FEW_POINTS, SHARE_UNIT, MovingClusters


class Ways(NamedTuple):
    """Weights of some `MovingClusters`.

    knots, values (W,) : M and V of each; share, weight (W,) : of the way that is believed, and of the mean
    into_g (sum of V, F)
    """

    knots: NDArray[np.int64]
    values: NDArray[np.int64]
    share: Array
    weight: Array
    into_g: Array


def ways_of(moving: Sequence[MovingClusters], n_hidden: int) -> Ways:
    """Weights as the functions of this module take them."""
    with torch.no_grad():
        into_g = [one.to_g.weight.T for one in moving] or [torch.zeros(0, n_hidden)]
        return Ways(
            np.array([one.n_knots for one in moving], np.int64),
            np.array([one.n_values for one in moving], np.int64),
            np.array([SHARE_UNIT * float(one.share) for one in moving], np.float32),
            np.array([float(one.log_weight.exp()) for one in moving], np.float32),
            np.ascontiguousarray(torch.cat(into_g).float().numpy()),
        )


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def means_and_variances(sizes: Any, sums: Array, of_metric: bool, mean: Array, variance: Array) -> None:
    """Write means of scores and metric (C + E,) of a cluster with points, and their variances.

    Variances of the scores are nothing where clusters do not know their spread, those of the metric where
    `of_metric` is false.
    """
    n_metric, n_hidden, n_scores, n_moments = sizes
    start, squares = n_metric + n_hidden, len(sums) - 1 - n_hidden - n_metric
    one_of = np.float32(1) / sums[-1]
    variance[:] = 0
    for i in range(n_scores):
        mean[i] = sums[start + i] * one_of
        if n_moments:
            square = sums[start + n_scores + i] * one_of
            variance[i] = max(square - mean[i] * mean[i], np.float32(0))
    for i in range(n_metric):
        mean[n_scores + i] = sums[i] * one_of
        if of_metric:
            square = sums[squares + i] * one_of
            variance[n_scores + i] = max(square - mean[n_scores + i] ** 2, np.float32(0))


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def follow(
    ways: Any, sizes: Any, sums: Array, point: Array, mean: Array, variance: Array, told: Array
) -> None:
    """Move `mean` and `variance` of a cluster to the time of a point, one way after the other.

    told : gets what f is told of each way, 2 V + 1
    """
    n_metric, n_hidden, n_scores, n_moments = sizes
    start = n_metric + n_hidden
    begin, at = start + n_moments, 0
    for w in range(len(ways.knots)):
        n_values = ways.values[w]
        row = n_values + 1
        near, hats = np.float32(0), np.float32(0)
        for m in range(ways.knots[w]):
            hat = point[begin + m * row]
            hats += hat
            near += hat * sums[begin + m * row]
        for j in range(n_values):
            x = point[start + j] if j < n_scores else point[j - n_scores]
            place = np.float32(0)
            for m in range(ways.knots[w]):
                place += point[begin + m * row] * sums[begin + m * row + 1 + j]
            moved = _moved(sums, begin, ways.knots[w], row, j, mean[j], variance[j])
            left = max(variance[j] - moved, np.float32(0)) + np.float32(0.1) * variance[j] + np.float32(1e-4)
            weight = ways.weight[w] * left / (moved + np.float32(1e-3) * left)
            mean[j] += ways.share[w] * (place - near * mean[j]) / (near + weight)
            variance[j] -= ways.share[w] * hats * moved
            told[at + j] = np.log1p((mean[j] - x) ** 2) if near > 0 else np.float32(0)
            told[at + n_values + j] = np.log1p(moved * hats)
        told[at + 2 * n_values] = np.log1p(near)
        begin += ways.knots[w] * row
        at += 2 * n_values + 1


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def add_way_taken(ways: Any, sizes: Any, sums: Array, first: Array) -> None:
    """Add to the first layer of g (F,) how much a cluster has moved."""
    mean, variance = np.empty((2, sizes[2] + sizes[0]), np.float32)
    means_and_variances(sizes, sums, True, mean, variance)
    begin, at = sizes[0] + sizes[1] + sizes[3], 0
    for w in range(len(ways.knots)):
        row = ways.values[w] + 1
        known = np.float32(0)
        for m in range(ways.knots[w]):
            known += sums[begin + m * row]
        if known > 0:
            for j in range(ways.values[w]):
                taken = np.log1p(_moved(sums, begin, ways.knots[w], row, j, mean[j], variance[j]))
                for i in range(len(first)):
                    first[i] += taken * ways.into_g[at + j, i]
        begin += ways.knots[w] * row
        at += ways.values[w]


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def _moved(sums: Array, begin: int, n_knots: int, row: int, j: int, mean: Any, variance: Any) -> Any:
    """Variance of value `j` of the place over time, less what noise makes of it."""
    between, n_known = np.float32(0), np.float32(0)
    for m in range(n_knots):
        weight = sums[begin + m * row]
        about = sums[begin + m * row + 1 + j] - weight * mean
        between += about * about / max(weight, np.float32(1e-6))
        n_known += weight / (weight + np.float32(1))
    chance = max(n_known - np.float32(1), np.float32(0)) / sums[-1]
    moved = max(between / sums[-1] - chance * variance, np.float32(0)) / max(
        np.float32(1) - chance, np.float32(0.1)
    )
    return moved * (sums[-1] / (sums[-1] + np.float32(FEW_POINTS)))
