"""Spikes that were not read go with their unit, where no sorting parts it."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.component import Alternative, Component
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.sorting.whole_units import parts_a_unit, with_whole_units


def component(*sortings: list[int]) -> Component:
    n = len(sortings[0])
    ways = tuple(
        Alternative(np.array(one, np.int32), np.ones(n, np.float32), 0.5, 0.0, np.ones(max(one) + 1))
        for one in sortings
    )
    rows = np.arange(n)
    posterior = PosteriorSamples(np.zeros((1, n), np.int64), np.zeros(1))
    return Component(0, np.zeros(1, np.int64), rows, rows, posterior, ways)


@pytest.mark.parametrize(("n_elsewhere", "is_parted"), [(0, False), (1, False), (2, True)])
def test_a_unit_is_parted_where_more_than_two_of_a_hundred_of_its_spikes_are_elsewhere(
    n_elsewhere: int, is_parted: bool
) -> None:
    """Unit 0 of 50 spikes; beside it unit 1, which is whole."""
    unit = np.repeat([0, 1], [50, 3])
    labels = [1] * n_elsewhere + [0] * (50 - n_elsewhere) + [1] * 3
    assert parts_a_unit(component(labels), unit, np.ones(53, bool)) is is_parted


def test_any_sorting_may_part_any_unit_and_spikes_of_no_cluster_count() -> None:
    unit, every = np.array([0, 0, 1, 1]), np.ones(4, bool)
    whole = [0, 0, 1, 1]
    assert not parts_a_unit(component(whole, [0, 0, 0, 0]), unit, every)
    assert parts_a_unit(component(whole, [0, 0, 0, 1]), unit, every)
    assert parts_a_unit(component(whole, [0, 0, 1, -1]), unit, every)
    assert not parts_a_unit(component([0, 0, -1, -1]), unit, every)


def test_a_spike_that_was_not_read_parts_nothing() -> None:
    unit = np.array([0, 0, 1, 1])
    read = np.array([True, True, True, False])
    assert not parts_a_unit(component([0, 0, 0, 1]), unit, read)  # of unit 1 a single spike was
    assert parts_a_unit(component([0, 0, 0, 1]), unit, np.ones(4, bool))


def test_a_spike_that_was_not_read_is_where_most_of_its_unit_is() -> None:
    """Unit 0 is in cluster 1, unit 1 in cluster 0, unit 2 in none; the last spike of each was not read."""
    unit = np.repeat([0, 1, 2], 4)
    known = np.tile([True, True, True, False], 3)
    parted = component([1, 1, 0, 0, 0, 0, 1, 1, -1, -1, 0, 0], [0] * 12)
    first, second = with_whole_units(parted, unit, known).alternatives
    assert first.labels.tolist() == [1, 1, 0, 1, 0, 0, 1, 0, -1, -1, 0, -1]
    assert first.labels.dtype == np.int32
    assert second.labels.tolist() == [0] * 12
    assert first.mass == 0.5
