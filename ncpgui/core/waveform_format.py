"""The shape in which every network sees a spike: 32 samples at 20 kHz (paper, sec. 8 and SM D).

The trough lies at `TROUGH_SAMPLE`; amplitudes are in noise sd of each channel; the main channel
comes first; a network takes at most `MAX_CHANNELS` channels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SAMPLING_FREQUENCY_HZ = 20_000.0
N_SAMPLES = 32
TROUGH_SAMPLE = 11
MAX_CHANNELS = 12
MIN_NOISE, MAX_NOISE = 0.3, 2.5
"""`noise_level` of waveforms in noise sd lies between these, from 0.55 to 1.4 in simulations."""

_N_COMPARED = 100


def noise_level(waveforms: NDArray[np.floating]) -> float:
    """Estimate the noise of spikes whose units are not known: close to 1 for waveforms in noise sd.

    The two most similar of many spikes are of one unit as a rule, and differ by their noise alone. So this is
    the median, over up to 100 spikes, of the distance to the nearest other one, per sample and divided by the
    square root of 2. Given (n, T, C); at least two spikes.
    """
    chosen = np.linspace(0, len(waveforms) - 1, min(len(waveforms), _N_COMPARED)).astype(int)
    flat = waveforms[chosen].reshape(len(chosen), -1).astype(np.float64)
    squared = (flat**2).sum(axis=1)
    apart = squared[:, None] + squared - 2 * flat @ flat.T
    np.fill_diagonal(apart, np.inf)
    nearest = np.maximum(apart.min(axis=1), 0)
    return float(np.sqrt(np.median(nearest) / (2 * flat.shape[1])))
