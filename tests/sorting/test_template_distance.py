"""Distances of templates at the lag at which they agree best, known by construction."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ncpgui.sorting import template_distance
from ncpgui.sorting.template_distance import likeness


def test_a_template_that_comes_later_is_found_at_its_lag() -> None:
    first = np.zeros((30, 2), np.float32)
    first[10:14, 0] = [-3, -9, -6, -2]
    second = np.roll(first, 4, axis=0) * 1.5
    third = np.zeros_like(first)
    third[10:14, 1] = [-3, -9, -6, -2]
    like = likeness(np.stack([first, second, third]), max_lag=6)
    energy = 9 + 81 + 36 + 4
    assert like.lag[0, 1] == -4  # the second must begin four samples earlier to lie on the first
    assert like.lag[1, 0] == 4
    assert like.distance[0, 1] == pytest.approx(0.5 * np.sqrt(energy))
    assert like.relative[0, 1] == pytest.approx(0.25 / 2.25)
    assert like.relative[0, 2] == pytest.approx(2.0)  # no channel in common
    assert like.candidates.tolist() == [[0, 1, -1], [1, 0, -1], [2, -1, -1]]
    assert like.place(1, 0) == 1
    assert like.place(2, 0) is None


def test_lags_beyond_the_largest_are_not_looked_at() -> None:
    first = np.zeros((30, 1), np.float32)
    first[10:14, 0] = [-3, -9, -6, -2]
    like = likeness(np.stack([first, np.roll(first, 8, axis=0)]), max_lag=3)
    assert like.distance[0, 1] > 1


def test_a_template_is_at_no_distance_from_itself_whatever_is_rounded() -> None:
    waveforms = np.random.default_rng(0).normal(scale=30, size=(20, 40, 6)).astype(np.float32)
    like = likeness(waveforms, max_lag=3)
    for table in (like.relative, like.distance, like.lag):
        assert np.diag(table).tolist() == [0] * 20


def literal_products(
    waveforms: NDArray[np.float32], max_lag: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Largest product of all with all, on all channels, and its lag: the first of equal ones."""
    n_times = waveforms.shape[1]
    shifts = np.arange(-max_lag, max_lag + 1)
    products = []
    for shift in shifts:
        later = np.zeros_like(waveforms)
        later[:, max(shift, 0) : n_times + min(shift, 0)] = waveforms[
            :, max(-shift, 0) : n_times - max(shift, 0)
        ]
        products.append(np.einsum("atc,btc->ab", waveforms, later, dtype=np.float64))
    return np.max(products, axis=0), shifts[np.argmax(products, axis=0)]


@pytest.mark.parametrize("n_reach", [3, 40])
def test_templates_of_a_long_probe_are_compared_as_all_with_all(n_reach: int) -> None:
    """70 templates, each on some channels of 40 in any order of numbers, one of which is seen nowhere."""
    rng = np.random.default_rng(1)
    waveforms = np.zeros((70, 25, 40), np.float32)
    numbers = rng.permutation(40)
    for unit in range(1, 70):
        first = rng.integers(0, 41 - n_reach)
        on = numbers[first : first + n_reach]
        waveforms[unit][:, on] = rng.normal(scale=5, size=(25, n_reach))
    found, lag = template_distance._products_of_all(waveforms, 4)
    expected, expected_lag = literal_products(waveforms, 4)
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-2)
    assert (lag == expected_lag).all()


def spikes_on(*heights: list[float]) -> NDArray[np.float32]:
    """Templates that are one sample long, of these heights on each channel."""
    waveforms = np.zeros((len(heights), 9, len(heights[0])), np.float32)
    waveforms[:, 4] = heights
    return waveforms


def test_the_distance_is_relative_to_the_larger_energy() -> None:
    like = likeness(spikes_on([4, 0], [4, 2], [0, 3]), max_lag=2)
    assert like.distance[0, 1] == pytest.approx(2)
    assert like.relative[0, 1] == like.relative[1, 0] == pytest.approx(4 / 20)
    assert like.distance[1, 2] == pytest.approx(np.sqrt(16 + 1))
    assert like.relative[0, 2] == pytest.approx(25 / 16)  # nothing in common


def test_six_candidates_are_kept_itself_first_then_the_nearest_of_those_near_enough() -> None:
    like = likeness(spikes_on(*[[10.0 + k] for k in range(8)]), max_lag=1)
    assert like.candidates.shape == (8, 6)
    assert like.candidates[0].tolist() == [0, 1, 2, 3, 4, 5]
    assert like.candidates[7].tolist() == [7, 6, 5, 4, 3, 2]
    assert like.candidates[3, :3].tolist() == [3, 4, 2]  # 1 / 14^2 before 1 / 13^2


def test_relative_squared_distances_above_0_9_are_no_candidates() -> None:
    """Templates at right angles on two channels but for a part: |a - b|^2 is 2 - 2 cos."""
    for cosine, near in ((0.56, True), (0.54, False)):
        other = [10 * cosine, 10 * np.sqrt(1 - cosine**2)]
        like = likeness(spikes_on([10.0, 0.0], other), max_lag=1)
        assert like.relative[0, 1] == pytest.approx(2 - 2 * cosine, abs=1e-6)
        assert like.candidates[0].tolist() == [0, 1 if near else -1]


def test_a_lag_of_a_candidate_that_there_is_not_is_that_of_the_first_unit() -> None:
    like = likeness(spikes_on([4, 0], [0, 3]), max_lag=2)
    assert like.candidates.tolist() == [[0, -1], [1, -1]]
    assert like.candidate_lags[:, 0].tolist() == [0, 0]
    assert like.candidate_lags.shape == (2, 2)


def test_a_template_that_is_0_is_like_none() -> None:
    like = likeness(spikes_on([0.0], [3.0]), max_lag=2)
    assert like.relative[0, 1] == pytest.approx(1)
    assert like.candidates.tolist() == [[0, -1], [1, -1]]
    assert likeness(np.zeros((0, 9, 2), np.float32), max_lag=2).candidates.shape == (0, 0)
