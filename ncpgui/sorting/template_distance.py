"""How far templates of whitened traces are from each other, at the lag at which they agree best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

N_CANDIDATES = 6
MAX_RELATIVE = 0.9
UNITS_AT_ONCE = 16
"""Units of one product, those of neighbouring channels."""


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


def largest_products(
    own: NDArray[np.float32], others: NDArray[np.float32], max_lag: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Largest product of templates (a, T, C) with others (b, T, C) over their lags, and that lag: (a, b)."""
    n_times, n_channels = own.shape[1:]
    flat = own.reshape(len(own), -1)
    padded = np.zeros((len(others), n_times + 2 * max_lag, n_channels), np.float32)
    padded[:, max_lag : max_lag + n_times] = others
    padded = padded.reshape(len(others), -1)
    largest = np.full((len(own), len(others)), -np.inf)
    at = np.zeros((len(own), len(others)), np.int64)
    for shift in range(-max_lag, max_lag + 1):
        begin = (max_lag - shift) * n_channels
        product = (flat @ padded[:, begin : begin + flat.shape[1]].T).astype(np.float64)
        better = product > largest
        largest[better], at[better] = product[better], shift
    return largest, at


def _products_of_all(
    waveforms: NDArray[np.float32], max_lag: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Largest product over lags of each template with each other one, and the lag of the second: (K, K)."""
    n_units = len(waveforms)
    best = np.zeros((n_units, n_units))
    lag = np.full((n_units, n_units), -max_lag)
    seen = (waveforms != 0).any(axis=1)
    in_order = np.argsort(np.abs(waveforms).max(axis=1).argmax(axis=1), kind="stable")
    for first in range(0, n_units, UNITS_AT_ONCE):
        units = in_order[first : first + UNITS_AT_ONCE]
        channels = np.flatnonzero(seen[units].any(axis=0))
        others = np.flatnonzero(seen[:, channels].any(axis=1))
        largest, at = largest_products(
            waveforms[units][:, :, channels], waveforms[others][:, :, channels], max_lag
        )
        best[np.ix_(units, others)], lag[np.ix_(units, others)] = largest, at
    return best, lag


def likeness(waveforms: NDArray[np.float32], *, max_lag: int) -> Likeness:
    """Compare templates (K, T, C) at all lags up to `max_lag` samples.

    Only those that share a channel are multiplied, on the channels of their neighbourhood: of a long probe a
    template has as many neighbours as of a short one. The product of others is zero at every lag.
    """
    energy = np.einsum("ktc,ktc->k", waveforms, waveforms, dtype=np.float64)
    best, lag = _products_of_all(waveforms, max_lag)
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
