"""P(each spike belongs to its unit) from cleaned waveforms: its own template against those of its neighbours.

The gain of a template (`ephys.peeling`) is twice the log likelihood ratio of it against none at all, for
noise that is white. Noise is white between channels after whitening, but not in time. What that makes of
differences of gains is measured: along the line between two templates, spikes of one unit should spread by
one sd, and spread by `spread_sd`; ratios count less by its square. Before its waveform is seen, a spike is
of a unit in proportion to the spikes of that unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ncpgui.sorting.matching import Matched

MIN_SPREAD_SD = 1.0


def spike_probability(matched: Matched) -> NDArray[np.float32]:
    """P(each spike is of its unit, among the candidates): (n,)."""
    n_spikes = np.bincount(matched.unit, minlength=matched.n_units)
    candidates = matched.like.candidates[matched.unit]
    prior = np.log(np.maximum(n_spikes, 1))[np.maximum(candidates, 0)]
    score = np.where(candidates >= 0, prior + matched.gain / (2 * spread_sd(matched) ** 2), -np.inf)
    if len(score) == 0:
        return np.zeros(0, dtype=np.float32)
    odds = np.exp(score - score.max(axis=1, keepdims=True))
    return np.asarray(odds[:, 0] / odds.sum(axis=1), dtype=np.float32)


def spread_sd(matched: Matched) -> float:
    """Spread of spikes of one unit along the line to their nearest other template, in sd of white noise.

    The median over units; at least `MIN_SPREAD_SD`.
    """
    found = []
    for unit in range(matched.n_units):
        other = matched.like.candidates[unit, 1:2]
        gain = matched.gain[matched.unit == unit]
        if len(other) and other[0] >= 0 and len(gain) > 1:
            distance = matched.like.distance[unit, other[0]]
            found.append(float((gain[:, 0] - gain[:, 1]).std() / (2 * distance)))
    return max(MIN_SPREAD_SD, float(np.median(found))) if found else MIN_SPREAD_SD
