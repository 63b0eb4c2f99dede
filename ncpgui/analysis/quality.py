"""Quality of units: firing rate, signal to noise, refractory violations, presence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.spikes import SpikeEvents

REFRACTORY_MS = 1.5
PRESENCE_BINS = 60


@dataclass(frozen=True)
class UnitQuality:
    """Numbers of one unit.

    n_spikes; rate_hz : over the whole recording; snr : mean depth of the trough in noise sd;
    refractory_violations : share of intervals under 1.5 ms; presence : share of sixty equal parts
    of the recording with a spike (parts that could hold one at all).
    """

    n_spikes: int
    rate_hz: float
    snr: float
    refractory_violations: float
    presence: float


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
        return UnitQuality(0, 0.0, 0.0, 0.0, 0.0)
    short = np.diff(times) < refractory_ms * sampling_frequency_hz / 1000
    bins = min(PRESENCE_BINS, n)
    occupied = len(np.unique(times * bins // max(n_samples, 1)))
    return UnitQuality(
        n_spikes=n,
        rate_hz=n * sampling_frequency_hz / n_samples,
        snr=float(np.abs(np.mean(amplitude, dtype=np.float64))),
        refractory_violations=float(short.mean()) if n > 1 else 0.0,
        presence=occupied / bins,
    )


def all_qualities(
    spikes: SpikeEvents, unit_of_spike: NDArray[np.integer], *, unit_ids: Iterable[int] | None = None
) -> dict[int, UnitQuality]:
    """Quality of every unit (or of `unit_ids`), unassigned spikes (-1) left out."""
    units = np.asarray(unit_of_spike)
    order = np.argsort(units, kind="stable")
    wanted = np.unique(units[units >= 0]).tolist() if unit_ids is None else list(unit_ids)
    first = np.searchsorted(units[order], wanted, side="left")
    last = np.searchsorted(units[order], wanted, side="right")
    result = {}
    for unit, start, stop in zip(wanted, first, last, strict=True):
        rows = order[start:stop]
        result[int(unit)] = unit_quality(
            spikes.sample_index[rows],
            spikes.amplitude[rows],
            sampling_frequency_hz=spikes.sampling_frequency_hz,
            n_samples=spikes.n_samples,
        )
    return result
