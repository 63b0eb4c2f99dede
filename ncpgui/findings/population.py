"""Analyses of several units at once for `ncpgui.propagate`: peaks of correlograms, and decoding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncpgui.core.arguments import array, number, pairs
from ncpgui.core.errors import InputError
from ncpgui.findings.last_found import LastFound
from ncpgui.findings.recorded import Recorded, recorded_of, train_of

if TYPE_CHECKING:
    from spikeinterface.core import BaseSorting

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CorrelogramPeaks:
    """Highest bin of the correlogram of pairs of units: its time `lag_ms`, and `height`.

    The height is in times of what chance makes; the time is positive where the second unit fires later.
    Spikes at the two sides of a gap are not near, and a spike does not count itself.
    Pairs of which a unit is not there have none.

    pairs : of units; window_ms : to either side; bin_ms : of the bins
    n_stretches : into which the recording is cut for the bootstrap
    """

    pairs: Iterable[tuple[int, int]]
    window_ms: float = 25.0
    bin_ms: float = 1.0
    n_stretches: int = 50

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", tuple(pairs(self.pairs, "pairs")))
        if not 0 < self.bin_ms <= self.window_ms:
            raise InputError(
                f"bins must be smaller than the window, got bin_ms={self.bin_ms}, window_ms={self.window_ms}"
            )

    def __call__(self, sorting: BaseSorting) -> dict[Any, dict[str, float]]:
        """Of the whole recording."""
        return self._of(sorting, np.ones(self.n_stretches, np.int64))

    def resampled(self, sorting: BaseSorting, rng: np.random.Generator) -> dict[Any, dict[str, float]]:
        """Of stretches drawn again."""
        drawn = rng.integers(0, self.n_stretches, self.n_stretches)
        return self._of(sorting, np.bincount(drawn, minlength=self.n_stretches))

    def _of(self, sorting: BaseSorting, times: NDArray[np.int64]) -> dict[Any, dict[str, float]]:
        there, recorded = set(sorting.unit_ids.tolist()), recorded_of(sorting)
        found = {}
        for first, second in self.pairs:
            if {first, second} <= there:
                a, b = (train_of(sorting, unit) for unit in (first, second))
                if len(a) and len(b):
                    again = np.repeat(a, times[recorded.stretch_of(a, self.n_stretches)])
                    found[first, second] = self._peak(again, b, recorded, is_same=first == second)
        return found

    def _peak(
        self, a: NDArray[np.int64], b: NDArray[np.int64], recorded: Recorded, *, is_same: bool
    ) -> dict[str, float]:
        """Of the spikes `b` around the spikes `a`."""
        if not len(a):
            return {"lag_ms": np.nan, "height": np.nan}
        window_s, bin_s = self.window_ms / 1000, self.bin_ms / 1000
        found = recorded.response(b, recorded.seconds(a), window_s, window_s, bin_s)
        counts = found.counts.copy()
        if is_same:
            counts[len(counts) // 2] -= len(a)  # a spike does not count itself
        with np.errstate(invalid="ignore", divide="ignore"):
            rate_hz = counts / found.recorded_s
        best = int(np.nanargmax(rate_hz))
        return {
            "lag_ms": float(found.edges_s[best : best + 2].mean() * 1000),
            "height": float(rate_hz[best] / (len(b) / recorded.duration_s)),
        }


@dataclass(frozen=True, eq=False)
class Decoding:
    """How well the stimulus of a trial is told from the spikes in it: `accuracy`, cross-validated.

    The decoder is linear (scikit-learn's linear discriminant analysis with shrinkage, on square roots of
    counts). The bootstrap draws trials that were tested again.

    starts_s : (n_trials,) s of the recording's clock; duration_s : of a trial, all of which was recorded
    values : (n_trials,) of the stimulus
    n_folds : of trials
    units : to decode from; all of the sorting when left out
    """

    starts_s: ArrayLike
    duration_s: float
    values: ArrayLike
    n_folds: int = 5
    units: Iterable[int] | None = None
    _last: LastFound[BaseSorting, NDArray[np.bool_]] = field(
        default_factory=LastFound, init=False, repr=False
    )

    def __post_init__(self) -> None:
        starts, values = array(self.starts_s, "starts_s"), np.asarray(self.values)
        if starts.ndim != 1 or starts.shape != values.shape:
            raise InputError(
                f"decoding needs a value for each trial, got shapes {starts.shape} and {values.shape}"
            )
        _, counts = np.unique(values, return_counts=True)
        if len(counts) < 2 or counts.min() < self.n_folds:
            raise InputError(
                f"decoding needs two values at least, and {self.n_folds} trials of each, got "
                f"{counts.tolist()}"
            )
        if len(values) * (1 - 1 / self.n_folds) <= len(counts):
            raise InputError(
                f"decoding needs more trials to learn from than values, got {len(values)} trials of "
                f"{len(counts)} values in {self.n_folds} folds; give more trials, or more folds"
            )
        if not number(self.duration_s, "duration_s") > 0:
            raise InputError(f"duration_s of a trial must be more than 0, got {self.duration_s}")
        object.__setattr__(self, "starts_s", starts.astype(np.float64))
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "units", None if self.units is None else tuple(self.units))

    def __call__(self, sorting: BaseSorting) -> dict[Any, dict[str, float]]:
        """Share of the trials that are told right."""
        return {None: {"accuracy": float(self._last.of(sorting, self._right_in).mean())}}

    def resampled(self, sorting: BaseSorting, rng: np.random.Generator) -> dict[Any, dict[str, float]]:
        """Of trials drawn again among those that were tested."""
        right = self._last.of(sorting, self._right_in)
        return {None: {"accuracy": float(right[rng.integers(0, len(right), len(right))].mean())}}

    def counts(self, sorting: BaseSorting) -> Floats:
        """Spikes of each unit in each trial: (n_trials, n_units)."""
        starts, recorded = np.asarray(self.starts_s), recorded_of(sorting)
        units = sorting.unit_ids.tolist()
        chosen = [unit for unit in units if self.units is None or unit in self.units]
        columns = [
            recorded.spikes_in_trials(train_of(sorting, unit), starts, self.duration_s) for unit in chosen
        ]
        return np.array(columns, dtype=np.float64).reshape(len(chosen), len(starts)).T

    def probabilities(self, counts: Floats) -> Floats:
        """Cross-validated probability of each value in each trial: (n_trials, n_values); rows sum to one."""
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
        from sklearn.model_selection import StratifiedKFold, cross_val_predict

        values = np.asarray(self.values)
        names, of_trial = np.unique(values, return_inverse=True)
        if counts.shape[1] == 0:
            return np.full((len(values), len(names)), 1 / len(names))
        decoder = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
        folds = StratifiedKFold(self.n_folds)
        return np.asarray(
            cross_val_predict(decoder, np.sqrt(counts), of_trial, cv=folds, method="predict_proba")
        )

    def _right_in(self, sorting: BaseSorting) -> NDArray[np.bool_]:
        """Whether each trial is told right."""
        _, of_trial = np.unique(np.asarray(self.values), return_inverse=True)
        return np.asarray(self.probabilities(self.counts(sorting)).argmax(axis=1) == of_trial)
