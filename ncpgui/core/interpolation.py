"""Band-limited interpolation of short waveforms: a Kaiser-windowed sinc as one matrix.

Filtered traces hold nothing near the Nyquist frequency, so a window of 8 samples each side
reproduces them to a fraction of a percent. When the target rate is lower, the sinc is widened
and with it filters what the target rate cannot carry.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

HALF_WIDTH = 8
KAISER_BETA = 6.0


def kernel_half_width(sampling_frequency_hz: float, target_hz: float) -> int:
    """Samples needed on each side of a point to interpolate it."""
    return math.ceil(HALF_WIDTH * max(1.0, sampling_frequency_hz / target_hz))


def interpolation_matrix(
    positions: NDArray[np.float64], n_samples: int, *, sampling_frequency_hz: float, target_hz: float
) -> NDArray[np.float32]:
    """Weights that turn `n_samples` samples into values at fractional `positions`.

    positions : (n_out,) in samples, 0 = the first; returns (n_out, n_samples), rows summing to 1.
    """
    cutoff = min(1.0, target_hz / sampling_frequency_hz)
    half = kernel_half_width(sampling_frequency_hz, target_hz)
    distance = positions[:, None] - np.arange(n_samples)[None, :]
    inside = np.clip(1.0 - (distance / half) ** 2, 0.0, None)
    window = np.i0(KAISER_BETA * np.sqrt(inside)) * (np.abs(distance) < half)
    weights = np.sinc(cutoff * distance) * window
    normalised: NDArray[np.float32] = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
    return normalised
