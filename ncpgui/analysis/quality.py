"""Quality of units: firing rate, signal to noise, refractory violations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

REFRACTORY_MS = 1.5


@dataclass(frozen=True)
class UnitQuality:
    """Numbers of one unit.

    n_spikes; rate_hz : over the whole recording; snr : mean depth of the trough in noise sd;
    refractory_violations : share of intervals under 1.5 ms.
    """

    n_spikes: int
    rate_hz: float
    snr: float
    refractory_violations: float


def unit_quality(
    sample_index: NDArray[np.integer],
    amplitude: NDArray[np.floating],
    *,
    sampling_frequency_hz: float,
    n_samples: int,
    refractory_ms: float = REFRACTORY_MS,
) -> UnitQuality:
    """Quality of one unit from its spikes.

    sample_index : (n,) in any order; amplitude : (n,) trace at the trough, noise sd (negative).
    """
    times = np.sort(np.asarray(sample_index, dtype=np.int64))
    n = len(times)
    if n == 0:
        return UnitQuality(0, 0.0, 0.0, 0.0)
    short = np.diff(times) < refractory_ms * sampling_frequency_hz / 1000
    return UnitQuality(
        n_spikes=n,
        rate_hz=n * sampling_frequency_hz / n_samples,
        snr=float(np.abs(np.mean(amplitude, dtype=np.float64))),
        refractory_violations=float(short.mean()) if n > 1 else 0.0,
    )
