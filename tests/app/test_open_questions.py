"""What is asked, and what settles itself: by the probability of what is in use and by what may be wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tiny_project import tiny_project

from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.open_questions import is_sure
from ncpgui.app.model.unit_numbers import unit_label
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.alternatives import present_alternatives
from ncpgui.app.presenters.queue import BEYOND_CARDS, present_queue
from ncpgui.core.component import Alternative, Component
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project
from ncpgui.evidence.draws_by_alternative import with_masses
from ncpgui.evidence.gain import gain_of


def component(mass: float, n_spikes: int = 500, *rows: np.ndarray) -> Component:
    """One unit of so many spikes, all sampled, whose sorting in use has a mass."""
    labels = np.zeros(n_spikes, dtype=np.int32)
    way = Alternative(labels, np.ones(n_spikes, np.float32), mass, 0.01, np.ones(1, np.float32))
    draws = PosteriorSamples(np.stack(rows or (labels,)), np.zeros(max(len(rows), 1)))
    every = np.arange(n_spikes)
    return Component(0, np.array([0]), every, every, draws, (way,))


@pytest.mark.parametrize(
    ("mass", "wrong", "sure"),
    [
        (0.99, 24.9, True),  # no other sorting is likely: what is left are single spikes
        (0.99, 25.0, False),  # 5 % of 500: too many to be single ones
        (0.91, 19.9, True),  # fewer than a unit has
        (0.98, 20.0, False),
        (0.9, 0.1, False),  # another sorting is likely, however few spikes it is about
    ],
)
def test_a_component_settles_itself_if_it_is_sure_or_if_little_is_likely_wrong(
    mass: float, wrong: float, sure: bool
) -> None:
    assert is_sure(component(mass), 0, wrong) is sure


@pytest.mark.parametrize(("n_spikes", "most"), [(10, 1.0), (200, 10.0), (5000, 20.0)])
def test_how_few_are_few_goes_by_the_spikes_there_are_but_ends_at_twenty(n_spikes: int, most: float) -> None:
    one = component(0.97, n_spikes)
    assert is_sure(one, 0, most - 0.01)
    assert not is_sure(one, 0, most)


def test_a_sorting_made_by_hand_is_not_settled_by_itself() -> None:
    assert not is_sure(component(0.995), None, 0.0)


def test_spikes_of_noise_are_in_no_wrong_unit() -> None:
    """One of two draws cuts 100 of 500 spikes off: 50 are expected to be wrong, were they of a neuron."""
    whole = np.zeros(500, dtype=int)
    cut = np.where(np.arange(500) < 100, 1, 0)
    one = component(0.5, 500, whole, cut)
    assert gain_of(one, whole).wrong == pytest.approx(50)
    assert gain_of(one, whole, share=np.full(500, 0.04)).wrong == pytest.approx(2)


def scattered_project(muddled: int = 0) -> Project:
    """Two questions: 300 spikes that each draw sorts otherwise, and 60 of two units that may be one."""
    sure = 1 - muddled
    rng = np.random.default_rng(2)
    muddle = [rng.integers(0, 2, 300) for _ in range(40)]
    apart, one = np.repeat([0, 1], 30), np.zeros(60, dtype=int)
    rows = {muddled: np.array(muddle), sure: np.array([apart] * 24 + [one] * 16)}
    ways = {muddled: [labels.tolist() for labels in muddle[:4]], sure: [apart.tolist(), one.tolist()]}
    project = tiny_project(ways)
    components = tuple(
        replace(
            one_component,
            posterior=PosteriorSamples(rows[one_component.id], np.zeros(40)),
            alternatives=with_masses(
                one_component.alternatives,
                PosteriorSamples(rows[one_component.id], np.zeros(40)),
                one_component.sampled,
            ),
        )
        for one_component in project.components
    )
    return replace(project, components=components, p_neuron=np.ones(360, np.float32))


def test_what_no_card_settles_is_asked_last_however_many_spikes_are_wrong_and_called_mua_by_itself() -> None:
    workspace = Workspace(scattered_project())
    assert workspace.questions.standing(0).n_wrong > workspace.questions.standing(1).n_wrong
    assert workspace.questions.queue_order() == [1, 0]
    assert [workspace.questions.is_beyond_cards(one) for one in (0, 1)] == [True, False]
    assert {unit_label(workspace.state, unit) for unit in (0, 1)} == {"mua"}
    assert {unit_label(workspace.state, unit) for unit in (2, 3)} == {"unsorted"}
    rows = {row.component_id: row for row in present_queue(workspace)}
    assert BEYOND_CARDS in rows[0].tooltip
    assert BEYOND_CARDS not in rows[1].tooltip
    assert "an answer is expected to put right: 12" in rows[1].tooltip  # 16 of 40 draws join 30 spikes
    workspace.show_component(0)
    assert present_alternatives(workspace).subtitle.endswith(f"· {BEYOND_CARDS}")


def test_what_is_settled_comes_after_what_no_card_settles() -> None:
    workspace = Workspace(scattered_project(muddled=1))
    assert workspace.questions.queue_order() == [0, 1]
    workspace.show_component(0)
    adopt(workspace)
    assert workspace.questions.queue_order() == [1, 0]
    assert workspace.questions.is_beyond_cards(1)


def test_a_person_settles_what_no_card_does() -> None:
    workspace = Workspace(scattered_project())
    workspace.show_component(0)
    workspace.label((0, 1), "good")
    assert unit_label(workspace.state, 0) == "good"
    adopt(workspace)
    assert not workspace.questions.is_beyond_cards(0)
    assert workspace.questions.status(0).state == "curated"


def test_questions_are_asked_in_the_order_of_what_an_answer_gains() -> None:
    """Of 20 spikes and of 40, in doubt alike, the 40 come first; an answer settles both."""
    small, large = np.repeat([0, 1], [40, 20]), np.repeat([0, 1], [40, 40])
    joined = {0: np.zeros(60, dtype=int), 1: np.zeros(80, dtype=int)}
    project = tiny_project({0: [small.tolist(), joined[0].tolist()], 1: [large.tolist(), joined[1].tolist()]},
                           masses={0: [0.7, 0.3], 1: [0.7, 0.3]})  # fmt: skip
    workspace = Workspace(project)
    assert [workspace.questions.standing(one).n_gained for one in (0, 1)] == pytest.approx([6.0, 12.0])
    assert workspace.questions.queue_order() == [1, 0]


def test_a_component_does_not_settle_itself_while_a_unit_of_it_hardly_exists() -> None:
    """All draws have two units, and three of the ten spikes of the small one in the other: 1 % of all."""
    apart = np.repeat([0, 1], [290, 10])
    less = np.where(np.arange(300) >= 297, 0, apart)
    for rows, state in (([apart] * 40, "sure"), ([less] * 40, "sampled")):
        project = tiny_project({0: [apart.tolist()]})
        (one,) = project.components
        draws = PosteriorSamples(np.array(rows), np.zeros(40))
        weighed = replace(one, posterior=draws)
        workspace = Workspace(replace(project, components=(weighed,)))
        assert present_alternatives(workspace).cards[0].percent == "100\u2009%"
        assert workspace.questions.status(0).state == state
