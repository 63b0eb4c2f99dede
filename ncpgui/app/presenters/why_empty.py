"""Why a panel has nothing to draw, in words that stand in its place."""

from __future__ import annotations

from ncpgui.app.model.workspace import Workspace

OPEN_FIRST = "Open a recording or a session to begin."
NO_UNITS = "No units in this sorting."


def why_nothing(workspace: Workspace, what: str) -> str:
    """Why there is nothing of a kind, "Waveforms", on screen."""
    if workspace.state.project is None:
        return OPEN_FIRST
    if workspace.component_id is None:
        return "Select a unit."
    return f"{what} appear when these spikes are sampled."


def why_no_waveforms(workspace: Workspace, what: str) -> str:
    """Why there are no waveforms, of which `what` is made, of what is on screen."""
    state = workspace.state
    assert state.project is not None
    if any(state.components.sampled(one) is None for one in workspace.components_on_screen):
        return f"{what} appear when these spikes are sampled."
    if state.project.recording.has_traces:
        return f"{what} come from waveforms, which are read from the recording (File > Locate recording)."
    if state.shapes_problem:
        return f"{what} come from waveforms, and there are none: {state.shapes_problem}"
    return "Templates are being read …"
