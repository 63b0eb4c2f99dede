"""Edits while components are sampled: they end in what the same edits make of the finished sorting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from app_fakes import FakeJobs, request, start
from later import Later

from ncpgui.app.controller import Controller
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.preferences import Preferences
from ncpgui.session.store import load

Edit = Callable[[Workspace], None]


@pytest.fixture
def joined(fake: FakeJobs) -> FakeJobs:
    """Unit 2 of channel 0 and unit 3 of channel 1 are one neuron; the last spike of unit 1 is seen twice.

    Joined: 0 (4 spikes), 1 (2 spikes), 2 (3 + 6 spikes), 3 (4 spikes of channel 2).
    """
    fake.combined[0][:] = [0, 0, 0, 0, 1, 1, -1, 2, 2, 2, *[2] * 6, *[3] * 4]
    fake.combined[1][6] = 0
    return fake


def _merge(workspace: Workspace) -> None:
    workspace.merge((0, 1))


def _label(workspace: Workspace) -> None:
    workspace.label((2,), "good")


def _lock(workspace: Workspace) -> None:
    workspace.lock((2,), True)


def _adopt(workspace: Workspace) -> None:
    workspace.show_component(0)
    workspace.show_alternative(1)
    workspace.adopt()


def _adopt_beside_a_locked_unit(workspace: Workspace) -> None:
    workspace.lock((2,), True)
    _adopt(workspace)


def _merge_and_label(workspace: Workspace) -> None:
    _merge(workspace)
    _label(workspace)


def _merge_twice(workspace: Workspace) -> None:
    workspace.merge((0, 1))
    workspace.merge((workspace.clustering.next_unit_id - 1, 2))


def _merge_and_undo(workspace: Workspace) -> None:
    workspace.label((0,), "mua")
    workspace.merge((0, 1))
    workspace.undo()


def _never_merge(workspace: Workspace) -> None:
    workspace.link((0, 1), same=False)


def _must_be_one_and_lock(workspace: Workspace) -> None:
    workspace.link((0, 1), same=True)
    _lock(workspace)


def _posteriors(workspace: Workspace) -> dict[int, Any]:
    """Condition, masses and weights of each component, to the last bit."""
    found = {}
    for component_id in workspace.component_ids:
        given, component = workspace.given(component_id), workspace.component(component_id)
        assert given is not None
        assert component is not None
        masses = [way.mass for way in component.alternatives]
        found[component_id] = (given.text, masses, component.posterior.weight.tolist())
    return found


def _state(workspace: Workspace) -> dict[str, Any]:
    units = workspace.clustering.unit_ids.tolist()
    return {
        "units": workspace.clustering.unit_of_spike.tolist(),
        "probability": workspace.clustering.probability.tolist(),
        "marks": {unit: workspace.history.labels.mark(unit) for unit in units},
        "undo": workspace.history.undo_words,
        "redo": workspace.history.redo_words,
        "posteriors": _posteriors(workspace),
        "wrong": workspace.wrong_left(),
    }


def _sampled(
    preferences: Preferences, folder: Path, n_groups: int, edit: Edit
) -> tuple[Controller, Later, list[str]]:
    """A recording whose components are sampled; `edit` comes after so many of them."""
    folder.mkdir()
    runner = Later()
    controller, ears = start(preferences, runner)
    controller.open_recording(request(folder))
    for _ in range(1 + n_groups):
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


@pytest.mark.parametrize("n_groups", [1, 2, 3])
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
def test_an_edit_while_groups_are_sampled_ends_as_the_same_edit_afterwards(
    joined: FakeJobs, preferences: Preferences, tmp_path: Path, edit: Edit, n_groups: int
) -> None:
    during, _, _ = _sampled(preferences, tmp_path / "during", n_groups, edit)
    after = _afterwards(preferences, tmp_path / "after", edit)
    assert _state(during.workspace) == _state(after.workspace)
    assert len(during.workspace.history.entries) == len(after.workspace.history.entries)


def test_undo_takes_back_the_edit_and_nothing_of_what_was_sampled(
    joined: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    controller, _, _ = _sampled(preferences, tmp_path / "during", 1, _merge)
    workspace = controller.workspace
    assert workspace.history.undo_words == "merge 0 + 1"
    workspace.undo()
    assert workspace.clustering.unit_of_spike.tolist() == joined.combined[0].tolist()
    assert not workspace.history.can_undo
    assert [workspace.status(channel).state for channel in (0, 1, 2)] == ["sampled", "sampled", "sure"]


def test_undo_between_two_groups_takes_back_the_edit_and_leaves_the_groups(
    joined: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    runner = Later()
    controller, _ = start(preferences, runner)
    controller.open_recording(request(tmp_path))
    for n in (2, 1):
        for _ in range(n):
            runner.work("work")
            runner.deliver()
        if n == 2:
            controller.workspace.merge((0, 1))
    controller.workspace.undo()
    units = controller.workspace.clustering.unit_of_spike.tolist()
    assert units == [*[0] * 4, *[1] * 3, *[2] * 3, *[4] * 6, *[-1] * 4]
    assert not controller.workspace.history.can_undo


def test_a_session_closed_while_groups_wait_goes_on_to_the_same_sorting(
    joined: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    runner = Later()
    controller, _ = start(preferences, runner)
    controller.open_recording(request(tmp_path))
    for _ in range(2):
        runner.work("work")
        runner.deliver()
    controller.workspace.merge((0, 1))
    runner.work("work")
    runner.deliver()
    controller.workspace.label((2,), "good")
    runner.run("io")
    controller.close()
    runner.run()
    assert len(load(tmp_path / "retina.h5").components) == 2
    controller.open_session(tmp_path / "retina.h5")
    runner.run()
    controller.sample_waiting()
    runner.run()
    after = _afterwards(preferences, tmp_path / "after", _merge_and_label)
    assert _state(controller.workspace) == _state(after.workspace)
    controller.close()
    runner.run()
    again, _ = start(preferences, runner)
    again.open_session(tmp_path / "retina.h5")
    runner.run()
    assert _state(again.workspace) == _state(after.workspace)


def test_edits_before_a_failed_group_is_sampled_keep_the_channels_joined(
    joined: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    whole = joined.combined[0].copy()
    joined.failing[2] = "out of memory"
    joined.combined[0][whole == 3] = -1
    controller, runner, _ = _sampled(preferences, tmp_path / "s", 3, _merge)
    merged = [3, 3, 3, 3, 3, 3, -1, *[2] * 9]
    assert controller.workspace.clustering.unit_of_spike.tolist() == [*merged, *[-1] * 4]
    joined.failing.clear()
    joined.combined[0][:] = whole
    controller.sample_waiting()
    runner.run()
    after = np.where((whole == 0) | (whole == 1), 4, whole)
    assert controller.workspace.clustering.unit_of_spike.tolist() == after.tolist()
    assert controller.workspace.history.undo_words == "merge 0 + 1"


def test_an_edit_that_joining_does_by_itself_is_told_and_not_one_to_undo(
    joined: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    controller, _, told = _sampled(preferences, tmp_path / "s", 2, lambda w: w.merge((2, 3)))
    assert controller.workspace.clustering.unit_of_spike.tolist() == joined.combined[0].tolist()
    assert "Putting components together left nothing to do for: merge 2 + 3" in told
    assert not controller.workspace.history.can_undo


def test_the_selected_units_stay_selected_when_joining_gives_them_other_numbers(
    joined: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    controller, _, _ = _sampled(preferences, tmp_path / "s", 3, lambda w: w.select((4, 1)))
    assert controller.workspace.selected == (3, 1)


def test_what_is_kept_after_an_edit_and_the_joining_comes_back_with_later_edits(
    joined: FakeJobs, preferences: Preferences, tmp_path: Path
) -> None:
    controller, runner, _ = _sampled(preferences, tmp_path / "s", 2, lambda w: w.merge((2, 3)))
    workspace = controller.workspace
    workspace.merge((0, 1))  # one action is gone with the joining: this one must be written all the same
    assert workspace.is_safe
    expected = _state(workspace)
    controller.close()
    runner.run()
    again, _ = start(preferences, runner)
    again.open_session(tmp_path / "s" / "retina.h5")
    runner.run()
    assert _state(again.workspace) == expected
