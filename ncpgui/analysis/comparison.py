"""Compare a sorting with the true spikes: spikes within 0.4 ms match, units by best agreement.

Accuracy of a pair is matches / (true + found - matches), as in SpikeForest and SpikeInterface; the
pairs are the assignment with the largest sum (Hungarian method).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ncpgui.core.errors import InputError
from ncpgui.core.spikes import Sorting

WINDOW_MS = 0.4
WELL_DETECTED = 0.8
REDUNDANT = 0.2
MIN_ASSIGNED = 0.1


@dataclass(frozen=True)
class Comparison:
    """Agreement of found units with true units.

    Parameters
    ----------
    true_ids : (T,); found_ids : (F,)
    matches : (T, F) int64, pairs of spikes within the window, each spike used once a pair
    accuracy_matrix : (T, F) float64, matches / (true + found - matches)
    best_match : (T,) int64, found unit assigned to each true unit, -1 = none
    accuracy, precision, recall : (T,) float64, of that assignment; 0 without one
    n_true, n_found : (T,), (F,) int64 spikes
    """

    true_ids: NDArray[np.int64]
    found_ids: NDArray[np.int64]
    matches: NDArray[np.int64]
    accuracy_matrix: NDArray[np.float64]
    best_match: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    n_true: NDArray[np.int64]
    n_found: NDArray[np.int64]

    @property
    def false_ids(self) -> NDArray[np.int64]:
        """Found units that agree with no true unit (accuracy below 0.2 with each)."""
        return _of(self.found_ids, ~self._agrees & ~self._overmerged)

    @property
    def redundant_ids(self) -> NDArray[np.int64]:
        """Found units that agree with a true unit (at least 0.2) for which another one was chosen."""
        chosen = np.isin(self.found_ids, self.best_match)
        return _of(self.found_ids, self._agrees & ~chosen & ~self._overmerged)

    @property
    def overmerged_ids(self) -> NDArray[np.int64]:
        """Found units that hold at least half of the spikes of two or more true units."""
        return _of(self.found_ids, self._overmerged)

    @property
    def _agrees(self) -> NDArray[np.bool_]:
        best: NDArray[np.float64] = self.accuracy_matrix.max(axis=0, initial=0.0)
        return best >= REDUNDANT

    @property
    def _overmerged(self) -> NDArray[np.bool_]:
        share = self.matches / np.maximum(self.n_true, 1)[:, None]
        held: NDArray[np.int64] = (share >= 0.5).sum(axis=0)
        return held >= 2

    def summary(self, *, scored: NDArray[np.bool_] | None = None) -> dict[str, Any]:
        """Numbers for a report; `scored` (T,) leaves true units out, such as those under the threshold."""
        keep = np.ones(len(self.true_ids), dtype=bool) if scored is None else np.asarray(scored, dtype=bool)
        accuracy = self.accuracy[keep]
        return {
            "true_units": int(keep.sum()),
            "found_units": len(self.found_ids),
            "well_detected": int((accuracy >= WELL_DETECTED).sum()),
            "mean_accuracy": float(accuracy.mean()) if len(accuracy) else 0.0,
            "false_units": len(self.false_ids),
            "redundant_units": len(self.redundant_ids),
            "overmerged_units": len(self.overmerged_ids),
        }


def _of(ids: NDArray[np.int64], chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    return ids[chosen]


def compare(sorting: Sorting, truth: Sorting, *, window_ms: float = WINDOW_MS) -> Comparison:
    """Match the units of `sorting` with those of `truth`; unassigned spikes (-1) are left out.

    Raises
    ------
    InputError
        Different sampling frequencies, or a negative window.
    """
    if sorting.sampling_frequency_hz != truth.sampling_frequency_hz:
        raise InputError(
            f"the sorting is at {sorting.sampling_frequency_hz:g} Hz, the truth at "
            f"{truth.sampling_frequency_hz:g} Hz; compare sortings of one recording"
        )
    if window_ms < 0:
        raise InputError(f"window_ms must not be negative, got {window_ms}")
    # A whisker more than the window, so that 8 samples at 20 kHz are 0.4 ms in floating point too.
    window = int(window_ms * truth.sampling_frequency_hz / 1000 + 1e-6)
    true_ids, found_ids = truth.unit_ids, sorting.unit_ids
    true_trains = [truth.spike_train(int(unit)) for unit in true_ids]
    found_trains = [sorting.spike_train(int(unit)) for unit in found_ids]
    matches = np.zeros((len(true_ids), len(found_ids)), dtype=np.int64)
    for i, true_train in enumerate(true_trains):
        for j, found_train in enumerate(found_trains):
            matches[i, j] = count_matches(true_train, found_train, window)
    n_true = np.array([len(train) for train in true_trains], dtype=np.int64)
    n_found = np.array([len(train) for train in found_trains], dtype=np.int64)
    accuracy = matches / np.maximum(n_true[:, None] + n_found[None, :] - matches, 1)
    best = np.full(len(true_ids), -1, dtype=np.int64)
    score, precision, recall = np.zeros((3, len(true_ids)))
    for i, j in zip(*linear_sum_assignment(-accuracy), strict=True):
        if accuracy[i, j] >= MIN_ASSIGNED:
            best[i], score[i] = found_ids[j], accuracy[i, j]
            precision[i], recall[i] = matches[i, j] / n_found[j], matches[i, j] / n_true[i]
    return Comparison(true_ids, found_ids, matches, accuracy, best, score, precision, recall, n_true, n_found)


def count_matches(first: NDArray[np.int64], second: NDArray[np.int64], window: int) -> int:
    """Largest number of pairs at most `window` samples apart, each spike in one pair; sorted trains."""
    low = np.searchsorted(second, first - window, side="left")
    high = np.searchsorted(second, first + window, side="right")
    partners = high - low
    met = partners > 0
    low_met, high_met = low[met], high[met]
    if len(low_met) < 2 or (high_met[:-1] <= low_met[1:]).all():
        return int(met.sum())
    # Some spikes compete for a partner: give each the earliest that is free, which is optimal
    # because the intervals move forward in time.
    matched, free = 0, 0
    for start, stop in zip(low_met.tolist(), high_met.tolist(), strict=True):
        free = max(free, start)
        if free < stop:
            matched, free = matched + 1, free + 1
    return matched
