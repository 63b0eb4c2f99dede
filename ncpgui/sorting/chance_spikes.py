"""Spikes that are of no unit at all: what noise alone, or what is left of others, gives to a template.

The gain of a spike says by how many noise sd its cleaned waveform lies along the template: its *length*.
Lengths of a neuron's spikes are normal around that of its template. Noise that is let through lies just
above the least length that matching takes and falls off there; so does what is left of other spikes. Their
number among the spikes of a unit is by how many more lengths lie below those of its own spikes than above,
and at least what chance crossings of Gaussian noise (Rice's rate) make of it, at each level that the noise
has in turn: where its gain drifts, nearly all of them are in the loudest parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.partition import rows_of_clusters

if TYPE_CHECKING:
    from ncpgui.sorting.matched import Matched

PLATEAU = 0.0001
"""Density of what is left of others that lies anywhere, a unit of length."""
LEFT_FALL = 0.7
"""What is left of others falls off by a factor e in so many noise sd."""
TAIL_SD = 2.5
MIN_SEEN = 0.3
MAX_CHANCE_SHARE, MAX_LEFT_SHARE = 0.7, 0.2
N_STEPS = 10


@dataclass(frozen=True)
class NoneFit:
    """Spikes of units against those of none.

    odds : (n,) density of none over that of the unit, for each spike
    length : (n,) of the template in each spike, noise sd
    share : (K,) of none among the spikes of each unit
    mean, sd : (K,) of the lengths of a unit's own spikes
    least : (K,) length from which on spikes of a unit are taken (`taken_from`)
    by_chance : (K,) spikes that Gaussian noise makes in the recording
    """

    odds: NDArray[np.float64]
    length: NDArray[np.float64]
    share: NDArray[np.float64]
    mean: NDArray[np.float64]
    sd: NDArray[np.float64]
    least: NDArray[np.float64]
    by_chance: NDArray[np.float64]


def fit_none(matched: Matched, *, duration_s: float) -> NoneFit:
    """Tell spikes of units from those of none by their lengths."""
    n_units = matched.n_units
    if n_units == 0:
        nothing = np.zeros(0)
        return NoneFit(nothing, nothing, nothing, nothing, nothing, nothing, nothing)
    length = lengths(matched)
    rows_of_units = rows_of_clusters(matched.unit, n_units)
    least = taken_from(matched, [length[rows] for rows in rows_of_units])
    beyond = np.exp(-0.5 * (least / matched.noise.sd) ** 2 / np.maximum(matched.noise_level, 1e-12))
    by_chance = matched.noise.peaks_hz * duration_s * beyond.mean(axis=0)
    odds = np.zeros(len(length))
    share, mean, sd = np.zeros(n_units), np.zeros(n_units), np.zeros(n_units)
    for unit, rows in enumerate(rows_of_units):
        if len(rows):
            found = _fit(length[rows], float(matched.noise.sd[unit]), float(least[unit]), by_chance[unit])
            odds[rows], share[unit], mean[unit], sd[unit] = found
    return NoneFit(odds, length, share, mean, sd, least, by_chance)


def lengths(matched: Matched) -> NDArray[np.float64]:
    """Length of the own template in each spike, noise sd: (n,), from its gain (shifts left aside)."""
    from ncpgui.sorting.peeling import AMPLITUDE_SD

    energy = np.maximum(matched.bank.grams[matched.unit, 0], 1e-12)
    prior = 1 / AMPLITUDE_SD**2
    along = np.sqrt(np.maximum(matched.gain[:, 0] + prior, 0) * (energy + prior)) - prior
    return np.asarray(along / np.sqrt(energy))


def least_lengths(matched: Matched) -> NDArray[np.float64]:
    """Length from which on matching takes a spike of each unit: (K,)."""
    energy = np.maximum(matched.bank.grams[:, 0], 1e-12)
    return np.asarray((energy + matched.least_gain) / 2 / np.sqrt(energy))


def taken_from(matched: Matched, length_of_units: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Length from which on spikes of each unit are taken: (K,), that of matching (`least_lengths`).

    Of units that somebody else found, half of the spikes may be shorter. Then it is the length of their
    median, and noise makes as many such spikes as it rises above that.
    """
    least = least_lengths(matched)
    for unit, length in enumerate(length_of_units):
        if len(length):
            usual = max(float(np.median(length)), float(matched.noise.sd[unit]))
            least[unit] = min(least[unit], usual)
    return least


def _fit(
    length: NDArray[np.float64], noise_sd: float, least: float, by_chance: float
) -> tuple[NDArray[np.float64], float, float, float]:
    """Odds (n,), share of none, mean and sd of one unit."""
    n = len(length)
    mean = float(np.median(length))
    sd = max(float(1.4826 * np.median(np.abs(length - mean))), noise_sd)
    low = min(least, float(length.min()))
    by_chance = min(by_chance, MAX_CHANCE_SHARE * n)
    aside = TAIL_SD * sd
    excess = float((length < mean - aside).sum() - (length > mean + aside).sum())
    seen = 1 - np.exp(-max(mean - aside - low, 0) / (LEFT_FALL * noise_sd))
    left = min(max(excess / seen if seen > MIN_SEEN else 0.0, 1.0), MAX_LEFT_SHARE * n)
    none = by_chance * _tail(length, least, noise_sd**2 / least)
    none += left * (_tail(length, low, LEFT_FALL * noise_sd) + PLATEAU)
    odds = none / _own(length, n - by_chance - left, mean, sd)
    for _ in range(N_STEPS):
        weight = 1 / (1 + odds)
        mean = float(np.average(length, weights=weight))
        sd = max(float(np.sqrt(np.average((length - mean) ** 2, weights=weight))), noise_sd)
        odds = none / _own(length, n - by_chance - left, mean, sd)
    return odds, float((odds / (1 + odds)).mean()), mean, sd


def _own(length: NDArray[np.float64], count: float, mean: float, sd: float) -> NDArray[np.float64]:
    """Spikes of the unit itself, a unit of length."""
    normal = np.exp(-0.5 * ((length - mean) / sd) ** 2) / (sd * np.sqrt(2 * np.pi))
    return np.maximum(max(count, 1.0) * normal, 1e-12)


def _tail(length: NDArray[np.float64], low: float, fall: float) -> NDArray[np.float64]:
    """Density that begins at `low` and falls by a factor e in `fall`."""
    return np.where(length >= low - fall, np.exp(-np.maximum(length - low, 0) / fall) / fall, 0.0)
