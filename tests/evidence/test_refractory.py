"""Firing times as evidence: planted refractory, independent, bursting and contaminated trains."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.stats import gamma, poisson

from ncpgui.evidence.refractory import CHANCE_MS, REFRACTORY_MS, ClosePairs, cluster_nats, refractory_nats

RATE_HZ = 20_000.0
RATIO = (REFRACTORY_MS[1] - REFRACTORY_MS[0]) / (CHANCE_MS[1] - CHANCE_MS[0])


def neuron(rate_hz: float, duration_s: float, seed: int, refractory_ms: float = 3.0) -> NDArray[np.int64]:
    """Spike times of a neuron with an absolute refractory period, in samples."""
    generator = np.random.default_rng(seed)
    gaps = refractory_ms / 1000 + generator.exponential(
        1 / rate_hz - refractory_ms / 1000, int(2 * rate_hz * duration_s)
    )
    times = np.cumsum(gaps)
    return (times[times < duration_s] * RATE_HZ).astype(np.int64)


def together(*trains: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All spikes in order of time, and the train of each."""
    times = np.concatenate(trains)
    order = np.argsort(times, kind="stable")
    return times[order], np.repeat(np.arange(len(trains)), [len(train) for train in trains])[order]


def nats(times: NDArray[np.int64], *labels: NDArray[np.int64]) -> list[float]:
    """Evidence of some sortings."""
    pairs = ClosePairs.of(times, sampling_frequency_hz=RATE_HZ)
    return refractory_nats(pairs, np.stack(labels)).tolist()


def test_pairs_are_those_at_refractory_and_at_longer_distances() -> None:
    times = np.array([0, 10, 30, 160, 2000])  # 0.5, 1.5, 8 and 100 ms after the first
    pairs = ClosePairs.of(times, sampling_frequency_hz=RATE_HZ)
    assert pairs.refractory.tolist() == [[1, 2], [0, 2]]  # 1.0 and 1.5 ms
    assert pairs.chance.tolist() == [[2, 3], [1, 3], [0, 3]]  # 6.5, 7.5 and 8 ms
    assert pairs.ratio == pytest.approx(RATIO)


@pytest.mark.parametrize(("n", "q", "left"), [(0, 3, 0.1), (4, 200, 0.3), (7, 0, 0.03)])
def test_the_ratio_is_the_integral_over_the_unknown_chance(
    n: int, q: int, left: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ncpgui.evidence.refractory.LEFT", (left,))
    monkeypatch.setattr("ncpgui.evidence.refractory.P_LEFT", (1.0,))

    def marginal(share: float) -> float:
        expected = gamma(q + 0.5, scale=RATIO)
        top = expected.ppf(1 - 1e-12) + 10 * RATIO * (n + 1)
        return float(quad(lambda e: poisson.pmf(n, share * e) * expected.pdf(e), 0, top, limit=400)[0])

    expected = np.log(marginal(left) / marginal(1.0))
    assert cluster_nats(np.array([n]), np.array([q]), RATIO)[0] == pytest.approx(expected, rel=2e-3)


def test_one_neuron_in_two_parts_is_better_as_one() -> None:
    times = neuron(20, 300, seed=1)
    halves = np.random.default_rng(2).integers(0, 2, len(times))
    one, two = nats(times, np.zeros_like(halves), halves)
    assert one > two + 3


def test_two_neurons_are_better_as_two() -> None:
    times, labels = together(neuron(20, 300, seed=3), neuron(15, 300, seed=4))
    one, two = nats(times, np.zeros_like(labels), labels)
    assert two > one + 5


def test_neurons_without_a_refractory_period_are_hardly_told_apart_by_their_times() -> None:
    times, labels = together(*(neuron(20, 300, seed, refractory_ms=0.0) for seed in (5, 6)))
    one, two = nats(times, np.zeros_like(labels), labels)
    assert abs(one - two) < 3


def test_parts_that_follow_each_other_in_time_say_nothing_of_one_or_two() -> None:
    times = neuron(10, 200, seed=7)
    first_half = (times < 100 * RATE_HZ).astype(np.int64)
    one, two = nats(times, np.zeros_like(first_half), first_half)
    assert abs(one - two) < 1.5


def test_bursts_with_intervals_past_the_refractory_period_are_one_neuron() -> None:
    starts = neuron(5, 400, seed=8, refractory_ms=8.0)
    second = starts + round(0.004 * RATE_HZ)  # each spike is followed by a smaller one after 4 ms
    times, labels = together(starts, second)
    one, two = nats(times, np.zeros_like(labels), labels)
    assert one > two


def test_a_tenth_of_strange_spikes_does_not_make_a_neuron_two() -> None:
    own, strange = neuron(20, 300, seed=9), neuron(2, 300, seed=10)
    times, _ = together(own, strange)
    halves = np.random.default_rng(11).integers(0, 2, len(times))
    one, two = nats(times, np.zeros_like(halves), halves)
    assert one > two + 3


def test_spikes_of_no_cluster_count_for_nothing() -> None:
    times = neuron(20, 100, seed=12)
    none = np.full(len(times), -1)
    assert nats(times, none) == [0.0]
