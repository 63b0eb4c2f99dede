"""Proposals of sweeps answered by a compiled network, one after the other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from ncpgui.engine.networks.compiled_ncp import (
    add_own_state,
    candidate_inputs,
    scores,
    value_inputs,
)
from ncpgui.engine.networks.compiled_options import FAST, Array

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
    """Proposals (R,), in their turn, as `sweeps` makes them; `taken` (R,) : where a point went."""

    sample: Ints
    point: Ints
    there: Ints
    odds: Array
    luck: Array
    taken: Ints


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def take(w: Any, samples: Samples, proposed: Proposed, start: int) -> int:
    """Answer proposals from `start` on; return the first for which a sample lacks an empty slot.

    `taken` of each gets the slot to which its point has moved, -1 where it stays.
    """
    n_columns, n_hidden = samples.sums.shape[2], samples.parts.shape[2]
    without, joined = np.empty(n_columns, np.float32), np.empty(n_columns, np.float32)
    value = np.empty((1, n_hidden), np.float32)
    inputs = np.empty((2, w.into_f.shape[0]), np.float32)
    first, hidden = np.empty((2, n_hidden), np.float32), np.empty((2, n_hidden), np.float32)
    score = np.empty(2, np.float32)
    for r in range(start, len(proposed.sample)):
        i, point, there = proposed.sample[r], proposed.point[r], proposed.there[r]
        own, sums, parts = samples.labels[i, point], samples.sums[i], samples.parts[i]
        joins, total = samples.joins[point], samples.total[i]
        for j in range(n_columns):
            without[j] = sums[own, j] - joins[j]
        is_alone = without[-1] < 0.5
        if is_alone:
            without[:] = 0  # no trace of rounding where nothing is left
        _value(w, without, hidden[:1], value)
        for side in range(2):
            slot = own if side == 0 else there
            cluster = without if side == 0 else sums[slot]
            if (side == 0 and is_alone) or slot < 0:
                inputs[side] = 0
            else:
                candidate_inputs(w, cluster, joins, inputs[side])
        np.dot(inputs, w.into_f, first)
        for side in range(2):
            slot = own if side == 0 else there
            if (side == 0 and is_alone) or slot < 0:
                first[side] = w.f_new
            else:
                add_own_state(w, without if side == 0 else sums[slot], first[side])
        for j in range(n_hidden):
            everything = total[j] - parts[own, j] + value[0, j] + samples.context[point, j]
            first[0, j] = max(everything + first[0, j], np.float32(0))
            first[1, j] = max(everything + first[1, j], np.float32(0))
        scores(w, first, hidden, score)
        proposed.taken[r] = -1
        if not proposed.luck[r] < score[1] - score[0] + proposed.odds[r]:
            continue
        if there < 0:
            there = 0
            while there < len(sums) and sums[there, -1] > 0.5:
                there += 1
            if there == len(sums):
                return r
        for j in range(n_hidden):
            total[j] += value[0, j] - parts[own, j]
            parts[own, j] = value[0, j]
        for j in range(n_columns):
            sums[own, j] = without[j]
            joined[j] = sums[there, j] + joins[j]
        _value(w, joined, hidden[:1], value)
        for j in range(n_hidden):
            total[j] += value[0, j] - parts[there, j]
            parts[there, j] = value[0, j]
        sums[there] = joined
        samples.labels[i, point] = there
        proposed.taken[r] = there
    return len(proposed.sample)


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def _value(w: Any, sums: Array, inputs: Array, value: Array) -> None:
    """Value (1, F) of one cluster, zero where it is empty."""
    if sums[-1] < 0.5:
        value[:] = 0
    else:
        value_inputs(w, sums, inputs[0])
        np.dot(inputs, w.g_out, value)
