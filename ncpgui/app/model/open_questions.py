"""What is worth asking: spikes of a component that are expected to be wrong, and when nothing is asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Component
from ncpgui.evidence.wrong import expected_wrong, stands_for

SURE = 0.99
"""A component whose sorting in use has this probability settles itself, ..."""
LIKELY = 0.9
"""and so does one that has more than this, ..."""
MANY_WRONG = 20.0
"""if fewer spikes are expected to be wrong than a unit has; ..."""
WRONG_SHARE, FEW_WRONG = 0.05, 1.0
"""both unless this share of its spikes is expected to be wrong, and no fewer than this: single spikes are no
question."""


def expected_wrong_of(
    component: Component, labels: NDArray[np.integer], p_neuron: NDArray[np.floating] | None = None
) -> float:
    """Spikes of a component that are expected to be in a wrong unit.

    labels : (n,) units as they are; p_neuron : (n,) P(each spike is of a unit of cells): a spike of noise is
        in no wrong unit; ones when left out
    """
    mass = stands_for(labels, component.sampled)
    if p_neuron is not None:
        mass = mass * p_neuron[component.sampled]
    return expected_wrong(component.posterior, labels[component.sampled], mass=mass)


def is_sure(component: Component, in_use: int | None, wrong: float) -> bool:
    """Whether a component settles itself; in_use : index of the alternative that is used, None of none."""
    if in_use is None:
        return False
    mass = component.alternatives[in_use].mass
    if wrong >= max(FEW_WRONG, WRONG_SHARE * len(component.spike_ids)):
        return False
    return mass >= SURE or (mass > LIKELY and wrong < MANY_WRONG)
