"""The rest of a group sampled again, given the units that a person has accepted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.group import ChannelGroup, GroupWaveforms
from ncpgui.core.probe import Probe
from ncpgui.core.progress import Progress, silent
from ncpgui.sorting.channel_partition import GroupDraw
from ncpgui.sorting.cluster_channels import depth_sd, sample_group
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.group_posterior import build_alternatives
from ncpgui.sorting.sampling import ClusterFunction


def resample_rest(
    group: ChannelGroup,
    waveforms: GroupWaveforms,
    held: NDArray[np.integer],
    probe: Probe,
    config: SortingConfig,
    *,
    cluster: ClusterFunction | None = None,
    progress: Progress = silent,
) -> ChannelGroup:
    """Sample the posterior of a group again with some spikes held together.

    Parameters
    ----------
    waveforms : those of the sampled spikes; with `coordinates` of all spikes where there are spikes
        that were not sampled (without them these follow the sampled ones they were sorted with)
    held : (n,) label of each spike of the group that is settled, -1 = free: see
        `curation.adopt.locked_labels`. Spikes of one label stay together, spikes of two never meet.

    Raises
    ------
    InputError
        `held` has another length than the group, or no spike is free.
    """
    held = np.asarray(held)
    if held.shape != group.spike_ids.shape:
        raise InputError(
            f"held labels must be one a spike of channel {group.channel}: "
            f"{len(group.spike_ids)}, got shape {held.shape}"
        )
    if (held >= 0).all():
        raise InputError(
            f"every spike of channel {group.channel} belongs to a locked unit; unlock one to sample again"
        )
    draw = GroupDraw(group.channel, group.neighbours, group.spike_ids, group.sampled)
    sampled = sample_group(
        draw,
        waveforms.waveforms,
        probe,
        config,
        cluster=cluster,
        held=held[group.sampled] if (held[group.sampled] >= 0).any() else None,
        progress=progress,
    )
    coordinates = waveforms.coordinates
    if coordinates is None:
        coordinates = _from_company(group, sampled.space.project(waveforms.waveforms))
    alternatives = build_alternatives(
        sampled.posterior,
        group.sampled,
        coordinates,
        config,
        depth_sd=depth_sd(waveforms.waveforms),
        held=held,
    )
    return replace(group, posterior=sampled.posterior, alternatives=alternatives)


def _from_company(group: ChannelGroup, sampled: NDArray[np.float32]) -> NDArray[np.float32]:
    """Coordinates (n, d) where only those of the sampled spikes are known.

    Another spike is put at the mean of the sampled spikes of its cluster in the first alternative,
    or far away from all when it has none.
    """
    labels = group.alternatives[0].labels
    far = 1e3 * (1 + np.abs(sampled).max(initial=0))
    coordinates = np.full((len(labels), sampled.shape[1]), far, dtype=np.float32)
    for label in np.unique(labels[labels >= 0]):
        company = labels[group.sampled] == label
        if company.any():
            coordinates[labels == label] = sampled[company].mean(axis=0)
    coordinates[group.sampled] = sampled
    return coordinates
