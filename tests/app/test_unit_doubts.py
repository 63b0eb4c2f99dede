"""Units that may be no neuron's train are asked about, whichever way their spikes are sorted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tiny_project import tiny_project

from ncpgui.app.model.open_questions import UnitDoubt
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.alternatives import present_alternatives
from ncpgui.app.presenters.queue import present_queue, present_wrong_left
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project


def project(p_neuron: float = 1.0, lost: float | None = 0.0) -> Project:
    """Units 0 and 1 of 100 spikes each; all draws have both. What is said is of the spikes of unit 1."""
    made = tiny_project({0: [[0] * 100], 1: [[0] * 100]})
    is_second = made.unit_of_spike == 1
    return replace(
        made,
        p_neuron=np.where(is_second, p_neuron, 1.0).astype(np.float32),
        lost=None if lost is None else np.where(is_second, lost, 0.0).astype(np.float32),
    )


def questions(workspace: Workspace) -> list[int]:
    """Components that are asked about."""
    return [
        one for one in workspace.questions.queue_order() if not workspace.questions.status(one).is_settled
    ]


def test_neurons_whose_spikes_were_found_are_no_question() -> None:
    workspace = Workspace(project())
    assert questions(workspace) == []
    assert workspace.questions.wrong_left() == 0


def test_a_unit_that_lost_a_third_of_its_spikes_is_a_question_and_says_so() -> None:
    workspace = Workspace(project(lost=0.5))  # one for each two that were found: 50 of 150
    assert questions(workspace) == [1]
    assert workspace.questions.wrong_left() == pytest.approx(50)
    assert present_wrong_left(workspace) == "expected wrong assignments left: 50"
    row = next(row for row in present_queue(workspace) if row.component_id == 1)
    assert "unit 1 may have lost 33\u2009% of its spikes" in row.tooltip.splitlines()
    workspace.show_component(1)
    assert present_alternatives(workspace).subtitle.endswith("1 may have lost 33\u2009% of its spikes")


@pytest.mark.parametrize(("p_neuron", "is_asked"), [(1.0, False), (0.6, True), (0.05, True), (0.005, False)])
def test_a_unit_that_may_be_noise_is_a_question_and_what_surely_is_is_none(
    p_neuron: float, is_asked: bool
) -> None:
    workspace = Workspace(project(p_neuron))
    assert questions(workspace) == [1] * is_asked
    if is_asked:  # either answer leaves the spikes wrong in the other case
        assert workspace.questions.wrong_left() == pytest.approx(100 * min(p_neuron, 1 - p_neuron), rel=1e-5)


def test_a_part_that_was_left_by_other_units_is_asked_about_beside_the_rest_of_its_unit() -> None:
    """Unit 1 of 90 left-overs and unit 0 of 300 spikes share a component: one of them is in doubt."""
    made = tiny_project({0: [[0] * 300 + [1] * 90]})
    left = made.unit_of_spike == 1
    known = replace(
        made, p_neuron=np.where(left, 0.07, 1.0).astype(np.float32), lost=np.zeros(390, np.float32)
    )
    workspace = Workspace(known)
    assert questions(workspace) == [0]
    assert [row.doubts for row in present_queue(workspace)] == [("1 may be no neuron (P 7\u2009%)",)]


@pytest.mark.parametrize("answer", ["accept", "noise", "mua"])
def test_to_accept_or_to_label_such_a_unit_answers_and_undo_asks_again(answer: str) -> None:
    workspace = Workspace(project(p_neuron=0.6, lost=0.5))
    told: list[tuple[int, ...]] = []
    workspace.state.components_changed.connect(told.append)
    before = workspace.questions.wrong_left()
    if answer == "accept":
        workspace.set_accepted((1,), True)
    else:
        workspace.label((1,), answer)
    assert told[-1] == (1,)  # so that the queue is drawn anew
    assert questions(workspace) == []
    assert workspace.questions.wrong_left() == 0
    workspace.undo()
    assert questions(workspace) == [1]
    assert workspace.questions.wrong_left() == before


def test_a_label_of_a_unit_that_nobody_doubts_changes_no_question() -> None:
    workspace = Workspace(project(p_neuron=0.6))
    told: list[tuple[int, ...]] = []
    workspace.state.components_changed.connect(told.append)
    workspace.label((0,), "good")
    assert told == []
    assert questions(workspace) == [1]


def test_without_what_matching_says_only_the_draws_ask() -> None:
    """Sessions from before it was kept, and components that were put together by hand."""
    made = project(p_neuron=0.6, lost=0.5)
    assert questions(Workspace(replace(made, p_neuron=None, lost=None))) == []
    assert questions(Workspace(replace(made, lost=None))) == [1]


def test_a_unit_of_which_draws_take_much_away_is_a_question_even_if_one_sorting_has_all_the_mass() -> None:
    """All draws have 15 of the 100 spikes of unit 1 in unit 0, where they are hardly one in a hundred."""
    shown, drawn = [0] * 1900 + [1] * 100, [0] * 1915 + [1] * 85
    made = tiny_project({0: [shown, drawn]}, masses={0: [1.0, 0.0]})
    component = made.components[0]
    posterior = PosteriorSamples(np.repeat([drawn], 10, axis=0), np.zeros(10))
    known = replace(made, components=(replace(component, posterior=posterior),))
    ones, nothing = np.ones(2000, np.float32), np.zeros(2000, np.float32)
    assert questions(Workspace(known)) == [0]  # whatever is known of neurons: the answer gains 15 spikes
    asked = Workspace(replace(known, p_neuron=ones, lost=nothing))
    assert questions(asked) == [0]
    assert asked.questions.wrong_left() == pytest.approx(15)


SOUND = UnitDoubt(p_right=0.85, p_neuron=0.8, agreement=0.9, lost=0.0, n_wrong=0.0)


@pytest.mark.parametrize(
    ("doubt", "is_question"),
    [
        (SOUND, False),
        (replace(SOUND, p_right=0.849), True),
        (replace(SOUND, agreement=0.899), True),
        (replace(SOUND, p_neuron=0.01, p_right=0.0), False),
        (replace(SOUND, p_neuron=0.011, p_right=0.0), True),
    ],
)
def test_a_unit_that_is_right_as_often_as_need_be_is_no_question_and_noise_is_none(
    doubt: UnitDoubt, is_question: bool
) -> None:
    assert doubt.is_question is is_question


def test_the_doubt_is_told_from_four_fifths_and_from_a_tenth_of_spikes_that_may_be_lost() -> None:
    assert replace(SOUND, lost=0.1).words.startswith("may have lost 10")
    assert replace(SOUND, lost=0.099).words == "may be a part of a neuron, or more than one"
    assert replace(SOUND, p_neuron=0.799, lost=0.5).words.startswith("may be no neuron (P 80")
