"""Spikes drawn from each main channel, and the contacts on which the network sees them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.probe import Probe
from ncpgui.core.seeds import stream
from ncpgui.core.spikes import SpikeEvents
from ncpgui.sorting.config import SortingConfig, neighbour_radius_um


@dataclass(frozen=True)
class GroupDraw:
    """Spikes drawn from one main channel.

    channel : main channel; neighbours : (C,) channels of the waveforms, the main channel first;
    spike_ids : (m,) rows of the recording's spikes, increasing.
    """

    channel: int
    neighbours: NDArray[np.int64]
    spike_ids: NDArray[np.int64]


def draw_group(
    spikes: SpikeEvents,
    channel: int,
    probe: Probe,
    config: SortingConfig,
    *,
    bad_channels: tuple[int, ...] = (),
) -> GroupDraw:
    """At most `spikes_per_group` spikes of one channel, drawn at random.

    The draw depends on the seed, the channel and its number of spikes, on nothing else.
    """
    ids = np.flatnonzero(spikes.channel == channel).astype(np.int64)
    n = min(config.spikes_per_group, len(ids))
    rng = stream(config.seed, "draw", channel)
    sampled = np.sort(rng.choice(len(ids), n, replace=False)) if n < len(ids) else np.arange(n)
    return GroupDraw(int(channel), contacts_around(channel, probe, config, bad_channels), ids[sampled])


def contacts_around(
    channel: int, probe: Probe, config: SortingConfig, bad_channels: tuple[int, ...]
) -> NDArray[np.int64]:
    """Channels of the waveforms around one, itself first: (C,)."""
    near = probe.neighbours(
        channel, radius_um=neighbour_radius_um(config, probe), max_channels=config.max_neighbours
    )
    return near[~np.isin(near, np.array(bad_channels, dtype=np.int64))]


def draw_groups(
    spikes: SpikeEvents, probe: Probe, config: SortingConfig, *, bad_channels: tuple[int, ...] = ()
) -> list[GroupDraw]:
    """One draw for each channel that has spikes, in order of channel."""
    return [
        draw_group(spikes, int(channel), probe, config, bad_channels=bad_channels)
        for channel in np.unique(spikes.channel)
    ]
