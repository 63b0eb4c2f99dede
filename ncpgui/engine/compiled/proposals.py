"""Proposals of sweeps drawn on a CPU: to which cluster each of some points may go, in each of some samples.

A cluster that votes is one of a sample that votes; each point is in one of each such sample.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ncpgui.engine.compiled.logarithm import log
from ncpgui.engine.compiled.options import Array, compiled, compiled_on_views

LEAST_UNIFORM = 1e-12  # of a number on [0, 1) whose logarithm is taken
Ints = NDArray[np.int64]


class Drawn(NamedTuple):
    """Room for proposals (R,) that change something, those of a sample side by side.

    sample, point : whose they are; there : slot that is proposed, -1 for a new one
    odds : log probability of proposing the way back, less that of this way
    """

    sample: Ints
    point: Ints
    there: Ints
    odds: Array


@compiled_on_views
def count(shared: Array, labels: Ints, points: Ints, voters: Ints, by: np.float32) -> None:
    """Count `points` `by` more among those that slots share with clusters that vote.

    shared (S, M, V) : points that each slot has in common with each cluster that votes
    labels (S, N) : slot of each point; voters (N, W) : clusters that vote in which each point is
    """
    for s in range(len(labels)):
        for i in range(len(points)):
            own, theirs = shared[s, labels[s, points[i]]], voters[points[i]]
            for w in range(len(theirs)):
                own[theirs[w]] += by


@compiled
def votes_of(shared: Array, points: Ints, voters: Ints) -> Array:
    """For each slot and each of `points`, how often points of the slot are with it: (S, M, P).

    shared (S, M, V), voters (N, W) : as in `count`
    """
    n_samples, n_slots, n_clusters = shared.shape
    theirs = np.zeros((n_clusters, len(points)), np.float32)
    for i in range(len(points)):
        for w in range(voters.shape[1]):
            theirs[voters[points[i], w], i] = 1
    votes = np.dot(shared.reshape(n_samples * n_slots, n_clusters), theirs)
    return votes.reshape(n_samples, n_slots, len(points))


@compiled_on_views
def draw(
    votes: Array,
    labels: Ints,
    sizes: Array,
    points: Ints,
    uniform: Array,
    p_new: np.float32,
    p_any: np.float32,
    room: Array,
    first: tuple[int, int],
    drawn: Drawn,
) -> int:
    """Draw a slot for each of `points` (P,) in each sample; return behind which proposal it ends.

    votes (S, M, P); labels (S, N); sizes (S, M), of all points; uniform (S, P, M + 1) on [0, 1), for a new
    cluster last
    p_new, p_any : probability of a new cluster, and of any cluster whatever the votes
    room (2, M + 1) : to work in; first : number of the first sample, and of its first proposal
    """
    n_samples, n_slots, n_points = votes.shape
    others, p, n_found = room[0], room[1], first[1]
    for s in range(n_samples):
        n_others = np.float32(0)
        for m in range(n_slots):
            others[m] = sizes[s, m]
        for i in range(n_points):
            others[labels[s, points[i]]] -= 1
        for m in range(n_slots):
            others[m] = np.float32(1) if others[m] > 0.5 else np.float32(0)
            n_others += others[m]
        for i in range(n_points):
            total = np.float32(0)
            for m in range(n_slots):
                p[m] = max(votes[s, m, i], np.float32(0)) * others[m]
                total += p[m]
            factor = (np.float32(1) - p_any) / max(total, np.float32(1e-6))
            evenly = p_any / max(n_others, np.float32(1))
            for m in range(n_slots):
                p[m] = p[m] * factor + others[m] * evenly
            p[n_slots] = p_new
            there, most = 0, np.float32(-1)
            for m in range(n_slots + 1):
                chance = p[m] / -log(max(uniform[s, i, m], np.float32(LEAST_UNIFORM)))
                if chance > most:
                    there, most = m, chance
            own = labels[s, points[i]]
            current = n_slots if sizes[s, own] < 1.5 else own  # to stay alone is to open a new cluster
            if there != current and p[current] > 0:  # no way back where only `points` are with it
                drawn.sample[n_found] = first[0] + s
                drawn.point[n_found] = points[i]
                drawn.there[n_found] = there if there < n_slots else -1
                drawn.odds[n_found] = log(p[current]) - log(p[there])
                n_found += 1
    return n_found
