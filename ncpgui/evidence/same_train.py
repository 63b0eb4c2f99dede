"""In how many draws a unit has the spike train that it has now: whether what is measured of it would change.

In one draw, the *cell* of a unit is the cluster that has most of the unit's spikes (`evidence.support`). The
train is the same if unit and cell have a Jaccard index of at least `LEAST_JACCARD`: the spikes of both, over
those of either. A unit of fewer than twenty spikes has to be its cell to the last one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.unit_accuracy import Overlaps

LEAST_JACCARD = 0.95


def same_train(
    posterior: PosteriorSamples,
    labels: NDArray[np.integer],
    *,
    stands_for: NDArray[np.floating] | None = None,
    n_units: int | None = None,
) -> NDArray[np.float64]:
    """Share of the draws, by their weights, in which each unit has the same train: (K,), nan without points.

    labels : (m,) unit of each point, 0 .. K-1, -1 = none
    stands_for : (m,) spikes that each point stands for, ones when left out
    n_units : K, where the last units may have no point
    """
    found = Overlaps.of(posterior, labels, stands_for=stands_for, n_units=n_units)
    either = found.size + found.found - found.shared
    share = found.weight @ (found.shared >= LEAST_JACCARD * either - 1e-9)
    return np.where(found.size > 0, np.minimum(share, 1), np.nan)
