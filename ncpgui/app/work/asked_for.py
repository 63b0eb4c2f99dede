"""What a person asks for of the component on screen: its rarer sortings, the spikes that were not sampled."""

from __future__ import annotations

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.work import jobs
from ncpgui.app.work.activity import Work
from ncpgui.app.work.tasks import Runner, Task
from ncpgui.core.component import Alternative, ComponentWaveforms
from ncpgui.core.errors import CurationError


def toggle_rarer(workspace: Workspace, runner: Runner) -> None:
    """Show the sortings that are too rare for a card of their own, or put them away."""
    project, component_id = workspace.state.project, workspace.component_id
    component = None if component_id is None else workspace.state.components.sampled(component_id)
    if component is None or project is None:
        return
    if workspace.state.n_rarer(component.id):
        workspace.state.put_rarer(component, ())
        return
    waveforms = workspace.waveforms(component.id)

    def done(alternatives: tuple[Alternative, ...]) -> None:
        if workspace.state.components.sampled(component.id) is not component:
            return
        if not alternatives:
            workspace.state.told.emit("All other samples differ by single spikes only")
        workspace.state.put_rarer(component, alternatives)

    runner.submit(
        Task(
            f"Rarer sortings of {workspace.state.name(component.id)}",
            lambda p: jobs.rarer_sortings(project, component, waveforms, progress=p),
            done,
            failed=lambda error: workspace.state.told.emit(f"No rarer sortings: {error}"),
            key=("rarer", component.id),
            lane="view",
            priority=2,
        )
    )


def read_all_spikes(workspace: Workspace, work: Work) -> None:
    """Read the spikes that were not sampled, for features and lassos.

    Raises
    ------
    CurationError
        They are there already, or there are no waveforms of sampled spikes to take the axes from.
    """
    project, component, waveforms = workspace.state.project, workspace.component(), workspace.waveforms()
    if project is None or component is None or waveforms is None:
        raise CurationError("there are no waveforms yet; wait for them, or use File > Locate recording")
    if waveforms.coordinates is not None or len(component.sampled) == len(component.spike_ids):
        raise CurationError("the principal components of all these spikes are there already")

    def done(found: ComponentWaveforms) -> None:
        if workspace.waveforms(component.id) is waveforms:
            workspace.state.put_waveforms(component.id, found)

    work.submit(
        f"Reading all spikes of {workspace.state.name(component.id)}",
        lambda p: jobs.read_coordinates(project, component, waveforms, progress=p),
        done,
        key=("coordinates", component.id),
        lane="view",
    )
