"""Peaks on a base, fitted to the mean rate at each value of a stimulus.

A curve has one peak, or two of the same width. Two are fitted where they explain the rates clearly better, as
they do where a unit holds the spikes of two cells, or where a cell prefers two directions. A single peak
would lie between the two then, or be as wide as both.

All places and widths of a grid are tried, so that no fit ends in a local optimum. For given places and width
the heights and the base follow by least squares in closed form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
WIDEST, NARROWEST = 0.02, 30.0
"""Concentrations that are tried on a circle, from nearly flat to a peak of a twelfth of the circle."""
N_PEAKS, N_WIDTHS = 180, 48
N_COARSE = 45
"""Places of two peaks that are tried first."""
CLEARLY = 15.0
"""What a second peak must explain of the sum of squares, in variances of a trial.

One more place and height explain 2 on average where there is one peak, and more than this in one curve of 200
(960 Poisson cells of one peak, ten trials at each of twelve values).
"""
OF_TWO_CELLS = 2.0
"""The same where the spikes are known to be of two cells: more than a second peak explains by chance."""


class Fit(NamedTuple):
    """Of one curve. peak : place of the higher peak; width : half of the width at half height

    height, second_height, base : rates (Hz); the second height is 0 where there is one peak
    explained : by how much the mean square over trials is less than without any peak
    """

    peak: float
    width: float
    height: float
    second_height: float
    base: float
    explained: float


@dataclass(frozen=True, eq=False)
class TuningCurves:
    """All curves that are tried.

    values : (n_values,) of the stimulus, increasing; n_trials : (n_values,) trials at each
    period : of values on a circle, on which peaks are von Mises functions; Gaussians on a line (None)
    """

    values: Floats
    n_trials: Ints
    period: float | None

    def one_peak(self, rates: Floats) -> Fit:
        """The best curve of one peak, of the mean rate (Hz) at each value: (n_values,)."""
        height = self._products(rates) / self._spread
        explained = np.where(height > 0, height**2 * self._spread, 0.0)
        place, width = np.unravel_index(int(explained.argmax()), explained.shape)
        return self._fit(rates, [int(place)], int(width), float(explained[place, width]))

    def two_peaks(self, rates: Floats) -> Fit:
        """The best curve of two peaks of one width, if two are better than one.

        It is looked for on a coarse grid of places, then around the best one there.
        """
        products = self._products(rates)
        step = N_PEAKS // N_COARSE
        coarse = step * np.array(np.triu_indices(N_COARSE, 1))
        first, second = self._best_pair(products, coarse, self._coarse_overlap)[0]
        near = np.arange(1 - step, step)
        fine = np.array([one.ravel() for one in np.meshgrid(first + near, second + near)])
        fine = fine % N_PEAKS if self.period is not None else fine.clip(0, N_PEAKS - 1)
        fine = fine[:, fine[0] != fine[1]]
        places, width, explained = self._best_pair(products, fine, self._overlap(*fine))
        return self._fit(rates, places, width, explained) if explained > 0 else self.one_peak(rates)

    def _best_pair(self, products: Floats, pairs: Ints, overlap: Floats) -> tuple[list[int], int, float]:
        """The best of these pairs (2, n_pairs), its width, what it explains: 0 if no pair has two peaks."""
        (a, b), (of_first, of_second) = self._spread[pairs], products[pairs]
        determinant = np.maximum(a * b - overlap**2, 1e-9 * a * b)
        first, second = b * of_first - overlap * of_second, a * of_second - overlap * of_first
        both = (first > 0) & (second > 0)
        explained = np.where(both, (first * of_first + second * of_second) / determinant, 0.0)
        best, width = np.unravel_index(int(explained.argmax()), explained.shape)
        return pairs[:, best].tolist(), int(width), float(explained[best, width])

    def _fit(self, rates: Floats, places: list[int], width: int, explained: float) -> Fit:
        """Heights and base of these peaks by least squares, the higher peak first.

        Its place and the width lie between those that are tried: where a parabola through the squares that
        are left is least.
        """
        if explained <= 0:
            flat = float(self._share @ rates)
            return Fit(float(self._places[places[0]]), self._half_width(width), 0.0, 0.0, flat, 0.0)
        heights, base, left = self._least_squares(rates, places, width)
        higher = int(heights.argmax())
        along = [self._least_squares(rates, one, width)[2] for one in self._beside(places, higher)]
        wider = [width - 1, width + 1] if 0 < width < N_WIDTHS - 1 else []
        across = [self._least_squares(rates, places, one)[2] for one in wider]
        step = float(self._places[1] - self._places[0])
        peak = float(self._places[places[higher]]) + step * _least(left, along)
        return Fit(
            peak=peak if self.period is None else peak % self.period,
            width=self._half_width(width + _least(left, across)),
            height=float(heights[higher]),
            second_height=float(heights.min()) if len(heights) > 1 else 0.0,
            base=base,
            explained=explained,
        )

    def _least_squares(self, rates: Floats, places: list[int], width: int) -> tuple[Floats, float, float]:
        """Heights of these peaks, base, and the mean square over trials that is left."""
        weight = np.sqrt(self._share)
        columns = np.vstack([self._raw[places, width], np.ones(len(rates))])
        *heights, base = np.linalg.lstsq((columns * weight).T, rates * weight, rcond=None)[0]
        left = rates - np.array([*heights, base]) @ columns
        return np.array(heights), float(base), float(self._share @ left**2)

    def _beside(self, places: list[int], which: int) -> list[list[int]]:
        """Both ways to move one of the peaks to the next place; none at an end, or onto the other peak."""
        moved = [[*places[:which], places[which] + step, *places[which + 1 :]] for step in (-1, 1)]
        if self.period is not None:
            moved = [[place % N_PEAKS for place in one] for one in moved]
        are_there = all(0 <= one[which] < N_PEAKS and len(set(one)) == len(one) for one in moved)
        return moved if are_there else []

    def _products(self, rates: Floats) -> Floats:
        """Covariance over trials of the rates with every peak: (N_PEAKS, N_WIDTHS)."""
        return np.asarray(self._centred @ (self._share * (rates - self._share @ rates)))

    def _overlap(self, first: Ints, second: Ints) -> Floats:
        """Covariance over trials of two peaks of each width: (n_pairs, N_WIDTHS)."""
        return np.einsum("pwv,pwv,v->pw", self._centred[first], self._centred[second], self._share)

    @cached_property
    def _coarse_overlap(self) -> Floats:
        coarse = self._centred[:: N_PEAKS // N_COARSE].transpose(1, 0, 2)  # (N_WIDTHS, N_COARSE, n_values)
        all_pairs = (coarse * self._share) @ coarse.transpose(0, 2, 1)
        first, second = np.triu_indices(N_COARSE, 1)
        return np.ascontiguousarray(all_pairs[:, first, second].T)

    @cached_property
    def _share(self) -> Floats:
        return np.asarray(self.n_trials / self.n_trials.sum())

    @cached_property
    def _reach(self) -> float:
        return float(np.ptp(self.values)) if self.period is None else self.period

    @cached_property
    def _widths(self) -> Floats:
        """Concentrations of von Mises functions, or sd of Gaussians: (N_WIDTHS,)."""
        if self.period is None:
            return np.geomspace(self._reach / 60, 2 * self._reach, N_WIDTHS)
        return np.geomspace(WIDEST, NARROWEST, N_WIDTHS)

    @cached_property
    def _places(self) -> Floats:
        """(N_PEAKS,)."""
        low = float(self.values[0]) if self.period is None else 0.0
        return low + self._reach * np.arange(N_PEAKS) / (N_PEAKS - (self.period is None))

    @cached_property
    def _raw(self) -> Floats:
        """Every peak at the values, of height 1: (N_PEAKS, N_WIDTHS, n_values)."""
        apart = self.values - self._places[:, None, None]
        width = self._widths[:, None]
        if self.period is None:
            return np.asarray(np.exp(-0.5 * (apart / width) ** 2))
        return np.asarray(np.exp(width * (np.cos(2 * np.pi * apart / self.period) - 1)))

    @cached_property
    def _centred(self) -> Floats:
        """The same about their means over trials."""
        return np.asarray(self._raw - (self._raw @ self._share)[..., None])

    @cached_property
    def _spread(self) -> Floats:
        """Variance over trials of every peak: (N_PEAKS, N_WIDTHS)."""
        return np.maximum(self._centred**2 @ self._share, 1e-12)

    def _half_width(self, width: float) -> float:
        """Of a width that is tried, by its number, or between two of them: they are a geometric series."""
        wide = float(self._widths[0] * (self._widths[1] / self._widths[0]) ** width)
        if self.period is None:
            return float(np.sqrt(2 * np.log(2)) * wide)
        return float(np.arccos(max(1 - np.log(2) / wide, -1.0)) * self.period / (2 * np.pi))


def _least(at: float, beside: Sequence[float]) -> float:
    """Where a parabola through three values is least, -0.5 to 0.5 steps from the middle; 0 of one value."""
    if len(beside) < 2 or beside[0] - 2 * at + beside[1] <= 0:
        return 0.0
    place = 0.5 * (beside[0] - beside[1]) / (beside[0] - 2 * at + beside[1])
    return float(np.clip(place, -0.5, 0.5))


def has_two_peaks(
    curves: TuningCurves,
    counts: NDArray[np.int64],
    of_trial: Ints,
    duration_s: float,
    *,
    least: float = CLEARLY,
) -> bool:
    """Whether a second peak explains more than one does, by `least` variances of a trial.

    counts : (n_trials,) spikes in each trial; of_trial : (n_trials,) index of its value. The variance of a
    trial is that of a Poisson process, times how much more the trials of one value vary.
    """
    n = np.bincount(of_trial, minlength=len(curves.values))
    mean = np.bincount(of_trial, counts, minlength=len(n)) / n
    again = n > 1
    inside = np.bincount(of_trial, (counts - mean[of_trial]) ** 2, minlength=len(n))[again] / (n[again] - 1)
    poisson = mean[again].sum()
    overdispersion = max(1.0, float(inside.sum() / poisson)) if poisson > 0 else 1.0
    variance = overdispersion * counts.mean()
    if variance <= 0:
        return False
    rates = mean / duration_s
    gained = curves.two_peaks(rates).explained - curves.one_peak(rates).explained
    return bool(len(counts) * gained * duration_s**2 > least * variance)
