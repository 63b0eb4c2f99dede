"""Components given what was decided: the numbers by hand, on a dozen draws of a dozen spikes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.core.component import Alternative, Component
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project
from ncpgui.curation.commands import Assign, Link, Merge, SetAccepted
from ncpgui.curation.conditioned import (
    Condition,
    Given,
    GivenComponents,
    as_it_stands,
    clamp_of,
    given_components,
)
from ncpgui.curation.decision import Decision
from ncpgui.curation.history import History
from ncpgui.curation.unit_places import UnitPlaces
from tests.tiny_project import tiny_project

SPLIT, ONE = [0, 0, 1, 1], [0, 0, 0, 0]


def project(p_one: float = 0.25, rows: int = 400) -> Project:
    """Four spikes that are two units in use, and one in a share of the draws."""
    return tiny_project({0: [SPLIT, ONE]}, masses={0: [1 - p_one, p_one]}, rows=rows)


def given(project: Project, *commands: object) -> Given:
    history = History.of(project)
    for command in commands:
        history.do(command)  # type: ignore[arg-type]
    (found,) = given_components(project, history)
    return found


def masses(one: Given) -> list[float]:
    return [way.mass for way in one.component.alternatives]


# -- numbers -------------------------------------------------------------------------------------


def test_without_decisions_a_component_is_the_one_that_was_sampled() -> None:
    before = project()
    found = given(before)
    assert found.component is before.components[0]
    assert (found.text, found.conditions, found.decisions) == ("", (), ())
    assert found.n_effective == pytest.approx(400)
    assert not found.needs_draws
    assert found.has_enough


def test_units_that_were_held_while_it_was_sampled_are_its_condition() -> None:
    before = project()
    held = replace(before, components=(replace(before.components[0], given=(0, 1)),))
    found = given(held)
    assert found.text == "given: 0, 1 held"
    assert not found.is_decided_since


def test_a_merge_leaves_the_draws_in_which_it_holds() -> None:
    found = given(project(), Merge((0, 1)))
    assert found.text == "given: 0 + 1 together (was 25\u2009%)"
    assert masses(found) == pytest.approx([0, 1])
    assert found.n_effective == pytest.approx(100)
    assert found.has_enough
    assert not found.needs_draws
    assert found.is_decided_since


def test_an_error_of_a_mass_is_that_of_its_draws_under_the_decision() -> None:
    """Three ways with 200, 100 and 100 draws; what rules out the last leaves 300."""
    three = tiny_project(
        {0: [[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 2, 2]]},
        masses={0: [0.5, 0.25, 0.25]},
        rows=400,
    )
    found = given(three, Link((0, 1), same=False))
    assert masses(found) == pytest.approx([2 / 3, 1 / 3, 0])
    errors = [way.mass_se for way in found.component.alternatives]
    assert errors == pytest.approx([np.sqrt(2 / 9 / 300)] * 2 + [0], rel=0.01)


def test_two_decisions_are_each_told_by_their_share_of_the_draws_left_by_those_before() -> None:
    three = tiny_project(
        {0: [[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0]]},
        masses={0: [0.5, 0.25, 0.25]},
        rows=400,
    )
    found = given(three, Link((1, 2), same=True), Link((0, 1), same=False))
    assert [one.probability for one in found.conditions] == pytest.approx([0.5, 0.5])
    assert masses(found) == pytest.approx([0, 1, 0])


def test_accepting_all_units_says_what_their_card_said_and_one_unit_says_its_share() -> None:
    found = given(project(), SetAccepted((0, 1)))
    assert found.text == "given: 0, 1 accepted (was 75\u2009%)"
    assert found.conditions[0].said_before == pytest.approx(0.75)
    one = given(project(), SetAccepted((0,)))
    assert one.conditions[0].said_before is None
    assert given(project(), SetAccepted((1,))).conditions[0].said_before is None, "unit 0 is one too"
    assert one.conditions[0].was == pytest.approx(0.75)
    assert masses(one) == pytest.approx([1, 0])


def test_accepted_units_come_before_other_decisions() -> None:
    found = given(project(), Link((0, 1), same=False), SetAccepted((0,)))
    assert [one.words for one in found.conditions] == ["0 accepted", "0 and 1 apart"]
    assert [one.probability for one in found.conditions] == pytest.approx([1, 0.75])


def test_what_was_accepted_while_it_was_sampled_is_a_condition_without_a_probability() -> None:
    before = project()
    held = replace(before, components=(replace(before.components[0], given=(0,)),))
    found = given(held, SetAccepted((0,)))
    assert found.conditions == (Condition("0 accepted", None),)
    assert not found.is_decided_since
    more = given(held, SetAccepted((0, 1)))
    assert more.conditions[0].probability == pytest.approx(0.75)


def test_where_draws_were_made_under_decisions_those_that_they_obey_have_no_probability() -> None:
    before = project()
    held = replace(before, components=(replace(before.components[0], given=(9,)),))
    found = given(held, Link((0, 1), same=False))
    assert [one.text for one in found.conditions] == ["9 held", "0 and 1 apart"]


def test_spikes_stand_for_as_many_as_they_were_drawn_for() -> None:
    """Three of the four draws have spike 0 alone; it stands for one spike in 1000, which is no matter."""
    rows = np.array([[0, 1, 1], [0, 1, 1], [0, 1, 1], [1, 1, 1]] * 100)
    way = Alternative(np.array([0, 0, 0], np.int32), np.ones(3, np.float32), 1.0, 0.0, np.ones(1, np.float32))
    component = Component(
        0,
        np.array([0]),
        np.arange(3),
        np.arange(3),
        PosteriorSamples(rows, np.zeros(400)),
        (way,),
        stands_for=np.array([1, 500, 500], np.float32),
    )
    one = replace(tiny_project({0: [[0, 0, 0]]}), components=(component,))
    assert given(one, SetAccepted((0,))).conditions[0].probability == pytest.approx(1)
    alike = replace(one, components=(replace(component, stands_for=None),))
    assert given(alike, SetAccepted((0,))).conditions[0].probability == pytest.approx(0.25)


def test_as_it_stands_a_project_has_its_components_given_all_decisions() -> None:
    before = project()
    history = History.of(before)
    history.do(Merge((0, 1)))
    after = as_it_stands(before, history)
    assert [way.mass for way in after.components[0].alternatives] == pytest.approx([0, 1])
    assert after.spikes is before.spikes
    assert [way.mass for way in before.components[0].alternatives] == [0.75, 0.25]


def test_decisions_on_spikes_that_were_not_sampled_change_no_draw() -> None:
    before = project()
    (one,) = before.components
    posterior = PosteriorSamples(np.zeros((10, 2), np.int32), np.zeros(10))
    part = replace(one, sampled=np.array([0, 1]), posterior=posterior)
    found = given(replace(before, components=(part,)), Merge((0, 1)))
    assert found.conditions == ()
    assert len(found.decisions) == 1
    assert found.n_effective == pytest.approx(10)


def test_rarer_sortings_are_shown_after_the_others_of_the_component_as_it_was_sampled() -> None:
    before = project()
    (one,) = before.components
    history = History.of(before)
    places = UnitPlaces(history.clustering, before.spikes.channel, before.component_of_spike)
    components = GivenComponents(history, places, before.component_of_spike)
    assert components.whole(one) is one
    rare = replace(one.alternatives[1], mass=0.01)
    components.put_rarer(one, (rare,))
    assert components.of(one).component.alternatives == (*one.alternatives, rare)
    other = replace(one)
    assert components.whole(other) is other  # sampled again meanwhile


# -- enough draws --------------------------------------------------------------------------------


def of(weight: np.ndarray, n_effective: float, *probability: float | None, sampler: str = "draws") -> Given:
    posterior = PosteriorSamples(
        np.zeros((len(weight), 1), np.int32), np.zeros(len(weight)), weight / weight.sum(), sampler=sampler
    )
    component = Component(0, np.array([0]), np.array([0]), np.array([0]), posterior, ())
    return Given(component, tuple(Condition("a", one) for one in probability), (), n_effective)


@pytest.mark.parametrize(
    ("n_draws", "n_effective", "probability", "needs", "enough"),
    [
        (100, 30.0, 0.5, False, True),
        (100, 29.9, 0.5, True, False),
        (40, 20.0, 0.5, False, False),  # half of so few
        (40, 19.9, 0.5, True, False),
        (100, 29.9, None, False, False),  # nothing was decided since
        (100, 90.0, 0.0, True, False),  # a decision that no draw obeys was left out
    ],
)
def test_few_draws_are_fewer_than_30_or_than_half_of_all(
    n_draws: int, n_effective: float, probability: float | None, needs: bool, enough: bool
) -> None:
    found = of(np.ones(n_draws), n_effective, probability)
    assert (found.needs_draws, found.has_enough) == (needs, enough)


def test_of_a_beam_the_vectors_that_are_left_count_and_not_their_weights() -> None:
    weight = np.r_[1.0, np.full(31, 1e-6), np.zeros(68)]
    assert not of(weight, 1.0, 0.5, sampler="beam").needs_draws
    assert of(weight, 1.0, 0.5).needs_draws
    assert of(np.r_[1.0, np.full(5, 1e-6), np.zeros(94)], 1.0, 0.5, sampler="beam").needs_draws


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Condition("a", None), "a"),
        (Condition("a", 0.25), "a (was 25\u2009%)"),
        (Condition("a", 0.0), "a (in hardly any draw)"),
        (Condition("a", 0.25, 0.5), "a (was 50\u2009%)"),
    ],
)
def test_a_condition_says_how_probable_it_was(condition: Condition, text: str) -> None:
    assert condition.text == text


# -- what to hold while a component is sampled again ------------------------------------------------


def component_of(rows: list[list[int]], sampled: list[int] | None = None, n: int | None = None) -> Component:
    m = len(rows[0])
    return Component(
        0,
        np.array([0]),
        100 + np.arange(n or m),
        np.array(sampled) if sampled else np.arange(m),
        PosteriorSamples(np.array(rows), np.zeros(len(rows))),
        (),
    )


def said(kind: str, *sets: list[int]) -> Decision:
    return Decision(kind, tuple(100 + np.array(one) for one in sets), "", (0,))  # type: ignore[arg-type]


def test_accepted_units_are_held_by_all_their_spikes_each_by_a_label_of_its_own() -> None:
    one = component_of([[0, 0, 1, 1, 2]])
    clamp = clamp_of(one, np.array([5, 5, 6, 6, 7]), (said("neuron", [0, 1]), said("neuron", [3])))
    assert clamp.labels.tolist() == [0, 0, -1, 1, -1]
    assert (clamp.must_link, clamp.cannot_link) == ((), ())


def test_the_sets_of_a_merge_are_linked_one_after_the_other_and_those_of_a_split_all_apart() -> None:
    one = component_of([[0, 0, 1, 1, 2, 2]])
    units = np.array([5, 5, 6, 6, 7, 7])
    sets = [0, 1], [2, 3], [4, 5]
    assert clamp_of(one, units, (said("same", *sets),)).must_link == ((0, 2), (2, 4))
    assert clamp_of(one, units, (said("different", *sets),)).cannot_link == ((0, 2), (0, 4), (2, 4))


def test_a_set_stands_by_the_spike_that_is_most_often_in_its_cell_of_its_largest_unit() -> None:
    """Of spikes 0 .. 3 the cell has 1 and 2 in all draws, 0 in two of three; 3 is of another unit."""
    rows = [[0, 0, 0, 0, 1], [1, 0, 0, 0, 1], [0, 0, 0, 0, 1]]
    clamp = clamp_of(component_of(rows), np.array([5, 5, 5, 6, 7]), (said("same", [0, 1, 2, 3], [4]),))
    assert clamp.must_link == ((1, 4),)
    clamp = clamp_of(component_of(rows), np.array([6, 6, 6, 5, 7]), (said("same", [0, 1, 2, 3], [4]),))
    assert clamp.must_link == ((1, 4),)
    clamp = clamp_of(component_of(rows), np.array([5, 6, 7, 7, 8]), (said("same", [0, 1, 2, 3], [4]),))
    assert clamp.must_link == ((2, 4),)


def test_links_are_between_sampled_spikes_and_a_set_without_any_is_left_out() -> None:
    one = component_of([[0, 1, 1]], sampled=[1, 3, 4], n=5)
    units = np.array([5, 5, 6, 7, 7])
    clamp = clamp_of(one, units, (said("same", [0, 1], [2], [3, 4]),))
    assert clamp.must_link == ((0, 1),)
    assert clamp.labels.tolist() == [-1] * 5
    assert clamp_of(one, units, (said("same", [0, 1], [2]),)).must_link == ()


def test_a_split_is_a_decision_of_the_component_that_has_its_spikes_and_of_no_other() -> None:
    two = tiny_project({0: [[0] * 20], 1: [[0] * 20]})
    history = History.of(two)
    history.do(Assign(np.arange(20), np.repeat([0, 1], 10)))
    first, second = given_components(two, history)
    assert [one.words for one in first.decisions] == ["0 split in 2"]
    assert second.decisions == ()
    assert second.component is two.components[1]
