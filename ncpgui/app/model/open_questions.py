"""What is worth asking: spikes of a component that are expected to be wrong, and when nothing is asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Component
from ncpgui.evidence.wrong import expected_wrong, stands_for

SURE = 0.99
"""Probability of the sorting in use above which a component may settle itself ..."""
FEW_WRONG = 1.0
"""... if fewer spikes than this ..."""
WRONG_SHARE = 0.01
"""... or than this share of all are expected to be wrong: single spikes are no question."""


def expected_wrong_of(component: Component, labels: NDArray[np.integer]) -> float:
    """Spikes of a component that are expected to be in a wrong unit; labels : (n,) units as they are."""
    mass = stands_for(labels, component.sampled)
    return expected_wrong(component.posterior, labels[component.sampled], mass=mass)


def is_sure(component: Component, in_use: int | None, wrong: float) -> bool:
    """Whether a component settles itself; in_use : index of the alternative that is used, None of none."""
    if in_use is None or component.alternatives[in_use].mass <= SURE:
        return False
    return wrong < max(FEW_WRONG, WRONG_SHARE * len(component.spike_ids))
