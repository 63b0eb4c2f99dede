"""Spikes that another program found twice: one event of a cell as a spike of two units.

A sorter whose units do not follow the tissue has several units of one cell, and often finds a spike of that
cell in two of them at once. Fitted together, the two share what is one waveform: one of them has it, and
hardly anything is left for the other. So a spike with an amplitude of `GHOST_AMPLITUDE` and less, which has
more beside another spike, is that spike found again. Matching drops such spikes (`fitting.without_ghosts`).
Those of a given sorting stay in it, and are where the other one is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.sorting.fitting import GHOST_AMPLITUDE, MAX_LAG_MS
from ncpgui.sorting.matched import Matched

MOST_TOLD = 5
"""Pairs of units that are named."""


def found_twice(matched: Matched, *, sampling_frequency_hz: float, least: int) -> NDArray[np.int64]:
    """Row of the spike that each spike is again, -1 where it is one of its own: (n,).

    A unit that would be left with fewer than `least` spikes of its own keeps all of them: as a whole it may
    be an echo of another (`echoes`).

    matched : of a fit of all spikes together, in order of time
    """
    result = np.full(len(matched.unit), -1, dtype=np.int64)
    reach = round(MAX_LAG_MS * sampling_frequency_hz / 1000)
    times, place = matched.sample_index, matched.places.of(matched.sample_index)
    is_ghost = matched.amplitude <= GHOST_AMPLITUDE
    ghosts = np.flatnonzero(is_ghost)
    begin, end = (np.searchsorted(times, times[ghosts] + by) for by in (-reach, reach + 1))
    laid = _Laid(matched)
    for ghost, first, last in zip(ghosts.tolist(), begin.tolist(), end.tolist(), strict=True):
        near = first + np.flatnonzero(~is_ghost[first:last])
        shared = [
            laid.product(int(place[ghost]), int(matched.unit[ghost]), int(matched.unit[one]), later)
            for one, later in zip(near.tolist(), (times[near] - times[ghost]).tolist(), strict=True)
        ]
        if max(shared, default=0.0) > 0:
            result[ghost] = near[int(np.argmax(shared))]
    left = np.bincount(matched.unit[result < 0], minlength=matched.n_units)
    result[left[matched.unit] < least] = -1
    return result


def twice_words(matched: Matched, ids: NDArray[np.integer]) -> str:
    """Sentence about spikes that were found twice, "" without any; ids : (K,) what each unit is called."""
    if matched.again is None:
        return ""
    twice = np.flatnonzero(matched.again >= 0)
    of_pair = np.sort(matched.unit[np.column_stack([twice, matched.again[twice]])], axis=1)
    pairs, counts = np.unique(of_pair, axis=0, return_counts=True)
    most = np.argsort(-counts, kind="stable")[:MOST_TOLD]
    told = ", ".join(f"{counts[k]} in {ids[pairs[k, 0]]} and {ids[pairs[k, 1]]}" for k in most.tolist())
    more = f" and {len(pairs) - len(most)} more pairs of units" if len(pairs) > len(most) else ""
    return f"Spikes found twice, in two units at once: {told}{more}. Each is looked at once."


class _Laid:
    """Sums of products of two templates, one laid beside the other."""

    def __init__(self, matched: Matched) -> None:
        self._waveforms = matched.moving.waveforms
        self._known: dict[tuple[int, int, int, int], float] = {}
        self._seen: dict[tuple[int, int], NDArray[np.int64]] = {}

    def product(self, place: int, first: int, second: int, later: int) -> float:
        """Of two units at a place, the second one so many samples later."""
        key = (place, first, second, later)
        if key not in self._known:
            self._known[key] = self._product(*key)
        return self._known[key]

    def _product(self, place: int, first: int, second: int, later: int) -> float:
        both = np.intersect1d(self._channels(place, first), self._channels(place, second))
        one, other = (self._waveforms[place, unit][:, both] for unit in (first, second))
        n = len(one) - abs(later)
        return float((one[max(later, 0) :][:n] * other[max(-later, 0) :][:n]).sum())

    def _channels(self, place: int, unit: int) -> NDArray[np.int64]:
        if (place, unit) not in self._seen:
            self._seen[place, unit] = np.flatnonzero((self._waveforms[place, unit] != 0).any(axis=0))
        return self._seen[place, unit]
