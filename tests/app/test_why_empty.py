"""What stands in the place of what a panel cannot show."""

from __future__ import annotations

from dataclasses import replace

from tiny_project import tiny_project

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.why_empty import why_no_waveforms, why_nothing

WAYS = {0: [[0] * 4], 1: [[0] * 4]}


def test_without_a_project_one_opens_something_without_a_question_one_selects_a_unit() -> None:
    assert why_nothing(Workspace(), "Waveforms") == "Open a recording or a session to begin."
    workspace = Workspace(tiny_project(WAYS, sampled=False))
    workspace.show_component(0)
    assert workspace.component_id == 0
    assert why_nothing(workspace, "Waveforms") == "Waveforms appear when these spikes are sampled."
    workspace = Workspace(replace(tiny_project(WAYS), components=()))
    assert workspace.component_id is None
    assert why_nothing(workspace, "Waveforms") == "Select a unit."


def test_waveforms_lack_because_nothing_is_sampled_or_the_recording_is_not_there() -> None:
    workspace = Workspace(tiny_project(WAYS, sampled=False))
    workspace.show_component(0)
    assert why_no_waveforms(workspace, "Maps") == "Maps appear when these spikes are sampled."
    workspace = Workspace(replace(tiny_project(WAYS), waveforms={}))
    workspace.show_component(0)
    assert why_no_waveforms(workspace, "Maps") == (
        "Maps come from waveforms, which are read from the recording (File > Locate recording)."
    )
