"""Spikes that matching does not find: those of a cell that are too short for its template.

A spike is taken if its length along the template (`chance_spikes`) reaches a least one. Lengths of a cell's
spikes are normal, with the sd of the noise and of the amplitudes of a neuron together. Those that were found
are what is left of that law above the least length, which says where its mean was. Found spikes are part of
their template and longer along it for that, by what their own noise gives: spikes that were not found do not
have this. The share of the law below the least length is what was lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx, ndtr

from ncpgui.sorting.chance_spikes import NoneFit

if TYPE_CHECKING:
    from ncpgui.sorting.matched import Matched

AMPLITUDE_SD = 0.12
"""Of the spikes of a neuron, relative to their mean: with it what is expected came true best."""
MOST_LOST = 0.99
SD_BELOW = 6.0
"""A mean is looked for down to so many sd under the least length."""
N_HALVINGS = 40


def lost_share(matched: Matched, none: NoneFit) -> NDArray[np.float64]:
    """Expected share of each cell's spikes that matching has not found: (K,); 0 of a unit without spikes."""
    n_units = matched.n_units
    taken = none.length >= none.least[matched.unit]
    count = np.bincount(matched.unit[taken], minlength=n_units)
    total = np.bincount(matched.unit[taken], none.length[taken], minlength=n_units)
    n = np.maximum(count, 1)
    mean = total / n
    sd = np.hypot(matched.noise.sd, AMPLITUDE_SD * mean)
    seen = (matched.bank.waveforms != 0).sum(axis=(1, 2))
    own = seen / n / np.maximum(mean, 1e-9)
    lost = ndtr((none.least - mean_before_cut(mean, none.least, sd) + own) / sd)
    return np.where(count > 0, np.minimum(lost, MOST_LOST), 0.0)


def for_each_found(lost: NDArray[np.floating]) -> NDArray[np.float32]:
    """Spikes that were lost for each that was found, of shares that were lost."""
    return np.asarray(lost / (1 - lost), dtype=np.float32)


def mean_before_cut(
    mean: NDArray[np.floating], least: NDArray[np.floating], sd: NDArray[np.floating]
) -> NDArray[np.float64]:
    """Mean of normal numbers of which those from `least` on have a mean: (K,), by halving.

    No lower than `SD_BELOW` sd under `least`.
    """
    low, high = least - SD_BELOW * sd, np.maximum(mean, least)
    for _ in range(N_HALVINGS):
        middle = (low + high) / 2
        hazard = np.sqrt(2 / np.pi) / erfcx((least - middle) / sd / np.sqrt(2))
        is_over = middle + sd * hazard > mean
        low, high = np.where(is_over, low, middle), np.where(is_over, middle, high)
    return np.asarray((low + high) / 2, dtype=np.float64)
