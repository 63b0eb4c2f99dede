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

from ncpgui.core.group import GroupWaveforms
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
    """Count the spikes whose waveforms are not in the cache: not sampled, or of a channel that it lacks."""
    return sum(
        len(group.spike_ids) - (len(group.sampled) if group.channel in project.waveforms else 0)
        for group in project.groups
    )


def with_all_waveforms(project: Project, traces: Preprocessed, *, progress: Progress = silent) -> Project:
    """Read the waveforms of sampled spikes that the cache lacks."""
    from ncpgui.ephys.waveforms import extract_many

    missing = [group for group in project.groups if group.channel not in project.waveforms]
    if not missing:
        return project
    ids = np.concatenate([group.spike_ids[group.sampled] for group in missing])
    channel = np.repeat([group.channel for group in missing], [len(group.sampled) for group in missing])
    neighbours = {group.channel: group.neighbours for group in missing}
    found = extract_many(traces, project.spikes.sample_index[ids], channel, neighbours, progress=progress)
    none = np.zeros((0, 0), dtype=np.float32)
    read = {channel: GroupWaveforms(waveforms, none) for channel, waveforms in found.items()}
    return replace(project, waveforms={**project.waveforms, **read})


def spike_features(
    project: Project,
    spike_ids: NDArray[np.int64],
    unit_id: NDArray[np.int64],
    main_channel: Mapping[int, int],
    *,
    traces: Preprocessed | None = None,
    progress: Progress = silent,
) -> SpikeFeatures | None:
    """Features of some spikes of a project; None unless the waveforms of all its spikes can be had.

    Parameters
    ----------
    spike_ids : (n,) spikes to export, increasing; unit_id : (n,) their units
    main_channel : of each unit; the unit gets the channels of the group there
    traces : where waveforms that are not in the cache are read; without, the cache must have all
    """
    if not project.waveforms or (traces is None and n_without_waveforms(project)):
        return None
    basis = components(project)
    units, unit_index = np.unique(unit_id, return_inverse=True)
    channels = unit_channels(project, [main_channel[int(unit)] for unit in units])
    column = np.full((len(units), project.probe.n_channels), -1, dtype=np.int64)
    np.put_along_axis(column, channels, np.arange(channels.shape[1])[None], axis=1)
    values = np.zeros((len(spike_ids), N_COMPONENTS, channels.shape[1]), dtype=np.float32)
    row_of = np.full(len(project.spikes), -1, dtype=np.int64)
    row_of[spike_ids] = np.arange(len(spike_ids))
    neighbours = {group.channel: group.neighbours for group in project.groups}

    def put(channel: int, ids: NDArray[np.int64], waveforms: NDArray[np.float32]) -> None:
        rows = row_of[ids]
        scores = np.einsum("ntc,tk->nkc", waveforms[rows >= 0], basis)
        rows = rows[rows >= 0]
        for place, contact in enumerate(neighbours[channel]):
            at = column[unit_index[rows], contact]
            values[rows[at >= 0], :, at[at >= 0]] = scores[at >= 0, :, place]

    rest = []
    for group in project.groups:
        cached = project.waveforms.get(group.channel)
        if cached is None:
            rest.append(group.spike_ids)
        else:
            put(group.channel, group.spike_ids[group.sampled], cached.waveforms)
            rest.append(np.delete(group.spike_ids, group.sampled))
    if traces is not None:
        from ncpgui.ephys.waveforms import iterate_waveforms

        ids = np.concatenate(rest)
        ids = ids[row_of[ids] >= 0]
        spikes = project.spikes
        pieces = iterate_waveforms(
            traces, spikes.sample_index[ids], spikes.channel[ids], neighbours, progress=progress
        )
        for channel, some, waveforms in pieces if len(ids) else ():
            put(channel, ids[some], waveforms)
    return SpikeFeatures(values, channels)


def components(project: Project) -> NDArray[np.float32]:
    """Leading components of the cached waveforms of single channels: (32, 3)."""
    scatter = np.zeros((N_SAMPLES, N_SAMPLES))
    for cached in project.waveforms.values():
        single = np.moveaxis(cached.waveforms, 1, 2).reshape(-1, N_SAMPLES).astype(np.float64)
        scatter += single.T @ single
    _, vectors = np.linalg.eigh(scatter)
    basis = vectors[:, ::-1][:, :N_COMPONENTS]
    sign = np.sign(basis[np.abs(basis).argmax(axis=0), np.arange(N_COMPONENTS)])
    sign[0] = -np.sign(basis[TROUGH_SAMPLE, 0]) or 1.0
    return (basis * sign).astype(np.float32)


def unit_channels(project: Project, main_channel: list[int]) -> NDArray[np.int64]:
    """Channels of each unit (n_units, C): those of the group of its main channel, then the nearest others.

    C is that of the largest group, so that rows are equally long and no channel is in one twice.
    """
    positions = project.probe.positions_um
    n_columns = max(len(group.neighbours) for group in project.groups)
    rows = []
    for channel in main_channel:
        group = project.group(channel)
        own = [channel] if group is None else group.neighbours.tolist()
        nearest = np.argsort(np.linalg.norm(positions - positions[channel], axis=1), kind="stable")
        rows.append([*own, *(c for c in nearest.tolist() if c not in own)][:n_columns])
    return np.array(rows, dtype=np.int64).reshape(len(main_channel), n_columns)
