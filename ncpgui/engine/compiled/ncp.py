"""`ClusterAwareNCP` compiled for a CPU: the same numbers, without what torch takes for each small tensor.

A step of a sampler asks of a few clusters a few hundred operations, each done faster than torch calls it.
Here they are loops, and products of `AT_ONCE` rows.

A cluster is a row of sums of what its points carry: metric (E), part of f (F), moments (C or 2 C), what
follows motion where points tell their times (`compiled.ways`), part of g (F), and their number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ncpgui.engine.compiled.logarithm import log
from ncpgui.engine.compiled.options import Array, compiled, compiled_on_views
from ncpgui.engine.compiled.ways import Ways, follow, means_and_variances, way_taken

PRIOR_POINTS = 3  # points that the learnt spread counts beside those of a cluster
DISTANCE_UNIT, MOST_DISTANT = 16.0, 256.0  # of a squared distance as f sees it: its unit, and where it ends
AT_ONCE = 24
"""Rows of a product: so many that what is done for a product as a whole takes no time to speak of."""


class Weights(NamedTuple):
    """Weights of a network, float32, in the order in which rows are multiplied by them.

    sizes : E, F, C, and 2 C if clusters know their spread, else 0
    into_f (2 E + 2 C + (2 C) + ..., F) : from squared and absolute distance in the metric, of the scores the
        log and share of theirs, and both of them in units of the spread; of what each of `ways` tells; of the
        distances on all scores at once
    f_count, f_bias, f_new, f_out, g_count, g_bias (F,) ; f_hidden, g_out (F, F) ; f_hidden_bias (F,)
    spread (C,) : variance of a cluster of which no point is known ; sharpness : that multiplies scores
    n_of_distance : numbers at the end of a row of `into_f` that tell distances on all scores, 0 for none
    ways : how clusters move, none for points that do not tell their times
    """

    sizes: tuple[int, int, int, int]
    into_f: Array
    f_count: Array
    f_bias: Array
    f_new: Array
    f_hidden: Array
    f_hidden_bias: Array
    f_out: Array
    g_count: Array
    g_bias: Array
    g_out: Array
    spread: Array
    sharpness: np.float32
    n_of_distance: int
    ways: Ways


@compiled_on_views
def candidate_inputs(w: Any, sums: Array, point: Array, inputs: Array, room: Array) -> None:
    """Row of `into_f` for a cluster `sums` and a point: what compares them; room (4, C + E) : to work in."""
    n_metric, n_hidden, n_scores, n_moments = w.sizes
    start, at = n_metric + n_hidden, 2 * n_metric
    mean, variance, scores_of_point = room[0], room[1], point[start : start + n_scores]
    means_and_variances(w.sizes, sums, len(w.ways.knots) > 0, mean, variance)
    distances = inputs[len(inputs) - w.n_of_distance :]
    if w.n_of_distance:
        _write_distance(sums[-1], mean, variance, w.spread, scores_of_point, distances[1::2])
    if len(w.ways.knots):
        told = at + 2 * n_scores + n_moments
        follow(w.ways, w.sizes, sums, point, mean, variance, room[2:], inputs[told:])
    for i in range(n_metric):
        apart = mean[n_scores + i] - point[i]
        inputs[i] = apart * apart
        inputs[n_metric + i] = abs(apart)
    for i in range(n_scores):
        squared = (mean[i] - scores_of_point[i]) ** 2
        inputs[at + i] = log(np.float32(1) + squared)
        inputs[at + n_scores + i] = squared / (np.float32(1) + squared)
        if n_moments:
            spread = _spread(sums[-1], variance[i], w.spread[i])
            inputs[at + 2 * n_scores + i] = log(np.float32(1) + squared / spread)
            inputs[at + 3 * n_scores + i] = log(spread)
    if w.n_of_distance:
        _write_distance(sums[-1], mean, variance, w.spread, scores_of_point, distances[::2])


@compiled_on_views
def _spread(n_points: np.float32, variance: np.float32, learnt: np.float32) -> np.float32:
    """Variance of a cluster along an axis; that of few points is drawn to a learnt one."""
    known = n_points * max(variance, np.float32(0)) + np.float32(PRIOR_POINTS) * learnt
    spread: np.float32 = known / (n_points + np.float32(PRIOR_POINTS))
    return spread


@compiled_on_views
def _write_distance(
    n_points: np.float32, mean: Array, variance: Array, learnt: Array, point: Array, told: Array
) -> None:
    """Write the log and the size (2,) of the squared distance on all scores (C,) in units of the spread."""
    distance = np.float32(0)
    for i in range(len(point)):
        distance += (mean[i] - point[i]) ** 2 / _spread(n_points, variance[i], learnt[i])
    told[0] = log(np.float32(1) + distance)
    told[1] = min(distance, np.float32(MOST_DISTANT)) / np.float32(DISTANCE_UNIT)


@compiled_on_views
def add_own_state(w: Any, sums: Array, candidate: Array) -> None:
    """Add to the product of `candidate_inputs` and `into_f` what the cluster says by itself."""
    n_metric = w.sizes[0]
    one_of, log_count = np.float32(1) / sums[-1], log(sums[-1])
    own = sums[n_metric : n_metric + len(candidate)]
    for j in range(len(candidate)):
        candidate[j] += own[j] * one_of + w.f_count[j] * log_count + w.f_bias[j]


@compiled
def values(w: Any, sums: Array, taken: Array, inputs: Array, room: Array, value: Array) -> None:
    """Value (R, F) of clusters (R, J), R at most `AT_ONCE`; zero where they are empty.

    taken (R, sum of V), inputs (R, F), room (4, C + E) : to work in
    """
    if len(w.ways.knots):
        _ways_taken(w, sums, room, taken)
        np.dot(taken, w.ways.into_g, inputs)
    else:
        inputs[:] = 0
    _first_of_g(w, sums, inputs)
    np.dot(inputs, w.g_out, value)


@compiled_on_views
def _ways_taken(w: Any, sums: Array, room: Array, taken: Array) -> None:
    """Write how much each cluster has moved, nothing for empty ones."""
    for r in range(len(sums)):
        if sums[r, -1] < 0.5:
            taken[r] = 0
        else:
            way_taken(w.ways, w.sizes, sums[r], room, taken[r])


@compiled_on_views
def _first_of_g(w: Any, sums: Array, inputs: Array) -> None:
    """Add to `inputs` (R, F) what else g is told of clusters; apply the non-linearity."""
    n_hidden = inputs.shape[1]
    for r in range(len(sums)):
        if sums[r, -1] < 0.5:
            inputs[r] = 0
            continue
        one_of, log_count = np.float32(1) / sums[r, -1], log(sums[r, -1])
        own, to = sums[r, sums.shape[1] - 1 - n_hidden : -1], inputs[r]
        for j in range(n_hidden):
            first = own[j] * one_of + w.g_count[j] * log_count + w.g_bias[j]
            to[j] = max(to[j] + first, np.float32(0))


@compiled
def scores(w: Any, first: Array, hidden: Array, result: Array) -> None:
    """f of its first layer (R <= AT_ONCE, F) after the non-linearity; `hidden` (R, F) is room to work in."""
    np.dot(first, w.f_hidden, hidden)
    _last_of_f(first, hidden, w.f_hidden_bias, w.f_out, w.sharpness, result)


@compiled_on_views
def _last_of_f(
    first: Array, hidden: Array, bias: Array, out: Array, sharpness: np.float32, result: Array
) -> None:
    for r in range(len(first)):
        total, one, other = np.float32(0), first[r], hidden[r]
        for j in range(len(one)):
            total += out[j] * max(one[j] + other[j] + bias[j], np.float32(0))
        result[r] = total * sharpness
