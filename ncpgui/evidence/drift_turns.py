"""Whether two parts of a component take turns over the places of the tissue, as parts of one neuron may.

Traces moved back are not the same at every place, and what is left of that can make two heaps of one neuron.
Which of them a spike is in depends on where the tissue was. Of two neurons it does not, unless one of them
fires for a while only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

P_CHANGES = 0.1
"""Pairs of neurons whose share in the spikes of both changes from place to place: one fires for a while, as
in the recordings that networks are trained on."""
P_BY_MOTION = 0.5
"""Parts that were cut from one neuron by what is left of motion; the others were cut by noise."""


def turns_nats(first: NDArray[np.integer], second: NDArray[np.integer]) -> float:
    """Log Bayes factor that the share of the first in the spikes of both depends on the place.

    first, second : (P,) spikes at each place; all shares are equally probable beforehand, one for each place
    against one for all
    """
    return float(share_nats(first, second).sum() - share_nats(first.sum(), second.sum()))


def two_neurons_nats(first: NDArray[np.integer], second: NDArray[np.integer]) -> float:
    """Log likelihood ratio of the places of two parts, two neurons against one; options as `turns_nats`.

    Between log(2 `P_CHANGES`) where they take turns and log(2 (1 - `P_CHANGES`)) where they surely do not.
    """
    turns = turns_nats(first, second)
    return float(_mixed(P_CHANGES, turns) - _mixed(P_BY_MOTION, turns))


def _mixed(share: float, nats: float) -> float:
    return float(np.logaddexp(np.log1p(-share), np.log(share) + nats))


def share_nats(first: NDArray[np.integer] | int, second: NDArray[np.integer] | int) -> NDArray[np.float64]:
    """Log probability of a sequence of labels, so many of either, when every share is equally probable."""
    return np.asarray(gammaln(first + 1) + gammaln(second + 1) - gammaln(first + second + 2))
