"""Parts that take over from each other at once, and parts that come and go by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from math import exp, factorial, log

import numpy as np
import pytest

from ncpgui.evidence.drift_jumps import (
    MAX_SPIKES,
    changes_nats,
    in_means,
    in_own_stretches,
    owners,
    two_neurons_nats,
)

RATE_HZ = 5.0


def fired(*spans_s: tuple[float, float], seed: int, rate_hz: float = RATE_HZ) -> np.ndarray:
    """Times of a neuron that fires at random within some spans, s."""
    generator = np.random.default_rng(seed)
    return np.sort(
        np.concatenate([generator.uniform(a, b, generator.poisson(rate_hz * (b - a))) for a, b in spans_s])
    )


def nats(first_s: np.ndarray, second_s: np.ndarray) -> float:
    times = np.concatenate([first_s, second_s])
    order = np.argsort(times)
    is_first = order < len(first_s)
    return two_neurons_nats(is_first, ~is_first, np.round(times[order] * 1e6).astype(np.int64))


def jumps_of(n: int, turn: int) -> Iterator[tuple[int, ...]]:
    """The spikes before which one part may take over, for each number of turns, in order."""
    return combinations_with_replacement(range(1, n), turn)


def test_both_likelihoods_are_sums_over_all_times_at_which_one_may_take_over() -> None:
    is_first = np.array([True, True, False, True, False, False])
    interval_means = np.array([0.5, 2.0, 0.1, 1.5, 0.7])
    n = len(is_first)

    def of(rules: list[str], changes: tuple[int, ...]) -> float:
        """Probability of the parts, of which rule k holds from the spike `changes[k - 1]` on."""
        rule = [rules[sum(change <= i for change in changes)] for i in range(n)]
        return float(
            np.prod(
                [
                    0.5 if said == "both" else 0.97 if (said == "first") == part else 0.03
                    for said, part in zip(rule, is_first, strict=True)
                ]
            )
        )

    at_once = by_themselves = 0.0
    for turn, begins in product((1, 2, 3), (0, 1)):
        parts = [("first", "second")[(begins + k) % 2] for k in range(turn + 1)]
        for cuts in jumps_of(n, turn):
            u = interval_means[np.array(cuts) - 1]
            at_once += factorial(turn) / 6 * np.prod(u / n) * of(parts, cuts)
        rules = [rule for part in parts[:-1] for rule in (part, "both")] + parts[-1:]
        for cuts in jumps_of(n, 2 * turn):
            pairs = list(zip(cuts[::2], cuts[1::2], strict=True))
            u = interval_means[np.array(cuts[::2]) - 1]
            weights = [
                1 / n**2 if start < end else (exp(u_of) - 1 - u_of) / n**2
                for (start, end), u_of in zip(pairs, u, strict=True)
            ]
            by_themselves += factorial(turn) / 6 * float(np.prod(weights)) * of(rules, cuts)
    assert changes_nats(is_first, interval_means) == pytest.approx((log(at_once), log(by_themselves)))


def test_a_part_that_takes_over_at_once_speaks_for_one_neuron_as_far_as_pairs_of_neurons_never_do() -> None:
    assert nats(fired((0, 20), seed=0), fired((20, 45), seed=1)) == pytest.approx(log(0.01 / 0.2), abs=0.3)


def test_so_does_one_that_takes_over_and_gives_back() -> None:
    there_and_back = nats(fired((0, 20), (30, 45), seed=2), fired((20, 30), seed=3))
    assert there_and_back == pytest.approx(log(0.01 / 0.2), abs=0.3)


@pytest.mark.parametrize("begins_s", [16.0, 24.0], ids=["both fire for a while", "nobody fires for a while"])
def test_parts_that_come_and_go_by_themselves_say_nothing(begins_s: float) -> None:
    assert nats(fired((0, 20), seed=4), fired((begins_s, 45), seed=5)) == pytest.approx(0, abs=0.1)


def test_parts_that_fire_all_the_time_speak_for_two_neurons_a_little() -> None:
    expected = log((1 - 0.1 - 0.01) / (1 - 0.1 - 0.2))
    assert nats(fired((0, 45), seed=6), fired((0, 45), seed=7, rate_hz=1)) == pytest.approx(
        expected, abs=0.01
    )


def test_spikes_that_are_in_the_wrong_part_do_not_hide_a_jump() -> None:
    times = fired((0, 45), seed=8)
    is_first = (times < 20) ^ (np.random.default_rng(9).random(len(times)) < 0.03)
    assert two_neurons_nats(is_first, ~is_first, np.round(times * 1e6).astype(np.int64)) < -2


def test_it_does_not_matter_which_part_is_called_the_first_and_in_which_unit_the_times_are() -> None:
    times = np.round(fired((0, 45), seed=10) * 1e6).astype(np.int64)
    is_first = times < 20_000_000
    expected = two_neurons_nats(is_first, ~is_first, times)
    assert two_neurons_nats(~is_first, is_first, times) == pytest.approx(expected)
    assert two_neurons_nats(is_first, ~is_first, 30 * times) == pytest.approx(expected)


def test_few_spikes_and_spikes_at_one_time_are_no_error_and_say_little() -> None:
    for times in (np.zeros(0, np.int64), np.array([4]), np.array([3, 900]), np.full(50, 7)):
        is_first = np.arange(len(times)) % 2 == 0
        assert abs(two_neurons_nats(is_first, ~is_first, times)) < 0.25


def test_an_interval_is_told_in_the_longer_mean_of_those_before_and_after() -> None:
    times = np.array([0, 10, 20, 100, 140, 180])
    assert in_means(times)[2] == pytest.approx(80 / 40)
    assert in_means(np.array([3, 900])).tolist() == [1.0]


def test_of_very_many_spikes_some_are_looked_at() -> None:
    times = np.arange(4 * MAX_SPIKES)
    is_first = times < 50_000
    assert two_neurons_nats(is_first, ~is_first, times) == pytest.approx(log(0.01 / 0.2), abs=0.01)


def test_the_most_probable_times_of_taking_over_are_those_that_enumeration_finds() -> None:
    """Parts and intervals at random: eight spikes, all times and one, two or three changes."""
    generator = np.random.default_rng(11)
    n = 8
    for _ in range(20):
        is_first, u = generator.random(n) < 0.5, generator.exponential(size=n - 1) + 0.01
        best: tuple[float, list[bool]] = (0.0, [])
        for turn, begins in product((1, 2, 3), (True, False)):
            for cuts in jumps_of(n, turn):
                owned = [begins ^ bool(sum(cut <= i for cut in cuts) % 2) for i in range(n)]
                fits = np.prod([0.97 if a == b else 0.03 for a, b in zip(owned, is_first, strict=True)])
                weight = factorial(turn) * float(np.prod(u[np.array(cuts) - 1] / n) * fits)
                best = max(best, (weight, owned))
        assert owners(is_first, u).tolist() == best[1]


def in_time(first_s: np.ndarray, second_s: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Which spikes are of the first part, in order of time, and which lie in the stretches of their own."""
    times = np.concatenate([first_s, second_s])
    order = np.argsort(times)
    is_first = order < len(first_s)
    return is_first, in_own_stretches(is_first, ~is_first, np.round(times[order] * 1e6).astype(np.int64))


def test_spikes_of_a_part_that_lie_where_the_other_fires_are_not_its_own() -> None:
    """5 a second until 20 s and from then on, and of the second part 0.5 a second before: 10 spikes."""
    first, second = fired((0, 20), seed=12), fired((20, 45), seed=13)
    sparse = fired((0, 19), seed=14, rate_hz=0.5)
    is_first, own = in_time(first, np.concatenate([sparse, second]))
    assert own is not None
    assert own[is_first].all()
    assert (~own).sum() == len(sparse)


def test_parts_of_which_one_goes_on_in_the_stretches_of_the_other_do_not_take_over() -> None:
    """A quarter of the rate in its own stretches is the most."""
    first, second = fired((0, 20), seed=15), fired((20, 45), seed=16)
    for rate_hz, taken_over in ((0.9, True), (1.7, False)):
        going_on = fired((20, 45), seed=17, rate_hz=rate_hz)
        _, own = in_time(np.concatenate([first, going_on]), second)
        assert (own is not None) == taken_over
    assert in_time(fired((0, 45), seed=18), fired((0, 45), seed=19))[1] is None


def test_parts_of_few_spikes_take_over_from_nothing() -> None:
    nine, ten = np.arange(9.0) / 9, np.arange(10.0) / 9
    long = 1.2 + np.arange(40) / 9
    assert in_time(nine, long)[1] is None
    assert in_time(ten, long)[1] is not None
    none = np.zeros(5, bool)
    assert in_own_stretches(none, none, np.arange(5)) is None


def test_intervals_are_in_means_of_twenty_around_them_and_within_bounds() -> None:
    assert in_means(np.array([0, 10, 20, 40])).tolist() == [10 / 15, 0.5, 2]
    # 21 intervals of 10 before one of 1000; 20 count, and the first of 100 does not
    times = np.cumsum([0, 100, *[10] * 20, 300, *[10] * 20, 100])
    assert in_means(times)[21] == pytest.approx(30)
    assert in_means(np.array([0, 0, 0])).tolist() == [1, 1]
    far = in_means(np.array([0, 1, 2, 1000]))
    assert far[-1] == 50
    assert in_means(np.array([0, 10_000, 10_001, 20_000]))[1] == pytest.approx(1e-3)
    assert in_means(np.array([5])).shape == (0,)


def test_ten_spikes_in_the_stretches_of_its_own_are_enough() -> None:
    times = 100 * np.arange(20)
    is_first = np.arange(20) < 10
    found = in_own_stretches(is_first, ~is_first, times)
    assert found is not None
    assert found.all()
    assert in_own_stretches(is_first[1:], ~is_first[1:], times[1:]) is None  # nine of the first


def test_one_spike_changes_nothing_and_two_do() -> None:
    assert changes_nats(np.array([True]), np.zeros(0)) == (-np.inf, -np.inf)
    assert np.isfinite(changes_nats(np.array([True, False]), np.ones(1))).all()
    assert in_own_stretches(np.array([True]), np.array([False]), np.array([3])) is None
