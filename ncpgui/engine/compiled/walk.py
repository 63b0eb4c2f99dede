"""Ancestral draws of a compiled network, over the points of one dataset in one order.

Draws that have chosen the same so far are one hypothesis: the network is asked once for all of them, and
about a cluster once for all hypotheses that have it. When they choose differently, the hypothesis parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ncpgui.engine.compiled.ncp import (
    AT_ONCE,
    Weights,
    add_own_state,
    candidate_inputs,
    scores,
    values,
)
from ncpgui.engine.compiled.options import Array, compiled, compiled_on_views, copy_row

_POINTS_AT_ONCE = 64  # between reports of progress
_FEWEST_NODES = 32  # for which room is made
Ints = NDArray[np.int64]


class _State(NamedTuple):
    """Draws in hypotheses, and the clusters that these have; node 0 is the empty cluster. Changed in place.

    hypothesis (R,) : of each draw; n_hypotheses (1,)
    slots (R, K) : node of each cluster of a hypothesis; n_clusters (R,)
    sums (C, J), parts (C, F) : of each node, its sums and its value; candidate (C, F) : with the next point
    n_uses (C,) : hypotheses that have it, 0 of free ones; free (C,), n_free (1,) : their list
    asked, parted (C,) : last point for which its candidate, its child were made; child (C,) : node with it
    """

    hypothesis: Ints
    n_hypotheses: Ints
    slots: Ints
    n_clusters: Ints
    sums: Array
    parts: Array
    candidate: Array
    n_uses: Ints
    free: Ints
    n_free: Ints
    asked: Ints
    parted: Ints
    child: Ints


def _before_all(n_rows: int, n_columns: int, n_hidden: int) -> _State:
    """All draws before the first point."""
    empty = _State(
        hypothesis=np.zeros(n_rows, np.int64),
        n_hypotheses=np.ones(1, np.int64),
        slots=np.zeros((n_rows, 4), np.int64),
        n_clusters=np.zeros(n_rows, np.int64),
        sums=np.zeros((1, n_columns), np.float32),
        parts=np.zeros((1, n_hidden), np.float32),
        candidate=np.zeros((1, n_hidden), np.float32),
        n_uses=np.ones(1, np.int64),
        free=np.zeros(1, np.int64),
        n_free=np.zeros(1, np.int64),
        asked=np.full(1, -1),
        parted=np.full(1, -1),
        child=np.zeros(1, np.int64),
    )
    return _with_room(empty)


def _with_room(state: _State) -> _State:
    """Room for as many new nodes as there are draws, or more, and for one more cluster of each."""
    n_before, n_free = len(state.sums), int(state.n_free[0])
    n_more = max(n_before, len(state.hypothesis), _FEWEST_NODES)
    longer = {}
    for name in ("sums", "parts", "candidate", "n_uses", "free", "asked", "parted", "child"):
        old = getattr(state, name)
        filler = np.full((n_more, *old.shape[1:]), -1 if name in ("asked", "parted") else 0, old.dtype)
        longer[name] = np.concatenate([old, filler])
    longer["free"][n_free : n_free + n_more] = np.arange(n_before, n_before + n_more)
    longer["n_free"] = state.n_free + n_more
    if int(state.n_clusters.max()) == state.slots.shape[1]:
        longer["slots"] = np.concatenate([state.slots, np.zeros_like(state.slots)], axis=1)
    return state._replace(**longer)


def draw_in_order(
    weights: Weights,
    joins: Array,
    context: Array,
    held: Ints,
    uniform: Array,
    report: Callable[[int], None],
) -> tuple[Ints, NDArray[np.float64]]:
    """Draw labels (R, N) and log q (R,) in one order.

    joins (N, J), context (N, F) : of the points as they are visited; uniform (R, N)
    held (R, M) : labels of the first points of each draw, -1 where they are free
    report : called with the number of points done, now and then
    """
    n_rows, n_points = uniform.shape
    state = _before_all(n_rows, joins.shape[1], context.shape[1])
    labels = np.empty((n_rows, n_points), np.int64)
    log_prob = np.zeros(n_rows)
    forced = np.full((n_rows, n_points), -1)
    forced[:, : held.shape[1]] = held[:, :n_points]
    n = 0
    while n < n_points:
        report(n)
        stop = min(n + _POINTS_AT_ONCE, n_points)
        reached = _walk_on(weights, joins, context, forced, uniform, n, stop, state, labels, log_prob)
        if reached < stop:
            state = _with_room(state)
        n = reached
    return labels, log_prob


@compiled
def _walk_on(
    w: Any,
    joins: Array,
    context: Array,
    forced: Ints,
    uniform: Array,
    start: int,
    stop: int,
    state: _State,
    labels: Ints,
    log_prob: NDArray[np.float64],
) -> int:
    """Place points `start` to `stop`; return the first one that was not placed, for lack of room."""
    n_rows, n_slots = len(state.hypothesis), state.slots.shape[1]
    begin = np.zeros(n_rows + 1, np.int64)  # of the choices of each hypothesis
    log_q = np.empty(n_rows * (n_slots + 1), np.float32)
    goes = np.empty(len(log_q), np.int64)  # the hypothesis in which a choice goes on
    nodes = np.empty(len(state.sums), np.int64)
    moved = np.empty((n_rows, 2), np.int64)
    for n in range(start, stop):
        count = state.n_hypotheses[0]
        if state.n_free[0] < n_rows or state.n_clusters[:count].max() == n_slots:
            return n
        n_nodes = _list_choices(state, n, begin, nodes)
        _candidates(w, state.sums, nodes[:n_nodes], joins[n], state.candidate)
        _log_conditionals(w, state.slots, begin[: count + 1], state.parts, state.candidate, context[n], log_q)
        goes[: begin[count]] = -1
        n_moved = _choose(
            state, forced[:, n], uniform[:, n], begin, log_q, goes, labels[:, n], log_prob, moved
        )
        n_nodes = _join(state, n, joins[n], moved[:n_moved], nodes)
        _values(w, state.sums, nodes[:n_nodes], state.parts)
    return stop


@compiled_on_views
def _list_choices(state: _State, n: int, begin: Ints, nodes: Ints) -> int:
    """Write where the choices of each hypothesis begin, and the `nodes` of all of them; return how many."""
    n_nodes = 0
    for h in range(state.n_hypotheses[0]):
        begin[h + 1] = begin[h] + state.n_clusters[h] + 1
        for k in range(state.n_clusters[h]):
            node = state.slots[h, k]
            if state.asked[node] != n:
                state.asked[node] = n
                nodes[n_nodes] = node
                n_nodes += 1
    return n_nodes


@compiled_on_views
def _choose(
    state: _State,
    forced: Ints,
    uniform: Array,
    begin: Ints,
    log_q: Array,
    goes: Ints,
    labels: Ints,
    log_prob: NDArray[np.float64],
    moved: Ints,
) -> int:
    """Choose for each draw, and part hypotheses whose draws choose differently.

    Return how many hypotheses have chosen; `moved` (R, 2) are which, and their choices.
    """
    n_moved = 0
    for r in range(len(state.hypothesis)):
        h = state.hypothesis[r]
        first, last = begin[h], begin[h + 1]
        k = forced[r] if forced[r] >= 0 else _drawn(log_q[first:last], uniform[r])
        labels[r] = k
        log_prob[r] += log_q[first + k]
        if goes[first + k] < 0:  # the first that chooses this: in place, or in a new hypothesis
            target = h
            for other in range(first, last):
                if goes[other] >= 0:
                    target = state.n_hypotheses[0]
            if target != h:
                _copy(state, h, target)
            goes[first + k] = target
            moved[n_moved, 0], moved[n_moved, 1] = target, k
            n_moved += 1
        state.hypothesis[r] = goes[first + k]
    return n_moved


@compiled_on_views
def _copy(state: _State, h: int, target: int) -> None:
    """Make hypothesis `h` a second time, as `target`, the next new one."""
    state.n_hypotheses[0] += 1
    state.n_clusters[target] = state.n_clusters[h]
    for slot in range(state.n_clusters[h]):
        state.slots[target, slot] = state.slots[h, slot]
        state.n_uses[state.slots[h, slot]] += 1


@compiled_on_views
def _join(state: _State, n: int, point: Array, moved: Ints, nodes: Ints) -> int:
    """Put point `n` into the cluster that each hypothesis has chosen; return how many `nodes` are new."""
    n_nodes = 0
    for m in range(len(moved)):
        h, k = moved[m, 0], moved[m, 1]
        node = state.slots[h, k] if k < state.n_clusters[h] else 0
        if state.parted[node] != n:
            state.parted[node] = n
            state.n_free[0] -= 1
            new = state.free[state.n_free[0]]
            state.child[node] = new
            state.n_uses[new] = 0
            for j in range(len(point)):
                state.sums[new, j] = state.sums[node, j] + point[j]
            nodes[n_nodes] = new
            n_nodes += 1
        new = state.child[node]
        state.n_uses[new] += 1
        state.slots[h, k] = new
        if node == 0:
            state.n_clusters[h] += 1
        else:
            state.n_uses[node] -= 1
            if state.n_uses[node] == 0:
                state.free[state.n_free[0]] = node
                state.n_free[0] += 1
    return n_nodes


@compiled
def _candidates(w: Any, sums: Array, nodes: Ints, point: Array, candidate: Array) -> None:
    """Candidate of each of `nodes` with a point."""
    inputs = np.empty((AT_ONCE, w.into_f.shape[0]), np.float32)
    result = np.empty((AT_ONCE, w.into_f.shape[1]), np.float32)
    room = np.empty((4, w.sizes[2] + w.sizes[0]), np.float32)
    for start in range(0, len(nodes), AT_ONCE):
        size = min(AT_ONCE, len(nodes) - start)
        for i in range(size):
            candidate_inputs(w, sums[nodes[start + i]], point, inputs[i], room)
        np.dot(inputs[:size], w.into_f, result[:size])
        for i in range(size):
            node = nodes[start + i]
            copy_row(result[i], candidate[node])
            add_own_state(w, sums[node], candidate[node])


@compiled
def _values(w: Any, sums: Array, nodes: Ints, parts: Array) -> None:
    """Value of each of `nodes`, which have points."""
    some = np.empty((AT_ONCE, sums.shape[1]), np.float32)
    taken = np.empty((AT_ONCE, w.ways.into_g.shape[0]), np.float32)
    inputs = np.empty((AT_ONCE, w.g_out.shape[0]), np.float32)
    room = np.empty((4, w.sizes[2] + w.sizes[0]), np.float32)
    result = np.empty_like(inputs)
    for start in range(0, len(nodes), AT_ONCE):
        size = min(AT_ONCE, len(nodes) - start)
        for i in range(size):
            copy_row(sums[nodes[start + i]], some[i])
        values(w, some[:size], taken[:size], inputs[:size], room, result[:size])
        for i in range(size):
            copy_row(result[i], parts[nodes[start + i]])


@compiled
def _log_conditionals(
    w: Any, slots: Ints, begin: Ints, parts: Array, candidate: Array, context: Array, log_q: Array
) -> None:
    """log q of the choices of each hypothesis, from `begin` (H + 1,) of its own on, the new cluster last."""
    first = np.empty((AT_ONCE, len(context)), np.float32)
    hidden = np.empty_like(first)
    everything = np.empty_like(context)
    done, waiting = 0, 0
    for h in range(len(begin) - 1):
        n_own = begin[h + 1] - begin[h] - 1
        copy_row(context, everything)
        for k in range(n_own):
            part = parts[slots[h, k]]
            for j in range(len(context)):
                everything[j] += part[j]
        for k in range(n_own + 1):
            joined = candidate[slots[h, k]] if k < n_own else w.f_new
            row = first[waiting]
            for j in range(len(context)):
                row[j] = max(everything[j] + joined[j], np.float32(0))
            waiting += 1
            if waiting == AT_ONCE:
                scores(w, first, hidden, log_q[done : done + waiting])
                done, waiting = done + waiting, 0
    if waiting:
        scores(w, first[:waiting], hidden[:waiting], log_q[done : done + waiting])
    for h in range(len(begin) - 1):
        own = log_q[begin[h] : begin[h + 1]]
        most = own.max()
        total = np.float32(0)
        for k in range(len(own)):
            total += np.exp(own[k] - most)
        shift = most + np.log(total)
        for k in range(len(own)):
            own[k] -= shift


@compiled_on_views
def _drawn(log_q: Array, uniform: float) -> int:
    """Draw a choice by a number on [0, 1), as `rules.ancestral`."""
    whole = np.float32(0)
    for k in range(len(log_q)):
        whole += np.exp(log_q[k])
    threshold, cumulative = uniform * whole, np.float32(0)
    for k in range(len(log_q) - 1):
        cumulative += np.exp(log_q[k])
        if cumulative > threshold:
            return k
    return len(log_q) - 1
