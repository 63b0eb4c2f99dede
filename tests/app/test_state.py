"""A project that grows while it is open: recovered from a journal, sampled, joined, read again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from app_fakes import WAYS, heard, units
from tiny_project import tiny_component, tiny_project

from ncpgui.app.model.component_status import ComponentStatus
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.unit_table import present_unit_table
from ncpgui.core.errors import CurationError, SessionLockedError
from ncpgui.core.events import Events
from ncpgui.core.project import Project
from ncpgui.curation.resample import Resample
from ncpgui.session.session_file import create_session, open_session

TWO_PLUS, MERGED = WAYS[0]


# -- another project ------------------------------------------------------------------------


def test_opening_another_project_closes_the_session_of_the_first(project: Project, tmp_path: Path) -> None:
    create_session(project, tmp_path / "s.h5").close()
    workspace = Workspace()
    session = open_session(tmp_path / "s.h5")
    workspace.state.open(session.project, session=session)
    with pytest.raises(SessionLockedError):
        open_session(tmp_path / "s.h5")
    workspace.state.open(tiny_project(WAYS))
    open_session(tmp_path / "s.h5").close()  # nobody holds it


def test_a_project_that_cannot_be_opened_leaves_the_one_on_screen_open(project: Project) -> None:
    workspace = Workspace(project)
    workspace.merge((0, 1))
    with pytest.raises(CurationError, match="unit 99 does not exist"):
        workspace.state.open(replace(tiny_project(WAYS), history=({"do": "merge", "unit_ids": [0, 99]},)))
    assert units(workspace, 0) == [5] * 7 + [2] * 3
    assert workspace.state.history.can_undo


# -- journal recovery -----------------------------------------------------------------------


def test_actions_of_the_journal_are_done_again_and_told(project: Project) -> None:
    workspace = Workspace()
    log = heard(workspace, "told")
    workspace.state.open(project, entries=[{"do": "merge", "unit_ids": [0, 1]}, {"do": "undo"}])
    assert log == [("told", "2 actions since the last save recovered from the journal")]
    assert units(workspace, 0) == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    workspace.redo()
    assert units(workspace, 0) == [5] * 7 + [2] * 3


def test_a_journal_is_followed_up_to_the_action_that_cannot_be_done(project: Project) -> None:
    workspace = Workspace()
    log = heard(workspace, "told", "warned")
    entries = [{"do": "merge", "unit_ids": [0, 1]}, {"do": "merge", "unit_ids": [0, 2]}, {"do": "undo"}]
    workspace.state.open(project, entries=entries)
    assert units(workspace, 0) == [5] * 7 + [2] * 3
    assert log[0] == ("told", "1 action since the last save recovered from the journal")
    assert log[1][1].startswith("Action 2 of the journal and those after it cannot be repeated: ")


# -- sampling -------------------------------------------------------------------------------


def waiting() -> Workspace:
    return Workspace(tiny_project(WAYS, sampled=False))


def test_a_sampled_component_gives_its_spikes_their_units(project: Project) -> None:
    workspace = waiting()
    assert workspace.questions.status(0).state == "waiting"
    for component in project.components[:2]:
        workspace.state.take_sampled(component, project.waveforms[component.id])
    assert workspace.questions.status(0).state == "sampled"
    assert workspace.state.clustering.unit_of_spike.tolist() == [*TWO_PLUS, *[3] * 6, *[-1] * 4]
    assert workspace.state.project is not None
    assert workspace.state.project.unit_of_spike.tolist() == workspace.state.clustering.unit_of_spike.tolist()
    assert workspace.state.history.entries == ()


def matched(project: Project) -> Workspace:
    """The units of the project, of which no component is sampled yet."""
    known = {"unit_of_spike": project.unit_of_spike, "probability": project.probability}
    return Workspace(replace(tiny_project(WAYS, sampled=False), **known))


def test_units_of_a_question_have_colours_of_their_own_before_it_is_sampled_and_after(
    project: Project,
) -> None:
    workspace = matched(project)

    def colors() -> list[int]:
        return [row["color"].index for row in present_unit_table(workspace).rows()]

    workspace.show_component(0)
    before = colors()
    assert len(set(before)) == len(before) == 3
    workspace.state.take_sampled(project.components[0], project.waveforms[0])
    assert colors() == before


def test_units_that_the_samples_have_as_they_were_matched_keep_their_numbers(project: Project) -> None:
    workspace = matched(project)
    before = workspace.state.clustering.unit_of_spike.tolist()
    log = heard(workspace, "selection_changed")
    for component in project.components:
        workspace.state.take_sampled(component, project.waveforms[component.id])
    assert workspace.state.clustering.unit_of_spike.tolist() == before == project.unit_of_spike.tolist()
    assert workspace.questions.status(0).state == "sampled"
    assert log == []


def test_units_edited_before_their_component_was_sampled_stay_as_they_were_edited(project: Project) -> None:
    workspace = matched(project)
    workspace.merge((0, 1))
    edited = workspace.state.clustering.unit_of_spike.tolist()
    other = replace(project.components[0], alternatives=project.components[0].alternatives[::-1])
    workspace.state.take_sampled(other, project.waveforms[0])
    assert workspace.state.clustering.unit_of_spike.tolist() == edited
    workspace.undo()
    assert workspace.state.clustering.unit_of_spike.tolist() == project.unit_of_spike.tolist()


def test_a_component_sampled_after_an_edit_is_no_edit(project: Project) -> None:
    workspace = waiting()
    workspace.state.take_sampled(project.components[0], project.waveforms[0])
    workspace.merge((0, 1))
    workspace.state.take_sampled(project.components[1], project.waveforms[1])
    assert [entry["do"] for entry in workspace.state.history.entries] == ["merge"]
    assert workspace.state.clustering.unit_of_spike.tolist() == [*[3] * 7, *[2] * 3, *[4] * 6, *[-1] * 4]
    assert workspace.state.project is not None
    assert workspace.state.project.unit_of_spike.tolist() == [*TWO_PLUS, *[4] * 6, *[-1] * 4]
    again = Workspace()
    again.state.open(workspace.state.snapshot())
    assert again.state.clustering.unit_of_spike.tolist() == workspace.state.clustering.unit_of_spike.tolist()
    assert workspace.questions.status(1).state == "sampled"  # nobody decided anything there


def test_a_component_sampled_in_the_background_leaves_preview_and_selection_alone(project: Project) -> None:
    workspace = waiting()
    workspace.state.take_sampled(project.components[0], project.waveforms[0])
    workspace.show_component(0)
    workspace.select([1])
    workspace.show_alternative(1)
    log = heard(workspace, "shown_changed", "selection_changed")
    workspace.state.take_sampled(project.components[1], project.waveforms[1])
    workspace.merge((3, 1))
    workspace.undo()
    assert workspace.component_id == 0
    log.clear()
    workspace.show_alternative(1)
    workspace.state.take_sampled(project.components[2], project.waveforms[2])
    assert (workspace.preview, workspace.selected) == (1, (1, 3))
    assert log == [("shown_changed",)]


def test_why_sampling_failed_names_no_option_of_the_command_line() -> None:
    workspace = waiting()
    workspace.state.set_failed(1, "there is no GPU (--device)")
    assert workspace.questions.status(1).message == "there is no GPU"
    assert workspace.state.components.failed == {1: "there is no GPU (--device)"}, (
        "as the command line says it"
    )


def test_a_failed_component_says_why_until_it_is_sampled(project: Project) -> None:
    workspace = waiting()
    workspace.state.set_status(1, ComponentStatus("sampling", 0.25))
    assert workspace.questions.status(1).words == "sampling 25 %"
    workspace.state.set_failed(1, "out of memory")
    assert workspace.questions.status(1) == ComponentStatus("failed", message="out of memory")
    workspace.state.take_sampled(project.components[1], project.waveforms[1])
    assert workspace.questions.status(1).state == "sampled"
    assert workspace.state.project is not None
    assert workspace.state.project.failed == {}


def test_a_component_that_failed_is_settled_once_its_units_are_accepted(project: Project) -> None:
    workspace = matched(project)
    workspace.state.set_failed(1, "only 3 spikes, at least 20 are needed")
    here = np.unique(project.unit_of_spike[project.components[1].spike_ids])
    workspace.set_accepted(tuple(here.tolist()), True)
    assert workspace.questions.status(1).state == "curated"
    workspace.undo()
    assert workspace.questions.status(1).state == "failed"


def test_a_component_sampled_again_keeps_the_sorting_and_shows_the_new_alternatives(
    workspace: Workspace,
) -> None:
    component = workspace.component(0)
    assert component is not None
    workspace.show_alternative(1)
    log = heard(workspace, "components_changed", "shown_changed")
    other = tiny_component(0, component.spike_ids, [MERGED], [1.0])
    workspace.state.edit(Resample(0, (), other.posterior, other.alternatives))
    assert units(workspace, 0) == TWO_PLUS
    assert workspace.preview is None
    assert workspace.present_alternative() is None
    assert [name for name, *_ in log] == ["components_changed", "shown_changed"]
    assert workspace.state.project.components[0] is component  # what a session holds beside the history


def test_waveforms_that_were_read_again_are_shown(workspace: Workspace, project: Project) -> None:
    from dataclasses import replace

    workspace.state.open(replace(project, waveforms={}))
    assert workspace.waveforms() is None
    log = heard(workspace, "shown_changed")
    workspace.state.put_waveforms(1, project.waveforms[1])
    assert log == []
    workspace.state.put_waveforms(0, project.waveforms[0])
    assert log == [("shown_changed",)]
    assert workspace.waveforms() is project.waveforms[0]


def test_events_and_shapes_that_were_read_are_told_to_whatever_shows_them(workspace: Workspace) -> None:
    log = heard(workspace, "events_changed", "looks_changed")
    events = Events(np.array([0.1, 0.2]))
    workspace.state.put_events(events)
    assert log == [("events_changed",)]
    assert workspace.state.project.events is events
    workspace.state.put_shapes(None, "no templates")
    assert log == [("events_changed",), ("looks_changed", ())]
    assert workspace.state.shapes_problem == "no templates"
