"""Amplitude, or depth, and firing rate over time: does a unit drift, come or go?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.shown_sorting import ShownSorting
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.axes import height_unit
from ncpgui.app.presenters.points import NO_POINTS, Plane, SpikePoints, spike_points
from ncpgui.app.presenters.why_empty import why_no_waveforms, why_nothing
from ncpgui.core.component import Component, ComponentWaveforms
from ncpgui.core.probe import Probe
from ncpgui.core.project import Project
from ncpgui.core.spikes import SpikeEvents

Height = Literal["amplitude", "depth", "raster"]
HEIGHTS: tuple[Height, ...] = get_args(Height)
RATE_BINS = 60
LEAST_BIN_S = 1.0


@dataclass(frozen=True, eq=False)
class AmplitudesView:
    """Spikes over time.

    points : x in seconds of the recording's clock; y in noise sd, or µm along the probe, or minus the row of
        the unit
    range_s : where the recording begins and ends
    rate_edges_s : (B + 1,); rates_hz : (K, B), spikes of each unit a second that was recorded, 0 in a gap
    motion_s, motion_um : (T,) where the tissue at the depth of the spikes came to lie; empty where unknown
    """

    height: Height = "amplitude"
    points: SpikePoints = NO_POINTS
    range_s: tuple[float, float] = (0.0, 1.0)
    rate_edges_s: NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))
    rates_hz: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    motion_s: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    motion_um: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    message: str = ""
    note: str = ""
    unit: str = "noise sd"

    @property
    def has_unassigned(self) -> bool:
        """Whether spikes of no unit are among the points."""
        return bool((self.points.labels < 0).any())

    @property
    def axis(self) -> str:
        """Quantity on the vertical axis."""
        return {"depth": "depth (µm)", "amplitude": f"amplitude ({self.unit})", "raster": "units"}[
            self.height
        ]


def present_amplitudes(workspace: Workspace, height: Height) -> AmplitudesView:
    """The spikes of the sorting on screen over time."""
    project, shown = workspace.state.project, workspace.shown()
    if project is None or shown is None:
        return AmplitudesView(height, message=why_nothing(workspace, "Amplitudes"))
    spikes, clock = project.spikes, project.recording.clock
    plane = time_plane(workspace, project, shown, height)
    if plane is None:
        return AmplitudesView(height, message=why_no_waveforms(workspace, "Depths"))
    motion_s, motion_um = np.zeros(0), np.zeros(0)
    note = ""
    if height == "depth":
        motion = project.motion
        along = motion is not None and motion.axis == project.probe.depth_axis
        if motion is not None and along and motion.displacement_um.size and len(plane.positions):
            motion_s = clock.seconds(motion.time_s * spikes.sampling_frequency_hz)
            middle = float(np.median(plane.of_all()[:, 1]))
            motion_um = middle + motion.at(motion.time_s, np.full(len(motion_s), middle))
            note = f"motion {motion.range_um:.0f} µm{'' if motion.applied else ', not followed'}"
    start_s, end_s = clock.stretches_s(spikes.n_samples)[[0, -1], [0, 1]].tolist()
    edges = rate_edges_s(start_s, end_s)
    return AmplitudesView(
        height,
        spike_points(workspace, shown, plane),
        (start_s, end_s),
        edges,
        rates_hz(shown, spikes, clock.positions(edges)),
        motion_s,
        motion_um,
        note=note,
        unit=height_unit(workspace.state),
    )


def time_plane(workspace: Workspace, project: Project, shown: ShownSorting, height: Height) -> Plane | None:
    """Times (s) and heights of the spikes of a component; None where there are no heights.

    Depths are those of the sampled spikes; in a raster the units of `shown` have rows, the first one on top.
    """
    component, spikes = shown.component, project.spikes
    positions = np.arange(len(component.spike_ids))
    waveforms = workspace.waveforms(component.id) if height == "depth" else None
    if height == "depth":
        if waveforms is None:
            return None
        positions = component.sampled

    def heights(rows: NDArray[np.int64]) -> NDArray[np.float64]:
        if waveforms is not None:
            depths = workspace.state.remembered.get(
                ("depth", component.id, id(waveforms)),
                lambda: depths_um(waveforms, component, project.probe),
            )
            return depths[rows]
        if height == "raster":
            labels = shown.labels[rows]
            return -np.where(labels < 0, len(shown.units), labels).astype(np.float64)
        return np.abs(spikes.amplitude[component.spike_ids[rows]]).astype(np.float64)

    def coordinates(rows: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        samples = spikes.sample_index[component.spike_ids[positions[rows]]]
        return project.recording.clock.seconds(samples), heights(rows)

    return Plane(positions, coordinates)


def depths_um(waveforms: ComponentWaveforms, component: Component, probe: Probe) -> NDArray[np.float64]:
    """Depth (m,) of the sampled spikes along the longer axis of the probe.

    The mean of the contacts, weighed by the square of peak to peak.
    """
    weight = np.nan_to_num(np.ptp(waveforms.waveforms, axis=1).astype(np.float64)) ** 2
    place = probe.depth_um[component.contacts]
    return np.asarray(weight @ place / np.maximum(weight.sum(axis=1), 1e-12))


def rate_edges_s(start_s: float, end_s: float) -> NDArray[np.float64]:
    """Borders of the bins of the firing rate: at most 60, of at least a second."""
    n = int(np.clip((end_s - start_s) // LEAST_BIN_S, 1, RATE_BINS))
    return np.linspace(start_s, end_s, n + 1)


def rates_hz(shown: ShownSorting, spikes: SpikeEvents, edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Spikes a second (K, B) between edges (B + 1,), in samples with fractions; the last one is inside.

    Spikes are in order of time, so that edges are looked up among them and no spike is.
    """
    first = np.ceil(np.round(edges, 3)).astype(np.int64)
    first[-1] += 1
    rows = np.searchsorted(shown.component.spike_ids, np.searchsorted(spikes.sample_index, first))
    counts = [np.diff(np.searchsorted(unit.positions, rows)) for unit in shown.units]
    each = np.reshape(counts, (len(shown.units), len(edges) - 1)).astype(np.float64)
    recorded_s = np.diff(edges) / spikes.sampling_frequency_hz
    return np.divide(each, recorded_s, out=np.zeros_like(each), where=each > 0)
