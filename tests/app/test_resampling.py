"""A component sampled again: an edit like others, which undo takes back to the last bit."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from app_fakes import FakeJobs, opened
from later import Later

from ncpgui.app.controller import Controller
from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.app.presenters.alternatives import present_alternatives
from ncpgui.app.work import jobs
from ncpgui.app.work.saving import export
from ncpgui.core.alternatives import group_alternatives
from ncpgui.core.component import Alternative, Component
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.project import Project


def doubtful(channel: int, ids: np.ndarray, seed: int) -> Component:
    """A component whose numbers have no short decimal form: weights, log q, probabilities."""
    rng = np.random.default_rng(seed)
    n = len(ids)
    labels = rng.integers(0, 3, (7, n))
    order = rng.integers(0, 3, 7)
    log_q, seen = rng.normal(-300, 20, 7), rng.normal(0, 3, 7)
    posterior = PosteriorSamples(
        labels,
        log_q,
        rng.random(7),
        order,
        rng.random(7),
        stimulus_nats=seen,
        weight_without_echoes=rng.random(7),
        echo_of=np.where(rng.random(n) < 0.3, 0, -1),
    )
    ways = tuple(
        Alternative(
            mode.labels,
            rng.random(n).astype(np.float32),
            mode.mass,
            mode.mass_se,
            rng.random(int(mode.labels.max()) + 1).astype(np.float32),
            rng.random(),
            rng.random(),
            rng.random(),
        )
        for mode in group_alternatives(posterior)
    )
    return Component(channel, np.array([channel]), ids, np.arange(n), posterior, ways)


def bits(component: Component | None) -> list[bytes]:
    """Everything that a posterior says, as it is in memory."""
    assert component is not None
    p = component.posterior
    found = [p.labels.tobytes(), p.log_prob.tobytes(), p.weight.tobytes()]
    more = (p.drawn_weight, p.order, p.stimulus_nats, p.weight_without_echoes, p.echo_of)
    found += [one.tobytes() for one in more if one is not None]
    for a in component.alternatives:
        masses = [a.mass, a.mass_se, a.mass_waveforms, a.mass_without_stimulus, a.mass_without_echoes]
        numbers = np.array(masses, dtype=float)
        found += [x.tobytes() for x in (a.labels, a.probability, numbers, a.p_exists)]
    return found


@pytest.fixture
def project(project: Project) -> Project:
    first = project.components[0]
    return replace(project, components=(doubtful(0, first.spike_ids, 1), *project.components[1:]))


@pytest.fixture
def again(fake: FakeJobs, monkeypatch: pytest.MonkeyPatch) -> FakeJobs:
    """Sampling a component again gives another posterior each time."""
    seeds = iter(range(2, 100))

    def resample(
        project: Project, component: Any, waveforms: Any, held: Any, *, sampler: str, progress: Any
    ) -> Any:
        return doubtful(component.id, component.spike_ids, next(seeds)), waveforms

    monkeypatch.setattr(jobs, "resample", resample)
    return fake


def reopened(controller: Controller, path: Path, preferences: Preferences) -> Controller:
    controller.close()
    again = Controller(Workspace(), controller.runner, preferences)
    again.open_session(path)
    return again


def test_undo_brings_the_posterior_before_back_and_redo_the_one_after(
    again: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    controller, _ = opened(again, preferences, tmp_path / "s.h5")
    workspace = controller.workspace
    before = bits(workspace.component(0))
    workspace.set_accepted((1,), True)
    controller.sampling.resample()
    after = bits(workspace.component(0))
    assert after != before
    assert workspace.state.history.undo_words == "sample units 0, 1 and 2 around contact 0 again, given 1"
    workspace.undo()
    assert bits(workspace.component(0)) == before
    assert workspace.state.history.labels.accepted == {1}
    workspace.undo()
    assert workspace.state.history.labels.accepted == frozenset()
    workspace.redo()
    workspace.redo()
    assert bits(workspace.component(0)) == after


@pytest.mark.parametrize("saved", [True, False], ids=["session", "journal"])
def test_undo_goes_back_to_the_last_bit_after_closing_and_opening(
    again: FakeJobs, preferences: Preferences, tmp_path: Path, saved: bool
) -> None:
    controller, _ = opened(again, preferences, tmp_path / "s.h5")
    workspace = controller.workspace
    before = bits(workspace.component(0))
    workspace.set_accepted((1,), True)
    controller.sampling.resample()
    once = bits(workspace.component(0))
    workspace.set_accepted((0,), True)
    controller.sampling.resample()
    twice = bits(workspace.component(0))
    assert workspace.state.is_safe
    if saved:
        controller.save()
    controller = reopened(controller, tmp_path / "s.h5", preferences)
    workspace = controller.workspace
    assert bits(workspace.component(0)) == twice
    assert workspace.component(0).given == (0, 1)
    for expected in (twice, once, once, before):
        assert bits(workspace.component(0)) == expected
        workspace.undo()
    assert bits(workspace.component(0)) == before
    assert not workspace.state.history.can_undo
    controller.save()
    controller = reopened(controller, tmp_path / "s.h5", preferences)
    assert bits(controller.workspace.component(0)) == before
    for _ in range(2):
        controller.workspace.redo()
    assert bits(controller.workspace.component(0)) == once
    controller.close()


def test_undo_goes_to_the_component_whose_posterior_it_brings_back(
    again: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    controller, _ = opened(again, preferences, tmp_path / "s.h5")
    workspace = controller.workspace
    controller.sampling.resample()
    workspace.show_component(1)
    workspace.undo()
    assert workspace.component_id == 0
    assert [card.mass for card in present_alternatives(workspace).cards if card.index is not None] == [
        a.mass for a in again.project.components[0].alternatives
    ]


def test_cards_under_a_condition_say_so(again: FakeJobs, preferences: Preferences, tmp_path: Path) -> None:
    controller, _ = opened(again, preferences, tmp_path / "s.h5")
    workspace = controller.workspace
    assert {card.given for card in present_alternatives(workspace).cards} == {""}
    workspace.set_accepted((1, 2), True)
    assert {card.given for card in present_alternatives(workspace).cards} == {
        "given: 1, 2 accepted (in hardly any draw)"
    }
    controller.sampling.resample()
    view = present_alternatives(workspace)
    assert {card.given for card in view.cards} == {"given: 1, 2 accepted"}
    assert view.given == "given: 1, 2 accepted"
    workspace.undo()
    workspace.undo()
    assert {card.given for card in present_alternatives(workspace).cards} == {""}


def test_a_posterior_without_accepted_units_has_no_condition(
    again: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    controller, _ = opened(again, preferences, tmp_path / "s.h5")
    controller.sampling.resample()
    assert controller.workspace.state.history.undo_words == "sample units 0, 1 and 2 around contact 0 again"
    assert {card.given for card in present_alternatives(controller.workspace).cards} == {""}


def _undo(workspace: Workspace) -> None:
    workspace.undo()


def _lock_another(workspace: Workspace) -> None:
    workspace.set_accepted((2,), True)


def _merge(workspace: Workspace) -> None:
    workspace.merge((0, 2))


def _adopt(workspace: Workspace) -> None:
    workspace.show_alternative(0)
    adopt(workspace)


def _undo_and_lock_another(workspace: Workspace) -> None:
    workspace.undo()
    workspace.set_accepted((2,), True)


Edit = Callable[[Workspace], None]


def _pending(
    again: FakeJobs, preferences: Preferences, tmp_path: Path, edit: Edit, *, is_made: bool
) -> tuple[Workspace, list[str]]:
    """Unit 1 is accepted, the rest is sampled again, and `edit` comes before the samples are there."""
    runner = Later()
    controller, ears = opened(again, preferences, tmp_path / "s.h5", runner)
    controller.workspace.set_accepted((1,), True)
    controller.sampling.resample()
    if is_made:
        runner.work("work")
    edit(controller.workspace)
    runner.run()
    return controller.workspace, ears.told


@pytest.mark.parametrize("is_made", [True, False], ids=["on its way", "waiting"])
@pytest.mark.parametrize("edit", [_undo, _lock_another, _merge, _adopt, _undo_and_lock_another])
def test_samples_of_a_component_that_was_edited_meanwhile_are_not_taken(
    again: FakeJobs, preferences: Preferences, tmp_path: Path, edit: Edit, is_made: bool
) -> None:
    workspace, told = _pending(again, preferences, tmp_path, edit, is_made=is_made)
    assert bits(workspace.state.components.sampled(0)) == bits(again.project.components[0])
    dropped = "changed while being sampled again: the samples are dropped; press R again"
    assert [text for text in told if text.endswith(dropped)]
    assert workspace.questions.status(0).state != "sampling"


def _undo_and_redo(workspace: Workspace) -> None:
    workspace.undo()
    workspace.redo()


@pytest.mark.parametrize(
    "edit", [lambda w: w.label((0,), "good"), lambda w: w.set_accepted((3,), True), _undo_and_redo]
)
def test_edits_that_change_nothing_of_what_was_asked_do_not_matter(
    again: FakeJobs, preferences: Preferences, tmp_path: Path, edit: Edit
) -> None:
    workspace, told = _pending(again, preferences, tmp_path, edit, is_made=True)
    assert bits(workspace.component(0)) != bits(again.project.components[0])
    assert workspace.component(0).given == (1,)
    assert not [text for text in told if "dropped" in text]


def test_a_resampling_in_the_journal_of_another_recording_is_refused(
    again: FakeJobs, preferences: Preferences, tmp_path: Path, project: Project
) -> None:
    controller, _ = opened(again, preferences, tmp_path / "s.h5")
    controller.sampling.resample()
    entry = controller.workspace.state.history.entries[-1]
    other = Workspace()
    warned: list[str] = []
    other.state.warned.connect(warned.append)
    other.state.open(project, entries=[{**entry, "component_id": 1}])
    assert warned == [
        "Action 1 of the journal and those after it cannot be repeated: entry 1 of the history cannot be "
        "done: the posterior sampled again is of 10 spikes, component 1 has 6 sampled; "
        "use the session that the history is of"
    ]
    warned.clear()
    other.state.open(project, entries=[{**entry, "component_id": 7}])
    assert "component 7 is not sampled" in warned[0]
    warned.clear()
    other.state.open(project, entries=[{**entry, "posterior": {}}])
    assert "'resample' is damaged" in warned[0]


def test_what_is_exported_is_the_posterior_on_screen(
    again: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    controller, _ = opened(again, preferences, tmp_path / "s.h5")
    workspace = controller.workspace
    workspace.set_accepted((1,), True)
    controller.sampling.resample()
    export(controller.workspace, controller.work, "npz", tmp_path / "e.npz")
    with np.load(tmp_path / "e.npz") as file:
        assert file["posterior_0_labels"].tolist() == workspace.component(0).posterior.labels.tolist()
        assert file["posterior_1_labels"].tolist() == again.project.components[1].posterior.labels.tolist()
        blocks = json.loads(str(file["ncp"]))["components"]
    assert [block["given"] for block in blocks] == [[1], [], []]
    controller.close()
