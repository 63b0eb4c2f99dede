"""Purity, completeness and spike probabilities against draws that are known by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.support import unit_support


def draws(*rows: list[int], weight: list[float] | None = None) -> PosteriorSamples:
    labels = np.array(rows)
    return PosteriorSamples(labels, np.zeros(len(labels)), None if weight is None else np.array(weight))


def test_a_unit_that_all_draws_have_is_sure() -> None:
    found = unit_support(draws([0, 0, 1, 1], [0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    for value in (found.p_pure, found.p_complete, found.probability):
        assert value == pytest.approx(1)
    for value in (found.misses, found.entropy_nats):
        assert value == pytest.approx(0)


def test_a_draw_that_splits_a_unit_counts_against_its_being_pure_and_its_smaller_part() -> None:
    found = unit_support(draws([0, 0, 0, 1], [0, 0, 0, 0], weight=[0.25, 0.75]), np.zeros(4, int))
    assert found.p_pure == pytest.approx([0.75])
    assert found.p_complete == pytest.approx([1])
    assert found.probability == pytest.approx([1, 1, 1, 0.75])


def test_a_draw_that_merges_units_counts_against_their_being_complete_and_not_their_spikes() -> None:
    found = unit_support(draws([0, 0, 0, 0], [0, 0, 0, 1], weight=[0.4, 0.6]), np.array([0, 0, 0, 1]))
    assert found.p_pure == pytest.approx([1, 1])
    assert found.p_complete == pytest.approx([0.6, 0.6])
    assert found.misses == pytest.approx([0.4 * 0.25, 0.4 * 0.75])
    assert found.probability == pytest.approx(1)
    assert found.membership == pytest.approx(np.array([[0.8, 0.2]] * 3 + [[0.2, 0.8]]))


def test_points_count_as_the_spikes_they_stand_for() -> None:
    found = unit_support(
        draws([0, 0, 1, 1]), np.array([0, 0, 0, 0]), stands_for=np.array([10.0, 10.0, 1.0, 1.0])
    )
    assert found.p_pure == pytest.approx([1])  # 2 of 22 elsewhere


def test_points_of_no_unit_have_no_probability_and_a_unit_without_points_no_support() -> None:
    found = unit_support(draws([0, 0, 1]), np.array([2, 2, -1]))
    assert found.probability.tolist() == [1, 1, 0]
    assert np.isnan(found.p_pure[:2]).all()
    assert found.p_pure[2] == 1


def test_entropy_is_that_of_the_units_a_spike_may_be_of() -> None:
    found = unit_support(draws([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 1]))
    assert found.entropy_nats == pytest.approx([0, 0, np.log(2), 0, 0, 0])


def test_a_tenth_of_other_spikes_is_tolerated_and_more_is_not() -> None:
    tenth = [1] + [0] * 9
    found = unit_support(draws(tenth), np.zeros(10, int))
    assert (found.p_pure.tolist(), found.p_complete.tolist(), found.p_exists.tolist()) == ([1], [1], [1])
    found = unit_support(draws([1, 1] + [0] * 17), np.zeros(19, int))  # 2 of 19
    assert (found.p_pure.tolist(), found.p_complete.tolist(), found.p_exists.tolist()) == ([0], [1], [0])
    found = unit_support(draws([0] * 10), np.array([0] * 9 + [-1]))
    assert (found.p_pure.tolist(), found.p_complete.tolist(), found.p_exists.tolist()) == ([1], [1], [1])
    found = unit_support(draws([0] * 19), np.array([0] * 17 + [-1] * 2))
    assert (found.p_pure.tolist(), found.p_complete.tolist(), found.p_exists.tolist()) == ([1], [0], [0])


def test_draws_without_weight_say_nothing_and_units_may_be_more_than_have_points() -> None:
    found = unit_support(draws([0, 0, 1], [0, 1, 1], weight=[1.0, 0.0]), np.array([0, 0, 1]), n_units=4)
    assert found.p_exists[:2].tolist() == [1, 1]
    assert np.isnan(found.p_exists[2:]).all()
    assert found.membership.shape == (3, 4)
    assert found.membership.tolist() == [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]]


def test_an_echo_counts_in_the_size_of_the_cell_of_the_unit_that_has_it_only() -> None:
    """Points 2 and 3 are echoes of 0 and 1; in the draw all four are one cell."""
    one_cell = draws([0, 0, 0, 0]).changed(echo_of=np.array([-1, -1, 0, 1]))
    apart = unit_support(one_cell, np.array([0, 0, 1, 1]))
    assert apart.misses == pytest.approx([0, 0.5])  # that of the echoes lacks the two spikes
    assert unit_support(draws([0, 0, 0, 0]), np.array([0, 0, 1, 1])).misses == pytest.approx([0.5, 0.5])


def test_entropy_counts_being_of_none_as_one_more() -> None:
    found = unit_support(draws([0, 0, 0, 1], [0, 0, 0, 0]), np.zeros(4, int))
    assert found.entropy_nats == pytest.approx([0, 0, 0, np.log(2)])
