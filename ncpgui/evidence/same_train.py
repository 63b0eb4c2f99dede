"""In how many draws a unit has the spike train that it has now: whether what is measured of it would change.

In one draw, the *cell* of a unit is the cluster that has most of the unit's spikes (`evidence.support`). The
train is the same if unit and cell have a Jaccard index of at least `LEAST_JACCARD`: the spikes of both, over
those of either. A unit of fewer than twenty spikes has to be its cell to the last one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.support import cells_of, units_and_mass

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
    unit, n_units, mass = units_and_mass(labels, stands_for, n_units)
    size = np.bincount(unit[unit >= 0], mass[unit >= 0], minlength=n_units)
    used = np.flatnonzero(posterior.weight > 0)
    _, overlap, cell_size = cells_of(posterior.rows[used], unit, n_units, mass, is_echo=posterior.is_echo)
    either = size + cell_size - overlap
    share = posterior.weight[used] @ (overlap >= LEAST_JACCARD * either - 1e-9)
    return np.where(size > 0, np.minimum(share, 1), np.nan)
