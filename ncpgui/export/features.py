"""Principal components of every spike on the channels near its unit, as Phy's feature view shows them.

The components are those of the waveforms of single channels, pooled over all channels and spikes that
the network clustered: one set for the whole recording, so that units can be compared. They are not
centred: zero is a flat trace. A trough counts as positive in the first of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import ComponentWaveforms
from ncpgui.core.principal_axes import principal_axes
from ncpgui.core.progress import Progress, silent
from ncpgui.core.project import Project
from ncpgui.core.waveform_format import N_SAMPLES, TROUGH_SAMPLE

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed

N_COMPONENTS = 3


@dataclass(frozen=True)
class SpikeFeatures:
    """values : (n_spikes, 3, C) float32, components in noise sd; channels : (n_units, C) int64.

    A spike has values on the channels of its unit, row of `channels`; 0 where it was not looked at.
    """

    values: NDArray[np.float32]
    channels: NDArray[np.int64]


def n_without_waveforms(project: Project) -> int:
    """Count the spikes whose waveforms are not in the cache: not sampled, or of a component that it lacks."""
    return sum(
        len(component.spike_ids) - (len(component.sampled) if component.id in project.waveforms else 0)
        for component in project.components
    )


def with_all_waveforms(project: Project, traces: Preprocessed, *, progress: Progress = silent) -> Project:
    """Read the waveforms of sampled spikes that the cache lacks."""
    from ncpgui.ephys.waveforms import extract_many

    missing = [component for component in project.components if component.id not in project.waveforms]
    if not missing:
        return project
    ids = np.concatenate([component.spike_ids[component.sampled] for component in missing])
    owner = np.repeat([one.id for one in missing], [len(one.sampled) for one in missing])
    contacts = {component.id: component.contacts for component in missing}
    found = extract_many(traces, project.spikes.sample_index[ids], owner, contacts, progress=progress)
    none = np.zeros((0, 0), dtype=np.float32)
    read = {
        one: ComponentWaveforms(traces.in_white_noise(waveforms, contacts[one]), none)
        for one, waveforms in found.items()
    }
    return replace(project, waveforms={**project.waveforms, **read})


def spike_features(
    project: Project,
    spike_ids: NDArray[np.int64],
    unit_id: NDArray[np.int64],
    main_channel: Mapping[int, int],
    home: Mapping[int, int],
    *,
    traces: Preprocessed | None = None,
    progress: Progress = silent,
) -> SpikeFeatures | None:
    """Features of some spikes of a project; None unless the waveforms of all its spikes can be had.

    Parameters
    ----------
    spike_ids : (n,) spikes to export, increasing; unit_id : (n,) their units
    main_channel : of each unit; home : component with most of its spikes, whose contacts it gets
    traces : where waveforms that are not in the cache are read; without, the cache must have all
    """
    if not project.waveforms or (traces is None and n_without_waveforms(project)):
        return None
    basis = components(project)
    units, unit_index = np.unique(unit_id, return_inverse=True)
    channels = unit_channels(project, [(main_channel[unit], home.get(unit)) for unit in units.tolist()])
    column = np.full((len(units), project.probe.n_channels), -1, dtype=np.int64)
    np.put_along_axis(column, channels, np.arange(channels.shape[1])[None], axis=1)
    values = np.zeros((len(spike_ids), N_COMPONENTS, channels.shape[1]), dtype=np.float32)
    row_of = np.full(len(project.spikes), -1, dtype=np.int64)
    row_of[spike_ids] = np.arange(len(spike_ids))
    contacts = {component.id: component.contacts for component in project.components}

    def put(component_id: int, ids: NDArray[np.int64], waveforms: NDArray[np.float32]) -> None:
        rows = row_of[ids]
        scores = np.einsum("ntc,tk->nkc", waveforms[rows >= 0], basis)
        rows = rows[rows >= 0]
        for place, contact in enumerate(contacts[component_id]):
            at = column[unit_index[rows], contact]
            values[rows[at >= 0], :, at[at >= 0]] = scores[at >= 0, :, place]

    rest = []
    for component in project.components:
        cached = project.waveforms.get(component.id)
        if cached is None:
            rest.append(component.spike_ids)
        else:
            put(component.id, component.spike_ids[component.sampled], cached.waveforms)
            rest.append(np.delete(component.spike_ids, component.sampled))
    if traces is not None:
        from ncpgui.ephys.waveforms import iterate_waveforms

        ids = np.concatenate(rest)
        ids = ids[row_of[ids] >= 0]
        spikes = project.spikes
        pieces = iterate_waveforms(
            traces, spikes.sample_index[ids], project.component_of_spike[ids], contacts, progress=progress
        )
        for component_id, some, waveforms in pieces if len(ids) else ():
            put(component_id, ids[some], traces.in_white_noise(waveforms, contacts[component_id]))
    return SpikeFeatures(values, channels)


def components(project: Project) -> NDArray[np.float32]:
    """Leading components of the cached waveforms of single channels: (32, 3)."""
    scatter = np.zeros((N_SAMPLES, N_SAMPLES))
    for cached in project.waveforms.values():
        single = np.moveaxis(cached.waveforms, 1, 2).reshape(-1, N_SAMPLES).astype(np.float64)
        scatter += single.T @ single
    basis = principal_axes(scatter, N_COMPONENTS)
    basis[:, 0] *= -np.sign(basis[TROUGH_SAMPLE, 0]) or 1.0
    return basis.astype(np.float32)


def unit_channels(project: Project, places: list[tuple[int, int | None]]) -> NDArray[np.int64]:
    """Channels of each unit (n_units, C): its main channel, those of its component, then the nearest others.

    places : main channel of each unit, and the component with most of its spikes, None without one.
    C is that of the largest component, so that rows are equally long and no channel is in one twice.
    """
    positions = project.probe.positions_um
    n_columns = max(len(component.contacts) for component in project.components)
    rows = []
    for channel, home in places:
        component = None if home is None else project.component(home)
        own = [] if component is None else component.contacts.tolist()
        own = [channel, *(c for c in own if c != channel)]
        nearest = np.argsort(np.linalg.norm(positions - positions[channel], axis=1), kind="stable")
        rows.append([*own, *(c for c in nearest.tolist() if c not in own)][:n_columns])
    return np.array(rows, dtype=np.int64).reshape(len(places), n_columns)
