"""Spikes of a component that were not read: they go with their unit, where no sorting parts it.

Of a long recording, waveforms are known of some spikes only (`parts`). Where each unit is whole in every
sorting of a component, it is known all the same where its other spikes are. Where one parts a unit, they have
to be read.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Alternative, Component

PARTED = 0.02
"""Part of a unit that may be elsewhere in a sorting without that it says to part the unit."""


def parts_a_unit(component: Component, unit: NDArray[np.integer], known: NDArray[np.bool_]) -> bool:
    """Whether a sorting of a component has more than `PARTED` of a unit elsewhere than the rest of it.

    unit, known : (n,) unit of each spike, 0 .. K-1, and whether it was read
    """
    return any((_shares(one, unit, known).max(axis=1) < 1 - PARTED).any() for one in component.alternatives)


def with_whole_units(component: Component, unit: NDArray[np.integer], known: NDArray[np.bool_]) -> Component:
    """A component in whose sortings spikes that were not read are where most of their unit is.

    Parameters as of `parts_a_unit`.
    """
    alternatives = []
    for one in component.alternatives:
        home = _shares(one, unit, known).argmax(axis=1)
        home[home == one.n_units] = -1
        labels = np.where(known, one.labels, home[unit]).astype(np.int32)
        alternatives.append(replace(one, labels=labels))
    return replace(component, alternatives=tuple(alternatives))


def _shares(
    alternative: Alternative, unit: NDArray[np.integer], known: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Part of the known spikes of each unit in each cluster, in none last: (K, C + 1)."""
    table = np.zeros((int(unit.max()) + 1, alternative.n_units + 1))
    np.add.at(table, (unit[known], alternative.labels[known]), 1)
    return table / np.maximum(table.sum(axis=1, keepdims=True), 1)
