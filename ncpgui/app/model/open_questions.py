"""What is worth asking: spikes of a component that are expected to be wrong, and when nothing is asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Component
from ncpgui.evidence.wrong import expected_wrong, stands_for

SURE = 0.99
"""A component whose sorting in use has this probability settles itself, ..."""
MUCH_WRONG_SHARE = 0.05
"""... unless this share of its spikes is expected to be wrong; ..."""
LIKELY = 0.95
"""and so does one that has this probability, if few spikes are expected to be wrong: ..."""
WRONG_SHARE, MANY_WRONG = 0.02, 20.0
"""... less than this share of its spikes, and fewer than so many, ..."""
FEW_WRONG = 1.0
"""... or fewer than this: single spikes are no question."""


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
    mass, n_spikes = component.alternatives[in_use].mass, len(component.spike_ids)
    few = min(MANY_WRONG, max(FEW_WRONG, WRONG_SHARE * n_spikes))
    much = max(FEW_WRONG, MUCH_WRONG_SHARE * n_spikes)
    return (mass >= SURE and wrong < much) or (mass >= LIKELY and wrong < few)
