"""One neuron or two: heaps of Gaussian spikes, and trains with and without a refractory period."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.motion import Places
from ncpgui.ephys.gain_noise import GainNoise
from ncpgui.ephys.peeling import TemplateBank
from ncpgui.sorting.matching import Matched
from ncpgui.sorting.moving_templates import MovingBank
from ncpgui.sorting.one_neuron import joined, refractory_evidence, same_probability, separation
from ncpgui.sorting.template_distance import likeness

RATE_HZ = 20_000.0
N_TIMES = 40
SLOW = 5000 * np.arange(4000)
"""Times that say nothing: no two spikes are near each other."""


def two_units(side: np.ndarray, is_second: np.ndarray, times: np.ndarray, apart: float) -> Matched:
    """Two templates `apart` sd from each other; `side` (n,) is where each spike lies along their line, sd.

    The middle is at 0, the first template at -apart / 2. The gains of a spike at z differ by 2 apart z.
    """
    waveforms = np.zeros((2, N_TIMES, 2), np.float32)
    waveforms[:, 10, 0] = -50
    waveforms[0, 10, 1], waveforms[1, 10, 1] = -10 - apart / 2, -10 + apart / 2
    like = likeness(waveforms, max_lag=4)
    unit = is_second.astype(np.int64)
    gain = np.zeros((len(side), 2), np.float32)
    gain[:, 0] = 2500 + apart * np.where(is_second, side, -side)
    gain[:, 1] = 2500 - apart * np.where(is_second, side, -side)
    ones = np.ones(len(side), np.float32)
    nothing = np.zeros(like.candidates.shape)
    noise = GainNoise(np.ones(2), np.full(2, 1500.0), nothing, nothing)
    bank = TemplateBank(waveforms, 10)
    places = Places.one(int(times.max(initial=0)) + 1)
    moving = MovingBank(waveforms[None], 10, places.share)
    return Matched(times, unit, ones, np.zeros_like(ones), gain, bank, moving, places, like, noise)


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
    for near, expected in (([], 0.9 * chance), ([20], 0.9 * chance + np.log(0.1))):
        second = np.sort(np.r_[first + 400, near]).astype(np.int64)
        found = refractory_evidence(first, second, sampling_frequency_hz=RATE_HZ)
        assert found == pytest.approx(expected, abs=1e-9)


def test_the_probability_of_one_neuron_is_high_for_halves_of_a_heap_and_low_for_two_heaps() -> None:
    rng = np.random.default_rng(4)
    side = rng.normal(0, 1, 4000)
    halves = two_units(side, side > 0, SLOW, apart=1.6)
    is_second = rng.random(4000) < 0.5
    heaps = two_units(np.where(is_second, 4.0, -4.0) + rng.normal(0, 1, 4000), is_second, SLOW, apart=8.0)
    far = two_units(side, side > 0, SLOW, apart=90.0)
    assert same_probability(halves, sampling_frequency_hz=RATE_HZ)[0, 1] > 0.8
    assert same_probability(heaps, sampling_frequency_hz=RATE_HZ)[0, 1] < 0.05
    assert same_probability(far, sampling_frequency_hz=RATE_HZ) == {}


def test_pairs_of_times_within_the_refractory_period_lower_the_probability_of_one_neuron() -> None:
    rng = np.random.default_rng(5)
    side = rng.normal(0, 1, 4000)
    silent = two_units(side, side > 0, SLOW, apart=1.6)
    busy = two_units(side, side > 0, np.sort(rng.integers(0, 400_000, 4000)), apart=1.6)
    one, two = (same_probability(matched, sampling_frequency_hz=RATE_HZ)[0, 1] for matched in (silent, busy))
    assert two < one


def test_firing_at_refractory_distances_keeps_like_waveforms_apart() -> None:
    rng = np.random.default_rng(3)
    side = rng.normal(0, 1, 4000)
    times = np.sort(rng.integers(0, 400_000, 4000))
    matched = two_units(side, side > 0, times, apart=1.6)
    assert joined(matched, sampling_frequency_hz=RATE_HZ).tolist() == [0, 1]
