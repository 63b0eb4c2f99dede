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
    chance = _chance(per_ms)
    lags = np.arange(max(n_half * bin_samples, len(chance) - 1) + 1)
    later = np.minimum(lags // bin_samples, n_half)  # bin of the second from the first, n_half: none
    earlier = np.minimum(-(-lags // bin_samples), n_half + 1)  # bins back, of the first from the second
    met = np.append(chance, np.zeros(len(lags) - len(chance), np.int64))
    begins, table = _counted(trains, later, earlier, met)
    counts = np.zeros((len(trains), len(trains), 2 * n_half), np.int64)
    counts[..., n_half:] = _summed(table, later[begins])[..., :n_half]
    back = _summed(table, earlier[begins]).swapaxes(0, 1)
    counts[..., : n_half + 1] += back[..., n_half::-1][..., : 2 * n_half]
    edges_ms = np.arange(-n_half, n_half + 1) * bin_samples / per_ms
    close, by_chance = _met(table, met[begins])
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
    met = _chance(sampling_frequency_hz / 1000)
    begins, table = _counted(trains, met)
    return _met(table, met[begins])


def _chance(per_ms: float) -> NDArray[np.int64]:
    """What each lag says, 0, 1, ... samples: 1 where it is refractory, 2 where chance is counted, else 0."""
    found = np.zeros(int(CHANCE_MS[1] * per_ms) + 1, np.int64)
    for number, (low, high) in enumerate((REFRACTORY_MS, CHANCE_MS), 1):
        found[int(low * per_ms) + 1 : int(high * per_ms) + 1] = number
    return found


def _met(table: NDArray[np.int64], met: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """See `close_pairs`; table : (K, K, F) of `_counted`; met : (F,) what the lags of each cell say."""
    tables = np.stack([table[..., met == number].sum(axis=2) for number in (1, 2)])
    across = tables + tables.swapaxes(1, 2)
    close, chance = np.where(np.eye(len(table), dtype=bool), tables, across)
    return close, chance * CLOSE_A_CHANCE


def _counted(
    trains: Sequence[NDArray[np.integer]], *kinds: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of spikes by the trains of the earlier and the later one, and by how far apart they are.

    kinds : (L,) what is told apart of each lag of 0, 1, ... samples; longer ones are not counted. Each pair
    is looked at once, whatever is made of it then. Returns the first lag of each cell (F,), pairs (K, K, F)
    """
    changes = np.any([np.diff(kind) != 0 for kind in kinds], axis=0)
    begins = np.append(0, np.flatnonzero(changes) + 1)
    cell = np.cumsum(np.append(0, changes))
    n = len(trains)
    times, row = _joined(trains)
    flat = np.zeros(n * n * len(begins), np.int64)
    waiting: list[NDArray[np.int64]] = []
    n_waiting = 0
    for first, second, apart in pairs_within(times, len(cell) - 1):
        waiting.append((row[first] * n + row[second]) * len(begins) + cell[apart])
        n_waiting += len(first)
        if n_waiting > len(flat):  # a table takes as long to add as so many pairs to count
            flat += np.bincount(np.concatenate(waiting), minlength=len(flat))
            waiting, n_waiting = [], 0
    if waiting:
        flat += np.bincount(np.concatenate(waiting), minlength=len(flat))
    return begins, flat.reshape(n, n, len(begins))


def _summed(table: NDArray[np.int64], bins: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sums over the cells of each bin (K, K, F) -> (K, K, B); bins : (F,) 0, 0, 1, ... without a gap."""
    return np.asarray(np.add.reduceat(table, np.flatnonzero(np.diff(bins, prepend=-1)), axis=2))


def _joined(trains: Sequence[NDArray[np.integer]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Spikes of all trains in order of time, and the train of each."""
    times = np.concatenate(trains)
    order = np.argsort(times, kind="stable")
    return times[order], np.repeat(np.arange(len(trains)), [len(train) for train in trains])[order]


def intervals_ms(
    train: NDArray[np.integer], *, sampling_frequency_hz: float, longest_ms: float = 50.0, bin_ms: float = 0.5
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Histogram of the intervals between spikes that follow each other: counts (B,), edges (B + 1,)."""
    edges = np.arange(0, longest_ms + bin_ms / 2, bin_ms)
    counts, _ = np.histogram(np.diff(train) * 1000 / sampling_frequency_hz, edges)
    return counts.astype(np.int64), edges
