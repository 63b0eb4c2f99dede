"""Times of planted neurons, in samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RATE_HZ = 20_000.0


def neuron(rate_hz: float, duration_s: float, seed: int, refractory_ms: float = 3.0) -> NDArray[np.int64]:
    """Times of a neuron that is silent after each spike."""
    silent_s = refractory_ms / 1000
    gaps = np.random.default_rng(seed).exponential(1 / rate_hz - silent_s, int(2 * rate_hz * duration_s))
    times = np.cumsum(silent_s + gaps)
    return (times[times < duration_s] * RATE_HZ).astype(np.int64)


def together(*trains: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All spikes in order of time, and the train of each."""
    times = np.concatenate(trains)
    order = np.argsort(times, kind="stable")
    return times[order], np.repeat(np.arange(len(trains)), [len(train) for train in trains])[order]


def halves(times: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Two parts at random."""
    return np.random.default_rng(seed).integers(0, 2, len(times))
