"""Refractory violations: intervals between spikes of a unit that one neuron does not have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

REFRACTORY_MS = 1.5


def refractory_violations(sample_index: NDArray[np.integer], *, sampling_frequency_hz: float) -> float:
    """Share of the intervals between spikes that are under 1.5 ms; 0 where there is no interval.

    sample_index : (n,) in any order
    """
    intervals = np.diff(sample_index)
    if (intervals < 0).any():
        intervals = np.diff(np.sort(sample_index))
    return float((intervals * 1000 / sampling_frequency_hz < REFRACTORY_MS).mean()) if len(intervals) else 0.0
