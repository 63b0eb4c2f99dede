"""P(some sets of spikes are of one neuron), and P(no two of them are): before a merge, and before a split.

Both are shares of the draws, as they are weighed. In one draw the neuron of a set is the cluster that has
most of it, as for decisions (`evidence.point_events`): what these say is what the decision would condition
on.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.point_events import PointEvent, holds


def p_one_neuron(
    posterior: PosteriorSamples,
    sets: Sequence[NDArray[np.bool_]],
    *,
    stands_for: NDArray[np.floating] | None = None,
) -> float:
    """P(all sets are of one neuron); nan where a set has no point, or where there are fewer than two.

    sets : (m,) bool each, points of the posterior; stands_for : (m,) spikes that each point stands for
    """
    return _share(posterior, "same", list(pairwise(sets)), sets, stands_for)


def p_parted(
    posterior: PosteriorSamples,
    sets: Sequence[NDArray[np.bool_]],
    *,
    stands_for: NDArray[np.floating] | None = None,
) -> float:
    """P(no two of the sets are of one neuron); nan as for `p_one_neuron`."""
    return _share(posterior, "different", list(combinations(sets, 2)), sets, stands_for)


def _share(
    posterior: PosteriorSamples,
    kind: Literal["same", "different"],
    pairs: list[tuple[NDArray[np.bool_], NDArray[np.bool_]]],
    sets: Sequence[NDArray[np.bool_]],
    stands_for: NDArray[np.floating] | None,
) -> float:
    if not pairs or not all(points.any() for points in sets):
        return float("nan")
    all_hold = np.ones(posterior.n_samples, dtype=bool)
    for first, second in pairs:
        all_hold &= holds(posterior, PointEvent(kind, first, second), stands_for=stands_for)
    return min(float(posterior.weight @ all_hold), 1.0)
