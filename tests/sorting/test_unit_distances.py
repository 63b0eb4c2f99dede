"""One neuron or two: heaps of Gaussian spikes, and trains with and without a refractory period."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.sorting.unit_distances import distances, joined, refractory_evidence, separation
from tests.sorting.two_units import RATE_HZ, SLOW, two_units


def independent(n: int, rng: np.random.Generator) -> np.ndarray:
    return np.sort(rng.integers(0, 20_000_000, n))


def test_two_halves_of_one_heap_are_joined() -> None:
    rng = np.random.default_rng(0)
    side = rng.normal(0, 1, 4000)
    matched = two_units(side, side > 0, SLOW, apart=1.6)
    rows = [np.flatnonzero(matched.unit == k) for k in (0, 1)]
    # means of half Gaussians are 2 sqrt(2 / pi) apart, their sd is sqrt(1 - 2 / pi); medians lie nearer
    assert separation(matched, rows, 0, 1) == pytest.approx(2 * 0.6745 / np.sqrt(1 - 2 / np.pi), rel=0.03)
    assert joined(matched, sampling_frequency_hz=RATE_HZ).tolist() == [0, 0]


def test_two_heaps_stay_two() -> None:
    rng = np.random.default_rng(1)
    is_second = rng.random(4000) < 0.5
    side = np.where(is_second, 2.5, -2.5) + rng.normal(0, 1, 4000)
    matched = two_units(side, is_second, SLOW, apart=5.0)
    rows = [np.flatnonzero(matched.unit == k) for k in (0, 1)]
    assert separation(matched, rows, 0, 1) == pytest.approx(5.0, rel=0.03)
    assert joined(matched, sampling_frequency_hz=RATE_HZ).tolist() == [0, 1]


def test_the_noise_of_few_spikes_in_their_own_templates_is_taken_off() -> None:
    """Of 20 spikes each, seen in two samples: their noise moves each by 2 / 20 in gain."""
    side = np.r_[np.full(20, -1.0), np.full(20, 1.0)] + np.tile([-0.5, 0.5], 20)
    matched = two_units(side, np.repeat([False, True], 20), np.arange(40) * 1000, apart=2.0)
    rows = [np.arange(20), np.arange(20, 40)]
    assert separation(matched, rows, 0, 1) == pytest.approx((2.0 - 2 * 0.1 / 4) / 0.5, rel=0.01)


def test_a_gap_in_the_cross_correlogram_speaks_for_one_neuron_and_its_lack_for_two() -> None:
    rng = np.random.default_rng(2)
    first, second = independent(8000, rng), independent(8000, rng)
    assert refractory_evidence(first, second, sampling_frequency_hz=RATE_HZ) < -50
    after = np.searchsorted(first, second).clip(1, 7999)
    nearest = np.minimum(np.abs(second - first[after - 1]), np.abs(second - first[after]))
    apart = second[nearest > 60]  # 3 ms
    assert refractory_evidence(first, apart, sampling_frequency_hz=RATE_HZ) > 20


def test_the_evidence_of_counts_is_that_of_poisson_counts() -> None:
    """20 pairs at 5 to 55 ms: 0.52 are expected at 0.7 to 2 ms; none is seen, or one."""
    first = np.arange(20) * 100_000
    chance = 20 * 1.3 / 50
    close = np.log(0.1)
    for near, expected in (
        ([], 0.9 * chance),
        ([20], 0.9 * chance + close),
        ([40], 0.9 * chance + close),  # 2 ms are near, 0.7 ms are a spike found twice
        ([14], 0.9 * chance),
        ([41], 0.9 * chance),
    ):
        second = np.sort(np.r_[first + 400, near]).astype(np.int64)
        found = refractory_evidence(first, second, sampling_frequency_hz=RATE_HZ)
        assert found == pytest.approx(expected, abs=1e-9)


def test_firing_at_refractory_distances_keeps_like_waveforms_apart() -> None:
    rng = np.random.default_rng(3)
    side = rng.normal(0, 1, 4000)
    times = np.sort(rng.integers(0, 400_000, 4000))
    matched = two_units(side, side > 0, times, apart=1.6)
    assert joined(matched, sampling_frequency_hz=RATE_HZ).tolist() == [0, 1]


def heaps(apart_sd: float, n: int = 200) -> np.ndarray:
    """Where spikes of two units lie: heaps of sd 1 whose medians are so far apart, n each."""
    heap = np.tile([-1.0, 1.0], n // 2)
    return np.r_[heap - apart_sd / 2, heap + apart_sd / 2]


def found(apart_sd: float, n: int = 200, **changes: object) -> list[tuple[float, int, int]]:
    is_second = np.repeat([False, True], n)
    matched = two_units(heaps(apart_sd, n), is_second, 5000 * np.arange(2 * n), apart=4.0)
    like = replace(matched.like, **changes) if changes else matched.like  # type: ignore[arg-type]
    return distances(replace(matched, like=like), sampling_frequency_hz=RATE_HZ)


def test_the_distance_is_that_of_the_heaps_and_twice_that_of_the_shapes_less_that_of_the_times() -> None:
    """Templates that are 4 apart: the noise of 200 spikes each, in two samples, moves each by 0.01."""
    ((apart, first, second),) = found(5.0)
    relative = 16 / (50**2 + 12**2)  # of the larger energy
    assert (first, second) == (0, 1)
    heap = 5.0 - 2 * 0.01 * 2 / (2 * 4)
    assert apart == pytest.approx(heap + 2 * relative, abs=0.01)


def test_units_are_compared_if_they_are_candidates_of_each_other_and_their_shapes_are_near() -> None:
    shapes = np.array([[0, 0.6], [0.6, 0]])
    assert len(found(5.0, relative=shapes)) == 1
    assert found(5.0, relative=shapes + 0.01) == []
    assert found(5.0, candidates=np.array([[0, 1], [1, -1]])) == []
    assert found(5.0, candidates=np.array([[0, -1], [1, 0]])) == []


def test_five_spikes_of_a_unit_are_enough_and_four_are_not() -> None:
    for n, n_pairs in ((5, 1), (4, 0)):
        side = np.r_[heaps(5.0, 200)[:200], heaps(5.0, 200)[200 : 200 + n]]
        matched = two_units(side, np.arange(200 + n) >= 200, 5000 * np.arange(200 + n), apart=4.0)
        assert len(distances(matched, sampling_frequency_hz=RATE_HZ)) == n_pairs


def test_the_same_template_is_at_no_distance() -> None:
    matched = two_units(heaps(5.0), np.repeat([False, True], 200), 5000 * np.arange(400), apart=0.0)
    rows = [np.arange(200), np.arange(200, 400)]
    assert separation(matched, rows, 0, 1) == 0
