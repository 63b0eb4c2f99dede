"""What a sorting is worth where the true units are known: units found, units too many, probabilities kept.

A true unit is found where a unit agrees with it by `FOUND` or more (spikes in both over spikes in either,
within `WITHIN_MS`). Each unit is matched with one true unit at most, and only by `MATCHED` or more: a true
unit without a match has an accuracy of 0. Units too many are counted in two ways. As SpikeInterface does:
`false` agree with no true unit by 0.2; `redundant` do, but another unit agrees better; one that agrees best
with a true unit, by 0.2 to 0.5, is neither. As `extra`: all units that are matched with none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spikeinterface.comparison import compare_sorter_to_ground_truth
from spikeinterface.core import BaseSorting

FOUND = 0.8
MATCHED = 0.5
WITHIN_MS = 0.4
BANDS = ((-np.inf, 4.0), (4.0, 5.0), (5.0, 7.0), (7.0, 10.0), (10.0, np.inf))
"""Of the SNR of true units."""
BINS = 5
"""Of a reliability table."""


@dataclass(frozen=True)
class UnitScores:
    """How a sorting compares with the truth.

    accuracy : (n_true,) of the unit that each true unit is matched with, 0 where there is none by `MATCHED`
    agreement : (n_units,) of each unit with the true unit that it agrees with most
    is_match : (n_units,) bool, whether a unit is a true unit's match by `MATCHED`
    is_of_cells : (n_units,) bool, whether it is one or more cells (`of_cells`)
    is_redundant : (n_units,) bool, as SpikeInterface has it: it agrees with a true unit by 0.2, and another
        unit agrees with that better
    n_false : as SpikeInterface counts them
    """

    accuracy: NDArray[np.float64]
    agreement: NDArray[np.float64]
    is_match: NDArray[np.bool_]
    is_of_cells: NDArray[np.bool_]
    is_redundant: NDArray[np.bool_]
    n_false: int

    @property
    def n_found(self) -> int:
        """True units that were found."""
        return int((self.accuracy >= FOUND).sum())

    @property
    def n_redundant(self) -> int:
        """Redundant units."""
        return int(self.is_redundant.sum())

    @property
    def n_units(self) -> int:
        """Units of the sorting."""
        return len(self.is_match)

    @property
    def n_extra(self) -> int:
        """Units that are no true unit's match by `MATCHED`."""
        return int((~self.is_match).sum())


def scores(truth: BaseSorting, found: BaseSorting) -> UnitScores:
    """Compare a sorting with the true one; the order of units is that of their ids."""
    n_true, n_units = truth.get_num_units(), found.get_num_units()
    if n_units == 0:
        none = np.zeros(0, bool)
        return UnitScores(np.zeros(n_true), np.zeros(0), none, none, none, 0)
    compared = compare_sorter_to_ground_truth(
        truth, found, exhaustive_gt=True, delta_time=WITHIN_MS, match_score=MATCHED
    )
    agreement = compared.agreement_scores.loc[truth.unit_ids, found.unit_ids].to_numpy(dtype=float)
    match = compared.hungarian_match_12
    row = {unit: i for i, unit in enumerate(found.unit_ids)}
    accuracy, is_match = np.zeros(n_true), np.zeros(n_units, bool)
    for i, unit in enumerate(truth.unit_ids):
        if match[unit] in row:
            accuracy[i] = agreement[i, row[match[unit]]]
            is_match[row[match[unit]]] = True
    return UnitScores(
        accuracy,
        agreement.max(axis=0),
        is_match,
        of_cells(truth, found, agreement),
        np.isin(found.unit_ids, compared.get_redundant_units()),
        compared.count_false_positive_units(),
    )


def of_cells(truth: BaseSorting, found: BaseSorting, agreement: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Whether each unit is one or more cells, and not noise or what is left of others: (n_units,).

    At least half of its spikes are those of true units, beyond chance. The spikes of a true unit do not count
    where another unit, which agrees with it most, has more than half of them too.

    agreement : (n_true, n_units)
    """
    reach = round(WITHIN_MS / 1000 * truth.sampling_frequency)
    cells = [truth.get_unit_spike_train(unit) for unit in truth.unit_ids]
    units = [found.get_unit_spike_train(unit) for unit in found.unit_ids]
    last = max((train[-1] for train in (*cells, *units) if len(train)), default=0) + 1
    best = agreement.argmax(axis=1)
    part = np.zeros(len(units))
    for k, train in enumerate(units):
        for i, cell in enumerate(cells):
            by_chance = min(len(cell) * (2 * reach + 1) / last, 1.0)
            hit = near(train, cell, reach)
            share = (hit.mean() - by_chance) / (1 - by_chance) if by_chance < 1 and len(train) else 0.0
            if share <= 0:
                continue
            elsewhere = best[i] != k and near(train[hit], units[best[i]], 2 * reach).mean() > 0.5
            part[k] += 0.0 if elsewhere else share
    return part >= 0.5 - 1e-9


def near(first: NDArray[np.integer], second: NDArray[np.integer], reach: int) -> NDArray[np.bool_]:
    """Whether each of `first` has one of `second`, both in order, within `reach`: (len(first),)."""
    if len(second) == 0:
        return np.zeros(len(first), bool)
    place = np.searchsorted(second, first)
    before = np.abs(first - second[np.maximum(place - 1, 0)])
    after = np.abs(second[np.minimum(place, len(second) - 1)] - first)
    return np.minimum(before, after) <= reach


def band(snr: float) -> str:
    """Name of the band that an SNR is in; the lower end belongs to a band, the upper one does not."""
    low, high = next((low, high) for low, high in BANDS if low <= snr < high)
    if low == -np.inf:
        return f"under {high:g}"
    return f"{low:g} to {high:g}" if high < np.inf else f"{low:g} and more"


def by_band(snr: Sequence[float], accuracy: Sequence[float]) -> dict[str, dict[str, float]]:
    """True units, how many were found and their mean accuracy in each band that holds any."""
    names = np.array([band(one) for one in snr])
    values = np.asarray(accuracy)
    shown = dict.fromkeys(band(low if low > -np.inf else 0.0) for low, _ in BANDS)
    return {
        name: {
            "true units": int((names == name).sum()),
            "found": int((values[names == name] >= FOUND).sum()),
            "mean accuracy": float(values[names == name].mean()),
        }
        for name in shown
        if (names == name).any()
    }


def reliability(
    probability: Sequence[float], came_true: Sequence[bool]
) -> tuple[list[dict[str, Any]], float]:
    """What was promised beside what came true, in `BINS` equal bins, and the expected calibration error.

    The error is as of `calibration_error`.
    """
    p, true = np.asarray(probability, float), np.asarray(came_true, float)
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    rows = []
    for i in range(BINS):
        here = bins == i
        if not here.any():
            continue
        rows.append(
            {
                "P(neuron)": f"{i / BINS:g} to {(i + 1) / BINS:g}",
                "units": int(here.sum()),
                "mean P(neuron)": float(p[here].mean()),
                "neurons": float(true[here].mean()),
            }
        )
    return rows, calibration_error(p, true, n_bins=BINS)


def calibration_error(
    probability: NDArray[np.floating], came_true: NDArray[np.bool_ | np.floating], *, n_bins: int
) -> float:
    """Mean over all of |mean promise - share that came true| of the bin that each is in, of equal bins."""
    bins = np.minimum((probability * n_bins).astype(int), n_bins - 1)
    gap = np.bincount(bins, weights=probability - came_true, minlength=n_bins)
    return float(np.abs(gap).sum() / max(len(probability), 1))
