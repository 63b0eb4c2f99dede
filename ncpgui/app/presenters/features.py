"""Features: two coordinates of the spikes, chosen among principal components, amplitude and time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.axes import height_unit
from ncpgui.app.presenters.points import NO_POINTS, Plane, SpikePoints, spike_points
from ncpgui.app.presenters.why_empty import why_nothing
from ncpgui.core.component import Component, ComponentWaveforms
from ncpgui.core.principal_axes import principal_axes
from ncpgui.core.project import Project

MOST_COMPONENTS = 6
ONLY_SAMPLED = "sampled spikes; View > Read all spikes"
SOME = "some spikes, evenly through the recording"
AMPLITUDE, TIME = "amplitude", "time"


@dataclass(frozen=True, eq=False)
class FeaturesView:
    """Spikes in the plane of two coordinates.

    axes : names of the coordinates that there are; x, y : those on screen; note : which spikes these are
    """

    axes: tuple[str, ...] = (AMPLITUDE, TIME)
    x: str = TIME
    y: str = AMPLITUDE
    points: SpikePoints = NO_POINTS
    note: str = ""
    message: str = ""
    height_unit: str = "noise sd"

    def label(self, axis: str) -> str:
        """Name of an axis with its unit, where it has one."""
        unit = {AMPLITUDE: f" ({self.height_unit})", TIME: " (s)"}.get(axis, "")
        return f"{axis}{unit}"


def present_features(workspace: Workspace, x: str, y: str) -> FeaturesView:
    """The spikes of the sorting on screen; an axis that there is not is replaced by one that there is."""
    project, shown = workspace.state.project, workspace.shown()
    if project is None or shown is None:
        return FeaturesView(message=why_nothing(workspace, "Features"))
    component = shown.component
    plane = feature_plane(workspace, project, component, x, y)
    some = ONLY_SAMPLED if project.recording.has_traces else SOME
    note = "" if len(plane.positions) == len(component.spike_ids) else some
    points = spike_points(workspace, shown, plane)
    return FeaturesView(plane.axes, *plane.names, points, note, height_unit=height_unit(workspace.state))


@dataclass(frozen=True, eq=False)
class FeaturePlane(Plane):
    """A plane whose coordinates were chosen: axes : names of those that there are; names : of these two."""

    axes: tuple[str, ...] = ()
    names: tuple[str, str] = (TIME, AMPLITUDE)


def feature_plane(
    workspace: Workspace, project: Project, component: Component, x: str, y: str
) -> FeaturePlane:
    """Coordinates of the spikes of a component; an axis that there is not gives way to one that there is."""
    waveforms = workspace.waveforms(component.id)
    positions, components = np.arange(len(component.spike_ids)), np.zeros((len(component.spike_ids), 0))
    if waveforms is not None:
        positions, components = workspace.state.remembered.get(
            ("principal components", component.id, id(waveforms)),
            lambda: principal_components(component, waveforms),
        )
    names = tuple(f"PC {k + 1}" for k in range(components.shape[1]))
    axes = (*names, AMPLITUDE, TIME)
    x, y = x if x in axes else TIME, y if y in axes else AMPLITUDE
    if not {x, y} & {*names}:  # these are known of every spike
        positions = np.arange(len(component.spike_ids))

    def values(axis: str, rows: NDArray[np.int64]) -> NDArray[np.floating]:
        ids = component.spike_ids[positions[rows]]
        if axis == AMPLITUDE:
            return np.abs(project.spikes.amplitude[ids])
        if axis == TIME:
            return project.recording.clock.seconds(project.spikes.sample_index[ids])
        return components[rows, names.index(axis)]

    return FeaturePlane(positions, lambda rows: (values(x, rows), values(y, rows)), axes, (x, y))


def principal_components(
    component: Component, waveforms: ComponentWaveforms
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Positions (m,) of spikes and their first principal components (m, <= 6).

    Of all spikes of the component where their coordinates were kept, of the features of the sampled ones
    else; the component with the largest variance first.
    """
    kept = waveforms.coordinates
    values = waveforms.features if kept is None else kept
    positions = component.sampled if kept is None else np.arange(len(kept))
    centred = values.astype(np.float64) - values.mean(axis=0) if len(values) else values.astype(np.float64)
    if values.shape[1] == 0:
        return np.arange(len(component.spike_ids)), np.zeros((len(component.spike_ids), 0))
    return positions, centred @ principal_axes(centred.T @ centred, MOST_COMPONENTS)
