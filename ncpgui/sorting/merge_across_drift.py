"""Proposals that take turns: one fires where the tissue is at some places, the other where it is at others.

Traces moved back are not the same at every place, and what is left of that makes two clusters of one
neuron. Their templates, moved along the probe, are alike, and which of the two a spike belongs to depends on
where the tissue was. Of two neurons it would not: each fires at every place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.evidence.drift_turns import turns_nats
from ncpgui.sorting.template_distance import Likeness

MAX_UNLIKE = 0.8
A_SHARE_TOGETHER = 1.5
"""Relative squared distance of templates over all places, and what the share of spikes at places of the other
adds to it. Moving a template between contacts is wrong by a quarter now and then, by more for a cell close to
a contact: units that hardly ever fire at one place may differ more."""
MIN_NATS = 10.0


def merged_across_drift(
    like: Likeness, place: NDArray[np.integer], unit: NDArray[np.integer], *, n_places: int
) -> NDArray[np.int64]:
    """For each unit the one that it is joined with, itself where there is none: (K,).

    like : of templates at all places; place, unit : (n,) of the spikes

    Pairs are joined in order of their distance, each unit once; call again with new templates for more.
    """
    n_units = len(like.relative)
    counts = np.bincount(unit * n_places + place, minlength=n_units * n_places).reshape(n_units, n_places)
    first, second = np.nonzero(np.triu(like.relative <= MAX_UNLIKE, 1))
    result, taken = np.arange(n_units), set[int]()
    for pair in np.argsort(like.relative[first, second], kind="stable"):
        one, other = int(first[pair]), int(second[pair])
        unlike = like.relative[one, other] + A_SHARE_TOGETHER * together(counts[one], counts[other])
        turns = unlike <= MAX_UNLIKE and turns_nats(counts[one], counts[other]) > MIN_NATS
        if turns and not taken & {one, other}:
            taken |= {one, other}
            result[other] = one
    return result


def together(first: NDArray[np.integer], second: NDArray[np.integer]) -> float:
    """Spikes at places of the other unit, as a share of those of the unit with fewer; (P,) spikes of each."""
    return float(np.minimum(first, second).sum() / max(min(first.sum(), second.sum()), 1))
