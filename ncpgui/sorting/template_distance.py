"""How far templates of whitened traces are from each other, at the lag at which they agree best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

N_CANDIDATES = 6
MAX_RELATIVE = 0.9


@dataclass(frozen=True)
class Likeness:
    """Templates that a spike of each unit may also be of.

    relative : (K, K) squared distance at the best lag, relative to the larger energy of the two
    distance : (K, K) its root, in noise sd
    lag : (K, K) samples by which the second begins later than the first, at the best lag
    candidates : (K, J) units most like each, itself first, -1 = none
    """

    relative: NDArray[np.float64]
    distance: NDArray[np.float64]
    lag: NDArray[np.int64]
    candidates: NDArray[np.int64]

    @property
    def candidate_lags(self) -> NDArray[np.int64]:
        """Lag of each candidate: (K, J)."""
        return np.take_along_axis(self.lag, np.maximum(self.candidates, 0), axis=1)

    def place(self, unit: int, other: int) -> int | None:
        """Where `other` stands among the candidates of `unit`; None if it does not."""
        found = np.flatnonzero(self.candidates[unit] == other)
        return int(found[0]) if len(found) else None


def likeness(waveforms: NDArray[np.float32], *, max_lag: int) -> Likeness:
    """Compare templates (K, T, C) at all lags up to `max_lag` samples."""
    n_units, n_times, n_channels = waveforms.shape
    flat = waveforms.reshape(n_units, n_times * n_channels)
    energy = (flat.astype(np.float64) ** 2).sum(axis=1)
    best = np.full((n_units, n_units), -np.inf)
    lag = np.zeros((n_units, n_units), np.int64)
    for shift in range(-max_lag, max_lag + 1):
        later = np.zeros_like(waveforms)
        if shift >= 0:
            later[:, shift:] = waveforms[:, : n_times - shift]
        else:
            later[:, :shift] = waveforms[:, -shift:]
        product = (flat @ later.reshape(flat.shape).T).astype(np.float64)
        better = product > best
        best[better], lag[better] = product[better], shift
    squared = np.maximum(energy[:, None] + energy[None] - 2 * best, 0)
    relative = squared / np.maximum(np.maximum(energy[:, None], energy[None]), 1e-12)
    np.fill_diagonal(relative, 0)
    np.fill_diagonal(squared, 0)
    np.fill_diagonal(lag, 0)
    rank = relative.copy()
    np.fill_diagonal(rank, -1)
    candidates = np.argsort(rank, axis=1, kind="stable")[:, :N_CANDIDATES]
    far = np.take_along_axis(relative, candidates, axis=1) > MAX_RELATIVE
    return Likeness(relative, np.sqrt(squared), lag, np.where(far, -1, candidates))
