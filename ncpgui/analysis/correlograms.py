"""Correlograms, intervals and close pairs of spike trains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.spike_pairs import pairs_within
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
    per_ms = sampling_frequency_hz / 1000
    bin_samples = round(bin_ms * per_ms)
    n_half = round(window_ms / 2 * per_ms) // bin_samples
    times, row = _joined(trains)
    counts = np.zeros((len(trains), len(trains), 2 * n_half), np.int64)
    for first, second, apart in pairs_within(times, n_half * bin_samples):
        for one, other, lag in ((first, second, apart), (second, first, -apart)):
            bins = lag // bin_samples + n_half
            is_inside = bins < 2 * n_half  # the last bin is without its later edge
            _count(counts, row[one[is_inside]], row[other[is_inside]], bins[is_inside])
    edges_ms = np.arange(-n_half, n_half + 1) * bin_samples / per_ms
    close, by_chance = close_pairs(trains, sampling_frequency_hz=sampling_frequency_hz)
    found = [intervals_ms(train, sampling_frequency_hz=sampling_frequency_hz) for train in trains]
    return Correlograms(
        counts,
        edges_ms,
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
    n, per_ms = len(trains), sampling_frequency_hz / 1000
    times, row = _joined(trains)
    tables = np.zeros((2, n, n), np.int64)
    for first, second, apart in pairs_within(times, CHANCE_MS[1] * per_ms):
        for table, (low, high) in zip(tables, (REFRACTORY_MS, CHANCE_MS), strict=True):
            is_inside = (apart > low * per_ms) & (apart <= high * per_ms)
            _count(table, row[first[is_inside]], row[second[is_inside]])
    across = tables + tables.swapaxes(1, 2)
    close, chance = np.where(np.eye(n, dtype=bool), tables, across)
    return close, chance * CLOSE_A_CHANCE


def _joined(trains: Sequence[NDArray[np.integer]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Spikes of all trains in order of time, and the train of each."""
    times = np.concatenate(trains)
    order = np.argsort(times, kind="stable")
    return times[order], np.repeat(np.arange(len(trains)), [len(train) for train in trains])[order]


def _count(table: NDArray[np.int64], *places: NDArray[np.int64]) -> None:
    """Count places in a table, an array for each of its axes."""
    flat = np.ravel_multi_index(places, table.shape)
    table += np.bincount(flat, minlength=table.size).reshape(table.shape)


def intervals_ms(
    train: NDArray[np.integer], *, sampling_frequency_hz: float, longest_ms: float = 50.0, bin_ms: float = 0.5
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Histogram of the intervals between spikes that follow each other: counts (B,), edges (B + 1,)."""
    edges = np.arange(0, longest_ms + bin_ms / 2, bin_ms)
    counts, _ = np.histogram(np.diff(train) * 1000 / sampling_frequency_hz, edges)
    return counts.astype(np.int64), edges
