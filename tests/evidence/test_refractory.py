"""Firing times as evidence: planted refractory, independent, bursting and contaminated trains."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.stats import gamma, poisson
from spike_trains import RATE_HZ, halves, neuron, together

from ncpgui.core.heaps import MOST_NATS
from ncpgui.evidence.refractory import (
    CHANCE_MS,
    LEFT,
    OFTEN,
    P_LEFT,
    P_OFTEN,
    P_SHY,
    REFRACTORY_MS,
    ClosePairs,
    two_trains_nats,
)

RATIO = (REFRACTORY_MS[1] - REFRACTORY_MS[0]) / (CHANCE_MS[1] - CHANCE_MS[0])


def nats(times: NDArray[np.int64], part: NDArray[np.integer]) -> float:
    """What the times of two parts say: positive for two neurons, negative for one."""
    pairs = ClosePairs.of(times, sampling_frequency_hz=RATE_HZ)
    return two_trains_nats(pairs.counts(part == 0, part == 1), pairs.ratio)


def test_pairs_are_those_at_refractory_and_at_longer_distances() -> None:
    times = np.array([0, 10, 30, 160, 2000])  # 0.5, 1.5, 8 and 100 ms after the first
    pairs = ClosePairs.of(times, sampling_frequency_hz=RATE_HZ)
    assert pairs.refractory.tolist() == [[1, 2], [0, 2]]  # 1.0 and 1.5 ms
    assert pairs.chance.tolist() == [[2, 3], [1, 3], [0, 3]]  # 6.5, 7.5 and 8 ms
    assert pairs.ratio == pytest.approx(RATIO)


def test_pairs_are_counted_within_each_set_and_between_them() -> None:
    pairs = ClosePairs(np.array([[0, 1], [0, 2], [2, 3], [1, 4], [4, 5]]), np.array([[0, 3], [1, 2]]), 0.13)
    part = np.array([0, 0, 1, 1, -1, 0])  # the last pair has a spike of neither
    assert pairs.counts(part == 0, part == 1).tolist() == [[1, 1, 1], [0, 0, 2]]


def marginal(n: int, q: int, factors: dict[float, float]) -> float:
    """P(n close pairs) where chance, which q pairs counted, is multiplied by one of some factors."""
    expected = gamma(q + 0.5, scale=RATIO)
    top = expected.ppf(1 - 1e-12) + 10 * RATIO * (n + 1)

    def density(e: float) -> float:
        return sum(p * poisson.pmf(n, factor * e) for factor, p in factors.items()) * expected.pdf(e)

    return float(quad(density, 0, top, limit=400)[0])


@pytest.mark.parametrize("close", [(0, 0, 2), (1, 0, 9), (3, 1, 0)])
@pytest.mark.parametrize("chance", [(9, 4, 12), (40, 60, 100)])
def test_the_ratio_is_that_of_the_integrals_over_the_unknown_chance(
    close: tuple[int, int, int], chance: tuple[int, int, int]
) -> None:
    """All three groups of pairs are Poisson, by chance or not; "one" is by its d, or by bursts."""
    neuron, peak = dict(zip(LEFT, P_LEFT, strict=True)), dict.fromkeys(OFTEN, P_OFTEN / 3)
    beside = {1.0: 1 - P_SHY - P_OFTEN + P_SHY * neuron[1.0]}
    beside |= {left: P_SHY * p for left, p in neuron.items() if left < 1} | peak

    def against_chance(n: int, q: int, factors: dict[float, float]) -> float:
        return marginal(n, q, factors) / marginal(n, q, {1.0: 1.0})

    alone = np.prod([against_chance(close[k], chance[k], neuron) for k in (0, 1)])
    two = alone * against_chance(close[2], chance[2], beside)
    one = (1 - P_OFTEN) * against_chance(sum(close), sum(chance), neuron)
    one += alone * against_chance(close[2], chance[2], peak)
    found = two_trains_nats(np.array([close, chance]), RATIO)
    assert found == pytest.approx(np.log(two / one), abs=5e-3)


def test_one_neuron_in_two_parts_is_one() -> None:
    times = neuron(20, 300, seed=1)
    assert nats(times, halves(times, 2)) < -3


def test_two_neurons_are_two() -> None:
    assert nats(*together(neuron(20, 300, seed=3), neuron(15, 300, seed=4))) > 5


def test_neurons_without_a_refractory_period_are_hardly_told_apart_by_their_times() -> None:
    assert abs(nats(*together(*(neuron(20, 300, seed, refractory_ms=0.0) for seed in (5, 6))))) < 3


def test_parts_that_follow_each_other_in_time_say_nothing_of_one_or_two() -> None:
    times = neuron(10, 200, seed=7)
    assert abs(nats(times, (times < 100 * RATE_HZ).astype(np.int64))) < 1.5


def test_bursts_with_intervals_past_the_refractory_period_are_one_neuron() -> None:
    starts = neuron(5, 400, seed=8, refractory_ms=8.0)
    second = starts + round(0.004 * RATE_HZ)  # each spike is followed by a smaller one after 4 ms
    assert nats(*together(starts, second)) < 0


def test_a_tenth_of_strange_spikes_does_not_make_a_neuron_two() -> None:
    times, _ = together(neuron(20, 300, seed=9), neuron(2, 300, seed=10))
    assert nats(times, halves(times, 11)) < -2


@pytest.mark.parametrize("duration_s", [100, 1000])
def test_a_peak_between_two_parts_does_not_say_whether_one_neuron_bursts_or_two_fire_together(
    duration_s: int,
) -> None:
    first = neuron(10, duration_s, seed=12, refractory_ms=5.0)
    assert abs(nats(*together(first, first + round(0.0012 * RATE_HZ)))) < 0.5


def test_no_verdict_is_surer_than_that_of_heaps_however_long_the_recording() -> None:
    two = nats(*together(neuron(20, 2000, seed=13), neuron(20, 2000, seed=14)))
    assert two == MOST_NATS
    times = neuron(20, 2000, seed=15)
    assert -MOST_NATS <= nats(times, halves(times, 16)) < -5


def test_spikes_of_neither_part_count_for_nothing() -> None:
    times = neuron(20, 100, seed=17)
    assert nats(times, np.full(len(times), -1)) == pytest.approx(0, abs=0.1)


def test_a_pair_at_the_lower_end_of_its_distances_does_not_count_and_one_at_the_upper_end_does() -> None:
    """At 10 samples a ms: 0.7 to 2 ms are 8 to 20 samples, 3 to 13 ms are 31 to 130."""

    def pairs(apart: int) -> tuple[int, int]:
        found = ClosePairs.of(np.array([0, apart]), sampling_frequency_hz=10_000.0)
        return len(found.refractory), len(found.chance)

    assert [pairs(apart) for apart in (7, 8, 20, 21, 30, 31, 130, 131)] == [
        (0, 0), (1, 0), (1, 0), (0, 0), (0, 0), (0, 1), (0, 1), (0, 0),
    ]  # fmt: skip


def test_every_pair_of_a_burst_counts_and_not_only_neighbours() -> None:
    found = ClosePairs.of(np.array([0, 10, 20, 30]), sampling_frequency_hz=10_000.0)
    assert found.refractory.tolist() == [[0, 1], [1, 2], [2, 3], [0, 2], [1, 3]]
    assert found.ratio == pytest.approx(0.13)
    assert found.chance.tolist() == []
    assert ClosePairs.of(np.zeros(0, int), sampling_frequency_hz=10_000.0).refractory.shape == (0, 2)
