"""Proposals of sweeps answered by a compiled network: those of a sample in turn, of some samples at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ncpgui.engine.compiled.ncp import (
    AT_ONCE,
    add_own_state,
    candidate_inputs,
    scores,
    values,
)
from ncpgui.engine.compiled.options import Array, compiled, compiled_on_views, copy_row

_LANES = AT_ONCE // 2
"""Samples answered at a time: the next proposal of each takes two rows of a product."""
Ints = NDArray[np.int64]


class Samples(NamedTuple):
    """Samples and their clusters, changed in place.

    labels (S, N) : slot of each point; sums (S, M, J), parts (S, M, F) : of the points in each slot, and the
        network's value of it, zero where it is empty; total (S, F) : of the parts
    joins (N, J), context (N, F) : of each point, with all others assigned
    """

    labels: Ints
    sums: Array
    parts: Array
    total: Array
    joins: Array
    context: Array


class Proposed(NamedTuple):
    """Proposals (R,), those of a sample in their turn."""

    point: Ints
    there: Ints
    odds: Array
    luck: Array


@compiled
def take(w: Any, samples: Samples, proposed: Proposed, turn: Ints, end: Ints) -> bool:
    """Answer proposals, those of a sample in their turn, of some samples at a time; tell whether all are.

    turn (S,) : the next proposal of each sample, moved on; end (S,) : behind its last. Where a sample lacks
    an empty slot, the answer is false, and the proposal is the next of its sample.
    """
    n_columns, n_hidden = samples.sums.shape[2], samples.parts.shape[2]
    n_lanes, upcoming = 0, 0
    lanes = np.empty(_LANES, np.int64)
    without, joined = np.empty((_LANES, n_columns), np.float32), np.empty((1, n_columns), np.float32)
    value, of_value = np.empty((_LANES, n_hidden), np.float32), np.empty((_LANES, n_hidden), np.float32)
    taken = np.empty((_LANES, w.ways.into_g.shape[0]), np.float32)
    inputs = np.empty((2 * _LANES, w.into_f.shape[0]), np.float32)
    first, hidden = np.empty((2 * _LANES, n_hidden), np.float32), np.empty((2 * _LANES, n_hidden), np.float32)
    products, row_of = np.empty_like(first), np.empty(2 * _LANES, np.int64)
    score, room = np.empty(2 * _LANES, np.float32), np.empty((4, w.sizes[2] + w.sizes[0]), np.float32)
    while True:
        n_left = 0
        for lane in range(n_lanes):
            if turn[lanes[lane]] < end[lanes[lane]]:
                lanes[n_left] = lanes[lane]
                n_left += 1
        while n_left < _LANES and upcoming < len(turn):
            if turn[upcoming] < end[upcoming]:
                lanes[n_left] = upcoming
                n_left += 1
            upcoming += 1
        n_lanes = n_left
        if n_lanes == 0:
            return True
        n_rows = 0
        for lane in range(n_lanes):
            i = lanes[lane]
            point, there = proposed.point[turn[i]], proposed.there[turn[i]]
            own, joins = samples.labels[i, point], samples.joins[point]
            for j in range(n_columns):
                without[lane, j] = samples.sums[i, own, j] - joins[j]
            if without[lane, -1] < 0.5:
                without[lane] = 0  # no trace of rounding where nothing is left
            for side in range(2):
                cluster = without[lane] if side == 0 or there < 0 else samples.sums[i, there]
                row_of[2 * lane + side] = -1
                if cluster[-1] > 0.5 and (side == 0 or there >= 0):
                    candidate_inputs(w, cluster, joins, inputs[n_rows], room)
                    row_of[2 * lane + side] = n_rows
                    n_rows += 1
        values(w, without[:n_lanes], taken[:n_lanes], of_value[:n_lanes], room, value[:n_lanes])
        np.dot(inputs[:n_rows], w.into_f, products[:n_rows])
        for lane in range(n_lanes):
            i = lanes[lane]
            point, there = proposed.point[turn[i]], proposed.there[turn[i]]
            own = samples.labels[i, point]
            for side in range(2):
                row = 2 * lane + side
                if row_of[row] < 0:
                    copy_row(w.f_new, first[row])
                else:
                    copy_row(products[row_of[row]], first[row])
                    add_own_state(w, without[lane] if side == 0 else samples.sums[i, there], first[row])
            for j in range(n_hidden):
                everything = samples.total[i, j] - samples.parts[i, own, j] + value[lane, j]
                everything += samples.context[point, j]
                first[2 * lane, j] = max(everything + first[2 * lane, j], np.float32(0))
                first[2 * lane + 1, j] = max(everything + first[2 * lane + 1, j], np.float32(0))
        scores(w, first[: 2 * n_lanes], hidden[: 2 * n_lanes], score)
        for lane in range(n_lanes):
            i = lanes[lane]
            r = turn[i]
            if proposed.luck[r] < score[2 * lane + 1] - score[2 * lane] + proposed.odds[r]:
                there = _slot(samples.sums[i], proposed.there[r])
                if there < 0:
                    return False
                point = proposed.point[r]
                own = samples.labels[i, point]
                for j in range(n_columns):
                    joined[0, j] = samples.sums[i, there, j] + samples.joins[point, j]
                _put(samples, i, own, without[lane], value[lane])
                values(w, joined, taken[:1], of_value[:1], room, value[lane : lane + 1])
                _put(samples, i, there, joined[0], value[lane])
                samples.labels[i, point] = there
            turn[i] += 1


@compiled_on_views
def _slot(sums: Array, there: int) -> int:
    """The slot that is proposed; the first empty one for a new cluster, -1 if there is none."""
    if there >= 0:
        return there
    for slot in range(len(sums)):
        if sums[slot, -1] < 0.5:
            return slot
    return -1


@compiled_on_views
def _put(samples: Samples, i: int, slot: int, sums: Array, value: Array) -> None:
    """Give a slot of sample `i` other sums and the value of these."""
    for j in range(len(value)):
        samples.total[i, j] += value[j] - samples.parts[i, slot, j]
        samples.parts[i, slot, j] = value[j]
    for j in range(len(sums)):
        samples.sums[i, slot, j] = sums[j]
