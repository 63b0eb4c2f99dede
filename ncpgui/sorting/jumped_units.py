"""Draws in which the parts of a neuron that jumped are one, beside those in which they are several.

Where the tissue jumps, a neuron looks different from one spike to the next, and a network may part it in
every draw that it makes. No weight of the draws then brings it back. So a draw in which parts take over from
each other at once (`evidence.jumps`) gets a second one beside it that has them as one. Both have half the
weight of the draw: the network's odds between the two say nothing, and the times of the spikes decide.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.alternatives import sizeable_clusters
from ncpgui.core.partition import canonical
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence import jumps

MOST_NATS = -2.0
"""Parts whose odds are smaller take over from each other at once: e^-2 of at most e^-3."""

_Pairs = dict[tuple[bytes, bytes], tuple[bool, bool]]


def with_jumps_joined(drawn: PosteriorSamples, sample_index: NDArray[np.integer]) -> PosteriorSamples:
    """Add to draws of n spikes those in which parts that jumped are one, after all others.

    They have half the weight of the draw that they were made of, none in `drawn_weight`, its order, and no
    log q. Draws without such parts stay as they are.

    sample_index : (n,) in order of time, in any unit
    """
    known: _Pairs = {}
    found = [_joined(labels, sample_index, known) for labels in drawn.labels]
    rows = np.array([i for i, labels in enumerate(found) if labels is not None], dtype=np.int64)
    if len(rows) == 0:
        return drawn
    weight = drawn.weight.copy()
    weight[rows] /= 2
    alone = drawn.weight if drawn.drawn_weight is None else drawn.drawn_weight
    return PosteriorSamples(
        np.concatenate([drawn.labels, [labels for labels in found if labels is not None]]),
        np.concatenate([drawn.log_prob, np.full(len(rows), np.nan)]),
        np.concatenate([weight, weight[rows]]),
        None if drawn.order is None else np.concatenate([drawn.order, drawn.order[rows]]),
        np.concatenate([alone, np.zeros(len(rows))]),
    )


def _joined(
    labels: NDArray[np.integer], sample_index: NDArray[np.integer], known: _Pairs
) -> NDArray[np.int32] | None:
    """Labels (n,) with the parts of neurons that jumped as one; None where there are none.

    Of several parts all pairs keep apart in time: if two units jump at once, nobody knows which went where.
    """
    clusters = sizeable_clusters(labels)
    n = len(clusters)
    apart, linked = np.eye(n, dtype=bool), np.eye(n, dtype=bool)
    for a in range(n):
        for b in range(a):
            apart[a, b], linked[a, b] = apart[b, a], linked[b, a] = _told(
                labels == clusters[a], labels == clusters[b], sample_index, known
            )
    together = np.linalg.matrix_power(linked.astype(np.int64), max(n, 1)) > 0
    result = labels.copy()
    for a in range(n):
        group = np.flatnonzero(together[a])
        if group[0] == a and len(group) > 1 and apart[np.ix_(group, group)].all():
            result[np.isin(labels, clusters[group])] = clusters[a]
    return None if (result == labels).all() else canonical(result).astype(np.int32)


def _told(
    first: NDArray[np.bool_], second: NDArray[np.bool_], sample_index: NDArray[np.integer], known: _Pairs
) -> tuple[bool, bool]:
    """Whether two parts keep apart in time, and whether one takes over from the other at once."""
    key = first.tobytes(), second.tobytes()
    if key not in known:
        apart = jumps.keep_apart(first, second)
        known[key] = (
            apart,
            apart and jumps.two_neurons_nats(first, second, sample_index) < MOST_NATS,
        )
    return known[key]
