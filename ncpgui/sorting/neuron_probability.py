"""P(neuron): is a unit one or more cells, or noise, hash, and what is left of others?

Five quantities of each unit say it (`neuron_evidence`), all of what matching finds, under the threshold of
detection too. Their weights are those of a logistic regression on units whose spikes are known: of recordings
of noise, hash and small cells, of two generators, and of recordings with larger ones, from proposals of the
first pass and from clusters of threshold crossings (`benchmarks/probabilities/neuron_probability.py` says how
well they do).

A unit that looks like the noise of the recording (`noise_likeness`) is less probable by nats of its own.

Spikes beside those of one larger unit, more than chance has there, are what matching left of these: each of
them is a spike of its own in so far as chance explains them. So a heap of left-overs that is in a unit with
spikes of a neuron is told from them where the unit is split.

Spikes that may be echoes of those of a larger unit (`echoes`) are of their own as far as they are none. If
they are echoes with the probability e, and all of the unit with a, a share q of it at such lags, these are of
their own with 1 - e, and the rest with 1 - a q: what looks like so many echoes is one of a spike that was not
found as often.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.partition import rows_of_clusters
from ncpgui.sorting.chance_spikes import NoneFit

if TYPE_CHECKING:
    from ncpgui.sorting.matched import Matched

QUANTITIES = ("chance", "above", "left over", "refractory", "template")
WEIGHTS = (-6.728, 1.747, -1.459, -0.536, -2.235)
INTERCEPT = -8.804
NOISE_BELOW, GOOD_FROM = 0.3, 0.8
"""P(neuron) under which a unit is called noise, and from which on it may be good; it is mua between."""
PURE_FROM = 0.5
"""P(pure) under which a unit is called mua, however surely it is one cell or more."""
REFRACTORY_MS = (0.7, 2.0)
COINCIDENCE_MS = 1.0
MIN_ABOVE_SD = 0.1
BEYOND_CHANCE_SD = 3.0
"""Spikes beside those of a larger unit are by chance up to so many sd above its mean."""


def neuron_probability(
    evidence: NDArray[np.float64], nats: NDArray[np.float64] | float = 0.0
) -> NDArray[np.float32]:
    """P(each unit is one or more cells) from its evidence (K, 5): (K,).

    nats : (K,) log likelihood ratio of a neuron that other evidence has
    """
    log_odds = evidence @ np.asarray(WEIGHTS) + INTERCEPT + nats
    return np.asarray(1 / (1 + np.exp(-log_odds)), dtype=np.float32)


def unit_label(p_neuron: float, p_pure: float = np.nan, *, is_beyond_cards: bool = False) -> str:
    """Label of a unit by the posterior: "good", "mua" or "noise"; "unsorted" where P(neuron) is nan.

    p_pure : nan where nothing is known, which P(neuron) then decides
    is_beyond_cards : whether no card can say which spikes it has (`evidence.units`): it is mua then
    """
    if np.isnan(p_neuron):
        return "unsorted"
    if p_neuron < NOISE_BELOW:
        return "noise"
    return "mua" if p_neuron < GOOD_FROM or p_pure < PURE_FROM or is_beyond_cards else "good"


def shown_label(
    by_hand: str, p_neuron: float, p_pure: float = np.nan, *, is_beyond_cards: bool = False
) -> str:
    """Label of a unit where tables show one: a person's, else that of the posterior (`unit_label`).

    What exports call good stays unsorted, as a unit does of which nothing (nan) is known: that it is good is
    for a person to say.
    """
    if by_hand != "unsorted":
        return by_hand
    label = unit_label(p_neuron, p_pure, is_beyond_cards=is_beyond_cards)
    return "unsorted" if label == "good" else label


def p_neuron_of_spikes(
    matched: Matched,
    none: NoneFit,
    *,
    duration_s: float,
    sampling_frequency_hz: float,
    nats: NDArray[np.float64] | float = 0.0,
) -> NDArray[np.float32]:
    """P(the unit of each spike is one or more cells, and the spike not left of another unit's): (n,).

    nats : as of `neuron_probability`
    """
    left = left_over(matched, duration_s=duration_s, sampling_frequency_hz=sampling_frequency_hz)
    evidence = neuron_evidence(
        matched, none, duration_s=duration_s, sampling_frequency_hz=sampling_frequency_hz, left=left
    )
    p_own = left.p_own * p_no_echo(
        matched, duration_s=duration_s, sampling_frequency_hz=sampling_frequency_hz
    )
    return np.asarray(neuron_probability(evidence, nats)[matched.unit] * p_own, dtype=np.float32)


def p_no_echo(matched: Matched, *, duration_s: float, sampling_frequency_hz: float) -> NDArray[np.float64]:
    """P(each spike is no echo of another unit's): (n,)."""
    from ncpgui.sorting.echoes import echo_pairs  # the window, which asks for labels, opens without scipy

    pairs = echo_pairs(
        matched,
        sampling_frequency_hz=sampling_frequency_hz,
        n_samples=round(duration_s * sampling_frequency_hz),
    )
    p, is_echo = np.ones(len(matched.unit)), np.zeros(len(matched.unit), dtype=np.bool_)
    for one in pairs:
        p[one.spikes], is_echo[one.spikes] = 1 - one.probability, True
    for unit, p_all in {one.echo: one.p_all for one in pairs}.items():
        own = matched.unit == unit
        p[own & ~is_echo] = 1 - p_all * is_echo[own].mean()
    return p


def neuron_evidence(
    matched: Matched,
    none: NoneFit,
    *,
    duration_s: float,
    sampling_frequency_hz: float,
    left: LeftOver | None = None,
) -> NDArray[np.float64]:
    """What tells cells from the rest: (K, 5), in the order of `QUANTITIES`.

    chance : log10 of the spikes that Gaussian noise makes of this template over those found, plus one each
    above : log of by how many noise sd the mean length of spikes is above the least that matching takes
    left over : part of its spikes within 1 ms of spikes of one larger unit, beyond chance
    refractory : log of pairs of spikes 0.7 to 2 ms apart over those expected at its rate (half of one added)
    template : log of the energy that noise of its spikes leaves in the template, over its length squared

    left : what `left_over` gives, where it is known
    """
    left = left or left_over(matched, duration_s=duration_s, sampling_frequency_hz=sampling_frequency_hz)
    n_units = matched.n_units
    if n_units == 0:
        return np.zeros((0, len(QUANTITIES)))
    fired = matched.fired
    trains = [fired[rows] for rows in rows_of_clusters(matched.unit, n_units)]
    count = np.array([len(train) for train in trains], dtype=np.float64)
    length = none.mean / matched.noise.sd
    seen = (matched.bank.waveforms != 0).sum(axis=(1, 2))
    above = np.maximum((none.mean - none.least) / matched.noise.sd, MIN_ABOVE_SD)
    return np.column_stack(
        [
            np.log10((none.by_chance + 1) / (count + 1)),
            np.log(above),
            left.share,
            _refractory(trains, duration_s, sampling_frequency_hz),
            np.log((seen / np.maximum(count, 1) + 1) / np.maximum(length, MIN_ABOVE_SD) ** 2),
        ]
    ).reshape(n_units, len(QUANTITIES))


@dataclass(frozen=True)
class LeftOver:
    """What is left of other units' spikes.

    share : (K,) largest part of each train that lies beside the spikes of one larger unit, beyond chance
    p_own : (n,) P(each spike is not of that part)
    """

    share: NDArray[np.float64]
    p_own: NDArray[np.float64]


def left_over(matched: Matched, *, duration_s: float, sampling_frequency_hz: float) -> LeftOver:
    """Find what lies beside spikes of larger units, within `COINCIDENCE_MS`."""
    from ncpgui.sorting.coincidences import n_beside  # loads numba

    energy, fired, unit = matched.bank.grams[:, 0], matched.fired, matched.unit
    reach = COINCIDENCE_MS * sampling_frequency_hz / 1000
    count = np.bincount(unit, minlength=matched.n_units)
    chance = 1 - np.exp(-count / duration_s * 2 * COINCIDENCE_MS / 1000)
    beside = n_beside(fired, unit, energy, reach) / np.maximum(count, 1)[:, None]
    beyond = (beside - chance) / (1 - chance)
    other = beyond.argmax(axis=1) if len(count) else count
    share = np.maximum(beyond[np.arange(len(count)), other], 0)
    p_own = np.ones(len(unit))
    rows = rows_of_clusters(unit, matched.n_units)
    for one in np.flatnonzero(share > 0):
        train, larger = fired[rows[one]], fired[rows[other[one]]]
        low = np.searchsorted(larger, train - reach, "left")
        near = np.searchsorted(larger, train + reach, "right") > low
        p_own[rows[one]] = np.where(near, _p_own(near, chance[other[one]]), 1.0)
    return LeftOver(share, p_own)


def _p_own(near: NDArray[np.bool_], chance: float) -> float:
    """P(a spike beside those of a larger unit is one of its own), of (n,) some of which are."""
    surely = near.mean() - BEYOND_CHANCE_SD * np.sqrt(chance * (1 - chance) / len(near))
    left = max(float(surely - chance) / (1 - chance), 0.0)
    return 1 - left / float(near.mean())


def _refractory(trains: list[NDArray[np.int64]], duration_s: float, rate_hz: float) -> NDArray[np.float64]:
    low_ms, high_ms = REFRACTORY_MS
    result = np.zeros(len(trains))
    for unit, train in enumerate(trains):
        apart_ms = np.diff(train) / rate_hz * 1000
        pairs = int(((apart_ms > low_ms) & (apart_ms < high_ms)).sum())
        expected = len(train) ** 2 / duration_s * (high_ms - low_ms) / 1000
        result[unit] = np.log((pairs + 0.5) / (expected + 0.5))
    return result
