"""Firing times as evidence: whether two sets of spikes are of two neurons or of one.

A neuron does not fire again within its refractory period. Take the pairs of spikes at refractory distances.
Spikes of different neurons meet by chance. Let n such pairs lie in a set where E are expected by chance.
Against chance, "the set is one neuron" changes their likelihood from Poisson(E) to Poisson(d E). Here d is
the share of chance coincidences that is left in the set: what contaminates it, or 1 for a neuron that shows
no refractory period.

E is not known. Pairs at longer distances count it, in a window of its own: with Q such pairs and r the ratio
of the windows, E is Gamma(Q + 1/2, rate 1 / r), and the ratio of the two likelihoods averaged over E is

    d^n ((1/r + 1) / (1/r + d))^(Q + 1/2 + n),

averaged in turn over d. Rates that vary slowly change both windows alike. The first refractory distances,
at which a detector is dead, are left out.

Two neurons have such a d each, and between them chance. Now and then they meet less often, because one of two
spikes that overlap is lost or because they silence each other, or more often, because something drives both.
One neuron has a d for all of its pairs, or it bursts: its later spikes, which look different, follow the
others within the refractory period, and each of the two sets looks like a neuron. What two neurons and one
explain alike says nothing, however many pairs there are. No verdict is surer than `MOST_NATS`: draws are not
told apart by single spikes that they have elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.heaps import MOST_NATS
from ncpgui.core.spike_pairs import pairs_within

REFRACTORY_MS = (0.7, 2.0)
CHANCE_MS = (3.0, 13.0)
"""Past the refractory period of most neurons, and short: cells that a stimulus drives in turn avoid each
other for tens of milliseconds, and are no neuron for that."""
CLOSE_A_CHANCE = (REFRACTORY_MS[1] - REFRACTORY_MS[0]) / (CHANCE_MS[1] - CHANCE_MS[0])
"""Pairs at refractory distances that chance makes for each at longer ones."""
LEFT = (0.01, 0.03, 0.1, 0.3, 1.0)
"""Shares d of chance coincidences that may be left in the pairs of a neuron ..."""
P_LEFT = (0.25, 0.2, 0.2, 0.15, 0.2)
"""... and the probability of each."""
P_SHY = 0.03
"""Two neurons that meet less often than by chance: as the pairs of one neuron do."""
OFTEN = (3.0, 10.0, 30.0)
P_OFTEN = 0.02
"""Two neurons that meet more often than by chance, by one of `OFTEN`; and one neuron whose bursts do that to
its parts. Both are as probable, so that a peak between two parts does not say which it is."""
MAX_CHANCE_PAIRS = 100_000

Factors: TypeAlias = tuple[tuple[float, float], ...]
"""Factors on what chance makes, each with its probability."""
WITHIN: Factors = tuple(zip(LEFT, P_LEFT, strict=True))
PEAK: Factors = tuple((factor, P_OFTEN / len(OFTEN)) for factor in OFTEN)
BY_CHANCE: Factors = ((1.0, 1 - P_SHY - P_OFTEN), *((factor, P_SHY * p) for factor, p in WITHIN), *PEAK)


@dataclass(frozen=True, eq=False)
class ClosePairs:
    """Pairs of spikes of one set that tell something.

    refractory : (P, 2) int64, places of spikes at refractory distances; chance : (Q, 2), at longer ones;
    ratio : chance pairs that are expected at refractory distances for each of `chance`.
    """

    refractory: NDArray[np.int64]
    chance: NDArray[np.int64]
    ratio: float

    @staticmethod
    def of(sample_index: NDArray[np.integer], *, sampling_frequency_hz: float) -> ClosePairs:
        """Find the pairs of (n,) spikes in order of time."""
        per_ms = sampling_frequency_hz / 1000
        windows = [[ms * per_ms for ms in window] for window in (REFRACTORY_MS, CHANCE_MS)]
        found: list[list[NDArray[np.int64]]] = [[np.zeros((0, 2), np.int64)] for _ in windows]
        for first, second, apart in pairs_within(sample_index, windows[1][1]):
            for pairs, (low, high) in zip(found, windows, strict=True):
                is_inside = (apart > low) & (apart <= high)
                pairs.append(np.column_stack([first[is_inside], second[is_inside]]))
        close, far = map(np.concatenate, found)
        every = -(-len(far) // MAX_CHANCE_PAIRS) if len(far) else 1
        return ClosePairs(close, far[::every], CLOSE_A_CHANCE * every)

    def counts(self, first: NDArray[np.bool_], second: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Close pairs, and chance pairs, within the first set, within the second, and between them: (2, 3).

        first, second : (n,) bool, two sets that have no spike in common
        """
        code = first + 2 * second.astype(np.int64)
        tables = [
            np.bincount(3 * code[pairs[:, 0]] + code[pairs[:, 1]], minlength=9)
            for pairs in (self.refractory, self.chance)
        ]
        return np.array([[table[4], table[8], table[5] + table[7]] for table in tables])


def two_trains_nats(counts: NDArray[np.integer], ratio: float) -> float:
    """Log likelihood ratio of the pairs of two sets of spikes, two neurons against one, nats.

    counts : (2, 3) close and chance pairs within the first, within the second and between them; ratio : as of
    `ClosePairs`
    """
    pairs: list[tuple[int, int]] = [(int(close), int(chance)) for close, chance in zip(*counts, strict=True)]
    first, second, between = pairs
    alone = _nats(first, ratio, WITHIN) + _nats(second, ratio, WITHIN)
    two = alone + _nats(between, ratio, BY_CHANCE)
    bursts = alone + _nats(between, ratio, PEAK)
    together = first[0] + second[0] + between[0], first[1] + second[1] + between[1]
    one = _log_sum([math.log1p(-P_OFTEN) + _nats(together, ratio, WITHIN), bursts])
    return min(max(two - one, -MOST_NATS), MOST_NATS)


def _nats(pairs: tuple[int, int], ratio: float, factors: Factors) -> float:
    """Log likelihood ratio of close and chance pairs, one of some factors on chance against chance, nats."""
    n_close, n_chance = pairs
    by_chance = math.log1p(1 / ratio)
    return _log_sum(
        [
            n_close * math.log(factor)
            + (n_chance + 0.5 + n_close) * (by_chance - math.log(factor + 1 / ratio))
            + math.log(p)
            for factor, p in factors
        ]
    )


def _log_sum(nats: Sequence[float]) -> float:
    """Log of the sum of exponentials."""
    most = max(nats)
    return most + math.log(sum(math.exp(one - most) for one in nats))
