"""Draws in which the parts of a neuron that jumped are one, beside those in which they are several.

Where the tissue jumps, a neuron looks different from one spike to the next, and a network may part it in
every draw that it makes. No weight of the draws then brings it back. So a draw in which parts take over from
each other at once (`evidence.drift_jumps`) gets a second one beside it that has them as one. Both have half
the weight of the draw: the network's odds between the two say nothing, and the times of the spikes decide.

Only the spikes of either part that lie where it fires are put together. What else is in the two clusters,
such as noise that one of the parts shares a cluster with, stays a cluster by itself.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.alternatives import sizeable_clusters
from ncpgui.core.partition import canonical
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence import drift_jumps

MOST_NATS = -2.0
"""Parts whose odds are smaller take over from each other at once: e^-2 of at most e^-3."""

_Pairs = dict[tuple[bytes, bytes], NDArray[np.bool_] | None]


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
    beside = np.stack([labels for labels in found if labels is not None])
    return drawn.with_beside(rows, beside, np.full(len(rows), 0.5))


def _joined(
    labels: NDArray[np.integer], sample_index: NDArray[np.integer], known: _Pairs
) -> NDArray[np.int32] | None:
    """Labels (n,) with the parts of neurons that jumped as one; None where there are none.

    Two parts at a time, those of most spikes first: of two neurons that jump at once, the larger part after
    the jump is that of the neuron whose part before it is larger.
    """
    result = labels.copy()
    for _ in sizeable_clusters(labels)[1:]:  # each time one unit fewer
        clusters = sizeable_clusters(result)
        found = [
            (int(at_home.sum()), first, second, at_home)
            for first, second in combinations(clusters, 2)
            if (at_home := _taken_over(result == first, result == second, sample_index, known)) is not None
        ]
        if not found:
            break
        _, first, second, at_home = max(found, key=lambda one: one[0])
        either = (result == first) | (result == second)
        result[either] = np.where(at_home[either], first, second)
    return None if (result == labels).all() else canonical(result).astype(np.int32)


def _taken_over(
    first: NDArray[np.bool_], second: NDArray[np.bool_], sample_index: NDArray[np.integer], known: _Pairs
) -> NDArray[np.bool_] | None:
    """Spikes of two parts (n,) bool that are one neuron's if one takes over from the other; None if not."""
    key = first.tobytes(), second.tobytes()
    if key not in known:
        at_home = drift_jumps.in_own_stretches(first, second, sample_index)  # cheap, and most pairs fail it
        if at_home is not None and drift_jumps.two_neurons_nats(first, second, sample_index) >= MOST_NATS:
            at_home = None
        known[key] = at_home
    return known[key]
