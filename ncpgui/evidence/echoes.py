"""Echoes: units whose spikes stand at a fixed lag from those of another, because they are the same spikes.

A filter gives a large spike a foot, a clipped one rings, and where troughs and peaks both count each spike
has one of either. What is found there fires whenever the neuron does, at one lag, to a sample or two.

*The pair.* Of n spikes of one train, k have one of another train in a bin of `BIN_MS` around some lag of at
most `MOST_LAG_MS`. The two rates explain n m w / T of them (m spikes of the other train, a bin of w of T
samples), with a Poisson tail. What changes both rates slowly shows at lags from `MOST_LAG_MS` to `FLANK_MS`
too: if f pairs lie there, in W samples, k is binomial of k + f with the probability w / (w + W). The larger
of the two tails counts, times the bins and pairs of trains that are looked at.

*Echo or synchrony.* Neurons that excite each other, or share a gap junction or an input, do so beyond chance
too, with some of their spikes and with a jitter that is wide for the bin. Of the train that has fewer spikes
a share q is locked: of two neurons it has the density 10 (1 - q)^9, one in eleven on average; of an echo all
shares from one half to one are equally probable. Chance locks a share c of the others. The odds of an echo
are those of `P_ECHO` times the ratio of the two likelihoods of k, which is binomial, of n with c + (1 - c) q,
in either case.

Where the train that echoes has more spikes than the other, the rest of them may be a neuron's. That the whole
train consists of echoes follows from its own share in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, gammainc

from ncpgui.core.heaps import MOST_NATS

MOST_LAG_MS = 2.5
BIN_MS = 0.3
"""Width of a bin, at least three samples: how far noise moves the peak of an echo."""
FLANK_MS = 12.5
LEAST_SHARE = 0.3
"""Of the fewer spikes, below which there is no need to ask whether it is by chance."""
FEWEST = 10
SIGNIFICANT = 0.01
"""Expected number of pairs in a recording that are called locked by chance."""
P_ECHO = 0.02
"""Pairs of trains of one place that are a neuron and its echo, before their times are seen."""
SYNCHRONY = 10.0
_SHARES = (np.arange(400) + 0.5) / 400


@dataclass(frozen=True, eq=False)
class Locked:
    """Spikes of a train at a fixed lag from spikes of another.

    lag : samples by which they are later, the middle of the bin
    spikes, sources : (k,) rows of the two trains, in order of time
    p_chance : of so many in the fullest bin, times the bins and pairs that are looked at
    p_echo : P(these spikes are echoes)
    by_chance : how many of them are expected to be locked by chance
    """

    lag: int
    spikes: NDArray[np.int64]
    sources: NDArray[np.int64]
    p_chance: float
    p_echo: float
    by_chance: float


def locked(
    train: NDArray[np.integer],
    other: NDArray[np.integer],
    *,
    sampling_frequency_hz: float,
    n_samples: int,
    n_pairs: int = 1,
) -> Locked | None:
    """Spikes of a train that are locked to those of another; None where they are not more than by chance.

    train, other : sorted samples; n_samples : of the recording; n_pairs : of trains that are looked at
    """
    per_ms = sampling_frequency_hz / 1000
    reach, half = round(MOST_LAG_MS * per_ms), _half_a_bin(sampling_frequency_hz)
    fewer = min(len(train), len(other))
    if fewer < FEWEST:
        return None
    counts = _correlogram(other, train, near_samples(sampling_frequency_hz))
    width = 2 * half + 1
    in_bin = np.convolve(counts, np.ones(width, dtype=np.int64), "valid")
    best = _middle(in_bin)
    lag = best - reach
    rows, sources = _at(train, other, lag, half)
    k = len(rows)
    if k < LEAST_SHARE * fewer:
        return None
    flanks = [reach + half, round(FLANK_MS * per_ms)]
    beside = int(_correlogram(other, train, flanks[1]).sum() - counts.sum())
    share = width / (width + 2 * (flanks[1] - flanks[0]))
    by_rates = len(train) * len(other) * width / n_samples
    tail = max(float(gammainc(k, by_rates)), float(betainc(k, beside + 1, share)))
    p_chance = min(1.0, tail * n_pairs * len(in_bin))
    if p_chance >= SIGNIFICANT:
        return None
    by_chance = max(by_rates, beside * share / (1 - share))
    return Locked(lag, rows, sources, p_chance, echo_probability(fewer, k, by_chance / fewer), by_chance)


def near_samples(sampling_frequency_hz: float) -> int:
    """How far from each other spikes are at most that may be locked."""
    return round(MOST_LAG_MS * sampling_frequency_hz / 1000) + _half_a_bin(sampling_frequency_hz)


def may_be_locked(n_near: int, n_spikes: int, n_other: int) -> bool:
    """Whether `locked` may find spikes, of two trains with so many pairs within `near_samples`: few pass."""
    fewer = min(n_spikes, n_other)
    return fewer >= FEWEST and n_near >= LEAST_SHARE * fewer


def _half_a_bin(sampling_frequency_hz: float) -> int:
    return max(1, round(BIN_MS * sampling_frequency_hz / 2000))


def echo_probability(n: int, k: int, chance: float) -> float:
    """P(echo) if k of n spikes are locked, and chance locks a share of them.

    Odds are at most e^8 either way, as those of other evidence.
    """
    p = np.minimum(min(chance, 0.9) + (1 - min(chance, 0.9)) * _SHARES, 1 - 1e-9)
    nats = k * np.log(p) + (n - k) * np.log1p(-p)
    synchrony = np.log(SYNCHRONY) + (SYNCHRONY - 1) * np.log1p(-_SHARES)
    echo = np.where(_SHARES > 0.5, np.log(2.0), -np.inf)
    ratio = np.logaddexp.reduce(nats + echo) - np.logaddexp.reduce(nats + synchrony)
    odds = float(np.clip(np.log(P_ECHO / (1 - P_ECHO)) + ratio, -MOST_NATS, MOST_NATS))
    return float(1 / (1 + np.exp(-odds)))


def _correlogram(first: NDArray[np.integer], second: NDArray[np.integer], reach: int) -> NDArray[np.int64]:
    """Pairs by how many samples the second is later, -reach to reach: (2 reach + 1,)."""
    low = np.searchsorted(first, second - reach, "left")
    counts = np.searchsorted(first, second + reach, "right") - low
    start = np.repeat(low - np.cumsum(counts) + counts, counts)
    apart = np.repeat(second, counts) - first[start + np.arange(counts.sum())]
    return np.bincount(apart + reach, minlength=2 * reach + 1)


def _middle(values: NDArray[np.int64]) -> int:
    """Place of the largest value; the middle one of its first run."""
    first = int(values.argmax())
    rest = np.flatnonzero(values[first:] != values[first])
    return first + ((int(rest[0]) if len(rest) else len(values) - first) - 1) // 2


def _at(
    train: NDArray[np.integer], other: NDArray[np.integer], lag: int, half: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of spikes that are `lag` samples, give or take `half`, after one of another train, and of these.

    No spike has two echoes: of two spikes that go with one, the first does.
    """
    wanted = train - lag
    after = np.clip(np.searchsorted(other, wanted), 1, len(other) - 1)
    nearest = after - (wanted - other[after - 1] <= other[after] - wanted)
    rows = np.flatnonzero(np.abs(other[nearest] - wanted) <= half)
    sources, first = np.unique(nearest[rows], return_index=True)
    return rows[first], sources
