"""Proposals of one neuron that take turns over the places of the tissue, and neurons that do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ncpgui.evidence.drift_turns import turns_nats
from ncpgui.sorting.merge_across_drift import MAX_UNLIKE, merged_across_drift, together
from ncpgui.sorting.template_distance import Likeness, likeness


def like(*heights: float) -> Likeness:
    waveforms = np.zeros((len(heights), 20, 1), np.float32)
    waveforms[:, 10, 0] = heights
    return likeness(waveforms, max_lag=2)


def trains(*counts: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    unit = np.repeat(np.arange(len(counts)), [sum(count) for count in counts])
    place = np.concatenate([np.repeat([0, 1], count) for count in counts])
    return place, unit


def test_like_units_that_take_turns_are_joined_and_others_are_not() -> None:
    place, unit = trains((80, 0), (0, 70), (50, 50))
    assert merged_across_drift(like(-10, -11, -10), place, unit, n_places=2).tolist() == [0, 0, 2]
    unlike = like(-10, 5, -10)
    assert merged_across_drift(unlike, place, unit, n_places=2).tolist() == [0, 1, 2]


def test_the_more_units_fire_at_one_place_the_more_alike_they_must_be() -> None:
    """A relative distance of 0.6 ** 2, and 1.5 times the share of spikes together, against 0.8."""
    apart, mixed = trains((100, 0), (20, 80)), trains((100, 0), (40, 60))
    assert together(np.array([100, 0]), np.array([20, 80])) == 0.2
    assert merged_across_drift(like(-10, -4), *apart, n_places=2).tolist() == [0, 0]  # 0.66
    assert merged_across_drift(like(-10, -4), *mixed, n_places=2).tolist() == [0, 1]  # 0.96


def test_a_unit_that_fires_at_all_places_is_not_joined_with_one_that_fires_at_a_few() -> None:
    place, unit = trains((80, 0), (50, 50))
    assert turns_nats(np.array([80, 0]), np.array([50, 50])) > 10
    assert merged_across_drift(like(-10, -10), place, unit, n_places=2).tolist() == [0, 1]


def test_of_three_that_take_turns_the_two_most_alike_are_joined_first() -> None:
    place, unit = trains((80, 0), (0, 70), (0, 60))
    assert merged_across_drift(like(-10, -12, -10.5), place, unit, n_places=2).tolist() == [0, 1, 0]


def test_no_units_are_no_pairs() -> None:
    none = np.zeros(0, np.int64)
    empty = likeness(np.zeros((0, 20, 1), np.float32), max_lag=2)
    assert merged_across_drift(empty, none, none, n_places=3).tolist() == []


def test_a_pair_as_unlike_as_may_be_is_joined_and_one_just_over_it_is_not() -> None:
    place, unit = trains((80, 0), (0, 70))
    for unlike, expected in ((MAX_UNLIKE, [0, 0]), (np.nextafter(MAX_UNLIKE, 1), [0, 1])):
        pair = replace(like(-10, -10), relative=np.array([[0, unlike], [unlike, 0]]))
        assert merged_across_drift(pair, place, unit, n_places=2).tolist() == expected
