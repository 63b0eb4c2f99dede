"""Evidence that would leave few draws counts by a power below one: as much of it as enough draws can carry.

Draws of the network are weighed by evidence (`sorting.all_spikes`). What the shapes of heaps and their places
say was fitted on simulated cells. Real cells burst and drift as no simulation does, and there the likelihoods
of draws differ by tens of nats: one draw has all weight, and the answer rests on the details that it happened
to have. A likelihood to a power below one is what follows from data that are only near to the model (Miller &
Dunson, J. Am. Stat. Assoc. 2019). The power is the largest that leaves enough draws effective. Firing times
count in full: a refractory period is one in real cells too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

EFFECTIVE_PART = 0.3
"""Of the effective draws before the evidence, so many at least are left ..."""
STIMULUS_PART = 0.1
"""... and before the stimulus: white noise says exactly what chance does, so that it may settle more."""
_ROUNDS = 40


def power_of(
    weight: NDArray[np.floating], nats: NDArray[np.floating], *, part: float = EFFECTIVE_PART
) -> float:
    """Power of a likelihood, 0 to 1, at which a part of the effective draws are left.

    Parameters
    ----------
    weight : (S,) of the draws before the evidence; nats : (S,) its log likelihood under each, finite
    """
    least = part * _n_effective(weight)
    low, high = 0.0, 1.0
    relative = nats - nats.max()
    if _n_effective(weight * np.exp(relative)) >= least:
        return high
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        if _n_effective(weight * np.exp(middle * relative)) >= least:
            low = middle
        else:
            high = middle
    return low


def _n_effective(weight: NDArray[np.floating]) -> float:
    return float(weight.sum() ** 2 / (weight**2).sum())
