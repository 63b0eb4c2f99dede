"""Firing times weigh the draws of a component: over all of its spikes, not only those that were sampled.

A draw says of the sampled spikes which are of one neuron. Each other spike goes with the sampled one that is
nearest to it in the coordinates, among those that matching gave to the same unit. So every draw is a sorting
of all spikes, and the refractory periods in it have a likelihood (`evidence.refractory`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.refractory import ClosePairs, refractory_nats

SPIKES_AT_ONCE = 4096


def weighed_by_times(
    posterior: PosteriorSamples,
    sampled: NDArray[np.int64],
    coordinates: NDArray[np.float32],
    company: NDArray[np.integer],
    sample_index: NDArray[np.int64],
    *,
    sampling_frequency_hz: float,
) -> PosteriorSamples:
    """Posterior given when the spikes of the component were fired.

    Parameters
    ----------
    sampled : (m,) positions of the posterior's points among the n spikes
    coordinates : (n, d) of all spikes
    company : (n,) unit that matching gave each spike to, -1 = none
    sample_index : (n,) samples, not decreasing
    """
    pairs = ClosePairs.of(sample_index, sampling_frequency_hz=sampling_frequency_hz)
    followed = nearest_sampled(sampled, coordinates, company)
    return posterior.weighed(refractory_nats(pairs.of_points(followed), posterior.labels))


def nearest_sampled(
    sampled: NDArray[np.int64], coordinates: NDArray[np.float32], company: NDArray[np.integer]
) -> NDArray[np.int64]:
    """Row of `sampled` of the spike that each spike goes with: (n,); sampled ones go with themselves.

    The nearest of its company; of all, where none of its company was sampled. Options as `weighed_by_times`.
    """
    result = np.zeros(len(coordinates), dtype=np.int64)
    for unit in np.unique(company):
        members = np.flatnonzero(company == unit)
        rows = np.flatnonzero(company[sampled] == unit)
        rows = rows if len(rows) else np.arange(len(sampled))
        known = coordinates[sampled[rows]].astype(np.float64)
        square = (known**2).sum(axis=1)
        for first in range(0, len(members), SPIKES_AT_ONCE):
            some = members[first : first + SPIKES_AT_ONCE]
            result[some] = rows[(square - 2 * coordinates[some].astype(np.float64) @ known.T).argmin(axis=1)]
    result[sampled] = np.arange(len(sampled))
    return result
