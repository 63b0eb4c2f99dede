"""Samples of traces between spikes, in pieces; and how many a pair of channels shares at each lag.

Around samples beyond a threshold a spike may lie: they are busy. The others of a channel are runs, a few of
each piece. Two runs overlap at a lag by a number that grows with the lag by 1 for each sample, stays, and
falls: of each pair of their ends the growth changes at one lag. So what they share at all lags is known from
their ends, without looking at samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.loops import compiled


class Runs(NamedTuple):
    """Where the free samples of each channel begin and end, by turns, piece by piece.

    ends : (n,) int32, samples of their piece: the first one of a run, and the one after its last
    begin : (C, pieces + 1) int64, where those of each piece begin
    """

    ends: NDArray[np.int32]
    begin: NDArray[np.int64]


def free_pieces(
    values: NDArray[np.float32], beyond: NDArray[np.float32], before: int, after: int, size: int, room: int
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Whole pieces of traces (C, n) of `size` samples, zero where busy and in what `room` is more than that.

    Busy is what is zero, and from `before` samples before one that is `beyond` (C,) or below its negative to
    `after` samples after it. The pieces (C, pieces, room), and which of their samples are free: (C, pieces,
    size).
    """
    n_channels, n_pieces = len(values), values.shape[1] // size
    pieces = np.zeros((n_channels, n_pieces, room), np.float32)
    free = np.empty(values.shape, np.bool_)
    _take_free(values, np.ascontiguousarray(beyond, np.float32), before, after, size, free, pieces)
    return pieces, free[:, : n_pieces * size].reshape(n_channels, n_pieces, size)


def runs_of(free: NDArray[np.bool_]) -> Runs:
    """Runs of free samples (C, pieces, size)."""
    begin = np.zeros((free.shape[0], free.shape[1] + 1), np.int64)
    ends = np.empty(free.size + free.shape[0] * free.shape[1], np.int32)
    return Runs(ends[: _write_runs(free, ends, begin)].copy(), begin)


@dataclass
class SharedSamples:
    """How many samples are free on the first channel of each pair, and on the second one so much later.

    first, second : (P,) channels of each pair
    n_lags : lags from 1 - n_lags to n_lags - 1
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    n_lags: int

    def __post_init__(self) -> None:
        self._at_first = np.zeros(len(self.first), np.int64)
        self._turns = np.zeros((len(self.first), 2 * self.n_lags - 1), np.int64)

    def add(self, runs: Runs) -> None:
        """Add those of some pieces."""
        _add_turns(*runs, self.first, self.second, self.n_lags, self._at_first, self._turns)

    def by_lag(self) -> NDArray[np.int64]:
        """Number at each lag: (P, 2 n_lags - 1)."""
        growth = np.cumsum(self._turns, axis=1)
        grown = np.cumsum(growth[:, :-1], axis=1)
        return np.asarray(self._at_first[:, None] + np.pad(grown, ((0, 0), (1, 0))))


@compiled()
def _take_free(values, beyond, before, after, size, free, pieces):  # type: ignore[no-untyped-def]
    n = values.shape[1]
    for c in range(len(values)):
        row, of_row, most = values[c], free[c], beyond[c]
        for t in range(n):
            of_row[t] = row[t] != 0
        for t in range(n):
            if abs(row[t]) > most:
                for busy in range(max(0, t - before), min(n, t + after + 1)):
                    of_row[busy] = False
        for piece in range(pieces.shape[1]):
            some, into, is_free = row[piece * size :], pieces[c, piece], of_row[piece * size :]
            for t in range(size):
                into[t] = some[t] if is_free[t] else np.float32(0)


@compiled()
def _write_runs(free, ends, begin):  # type: ignore[no-untyped-def]
    """Write what `Runs` has; return the number of ends."""
    n = 0
    for c in range(len(free)):
        begin[c, 0] = n
        for piece in range(free.shape[1]):
            last = False
            for t in range(free.shape[2]):
                if free[c, piece, t] != last:
                    last = not last
                    ends[n] = t
                    n += 1
            if last:
                ends[n] = free.shape[2]
                n += 1
            begin[c, piece + 1] = n
    return n


@compiled()
def _add_turns(ends, begin, first, second, n_lags, at_first, turns):  # type: ignore[no-untyped-def]
    """Where the growth of what runs share turns, and what they share at the first lag."""
    least = 1 - n_lags
    for pair in range(len(first)):
        own, other = begin[first[pair]], begin[second[pair]]
        for piece in range(len(own) - 1):
            for i in range(own[piece], own[piece + 1]):
                for j in range(other[piece], other[piece + 1]):
                    lag = ends[j] - ends[i]
                    if lag > -least:
                        break
                    by = 1 if (i - own[piece] + j - other[piece]) % 2 else -1
                    turns[pair, max(lag, least) - least] += by
                    if lag < least:
                        at_first[pair] += by * (least - lag)
