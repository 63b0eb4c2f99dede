"""Correlograms, intervals and close pairs of the spike trains on screen, as SpikeInterface computes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.spike_pairs import n_apart
from ncpgui.evidence.refractory import CHANCE_MS, CLOSE_A_CHANCE, REFRACTORY_MS

WINDOW_MS = 50.0
BIN_MS = 1.0


@dataclass(frozen=True, eq=False)
class Correlograms:
    """All pairs of K trains.

    counts : (K, K, B) int64, spikes of the second at each time from those of the first; a spike does not
        count itself
    edges_ms : (B + 1,)
    close : (K, K) pairs of spikes at refractory distances (`REFRACTORY_MS`, either way)
    expected : (K, K) such pairs if they met by chance, from those at longer distances (`CHANCE_MS`)
    intervals : (K, I) int64, histogram of the intervals between spikes of a train that follow each other
    interval_edges_ms : (I + 1,)
    """

    counts: NDArray[np.int64]
    edges_ms: NDArray[np.float64]
    close: NDArray[np.int64]
    expected: NDArray[np.float64]
    intervals: NDArray[np.int64]
    interval_edges_ms: NDArray[np.float64]


def correlograms(
    trains: Sequence[NDArray[np.integer]],
    *,
    sampling_frequency_hz: float,
    window_ms: float = WINDOW_MS,
    bin_ms: float = BIN_MS,
) -> Correlograms:
    """Correlograms of spike trains, over `window_ms` in all, half of it to either side.

    trains : sorted samples, as far apart as spikes were in time (`Clock.apart`)
    """
    from spikeinterface.core import NumpySorting
    from spikeinterface.postprocessing import compute_correlograms

    n = len(trains)
    rows = np.arange(n)
    times, labels = np.concatenate(trains), np.repeat(rows, [len(train) for train in trains])
    sorting = NumpySorting.from_samples_and_labels([times], [labels], sampling_frequency_hz, unit_ids=rows)
    counts, edges_ms = compute_correlograms(sorting, window_ms=window_ms, bin_ms=bin_ms, method="numpy")
    counts = counts.swapaxes(0, 1)  # theirs are of the first from the second
    close, by_chance = close_pairs(trains, sampling_frequency_hz=sampling_frequency_hz)
    found = [intervals_ms(train, sampling_frequency_hz=sampling_frequency_hz) for train in trains]
    return Correlograms(
        np.asarray(counts, np.int64),
        np.asarray(edges_ms, np.float64),
        close,
        by_chance,
        intervals=np.stack([counts for counts, _ in found]),
        interval_edges_ms=found[0][1],
    )


def close_pairs(
    trains: Sequence[NDArray[np.integer]], *, sampling_frequency_hz: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Pairs of spikes at refractory distances, and as many as there would be by chance: (K, K) each.

    trains : sorted samples of each; a pair within a train counts once
    """
    n = len(trains)
    close, chance = np.zeros((n, n), np.int64), np.zeros((n, n), np.int64)
    per_ms = sampling_frequency_hz / 1000
    for i in range(n):
        for j in range(i, n):
            for table, (low, high) in ((close, REFRACTORY_MS), (chance, CHANCE_MS)):
                n_pairs = n_apart(trains[i], trains[j], low * per_ms, high * per_ms)
                table[i, j] = table[j, i] = n_pairs // (2 if i == j else 1)
    return close, np.asarray(chance * CLOSE_A_CHANCE, np.float64)


def intervals_ms(
    train: NDArray[np.integer], *, sampling_frequency_hz: float, longest_ms: float = 50.0, bin_ms: float = 0.5
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Histogram of the intervals between spikes that follow each other: counts (B,), edges (B + 1,)."""
    edges = np.arange(0, longest_ms + bin_ms / 2, bin_ms)
    counts, _ = np.histogram(np.diff(train) * 1000 / sampling_frequency_hz, edges)
    return counts.astype(np.int64), edges
