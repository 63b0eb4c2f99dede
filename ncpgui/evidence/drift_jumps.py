"""Whether one part of some spikes ends just when the other begins, as parts of one neuron do if tissue jumps.

Where the tissue jumps, the spikes of a neuron look different from then on, and a part of them ends while
another one begins, without a pause. Two neurons that come and go do so each by itself: they fire together for
a while, or both are silent. So the order of the spikes of two parts, and the intervals between them, say
which of the two it is.

Take the n spikes of both parts in order of time. Between 1 and `MOST_TURNS` times one part takes over from
the other; all numbers are equally probable, and so are all times. Let u be the interval between two spikes
that follow each other, in mean intervals of the spikes around it. To an interval in which nothing happens,

- one neuron that jumps in it is as u / n: it goes on firing;
- of two neurons, one that begins before the other ends is as 1 / n for each of the two times, and either may
  have any of the spikes between them;
- two of which the other begins later, both in this interval, are as (exp(u) - 1 - u) / n^2: nobody fires in
  between.

A spike is in the wrong part with the probability `P_MISTAKEN`. If nothing happens, either part has the same
share of the spikes all the time, and every share is equally probable beforehand.
"""

from __future__ import annotations

from math import lgamma, log, log1p

import numpy as np
from numpy.typing import NDArray

from ncpgui.evidence.drift_turns import share_nats

P_COMES_AND_GOES = 0.1
"""Pairs of parts that come and go each by itself, be they of one neuron or of two."""
P_JUMPS = 0.2
"""Parts of one neuron that take over from each other at once ..."""
P_AT_ONCE = 0.01
"""... and pairs of neurons that do: a stimulus drives them in turn, or it is by chance."""
P_MISTAKEN = 0.03
MOST_TURNS = 3
N_AROUND = 20
"""Intervals before and after one whose means it is compared with; the longer mean counts."""
MOST_MEANS = 50.0
"""Longer intervals count as this many mean intervals: such a pause is one of two neurons in any case."""
LEAST_MEANS = 1e-3
MOST_ELSEWHERE = 0.25
"""Rate of a part in the stretches of the other, of that in its own, if one takes over from the other: noise
that went into a cluster goes on when the neuron has left."""
FEWEST = 10
"""Spikes of a part in its own stretches."""
MAX_SPIKES = 20_000
"""Of more spikes every second, third ... one is looked at."""

Floats = NDArray[np.float64]


def two_neurons_nats(
    first: NDArray[np.bool_], second: NDArray[np.bool_], sample_index: NDArray[np.integer]
) -> float:
    """Log likelihood ratio of the order of two parts, two neurons against one, nats.

    Between log(`P_AT_ONCE` / `P_JUMPS`), -3, where one takes over from the other, and 0.24 where nothing
    happens; near 0 where they come and go.

    first, second : (n,) bool, two sets of spikes that have none in common; sample_index : (n,) in order of
    time, in any unit
    """
    either = np.flatnonzero(first | second)
    either = either[:: -(-len(either) // MAX_SPIKES) or 1]
    n_first = int(np.count_nonzero(first[either]))
    nothing = float(share_nats(n_first, len(either) - n_first))
    at_once, by_themselves = changes_nats(first[either], in_means(sample_index[either]))
    alike = log(P_COMES_AND_GOES) + by_themselves
    two = [log1p(-P_COMES_AND_GOES - P_AT_ONCE) + nothing, alike, log(P_AT_ONCE) + at_once]
    one = [log1p(-P_COMES_AND_GOES - P_JUMPS) + nothing, alike, log(P_JUMPS) + at_once]
    return float(np.logaddexp.reduce(two) - np.logaddexp.reduce(one))


def in_own_stretches(
    first: NDArray[np.bool_], second: NDArray[np.bool_], sample_index: NDArray[np.integer]
) -> NDArray[np.bool_] | None:
    """Which spikes of two parts that take over from each other lie where their own part fires: (n,) bool.

    Stretches begin and end at the most probable times (`owners`). The other spikes are mistakes, or noise
    that shares a cluster with the neuron. None where either part goes on in the stretches of the other.

    first, second, sample_index : as of `two_neurons_nats`
    """
    either = np.flatnonzero(first | second)
    if len(either) < 2:
        return None
    is_first = first[either]
    owned = owners(is_first, in_means(sample_index[either]))
    times = np.asarray(sample_index[either], dtype=np.float64)
    until_next = np.diff(times, append=times[-1])
    for part, home in ((is_first, owned), (~is_first, ~owned)):
        n_home, n_elsewhere = (np.count_nonzero(part & where) for where in (home, ~home))
        at_home, elsewhere = (float(until_next[where].sum()) for where in (home, ~home))
        if n_home < FEWEST or n_elsewhere * at_home > MOST_ELSEWHERE * n_home * elsewhere:
            return None
    result = np.zeros(len(first), dtype=np.bool_)
    result[either] = owned == is_first
    return result


def owners(is_first: NDArray[np.bool_], interval_means: Floats) -> NDArray[np.bool_]:
    """Whether the first part fires at each of n spikes, if one takes over at once at the most probable times.

    is_first, interval_means : as of `changes_nats`; at least two spikes
    """
    n = len(is_first)
    alone = _alone(is_first)
    jump = _jumps(interval_means)
    nats, origins, ends = alone, [], []
    for turn in range(MOST_TURNS):
        best, origin = zip(*(_best_so_far(nats[1 - k] + jump - alone[k]) for k in (0, 1)), strict=True)
        nats = [alone[k] + best[k] for k in (0, 1)]
        origins.append(origin)
        ends += [(float(nats[k][-1]) + lgamma(turn + 2), turn, k) for k in (0, 1)]
    _, last, k = max(ends)
    owned, stop = np.empty(n, dtype=np.bool_), n
    for turn in range(last, -1, -1):
        start = int(origins[turn][k][stop])
        owned[start:stop] = k == 0
        stop, k = start, 1 - k
    owned[:stop] = k == 0
    return owned


def in_means(sample_index: NDArray[np.integer]) -> Floats:
    """The intervals of n spikes in mean intervals of those around, 1 where there are none: (n - 1,)."""
    times = np.asarray(sample_index, dtype=np.float64)
    before = np.arange(len(times) - 1)
    after = before + 1
    start, end = np.maximum(before - N_AROUND, 0), np.minimum(after + N_AROUND, len(times) - 1)
    means = [
        (times[before] - times[start]) / np.maximum(before - start, 1),
        (times[end] - times[after]) / np.maximum(end - after, 1),
    ]
    longer = np.maximum(*means)
    told = np.divide(np.diff(times), longer, out=np.ones_like(longer), where=longer > 0)
    return np.clip(told, LEAST_MEANS, MOST_MEANS)


def changes_nats(is_first: NDArray[np.bool_], interval_means: Floats) -> tuple[float, float]:
    """Log likelihoods of the parts of n spikes: one takes over at once, and they come and go by themselves.

    is_first : (n,) bool, spikes of the first part; interval_means : (n - 1,) as of `in_means`
    """
    n = len(is_first)
    if n < 2:
        return -np.inf, -np.inf
    alone = _alone(is_first)
    both = _summed(np.full(n, log(0.5)))
    jump = _jumps(interval_means)
    silence = _of_intervals(np.log(np.expm1(interval_means) - interval_means) - 2 * log(n))
    step = _of_intervals(np.full(n - 1, -log(n)))
    at_once, by_themselves = alone, alone
    found: list[tuple[float, float]] = []
    for turn in range(1, MOST_TURNS + 1):
        at_once = [_taken_over(at_once[1 - k], jump, alone[k]) for k in (0, 1)]
        together = [_taken_over(one, step, both) for one in by_themselves]
        by_themselves = [
            np.logaddexp(
                _taken_over(by_themselves[1 - k], silence, alone[k]),
                _taken_over(_one_spike_later(together[1 - k], both), step, alone[k]),
            )
            for k in (0, 1)
        ]
        in_any_order = lgamma(turn + 1) - log(2)  # the first of the two that fire is either
        found.append(
            (
                float(np.logaddexp(*(one[-1] for one in at_once))) + in_any_order,
                float(np.logaddexp(*(one[-1] for one in by_themselves))) + in_any_order,
            )
        )
    one, two = (np.logaddexp.reduce(nats) - log(MOST_TURNS) for nats in zip(*found, strict=True))
    return float(one), float(two)


def _alone(is_first: NDArray[np.bool_]) -> list[Floats]:
    """Log likelihood of the first 0 ... n spikes if the first part fires alone, and if the second does."""
    right, wrong = log1p(-P_MISTAKEN), log(P_MISTAKEN)
    return [_summed(np.where(is_first == part, right, wrong)) for part in (True, False)]


def _jumps(interval_means: Floats) -> Floats:
    """Log likelihood of a jump before spike 0, 1, ... n of one neuron: (n + 1,)."""
    return _of_intervals(np.log(interval_means) - log(len(interval_means) + 1))


def _best_so_far(nats: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """The largest of the first 1, 2, ... values, and where it is."""
    best = np.maximum.accumulate(nats)
    return best, np.maximum.accumulate(np.where(nats == best, np.arange(len(nats)), 0))


def _of_intervals(nats: Floats) -> Floats:
    """Of what happens before spike 0, 1, ... n: nothing before the first and after the last: (n + 1,)."""
    return np.concatenate([[-np.inf], nats, [-np.inf]])


def _summed(nats: Floats) -> Floats:
    """Log likelihood of the first 0, 1, ... n spikes: (n + 1,)."""
    return np.concatenate([[0.0], np.cumsum(nats)])


def _taken_over(before: Floats, nats: Floats, after: Floats) -> Floats:
    """Log likelihood of the first 0 ... n spikes if after some of them another rule took over: (n + 1,).

    before, after : (n + 1,) of the first spikes under either rule; nats : (n + 1,) of taking over there
    """
    return after + np.logaddexp.accumulate(before + nats - after)


def _one_spike_later(nats: Floats, rule: Floats) -> Floats:
    """The same (n + 1,) if the rule that took over last has had a spike by then."""
    return np.concatenate([[-np.inf], nats[:-1] + np.diff(rule)])
