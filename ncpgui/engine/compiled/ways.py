"""`moving_clusters` compiled for a CPU: where a cluster was at the time of a point, and how it got there.

The row of a cluster holds, between its moments and its part of g, for each number of knots M a table
(M, V + 1) of sums weighted by hats, their weights first, and last the squares of its place in the metric. A
place is the scores (C) and then the metric (E); the first way is of all of it, the others of the scores.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ncpgui.engine.compiled.logarithm import log_of_one_more
from ncpgui.engine.compiled.options import Array, compiled_on_views

FEW_POINTS = 10  # of which little is believed of how they moved


class Ways(NamedTuple):
    """Weights of some `MovingClusters`.

    knots, values (W,) : M and V of each; share, weight (W,) : of the way that is believed, and of the mean
    into_g (sum of V, F) : of what `way_taken` writes
    """

    knots: NDArray[np.int64]
    values: NDArray[np.int64]
    share: Array
    weight: Array
    into_g: Array


@compiled_on_views
def means_and_variances(sizes: Any, sums: Array, of_metric: bool, mean: Array, variance: Array) -> None:
    """Write means of scores and metric (C + E,) of a cluster with points, and their variances.

    Variances of the scores are nothing where clusters do not know their spread, those of the metric where
    `of_metric` is false.
    """
    n_metric, n_hidden, n_scores, n_moments = sizes
    start, end = n_metric + n_hidden, len(sums) - 1 - n_hidden
    one_of = np.float32(1) / sums[-1]
    variance[:] = 0
    _write_means(sums[start : start + n_scores], one_of, mean[:n_scores])
    _write_means(sums[:n_metric], one_of, mean[n_scores:])
    if n_moments:
        _write_variances(sums[start + n_scores : start + n_moments], one_of, mean, variance[:n_scores])
    if of_metric:
        _write_variances(sums[end - n_metric : end], one_of, mean[n_scores:], variance[n_scores:])


@compiled_on_views
def _write_means(sums: Array, one_of: np.float32, mean: Array) -> None:
    for i in range(len(sums)):
        mean[i] = sums[i] * one_of


@compiled_on_views
def _write_variances(squares: Array, one_of: np.float32, mean: Array, variance: Array) -> None:
    for i in range(len(squares)):
        variance[i] = max(squares[i] * one_of - mean[i] * mean[i], np.float32(0))


@compiled_on_views
def follow(
    ways: Any, sizes: Any, sums: Array, point: Array, mean: Array, variance: Array, room: Array, told: Array
) -> None:
    """Move `mean` and `variance` of a cluster to the time of a point, one way after the other.

    room : (2, C + E), to work in; told : gets what f is told of each way, 2 V + 1
    """
    n_metric, n_hidden, n_scores, n_moments = sizes
    start = n_metric + n_hidden
    begin, at = start + n_moments, 0
    near_place, moved = room[0], room[1]
    scores_of_point = point[start : start + n_scores]
    for w in range(len(ways.knots)):
        n_values = ways.values[w]
        row = n_values + 1
        near, hats = np.float32(0), np.float32(0)
        near_place[:n_values] = 0
        for m in range(ways.knots[w]):
            knot = begin + m * row
            hat = point[knot]
            if hat != 0:  # of two knots at most
                hats += hat
                near += hat * sums[knot]
                states = sums[knot + 1 : knot + row]
                for j in range(n_values):
                    near_place[j] += hat * states[j]
        _moved(sums, begin, ways.knots[w], n_values, mean, variance, moved)
        for j in range(n_values):
            still = max(variance[j] - moved[j], np.float32(0))
            left = still + np.float32(0.1) * variance[j] + np.float32(1e-4)
            weight = ways.weight[w] * left / (moved[j] + np.float32(1e-3) * left)
            mean[j] += ways.share[w] * (near_place[j] - near * mean[j]) / (near + weight)
            variance[j] -= ways.share[w] * hats * moved[j]
        is_told = np.float32(1) if near > 0 else np.float32(0)
        of_way = told[at : at + 2 * n_values + 1]
        _write_squares(mean[:n_values], scores_of_point, is_told, of_way)
        if n_values > n_scores:
            _write_squares(mean[n_scores:n_values], point, is_told, of_way[n_scores:])
        of_moved = of_way[n_values:]
        for j in range(n_values):
            of_moved[j] = moved[j] * hats
        of_way[-1] = near
        begin += ways.knots[w] * row
        at += 2 * n_values + 1
    log_of_one_more(told[:at])


@compiled_on_views
def way_taken(ways: Any, sizes: Any, sums: Array, room: Array, taken: Array) -> None:
    """Write how much a cluster has moved, row of `into_g`; room : (3, C + E), to work in."""
    mean, variance, moved = room[0], room[1], room[2]
    means_and_variances(sizes, sums, True, mean, variance)
    begin, at = sizes[0] + sizes[1] + sizes[3], 0
    for w in range(len(ways.knots)):
        n_values = ways.values[w]
        known = np.float32(0)
        for m in range(ways.knots[w]):
            known += sums[begin + m * (n_values + 1)]
        if known > 0:
            _moved(sums, begin, ways.knots[w], n_values, mean, variance, moved)
        else:
            moved[:n_values] = 0
        for j in range(n_values):
            taken[at + j] = moved[j]
        begin += ways.knots[w] * (n_values + 1)
        at += n_values
    log_of_one_more(taken)


@compiled_on_views
def _moved(
    sums: Array, begin: int, n_knots: int, n_values: int, mean: Array, variance: Array, result: Array
) -> None:
    """Write the variance of each value of the place over time, less what noise makes of it."""
    n_known = np.float32(0)
    result[:n_values] = 0
    for m in range(n_knots):
        knot = begin + m * (n_values + 1)
        weight = sums[knot]
        if weight != 0:
            n_known += weight / (weight + np.float32(1))
            one_of = np.float32(1) / max(weight, np.float32(1e-6))
            states = sums[knot + 1 : knot + 1 + n_values]
            for j in range(n_values):
                about = states[j] - weight * mean[j]
                result[j] += about * about * one_of
    n_points = sums[-1]
    chance = max(n_known - np.float32(1), np.float32(0)) / n_points
    scale = n_points / (n_points + np.float32(FEW_POINTS)) / max(np.float32(1) - chance, np.float32(0.1))
    for j in range(n_values):
        result[j] = scale * max(result[j] / n_points - chance * variance[j], np.float32(0))


@compiled_on_views
def _write_squares(mean: Array, point: Array, factor: np.float32, result: Array) -> None:
    """Write `factor` times the squared distances (V,) along the axes of `mean` (V,) or `point`, the fewer."""
    for j in range(min(len(mean), len(point))):
        result[j] = factor * (mean[j] - point[j]) ** 2
