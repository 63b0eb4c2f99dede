"""`ClusterAwareNCP` compiled for a CPU: the same numbers, without what torch takes for each small tensor.

A step of a sampler asks of a few clusters a few hundred operations, each done faster than torch calls it.
Here they are loops, and products of `AT_ONCE` rows.

A cluster is a row of sums of what its points carry: metric (E), part of f (F), moments (C or 2 C), what
follows motion where points tell their times (`compiled.ways`), part of g (F), and their number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from ncpgui.engine.compiled.options import FAST, Array
from ncpgui.engine.compiled.products import product
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


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def candidate_inputs(w: Any, sums: Array, point: Array, inputs: Array, room: Array) -> None:
    """Row of `into_f` for a cluster `sums` and a point: what compares them; room (4, C + E) : to work in."""
    n_metric, n_hidden, n_scores, n_moments = w.sizes
    start, at = n_metric + n_hidden, 2 * n_metric
    mean, variance = room[0], room[1]
    means_and_variances(w.sizes, sums, len(w.ways.knots) > 0, mean, variance)
    distances = inputs[len(inputs) - w.n_of_distance :]
    if w.n_of_distance:
        _write_distance(w, sums[-1], mean, variance, point, distances[1::2])
    if len(w.ways.knots):
        told = at + 2 * n_scores + n_moments
        follow(w.ways, w.sizes, sums, point, mean, variance, room[2:], inputs[told:])
    for i in range(n_metric):
        apart = mean[n_scores + i] - point[i]
        inputs[i] = apart * apart
        inputs[n_metric + i] = abs(apart)
    for i in range(n_scores):
        squared = (mean[i] - point[start + i]) ** 2
        inputs[at + i] = np.log(np.float32(1) + squared)
        inputs[at + n_scores + i] = squared / (1 + squared)
        if n_moments:
            spread = _spread(w, sums[-1], variance[i], i)
            inputs[at + 2 * n_scores + i] = np.log(np.float32(1) + squared / spread)
            inputs[at + 3 * n_scores + i] = np.log(spread)
    if w.n_of_distance:
        _write_distance(w, sums[-1], mean, variance, point, distances[::2])


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def _spread(w: Any, n_points: np.float32, variance: np.float32, i: int) -> np.float32:
    """Variance of a cluster along axis i; that of few points is drawn to a learnt one."""
    known = n_points * max(variance, np.float32(0)) + np.float32(PRIOR_POINTS) * w.spread[i]
    spread: np.float32 = known / (n_points + np.float32(PRIOR_POINTS))
    return spread


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def _write_distance(
    w: Any, n_points: np.float32, mean: Array, variance: Array, point: Array, told: Array
) -> None:
    """Write the log and the size (2,) of the squared distance on all scores in units of the spread."""
    start, distance = w.sizes[0] + w.sizes[1], np.float32(0)
    for i in range(w.sizes[2]):
        distance += (mean[i] - point[start + i]) ** 2 / _spread(w, n_points, variance[i], i)
    told[0] = np.log(np.float32(1) + distance)
    told[1] = min(distance, np.float32(MOST_DISTANT)) / np.float32(DISTANCE_UNIT)


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def add_own_state(w: Any, sums: Array, candidate: Array) -> None:
    """Add to the product of `candidate_inputs` and `into_f` what the cluster says by itself."""
    n_metric = w.sizes[0]
    one_of, log_count = np.float32(1) / sums[-1], np.log(sums[-1])
    for j in range(len(candidate)):
        candidate[j] += sums[n_metric + j] * one_of + w.f_count[j] * log_count + w.f_bias[j]


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def values(w: Any, sums: Array, taken: Array, inputs: Array, room: Array, value: Array) -> None:
    """Value (R, F) of clusters (R, J), R at most `AT_ONCE`; zero where they are empty.

    taken (R, sum of V), inputs (R, F), room (4, C + E) : to work in
    """
    start = sums.shape[1] - 1 - inputs.shape[1]
    if len(w.ways.knots):
        for r in range(len(sums)):
            if sums[r, -1] < 0.5:
                taken[r] = 0
            else:
                way_taken(w.ways, w.sizes, sums[r], room, taken[r])
        product(taken, w.ways.into_g, inputs)
    else:
        inputs[:] = 0
    for r in range(len(sums)):
        if sums[r, -1] < 0.5:
            inputs[r] = 0
            continue
        one_of, log_count = np.float32(1) / sums[r, -1], np.log(sums[r, -1])
        for j in range(inputs.shape[1]):
            first = sums[r, start + j] * one_of + w.g_count[j] * log_count + w.g_bias[j]
            inputs[r, j] = max(inputs[r, j] + first, np.float32(0))
    product(inputs, w.g_out, value)


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def scores(w: Any, first: Array, hidden: Array, result: Array) -> None:
    """f of its first layer (R <= AT_ONCE, F) after the non-linearity; `hidden` (R, F) is room to work in."""
    product(first, w.f_hidden, hidden)
    for r in range(len(first)):
        total = np.float32(0)
        for j in range(first.shape[1]):
            total += w.f_out[j] * max(first[r, j] + hidden[r, j] + w.f_hidden_bias[j], np.float32(0))
        result[r] = total * w.sharpness
