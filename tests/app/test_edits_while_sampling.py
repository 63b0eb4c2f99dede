"""Edits while components are sampled: what was edited stays, and no unit ever gets another number."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from app_fakes import FakeJobs, request, start
from later import Later

from ncpgui.app.controller import Controller
from ncpgui.app.model.adoption import adopt
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.core.partition import canonical
from ncpgui.curation.commands import split
from ncpgui.session.store import load

Edit = Callable[[Workspace], None]


FINAL = [*[4] * 4, *[5] * 3, *[6] * 3, *[7] * 6, *[3] * 4]
"""The sorting once all is sampled: unit 3 of matching is kept, the others come after it."""


@pytest.fixture
def matched(fake: FakeJobs) -> FakeJobs:
    """Matching found one unit, 0, where component 0 has three, and 1 and 2 where component 1 has one."""
    fake.matched[:] = [*[0] * 10, *[1] * 3, *[2] * 3, *[3] * 4]
    return fake


def _at(workspace: Workspace, *spikes: int) -> tuple[int, ...]:
    """Units of these spikes, whatever their numbers are by now."""
    return tuple(workspace.state.clustering.unit_of_spike[list(spikes)].tolist())


def _merge(workspace: Workspace) -> None:
    workspace.merge(_at(workspace, 0, 4))


def _label(workspace: Workspace) -> None:
    workspace.label(_at(workspace, 7), "good")


def _lock(workspace: Workspace) -> None:
    workspace.set_accepted(_at(workspace, 7), True)


def _adopt(workspace: Workspace) -> None:
    workspace.show_component(0)
    workspace.show_alternative(1)
    adopt(workspace)


def _adopt_beside_a_locked_unit(workspace: Workspace) -> None:
    _lock(workspace)
    _adopt(workspace)


def _merge_and_label(workspace: Workspace) -> None:
    _merge(workspace)
    _label(workspace)


def _merge_twice(workspace: Workspace) -> None:
    _merge(workspace)
    workspace.merge(_at(workspace, 0, 7))


def _merge_and_undo(workspace: Workspace) -> None:
    workspace.label(_at(workspace, 0), "mua")
    _merge(workspace)
    workspace.undo()


def _never_merge(workspace: Workspace) -> None:
    workspace.link(_at(workspace, 0, 4), same=False)


def _must_be_one_and_lock(workspace: Workspace) -> None:
    workspace.link(_at(workspace, 0, 4), same=True)
    _lock(workspace)


def _without_numbers(words: str) -> str:
    return re.sub(r"\d+ \+ \d+", "two units", words)


def _posteriors(workspace: Workspace) -> dict[int, Any]:
    """Condition, masses and weights of each component, to the last bit."""
    found = {}
    for component_id in workspace.state.components.ids:
        given, component = (
            workspace.state.components.given_of(component_id),
            workspace.component(component_id),
        )
        assert given is not None
        assert component is not None
        masses = [way.mass for way in component.alternatives]
        found[component_id] = (_without_numbers(given.text), masses, component.posterior.weight.tolist())
    return found


def _state(workspace: Workspace) -> dict[str, Any]:
    """All but the numbers of units, which are those of the moment when each was made."""
    units = workspace.state.clustering.unit_of_spike
    return {
        "units": canonical(units).tolist(),
        "probability": workspace.state.clustering.probability.tolist(),
        "marks": [workspace.state.history.labels.mark(unit) for unit in dict.fromkeys(units.tolist())],
        "undo": _without_numbers(workspace.state.history.undo_words),
        "redo": _without_numbers(workspace.state.history.redo_words),
        "posteriors": _posteriors(workspace),
        "wrong": workspace.questions.wrong_left(),
    }


def _sampled(
    preferences: Preferences, folder: Path, n_components: int, edit: Edit
) -> tuple[Controller, Later, list[str]]:
    """A recording whose components are sampled; `edit` comes after so many of them."""
    folder.mkdir()
    runner = Later()
    controller, ears = start(preferences, runner)
    controller.open_recording(request(folder))
    for _ in range(1 + n_components):
        runner.work("work")
        runner.deliver()
    edit(controller.workspace)
    runner.run()
    return controller, runner, ears.told


def _afterwards(preferences: Preferences, folder: Path, edit: Edit) -> Controller:
    controller, runner, _ = _sampled(preferences, folder, 3, lambda _: None)
    edit(controller.workspace)
    runner.run()
    return controller


Ends = Callable[[Edit], tuple[dict[str, Any], int]]


@pytest.fixture(scope="module")
def ends() -> dict[Edit, tuple[dict[str, Any], int]]:
    """How each edit ended that came after all components, for the tests of when it came."""
    return {}


@pytest.fixture
def afterwards(
    ends: dict[Edit, tuple[dict[str, Any], int]], matched: FakeJobs, preferences: Preferences, tmp_path: Path
) -> Ends:
    """What an edit comes to after all components are sampled, and how many entries the history has."""

    def end(edit: Edit) -> tuple[dict[str, Any], int]:
        if edit not in ends:
            workspace = _afterwards(preferences, tmp_path / "after", edit).workspace
            ends[edit] = _state(workspace), len(workspace.state.history.entries)
        return ends[edit]

    return end


@pytest.mark.parametrize("n_components", [1, 2, 3])
@pytest.mark.parametrize(
    "edit",
    [
        _merge,
        _label,
        _lock,
        _adopt,
        _adopt_beside_a_locked_unit,
        _merge_twice,
        _merge_and_undo,
        _never_merge,
        _must_be_one_and_lock,
    ],
)
def test_an_edit_while_components_are_sampled_ends_as_the_same_edit_afterwards(
    matched: FakeJobs,
    preferences: Preferences,
    tmp_path: Path,
    afterwards: Ends,
    edit: Edit,
    n_components: int,
) -> None:
    during, _, _ = _sampled(preferences, tmp_path / "during", n_components, edit)
    found, entries = _state(during.workspace), during.workspace.state.history.entries
    assert (found, len(entries)) == afterwards(edit)


def _split(workspace: Workspace) -> None:
    workspace.state.do(split([0, 1, 2, 3], [0, 0, 1, 1]))


def _merge_far_apart(workspace: Workspace) -> None:
    workspace.merge(_at(workspace, 0, 17))


def _label_and_take_it_back(workspace: Workspace) -> None:
    workspace.label(_at(workspace, 10), "good")
    workspace.undo()


@pytest.mark.parametrize("n_components", [0, 1, 2, 3])
@pytest.mark.parametrize("edit", [_split, _merge_far_apart, _label_and_take_it_back])
def test_a_number_stands_for_the_same_spikes_for_ever(
    matched: FakeJobs, preferences: Preferences, tmp_path: Path, edit: Edit, n_components: int
) -> None:
    runner = Later()
    controller, _ = start(preferences, runner)
    workspace = controller.workspace
    controller.open_recording(request(tmp_path))
    seen: dict[int, list[int]] = {}
    for n in range(4):
        runner.work("work")
        runner.deliver()
        if n == n_components:
            edit(workspace)
        for unit in workspace.state.clustering.unit_ids.tolist():
            spikes = workspace.state.clustering.spikes_of(unit).tolist()
            assert seen.setdefault(unit, spikes) == spikes
    runner.run()
    for unit in workspace.state.clustering.unit_ids.tolist():
        assert seen[unit] == workspace.state.clustering.spikes_of(unit).tolist()


def test_undo_takes_back_the_edit_and_nothing_of_what_was_sampled(
    matched: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    controller, _, _ = _sampled(preferences, tmp_path / "during", 1, _merge)
    workspace = controller.workspace
    assert workspace.state.history.undo_words == "merge 4 + 5"
    workspace.undo()
    units = [*[4] * 4, *[5] * 3, *[6] * 3, *[8] * 6, *[3] * 4]  # what was merged was 7
    assert workspace.state.clustering.unit_of_spike.tolist() == units
    assert not workspace.state.history.can_undo
    assert [workspace.questions.status(one).state for one in (0, 1, 2)] == ["sampled", "sampled", "sure"]


def test_undo_between_two_components_takes_back_the_edit_and_leaves_the_components(
    matched: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    runner = Later()
    controller, _ = start(preferences, runner)
    controller.open_recording(request(tmp_path))
    for n in (2, 1):
        for _ in range(n):
            runner.work("work")
            runner.deliver()
        if n == 2:
            _merge(controller.workspace)
    controller.workspace.undo()
    units = controller.workspace.state.clustering.unit_of_spike.tolist()
    assert units == [*[4] * 4, *[5] * 3, *[6] * 3, *[8] * 6, *[3] * 4]  # what was merged was 7
    assert not controller.workspace.state.history.can_undo


def test_a_session_closed_while_components_wait_goes_on_to_the_same_sorting(
    matched: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    runner = Later()
    controller, _ = start(preferences, runner)
    controller.open_recording(request(tmp_path))
    for _ in range(2):
        runner.work("work")
        runner.deliver()
    _merge(controller.workspace)
    runner.work("work")
    runner.deliver()
    _label(controller.workspace)
    runner.run("io")
    controller.close()
    runner.run()
    assert len(load(tmp_path / "retina.h5").components) == 2
    controller.open_session(tmp_path / "retina.h5")
    runner.run()
    controller.sampling.sample_waiting()
    runner.run()
    after = _afterwards(preferences, tmp_path / "after", _merge_and_label)
    assert _state(controller.workspace) == _state(after.workspace)
    controller.close()
    runner.run()
    again, _ = start(preferences, runner)
    again.open_session(tmp_path / "retina.h5")
    runner.run()
    assert _state(again.workspace) == _state(after.workspace)


def test_edits_before_a_failed_component_is_sampled_stay(
    matched: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    matched.failing[1] = "out of memory"
    controller, runner, _ = _sampled(preferences, tmp_path / "s", 3, _merge)
    units = [*[7] * 7, *[6] * 3, *[1] * 3, *[2] * 3, *[3] * 4]  # those of component 1 as they were matched
    assert controller.workspace.state.clustering.unit_of_spike.tolist() == units
    matched.failing.clear()
    controller.sampling.sample_waiting()
    runner.run()
    units[10:16] = [8] * 6
    assert controller.workspace.state.clustering.unit_of_spike.tolist() == units
    assert controller.workspace.state.history.undo_words == "merge 4 + 5"


MATCHED_1 = [*[1] * 3, *[2] * 3]
"""Units of component 1 before it is sampled, which its most probable sorting has as one."""


def _merge_what_is_one(workspace: Workspace) -> None:
    workspace.merge((1, 2))


def _label_one(workspace: Workspace) -> None:
    workspace.label((1,), "good")


def _link_both(workspace: Workspace) -> None:
    workspace.link((1, 2), same=False)


def _label_one_and_take_it_back(workspace: Workspace) -> None:
    _label_one(workspace)
    workspace.undo()


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (_merge_what_is_one, [7] * 6),
        (_label_one, MATCHED_1),
        (_link_both, MATCHED_1),
        (_label_one_and_take_it_back, MATCHED_1),
    ],
)
def test_a_component_that_was_edited_before_it_is_sampled_stays_as_it_is(
    matched: FakeJobs, preferences: Preferences, tmp_path: Path, edit: Edit, expected: list[int]
) -> None:
    """Also where the edit was taken back: it can be done again."""
    controller, runner, _ = _sampled(preferences, tmp_path / "s", 1, edit)
    workspace = controller.workspace
    assert workspace.state.clustering.unit_of_spike.tolist()[10:16] == expected
    assert workspace.component(1) is not None
    workspace.redo()
    workspace.undo()
    assert workspace.state.clustering.unit_of_spike.tolist()[10:16] == MATCHED_1
    workspace.redo()
    expected_state = _state(workspace)
    controller.close()
    runner.run()
    again, _ = start(preferences, runner)
    again.open_session(tmp_path / "s" / "retina.h5")
    runner.run()
    assert _state(again.workspace) == expected_state


def test_the_selected_units_stay_selected_as_long_as_they_are_there(
    matched: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    controller, _, _ = _sampled(preferences, tmp_path / "s", 1, lambda w: w.select(_at(w, 4, 16)))
    assert controller.workspace.selected == (5, 3)


def test_the_number_of_a_unit_that_sampling_leaves_without_spikes_is_given_to_no_other(
    matched: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    """Unit 5 has the last spike of component 2, which its most probable sorting has in no unit."""
    matched.matched[:] = [*[0] * 4, *[1] * 3, *[2] * 3, *[3] * 6, *[4] * 3, 5]
    component = matched.project.components[2]
    none = replace(component.alternatives[0], labels=np.array([0, 0, 0, -1], np.int32))
    components = (*matched.project.components[:2], replace(component, alternatives=(none,)))
    matched.project = replace(matched.project, components=components)
    controller, runner, _ = _sampled(preferences, tmp_path / "s", 0, lambda w: w.show_component(2))
    assert controller.workspace.state.clustering.unit_of_spike.tolist()[16:] == [4, 4, 4, -1]
    controller.close()
    runner.run()
    again, _ = start(preferences, runner)
    again.open_session(tmp_path / "s" / "retina.h5")
    runner.run()
    workspace = again.workspace
    assert workspace.state.clustering.unit_ids.tolist() == [0, 1, 2, 3, 4]
    workspace.merge((0, 1))
    assert workspace.selected == (6,)
