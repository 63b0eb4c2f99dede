"""What a sorting has found so far: plain values that it shows while it goes on (`core.progress.show`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.probe import Probe

N_STRETCHES = 240
"""Stretches of a recording in which spikes are counted, so that activity can be seen over time."""


@dataclass(frozen=True, eq=False)
class SpikesSoFar:
    """Spikes that were detected up to a time.

    seconds, of_seconds : how much of the recording was looked at
    n_spikes : (S, n_channels) int64, spikes that are largest on each channel in S equal stretches of the
        whole recording; none where it was not looked at yet
    """

    probe: Probe
    seconds: float
    of_seconds: float
    n_spikes: NDArray[np.int64]

    @property
    def rate_hz(self) -> NDArray[np.float64]:
        """(n_channels,) spikes a second that are largest on each channel."""
        return np.asarray(self.n_spikes.sum(axis=0) / max(self.seconds, 1e-9))


@dataclass(frozen=True, eq=False)
class UnitsSoFar:
    """Units as they are after a round of matching, `n_rounds` in all; round 0 is what the channels proposed.

    contact : (K,) int64, where each unit is largest; n_spikes : (K,) int64
    shown : (m,) int64, some of the units, those with most spikes first
    waveforms : (m, T) float32, noise sd, of these where they are largest
    """

    probe: Probe
    round: int
    n_rounds: int
    contact: NDArray[np.int64]
    n_spikes: NDArray[np.int64]
    shown: NDArray[np.int64]
    waveforms: NDArray[np.float32]

    @property
    def n_units(self) -> int:
        """Number of units K."""
        return len(self.contact)
