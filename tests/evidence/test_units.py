"""Numbers of units and spikes from draws that are known by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.core.component import Component
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.unit_table import Row, UnitTable
from ncpgui.evidence.units import (
    SortingNumbers,
    component_numbers,
    joined_by_hand,
    p_neuron,
    part_of_units,
    project_numbers,
    spikes_of_units,
    united,
)
from tests.tiny_project import tiny_project

nan = float("nan")
SAID = ("p_pure", "p_complete", "p_exists", "misses")
APART, TOGETHER = [0, 0, 0, 0, 1, 1, 1], [0] * 7


def component_of(rows: list[list[int]], weight: list[float] | None = None) -> Component:
    """A component all of whose spikes are sampled."""
    samples = PosteriorSamples(
        np.array(rows), np.zeros(len(rows)), None if weight is None else np.array(weight)
    )
    ids = np.arange(samples.n_points)
    return Component(0, np.array([0]), ids, ids, samples, ())


def whole_of(found: SortingNumbers) -> Row:
    """What is known of unit 0, all of whose spikes are in one component."""
    return united([0], [part_of_units(found.units, range(len(found.units)))], p_neuron=[nan]).row(0)


def numbers(rows: list[list[int]], labels: list[int], weight: list[float] | None = None) -> SortingNumbers:
    return component_numbers(component_of(rows, weight), np.array(labels), np.ones(len(labels)))


def test_a_draw_that_splits_a_unit_is_against_its_purity_its_existence_and_its_smaller_part() -> None:
    found = numbers([TOGETHER, APART], TOGETHER, [0.7, 0.3])
    assert found.units["p_pure"] == pytest.approx([0.7])
    assert found.units["p_complete"] == pytest.approx([1.0])
    assert found.units["p_exists"] == pytest.approx([0.7])
    assert found.probability == pytest.approx([1.0] * 4 + [0.7] * 3)
    entropy = -(0.7 * np.log(0.7) + 0.3 * np.log(0.3))
    assert found.entropy == pytest.approx([0.0] * 4 + [entropy] * 3, abs=1e-6)
    whole = whole_of(found)
    assert whole["false_positives"] == pytest.approx(0.3 * 3 / 7)
    assert whole["misses"] == pytest.approx(0)


def test_without_entropy_all_other_numbers_are_the_same() -> None:
    component, labels = component_of([TOGETHER, APART], [0.7, 0.3]), np.array(APART)
    whole = component_numbers(component, labels, np.ones(7), decided=[1])
    found = component_numbers(component, labels, np.ones(7), decided=[1], entropy=False)
    assert np.isnan(found.entropy).all()
    np.testing.assert_array_equal(found.probability, whole.probability)
    for name, values in whole.units.columns.items():
        np.testing.assert_array_equal(found.units[name], values)


def test_a_draw_that_merges_a_unit_is_against_its_completeness_and_not_against_its_spikes() -> None:
    found = numbers([TOGETHER, APART], APART, [0.7, 0.3])
    assert found.units["p_pure"] == pytest.approx([1.0, 1.0])
    assert found.units["p_complete"] == pytest.approx([0.3, 0.3])
    assert found.units["p_exists"] == pytest.approx([0.3, 0.3])
    assert found.units["misses"] == pytest.approx([0.7 * 3 / 7, 0.7 * 4 / 7])
    assert found.probability == pytest.approx([1.0] * 7)


def test_a_unit_whose_cell_goes_on_in_another_component_is_not_complete_and_misses_what_is_there() -> None:
    """Of the cell of its last spikes 6 of 10 are elsewhere: of all, 3 / 7 * 0.6. One tenth is tolerated."""
    much = np.array([0.0] * 4 + [0.6] * 3, np.float32)
    sure = component_of([TOGETHER])
    found = component_numbers(replace(sure, elsewhere=much), np.array(TOGETHER), np.ones(7))
    assert [found.units[name][0] for name in SAID] == pytest.approx([1.0, 0.0, 0.0, 3 / 7 * 0.6])
    little = component_numbers(replace(sure, elsewhere=much / 6), np.array(TOGETHER), np.ones(7))
    assert [little.units[name][0] for name in SAID] == pytest.approx([1.0, 1.0, 1.0, 3 / 7 * 0.1])


def test_what_is_elsewhere_comes_to_what_other_units_of_the_component_have() -> None:
    half = replace(component_of([TOGETHER]), elsewhere=np.full(7, 0.5, np.float32))
    found = component_numbers(half, np.array(APART), np.ones(7))
    assert found.units["misses"] == pytest.approx([1 - 4 / 7 / 2, 1 - 3 / 7 / 2])


def test_a_unit_exists_where_it_is_pure_and_complete_at_once() -> None:
    """Pure in two of three draws, complete in two of three, both in one."""
    split = [0, 0, 1, 1, 2, 2]
    merged = [0, 0, 0, 0, 0, 0]
    found = numbers([[0, 0, 0, 0, 1, 1], split, merged], [0, 0, 0, 0, 1, 1])
    assert found.units["p_pure"][0] == pytest.approx(2 / 3)
    assert found.units["p_complete"][0] == pytest.approx(2 / 3)
    assert found.units["p_exists"][0] == pytest.approx(1 / 3)


def test_a_spike_that_was_not_sampled_has_the_mean_of_its_unit_times_that_of_its_assignment() -> None:
    component = replace(component_of([TOGETHER, APART], [0.7, 0.3]), spike_ids=np.arange(9))
    labels, assigned = np.array([*TOGETHER, 0, -1]), np.array([0.0] * 7 + [0.5, 0.0])
    found = component_numbers(component, labels, assigned)
    mean = (4 + 3 * 0.7) / 7
    assert found.probability[7:].tolist() == pytest.approx([0.5 * mean, 0.0])
    whole = whole_of(found)
    assert whole["false_positives"] == pytest.approx(1 - (7 * mean + 0.5 * mean) / 8)


def test_sampled_spikes_count_as_the_spikes_they_stand_for() -> None:
    """Four spikes stand for 40, three for themselves: 3 of 43 are elsewhere."""
    component = replace(
        component_of([APART]), stands_for=np.array([10, 10, 10, 10, 1, 1, 1], dtype=np.float32)
    )
    found = component_numbers(component, np.zeros(7, int), np.ones(7))
    assert found.units["p_pure"].tolist() == [1.0]
    assert numbers([APART], TOGETHER).units["p_pure"].tolist() == [0.0]


def test_weights_of_the_draws_are_those_that_firing_times_gave() -> None:
    component = component_of([TOGETHER, APART])
    timed = replace(component, posterior=component.posterior.weighed(np.log([1.0, 3.0])))
    found = component_numbers(timed, np.array(APART), np.ones(7))
    assert found.units["p_complete"] == pytest.approx([0.75] * 2)


def test_a_unit_without_sampled_spikes_is_unknown_and_a_component_without_units_has_no_numbers() -> None:
    component = replace(component_of([[0, 0, 0]]), spike_ids=np.arange(5))
    found = component_numbers(component, np.array([0, 0, 0, 1, 1]), np.ones(5))
    for name in SAID:
        assert np.isnan(found.units[name]).tolist() == [False, True], name
    assert np.isnan(found.probability).tolist() == [False] * 3 + [True] * 2
    assert np.isnan(found.entropy).tolist() == [False] * 3 + [True] * 2
    nothing = numbers([[0, 0, 0]], [-1, -1, -1])
    assert nothing.units["p_pure"].tolist() == []
    assert nothing.probability.tolist() == [0.0, 0.0, 0.0]


# -- units of several components ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("channels", "initial", "by_hand"),
    [
        ([3, 3, 3], [1, 2, -1], False),  # one channel: its posterior tells
        ([3, 3, 4, 4], [1, 1, 1, 1], False),  # the sorting joined them
        ([3, 3, 4, 4], [1, 1, 2, 2], True),
        ([3, 3, 4, 4], [1, 2, 2, 2], False),  # 2 was on both already, so channel 3 tells of 1 and 2
        ([3, 4, 4, 5, 5], [1, 1, 2, 2, 2], False),  # a chain
        ([3, 4, 4, 5, 5], [1, 1, 2, 6, 6], True),
        ([3, 3, 4], [-1, -1, -1], True),
    ],
)
def test_units_of_two_channels_are_unknown_unless_the_sorting_joined_them(
    channels: list[int], initial: list[int], by_hand: bool
) -> None:
    assert joined_by_hand(np.array(channels), np.array(initial)) == by_hand


def part(n_spikes: int, p: float, *, is_sizeable: bool = True, sure: float = 1.0, unit: int = 0) -> UnitTable:
    """What one component says of a unit."""
    row = {
        "n_spikes": n_spikes, "is_sizeable": is_sizeable, "p_pure": p, "p_complete": p, "p_exists": p,
        "misses": 1 - p, "probability_sum": sure * n_spikes, "is_beyond_cards": True,
    }  # fmt: skip
    return UnitTable(np.array([unit]), {name: np.array([value]) for name, value in row.items()})


def test_a_unit_of_several_components_is_as_pure_as_in_the_worst_where_it_is_sizeable() -> None:
    parts = [part(30, 0.6), part(500, 0.9, sure=0.8), part(4, 0.1, is_sizeable=False)]
    found = united([0], parts, p_neuron=[0.7]).row(0)
    assert [found[name] for name in ("p_pure", "p_complete", "p_exists", "p_neuron")] == [0.6, 0.6, 0.6, 0.7]
    assert found["false_positives"] == pytest.approx(0.2 * 500 / 534)
    assert found["misses"] == pytest.approx((500 * 0.1 + 30 * 0.4) / 530)
    assert not found["is_beyond_cards"], "it is more probably as it stands"
    small = united([0], [part(4, 0.1, is_sizeable=False)], p_neuron=[nan]).row(0)
    assert (small["p_pure"], small["is_beyond_cards"]) == (0.1, True)
    assert np.isnan(united([0], [part(9, nan), part(5, 0.6)], p_neuron=[nan])["p_pure"]).all()


def test_units_are_in_the_order_that_is_asked_for_and_nothing_is_known_of_those_without_parts() -> None:
    parts = [part(9, 0.3, unit=7), part(9, 0.8, unit=2), part(9, 0.5, unit=4)]
    found = united([7, 5, 2], parts, p_neuron=[0.1, 0.2, 0.3])
    assert found.ids.tolist() == [7, 5, 2]
    assert found["p_pure"].tolist() == pytest.approx([0.3, nan, 0.8], nan_ok=True)
    assert found["p_neuron"].tolist() == [0.1, 0.2, 0.3]
    assert found["is_beyond_cards"].tolist() == [True, False, False]
    assert np.isnan(united([1], [], p_neuron=[nan])["misses"]).all()
    assert len(united([], [], p_neuron=[])) == 0


def test_units_of_a_project_have_the_numbers_of_its_components_and_their_mean_p_neuron() -> None:
    project = tiny_project({0: [[0, 0, 0, 1, 1, 1], [0] * 6], 1: [[0, 0, 0, 0]]}, masses={0: [0.8, 0.2]})
    known = replace(project, p_neuron=np.array([0.1, 0.2, 0.3, 1, 1, 1, 0.5, 0.5, 0.5, 0.5], np.float32))
    found = project_numbers(known, project.unit_of_spike, project.probability)
    assert found.units.of((0, 1, 2))["p_complete"] == pytest.approx([0.8, 0.8, 1.0])
    assert found.units.of((0, 1, 2))["p_neuron"] == pytest.approx([0.2, 1.0, 0.5])
    assert found.probability.tolist() == pytest.approx([1.0] * 10)
    assert np.isnan(p_neuron(project, np.arange(3)))
    joined = np.array([0, 0, 0, 9, 9, 9, 9, 9, 9, 9])  # by hand, across components
    found = project_numbers(known, joined, project.probability)
    assert np.isnan(found.units.row(9)["p_pure"])
    assert found.units.row(9)["p_neuron"] == pytest.approx(5 / 7)
    assert np.isnan(found.probability).tolist() == [False] * 3 + [True] * 7


def test_of_a_unit_that_was_decided_on_and_no_draw_has_the_decision_speaks_alone() -> None:
    """Two of three spikes of unit 0 are elsewhere in each draw; unit 1 is as the draws have it."""
    draws = [[0, 1, 1, 2, 2], [0, 1, 1, 2, 2]]
    labels = np.array([0, 0, 0, 1, 1])
    before = component_numbers(component_of(draws), labels, np.ones(5))
    assert before.units["p_exists"].tolist() == [0.0, 1.0]
    after = component_numbers(component_of(draws), labels, np.ones(5), decided=[0, 1])
    assert [after.units[name].tolist() for name in SAID] == [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    assert after.probability.tolist() == [1.0] * 5
    assert after.entropy.tolist() == [0.0] * 5
    whole = whole_of(after)
    assert (whole["false_positives"], whole["misses"]) == (0.0, 0.0)


def test_what_draws_have_of_a_unit_that_was_decided_on_is_said_by_them() -> None:
    found = component_numbers(component_of([TOGETHER, APART], [0.7, 0.3]), np.zeros(7, int), np.ones(7))
    decided = component_numbers(
        component_of([TOGETHER, APART], [0.7, 0.3]), np.zeros(7, int), np.ones(7), decided=[0]
    )
    assert decided.units["p_exists"].tolist() == found.units["p_exists"].tolist() == pytest.approx([0.7])


@pytest.mark.parametrize(
    ("components", "initial", "by_hand"),
    [
        ([], [], False),
        ([0, 0], [3, 4], False),
        ([0, 0, 1], [3, 3, 3], False),  # one unit before, in two components
        ([0, 1], [3, 4], True),
        ([0, 1, -1], [3, 3, 9], False),  # spikes of no component do not count
        ([0, -1], [3, 4], False),
        ([0, 1], [-1, -1], True),  # nor do those of no unit before
        ([0, 1, 1, 2], [3, 3, 4, 4], False),  # one through another
        ([0, 1, 2, 3], [3, 3, 4, 4], True),
        ([0, 0, 1, 1, 2, 2], [5, 3, 5, 4, 4, 3], False),
    ],
)
def test_a_unit_of_several_components_was_joined_by_hand_unless_units_before_join_them(
    components: list[int], initial: list[int], by_hand: bool
) -> None:
    assert joined_by_hand(np.array(components, int), np.array(initial, int)) is by_hand


def test_spikes_of_each_unit_increase_and_those_of_none_are_left_out() -> None:
    found = spikes_of_units(np.array([4, -1, 0, 4, 0, 7]))
    assert {unit: ids.tolist() for unit, ids in found.items()} == {0: [2, 4], 4: [0, 3], 7: [5]}
    assert spikes_of_units(np.array([-1, -1])) == {}
    assert spikes_of_units(np.array([0])) == {0: [0]}


def test_the_probability_of_a_neuron_is_the_mean_over_its_spikes() -> None:
    project = replace(tiny_project({0: [[0, 0, 1]]}), p_neuron=np.array([0.5, 1.0, 0.1], np.float32))
    assert p_neuron(project, np.array([0, 1])) == 0.75
    assert np.isnan(p_neuron(project, np.zeros(0, int)))
    assert np.isnan(p_neuron(replace(project, p_neuron=None), np.array([0])))
