"""Shapes that a finished sorting keeps: means, contacts and features of some spikes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.core.given_shapes import GivenShapes

TROUGH = 10


def shapes(*heights: list[float], template: list[int], scale: list[float]) -> GivenShapes:
    """Templates that are 0 but for one sample, of these heights on each contact; no features."""
    templates = np.zeros((len(heights), 32, len(heights[0])), np.float32)
    templates[:, TROUGH] = -np.array(heights)
    return GivenShapes(
        templates,
        np.array(template),
        np.array(scale, np.float32),
        np.zeros(0, np.int64),
        np.zeros((0, 2, 2), np.float32),
        np.zeros((len(heights), 2), np.int64),
    )


TWO = shapes([8, 0, 4], [0, 6, 2], template=[0, 1, 0, 1], scale=[1, 1, 3, 0.5])


def test_the_mean_of_spikes_is_that_of_their_templates_as_high_as_each() -> None:
    assert TWO.mean(np.array([0, 2]))[TROUGH].tolist() == [-16, 0, -8]  # 1 and 3 times the first
    assert TWO.mean(np.array([0, 3]))[TROUGH].tolist() == [-4, -1.5, -2.5]  # half of 8 + 0, 0 + 3, 4 + 1
    assert not TWO.mean(np.array([], np.int64)).any()


def test_each_spike_has_its_template_at_its_height_on_the_contacts_asked_for() -> None:
    found = TWO.waveforms(np.array([3, 2, 0]), np.array([2, 0]))
    assert found.shape == (3, 32, 2)
    assert found[:, TROUGH].tolist() == [[-1, 0], [-12, -24], [-4, -8]]


def test_contacts_come_by_height_down_to_a_tenth_of_the_highest() -> None:
    one = shapes([2, 20, 1.9, 30, 3], template=[0], scale=[1])
    assert one.contacts_of(np.array([0])).tolist() == [3, 1, 4]
    at_the_edge = shapes([10, 1, 0.99], template=[0], scale=[1])
    assert at_the_edge.contacts_of(np.array([0])).tolist() == [0, 1]


def test_at_most_16_contacts_are_drawn_and_one_of_a_template_that_is_0() -> None:
    assert shapes([5.0] * 20, template=[0], scale=[1]).contacts_of(np.array([0])).tolist() == list(range(16))
    assert shapes([0.0] * 3, template=[0], scale=[1]).contacts_of(np.array([0])).tolist() == [0]


@pytest.fixture
def featured() -> GivenShapes:
    """Spikes 1 and 3 have two numbers on each of two contacts: 5 and 4, or 4 and 6, by their template."""
    return replace(
        TWO,
        featured=np.array([1, 3]),
        features=np.arange(8, dtype=np.float32).reshape(2, 2, 2),
        feature_contacts=np.array([[5, 4], [4, 6]]),
    )


def test_spikes_without_features_are_left_out_unless_there_are_none_at_all(featured: GivenShapes) -> None:
    assert featured.has_features
    assert featured.some_of(np.array([0, 1, 2, 3])).tolist() == [1, 3]
    assert not TWO.has_features
    assert TWO.some_of(np.array([0, 2])).tolist() == [0, 2]


def test_features_are_found_by_the_contacts_of_the_template_and_are_0_elsewhere(
    featured: GivenShapes,
) -> None:
    found = featured.features_of(np.array([3, 0, 1]), np.array([6, 4]))
    # numbers of each spike: the first on both contacts, the second on both
    assert found.tolist() == [[5, 4, 7, 6], [0, 0, 0, 0], [1, 0, 3, 2]]
    assert featured.features_of(np.array([], np.int64), np.array([6, 4])).shape == (0, 4)


def test_of_a_sorting_without_features_all_are_0() -> None:
    assert TWO.features_of(np.array([0, 2]), np.array([0, 1, 2])).tolist() == [[0] * 6] * 2
    without_numbers = replace(
        TWO, features=np.zeros((0, 0, 0), np.float32), feature_contacts=np.zeros((2, 0))
    )
    assert without_numbers.features_of(np.array([0, 2]), np.array([0])).shape == (2, 0)
