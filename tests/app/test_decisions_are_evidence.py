"""Decisions condition the draws of a component: exactly, at once, and taken back to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from app_fakes import FakeJobs, opened
from doubtful_project import SIZES, component_of, component_of_all_partitions, posterior_of, project_of
from later import Later
from tiny_project import tiny_project

from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.presenters.alternatives import present_alternatives
from ncpgui.app.presenters.queue import present_queue, present_wrong_left
from ncpgui.app.work import jobs
from ncpgui.core.component import Clamp
from ncpgui.core.errors import CurationError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project
from ncpgui.curation.conditioned import Condition, Given, clamp_of
from ncpgui.curation.decision import Decision

DRAWS_IN_THE_BACKGROUND = True


@pytest.fixture
def workspace() -> Workspace:
    return Workspace(project_of(component_of(posterior_of())))


def masses(workspace: Workspace) -> list[float]:
    component = workspace.component()
    assert component is not None
    return [way.mass for way in component.alternatives]


def bits(workspace: Workspace) -> list[bytes]:
    """Everything that is shown of a component, as it is in memory."""
    component, current = workspace.component(), workspace.current()
    assert component is not None
    assert current is not None
    numbers = [np.array([way.mass, way.mass_se]) for way in component.alternatives]
    arrays = [component.posterior.weight, component.posterior.labels, *numbers, current.p_exists]
    return [a.tobytes() for a in (*arrays, current.probability, workspace.state.clustering.unit_of_spike)]


def p_merged(workspace: Workspace, a: int, b: int) -> float:
    """P(spikes a and b are of one cell)."""
    component = workspace.component()
    assert component is not None
    return float(component.posterior.co_assignment(np.array([a]), np.array([b]))[0])


# -- what is nearly sure -------------------------------------------------------------------------


def test_accepting_what_is_nearly_sure_leaves_all_other_masses_within_their_error(
    workspace: Workspace,
) -> None:
    component = workspace.component()
    assert component is not None
    before, errors = masses(workspace), [way.mass_se for way in component.alternatives]
    merged = p_merged(workspace, 100, 140)
    assert merged == pytest.approx(0.28, abs=0.05)
    workspace.set_accepted((0,), True)
    given = workspace.state.components.given_of(0)
    assert given is not None
    assert given.text == "given: 0 accepted (was 98\u2009%)"
    for mass, was, error in zip(masses(workspace), before, errors, strict=True):
        cut_in_all_draws = was < 0.02  # it is what the decision rules out
        assert mass == 0 if cut_in_all_draws else abs(mass - was) < error
    assert p_merged(workspace, 100, 140) == pytest.approx(merged, abs=0.015)
    assert given.n_effective == pytest.approx(394)
    assert not given.needs_draws


def test_the_probability_of_a_decision_is_its_share_of_the_draws_before_it(workspace: Workspace) -> None:
    p_apart = 1 - p_merged(workspace, 100, 140)
    workspace.link((2, 3), same=False)
    given = workspace.state.components.given_of(0)
    assert given is not None
    (condition,) = given.conditions
    assert condition.probability == pytest.approx(p_apart)
    assert p_merged(workspace, 100, 140) == 0
    assert sum(masses(workspace)) == pytest.approx(1)
    assert {card.given for card in present_alternatives(workspace).cards} == {given.text}


def test_a_label_is_no_decision_about_spikes(workspace: Workspace) -> None:
    before = bits(workspace)
    workspace.label((0,), "good")
    assert bits(workspace) == before


# -- the exact conditional -----------------------------------------------------------------------


@pytest.fixture
def exact() -> Workspace:
    return Workspace(project_of(component_of_all_partitions(5)))


@pytest.mark.parametrize("same", [True, False], ids=["must-link", "never-merge"])
def test_a_link_is_the_exact_conditional_of_every_partition(exact: Workspace, same: bool) -> None:
    component = exact.component()
    assert component is not None
    labels = np.array([way.labels for way in component.alternatives])
    before = np.array(masses(exact))
    exact.link((1, 3), same=same)
    holds = (labels[:, 1] == labels[:, 3]) == same
    assert masses(exact) == pytest.approx(np.where(holds, before, 0) / before[holds].sum())
    assert exact.state.clustering.unit_of_spike.tolist() == [0, 1, 2, 3, 4]  # no spike changes its unit


def test_two_links_are_the_conditional_on_both(exact: Workspace) -> None:
    component = exact.component()
    assert component is not None
    labels = np.array([way.labels for way in component.alternatives])
    before = np.array(masses(exact))
    exact.link((0, 1), same=True)
    exact.link((1, 2), same=False)
    holds = (labels[:, 0] == labels[:, 1]) & (labels[:, 1] != labels[:, 2])
    assert masses(exact) == pytest.approx(np.where(holds, before, 0) / before[holds].sum())


# -- undo ----------------------------------------------------------------------------------------

Edit = Callable[[Workspace], None]


def _adopt(workspace: Workspace) -> None:
    workspace.show_alternative(1)
    adopt(workspace)


EDITS: list[Edit] = [
    lambda w: w.set_accepted((0,), True),
    lambda w: w.merge((2, 3)),
    lambda w: w.link((2, 3), same=True),
    lambda w: w.link((2, 3), same=False),
    _adopt,
]


@pytest.mark.parametrize("edit", EDITS)
def test_undo_brings_all_numbers_back_to_the_last_bit_and_redo_those_after(
    workspace: Workspace, edit: Edit
) -> None:
    before = bits(workspace)
    edit(workspace)
    after = bits(workspace)
    assert after != before
    workspace.undo()
    assert bits(workspace) == before
    workspace.redo()
    assert bits(workspace) == after


@pytest.mark.parametrize("edit", EDITS)
def test_a_session_opened_again_has_the_same_numbers(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path, edit: Edit
) -> None:
    fake.project = project_of(component_of(posterior_of()))
    controller, _ = opened(fake, preferences, tmp_path / "s.h5")
    edit(controller.workspace)
    after = bits(controller.workspace)
    controller.close()
    controller.open_session(tmp_path / "s.h5")
    assert bits(controller.workspace) == after
    controller.close()


# -- contradictions ------------------------------------------------------------------------------


def test_what_contradicts_a_decision_is_named_and_changes_nothing(workspace: Workspace) -> None:
    workspace.link((2, 3), same=False)
    before = bits(workspace)
    with pytest.raises(CurationError, match=r"'2 \+ 3 together' contradicts '2 and 3 apart'"):
        workspace.merge((2, 3))
    assert bits(workspace) == before
    assert len(workspace.state.history.entries) == 1


def test_what_no_draw_has_is_done_and_said(workspace: Workspace) -> None:
    before = masses(workspace)
    workspace.merge((0, 1))
    given = workspace.state.components.given_of(0)
    assert given is not None
    assert given.text == "given: 0 + 1 together (in hardly any draw)"
    assert masses(workspace) == before
    assert given.needs_draws


def test_a_decision_asks_for_new_draws_where_other_evidence_left_few() -> None:
    """All spikes are for 20 of 400 draws: what was decided rests on fewer than 30, as it did before."""
    nats = np.where(np.arange(400) < 20, 12.0, 0.0)
    workspace = Workspace(project_of(component_of(posterior_of().weighed(nats))))
    given = workspace.state.components.given_of(0)
    assert given is not None
    assert not given.needs_draws  # nothing is decided: the same spikes would be drawn in the same way
    workspace.link((2, 3), same=False)
    given = workspace.state.components.given_of(0)
    assert given is not None
    assert given.n_effective < 30
    assert given.needs_draws


def test_draws_that_were_made_under_the_decisions_are_not_made_again_however_few_speak() -> None:
    component = component_of(posterior_of().weighed(np.where(np.arange(400) < 20, 12.0, 0.0)))
    drawn_under = Given(component, (Condition("2 and 3 apart", None),), (), 19.0)
    decided_since = replace(drawn_under, conditions=(*drawn_under.conditions, Condition("0 accepted", 0.9)))
    assert not drawn_under.needs_draws
    assert decided_since.needs_draws


def test_a_link_between_components_is_refused() -> None:
    workspace = Workspace(tiny_project({0: [[0] * 4], 1: [[0] * 4]}))
    with pytest.raises(CurationError, match="to different questions"):
        workspace.link((0, 1), same=True)
    assert workspace.state.history.entries == ()


# -- new draws -----------------------------------------------------------------------------------


@pytest.fixture
def asked(fake: FakeJobs, monkeypatch: pytest.MonkeyPatch) -> list[Clamp]:
    """What was held each time that a component was sampled again; the draws obey the links."""
    fake.project = project_of(component_of(posterior_of()))
    held_so_far: list[Clamp] = []

    def resample(
        project: Project, component: Any, waveforms: Any, held: Clamp, *, sampler: str, progress: Any
    ) -> Any:
        held_so_far.append(held)
        row = component.posterior.labels[0].copy()
        for i, j in held.must_link:
            row[row == row[j]] = row[i]
        return component_of(PosteriorSamples(np.repeat(row[None], 200, axis=0), np.zeros(200))), waveforms

    monkeypatch.setattr(jobs, "resample", resample)
    return held_so_far


def test_nothing_is_sampled_while_enough_draws_have_what_was_decided(
    fake: FakeJobs, asked: list[Clamp], preferences: Preferences, tmp_path: Path
) -> None:
    controller, _ = opened(fake, preferences, tmp_path / "s.h5")
    controller.workspace.set_accepted((0,), True)
    controller.workspace.link((2, 3), same=False)
    with pytest.raises(CurationError, match=r"draws agree with what was decided, and 30 are enough"):
        controller.sampling.resample()
    assert asked == []


def test_where_few_draws_are_left_new_ones_are_made_under_the_decisions(
    fake: FakeJobs, asked: list[Clamp], preferences: Preferences, tmp_path: Path
) -> None:
    controller, _ = opened(fake, preferences, tmp_path / "s.h5")
    workspace = controller.workspace
    workspace.merge((0, 1))
    (held,) = asked
    ((one, other),) = held.must_link
    assert (one < 60, 60 <= other < 100) == (True, True)  # a spike of each of the units
    assert held.cannot_link == ()
    assert (held.labels == -1).all()
    given = workspace.state.components.given_of(0)
    assert given is not None
    assert given.text == "given: 0 + 1 together"
    assert given.has_enough
    assert workspace.state.history.undo_words == "sample units 2, 3 and 4 around contact 0 again, given 4"
    workspace.undo()
    assert len(asked) == 1  # undo samples nothing
    workspace.undo()
    assert workspace.state.clustering.unit_ids.tolist() == [0, 1, 2, 3]


def test_new_draws_that_nobody_asked_for_begin_when_the_decision_is_on_screen(
    fake: FakeJobs, asked: list[Clamp], preferences: Preferences, tmp_path: Path
) -> None:
    controller, _ = opened(fake, preferences, tmp_path / "s.h5")
    later = Later()
    controller.work.runner = controller.runner = later
    controller.workspace.merge((0, 1))
    assert [task.after_s > 0 for task in later.waiting if task.lane == "work"] == [True]
    controller.sampling.resample()
    assert [task.after_s for task in later.waiting if task.lane == "work"] == [0]


def test_new_draws_hold_what_was_decided_and_nothing_of_the_inside_of_a_unit() -> None:
    """Who says that two units are apart, or one, has not said that each is pure: only `accept` does."""
    component = component_of(posterior_of())
    units = np.repeat(np.arange(4), SIZES)
    sets = [np.flatnonzero(units == unit) for unit in range(4)]
    apart = Decision("different", (sets[0], sets[1], sets[2]), "0, 1 and 2 apart")
    together = Decision("same", (sets[2], sets[3]), "2 + 3 together")
    accepted = Decision("neuron", (sets[1],), "1 accepted")
    held = clamp_of(component, units, (apart, together, accepted))
    assert [sorted({int(units[i]), int(units[j])}) for i, j in held.cannot_link] == [[0, 1], [0, 2], [1, 2]]
    assert [[int(units[i]), int(units[j])] for i, j in held.must_link] == [[2, 3]]
    assert (held.labels >= 0).tolist() == (units == 1).tolist()
    assert not held.is_all
    assert clamp_of(component, units, (accepted,)).must_link == ()


def test_the_spike_that_stands_for_a_unit_is_one_that_is_surely_of_it() -> None:
    """The first of five spikes is elsewhere in most draws, the second in some."""
    rows = np.zeros((10, 9), dtype=int)
    rows[:, 5:] = 1
    rows[:7, 0] = 1
    rows[:2, 1] = 1
    component = component_of(PosteriorSamples(rows, np.zeros(10)))
    units = np.repeat([0, 1], [5, 4])
    apart = Decision("different", (np.arange(5), np.arange(5, 9)), "0 and 1 apart")
    ((one, other),) = clamp_of(component, units, (apart,)).cannot_link
    assert one in (2, 3, 4)
    assert other in (5, 6, 7, 8)


def test_a_spike_that_left_the_unit_of_its_set_does_not_stand_for_it() -> None:
    """Else what was accepted since could hold two spikes together that must not meet."""
    component = component_of(PosteriorSamples(np.zeros((10, 6), int), np.zeros(10)))
    apart = Decision("different", (np.arange(3), np.arange(3, 6)), "0 split in 2")
    units = np.array([1, 0, 0, 1, 1, 1])  # the first one was given to the other unit afterwards
    ((one, other),) = clamp_of(component, units, (apart,)).cannot_link
    assert units[[one, other]].tolist() == [0, 1]


@pytest.mark.parametrize(("n_left", "asks"), [(11, False), (9, True)])
def test_of_few_draws_half_are_enough(n_left: int, asks: bool) -> None:
    """Twenty draws can never leave 30: the component would not be asked of a network again, or always."""
    unit = np.repeat(np.arange(4), SIZES)
    rows = np.repeat(unit[None], 20, axis=0)
    rows[np.ix_(np.arange(20) >= n_left, unit == 3)] = 2
    workspace = Workspace(project_of(component_of(PosteriorSamples(rows, np.zeros(20)), first=unit)))
    workspace.link((2, 3), same=False)
    given = workspace.state.components.given_of(0)
    assert given is not None
    assert given.n_effective == pytest.approx(n_left)
    assert given.needs_draws is asks


def test_without_a_network_decisions_still_weigh_the_draws_there_are(
    fake: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    fake.project = project_of(component_of(posterior_of()))
    fake.failing[0] = "the model cannot be loaded"
    controller, ears = opened(fake, preferences, tmp_path / "s.h5")
    workspace = controller.workspace
    workspace.link((2, 3), same=True)
    assert p_merged(workspace, 100, 140) == pytest.approx(1)
    workspace.undo()
    before = masses(workspace)
    workspace.merge((0, 1))
    assert workspace.state.clustering.unit_ids.tolist() == [2, 3, 4]
    assert masses(workspace) == before
    assert ears.failed == []
    told = [text for text in ears.told if text.startswith("No new draws")]
    assert told == [
        "No new draws of units 2, 3 and 4 around contact 0: the model cannot be loaded. "
        "Its probabilities are those of the old draws"
    ]


def test_draws_that_come_after_another_decision_are_dropped_without_a_word(
    fake: FakeJobs, asked: list[Clamp], preferences: Preferences, tmp_path: Path
) -> None:
    runner = Later()
    controller, ears = opened(fake, preferences, tmp_path / "s.h5", runner)
    workspace = controller.workspace
    workspace.merge((0, 1))
    runner.work("work")
    workspace.undo()
    before = bits(workspace)
    runner.run()
    assert bits(workspace) == before
    assert workspace.state.history.can_redo
    assert not [text for text in ears.told if "dropped" in text]


def test_undo_stops_the_draws_that_the_edit_asked_for_and_redo_asks_for_them_again(
    fake: FakeJobs, asked: list[Clamp], preferences: Preferences, tmp_path: Path
) -> None:
    runner = Later()
    controller, _ = opened(fake, preferences, tmp_path / "s.h5", runner)
    workspace = controller.workspace

    def under_way() -> list[str]:
        return [task.words for task in runner.waiting if str(task.key).startswith("('sample'")]

    workspace.merge((0, 1))
    (words,) = under_way()
    workspace.undo()
    assert under_way() == []
    workspace.redo()
    assert under_way() == [words]
    runner.run()
    assert len(asked) == 1
    assert workspace.state.history.undo_words.startswith("sample units 2, 3 and 4")


# -- what a decision costs -----------------------------------------------------------------------


def test_what_the_network_is_worth_is_measured_once_whatever_is_decided(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is about the draws as they were made, which no decision changes."""
    measured: list[PosteriorSamples] = []
    monkeypatch.setattr("ncpgui.core.component.order_spread", measured.append)
    present_alternatives(workspace)
    workspace.set_accepted((0,), True)
    present_alternatives(workspace)
    workspace.link((2, 3), same=False)
    present_alternatives(workspace)
    assert len(measured) == 1


def test_a_decision_asks_anew_of_its_own_component_alone_whether_it_is_sure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from ncpgui.app.model import questions

    asked: list[int] = []
    is_sure = questions.is_sure
    monkeypatch.setattr(
        questions, "is_sure", lambda one, *rest: (asked.append(one.id), is_sure(one, *rest))[1]
    )
    workspace = Workspace(tiny_project({0: [[0] * 4 + [1] * 4], 1: [[0] * 4]}))
    present_queue(workspace)
    present_wrong_left(workspace)
    assert sorted(asked) == [0, 1]
    asked.clear()
    workspace.link((0, 1), same=False)
    present_queue(workspace)
    assert asked == [0]
