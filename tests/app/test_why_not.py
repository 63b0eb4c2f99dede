"""What is said where there is no sorting to choose, and before units are changed that are not on screen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from app_fakes import MASSES, WAYS
from tiny_project import tiny_project

from ncpgui.app.action import Context, has_alternatives, has_component
from ncpgui.app.model.component_status import ComponentStatus
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.alternatives import present_alternatives
from ncpgui.app.presenters.questions import mark_question
from ncpgui.core.project import NO_TRACES, Project


def reasons(workspace: Workspace) -> set[str]:
    """What both conditions say that need draws of what is on screen."""
    context = Context(workspace, None, None)  # type: ignore[arg-type]
    assert not has_alternatives(context)
    conditions = [has_alternatives] if has_component(context) else [has_component, has_alternatives]
    return {condition.why_not(context) for condition in conditions}


def without_raw_data(project: Project) -> Project:
    recording = replace(project.recording, fingerprint=NO_TRACES)
    return replace(project, recording=recording, components=(), waveforms={})


def test_spikes_that_wait_are_not_checked_yet_until_they_could_not_be_sampled() -> None:
    workspace = Workspace(tiny_project(WAYS, sampled=False))
    workspace.show_component(0)
    assert reasons(workspace) == {"the spikes on screen are not checked yet"}
    workspace.state.set_status(0, ComponentStatus("failed", message="out of memory"))
    assert reasons(workspace) == {"the spikes on screen could not be sampled: out of memory"}


def test_units_that_belong_to_no_question_say_where_questions_are() -> None:
    workspace = Workspace(replace(tiny_project(WAYS), components=()))
    workspace.select([0])
    assert reasons(workspace) == {"the units on screen belong to no question; choose a row of the queue"}
    view = present_alternatives(workspace)
    assert view.title == "Unit 0"
    assert view.message == (
        "These spikes have no probabilities: they were not sampled with those of other units."
    )
    workspace.select([])
    assert present_alternatives(workspace).message == "Select a unit, or a row of the queue."


def test_spikes_among_which_no_unit_was_found_have_no_sorting_to_choose() -> None:
    project = tiny_project(WAYS)
    empty = replace(project.components[0], alternatives=())
    workspace = Workspace(replace(project, components=(empty, *project.components[1:])))
    workspace.show_component(0)
    assert reasons(workspace) == {"there is no sorting to choose: no unit was found among these spikes"}


def test_without_raw_data_there_are_no_probabilities() -> None:
    project = tiny_project(WAYS)
    assert project.recording.has_traces
    workspace = Workspace(without_raw_data(project))
    assert not workspace.state.project.recording.has_traces  # type: ignore[union-attr]
    assert reasons(workspace) == {
        "there are no probabilities, as this sorting was opened without its raw data"
    }


@pytest.fixture
def previewed() -> Workspace:
    """Units 0, 1 and 2 in use; on screen is the alternative that joins 0 and 1."""
    workspace = Workspace(tiny_project(WAYS, masses=MASSES))
    workspace.show_component(0)
    workspace.show_alternative(1)
    return workspace


def test_nothing_is_asked_where_a_unit_is_drawn_or_listed(previewed: Workspace) -> None:
    assert mark_question(previewed, (2,), listed=()) is None
    assert mark_question(previewed, (0, 1), listed=(0, 1, 2)) is None


def test_units_that_a_preview_hides_are_named_before_they_are_changed(previewed: Workspace) -> None:
    asked = mark_question(previewed, (0,), listed=())
    assert asked is not None
    assert asked.text == (
        "Unit 0 is in use but not on screen, which shows a preview. Change it all the same?"
    )
    assert (asked.yes, asked.no) == ("Change unit 0", "Leave it as it is")
    asked = mark_question(previewed, (1, 0), listed=(2,))
    assert asked is not None
    assert asked.text == (
        "Units 0 and 1 are in use but not on screen, which shows a preview. Change them all the same?"
    )
    assert (asked.yes, asked.no) == ("Change the 2 units", "Leave them as they are")
    asked = mark_question(previewed, (0, 1), listed=(1,))
    assert asked is not None
    assert asked.text.startswith("Unit 0 is in use"), "the other one is in the table"
