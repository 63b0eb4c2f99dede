"""Evidence that would leave few draws counts by a power below one: as much of it as enough draws can carry.

Draws of the network are weighed by evidence (`sorting.all_spikes`). What the shapes of heaps and their places
say was fitted on simulated cells. Real cells burst and drift as no simulation does, and there the likelihoods
of draws differ by tens of nats: one draw has all weight, and the answer rests on the details that it happened
to have. A likelihood to a power below one is what follows from data that are only near to the model (Miller &
Dunson, J. Am. Stat. Assoc. 2019). The power is the largest that leaves enough draws effective. Firing times
count in full: a refractory period is one in real cells too. Where all evidence together still leaves few
draws, the network's own weights are mixed in until enough draws count, so that no few of them decide all.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.posterior import PosteriorSamples, effective_draws

EFFECTIVE_PART = 0.3
"""Of the effective draws before the evidence, so many at least are left ..."""
STIMULUS_PART = 0.1
"""... and before the stimulus: white noise says exactly what chance does, so that it may settle more."""
WIDE_PART = 0.15
"""Of the effective draws before the evidence, so many count when all of it but the stimulus is in."""
_ROUNDS = 40
_ROUNDING = 1e-6


def power_of(
    weight: NDArray[np.floating], nats: NDArray[np.floating], *, part: float = EFFECTIVE_PART
) -> float:
    """Power of a likelihood, 0 to 1, at which a part of the effective draws are left.

    Parameters
    ----------
    weight : (S,) of the draws before the evidence; nats : (S,) its log likelihood under each, finite
    """
    relative = nats - nats.max()
    return _largest(lambda power: weight * np.exp(power * relative), part * effective_draws(weight))


def widened(before: NDArray[np.floating], after: NDArray[np.floating]) -> NDArray[np.float64]:
    """Weights (S,) between those before the evidence and those after it: of these as much as can be had.

    At least `WIDE_PART` of the effective draws before the evidence are left. Both sum to one.
    """
    share = _largest(lambda part: part * after + (1 - part) * before, WIDE_PART * effective_draws(before))
    return np.asarray(share * after + (1 - share) * before, dtype=np.float64)


def has_few_draws(posterior: PosteriorSamples) -> bool:
    """Whether the evidence left no more draws than `widened` keeps."""
    drawn = posterior.drawn_weight
    if drawn is None or posterior.sampler == "beam":
        return False
    left = effective_draws(posterior.weight_without_stimulus)
    return left <= WIDE_PART * effective_draws(drawn) * (1 + _ROUNDING)


def _largest(weights: Callable[[float], NDArray[np.floating]], least: float) -> float:
    """The largest number of 0 to 1 for which `weights` of it leave at least so many draws effective."""
    if effective_draws(weights(1.0)) >= least:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        if effective_draws(weights(middle)) >= least:
            low = middle
        else:
            high = middle
    return low
