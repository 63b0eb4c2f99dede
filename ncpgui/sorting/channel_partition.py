"""Spikes grouped by main channel, and which of them the network gets to see."""

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
    """Spikes of one main channel before anything is known about them.

    channel : main channel; neighbours : (C,) channels of the waveforms, the main channel first;
    spike_ids : (n,) every spike of the group; sampled : (m,) increasing positions in `spike_ids`.
    """

    channel: int
    neighbours: NDArray[np.int64]
    spike_ids: NDArray[np.int64]
    sampled: NDArray[np.int64]

    @property
    def rest(self) -> NDArray[np.int64]:
        """Positions in `spike_ids` of the spikes that were not drawn."""
        drawn = np.zeros(len(self.spike_ids), dtype=bool)
        drawn[self.sampled] = True
        return np.flatnonzero(~drawn)


def draw_group(
    spikes: SpikeEvents,
    channel: int,
    probe: Probe,
    config: SortingConfig,
    *,
    bad_channels: tuple[int, ...] = (),
) -> GroupDraw:
    """Spikes of one channel, at most `spikes_per_group` of them drawn at random.

    The draw depends on the seed, the channel and its number of spikes, on nothing else.
    """
    neighbours = probe.neighbours(
        channel, radius_um=neighbour_radius_um(config, probe), max_channels=config.max_neighbours
    )
    ids = np.flatnonzero(spikes.channel == channel).astype(np.int64)
    n = min(config.spikes_per_group, len(ids))
    rng = stream(config.seed, "draw", channel)
    sampled = np.sort(rng.choice(len(ids), n, replace=False)) if n < len(ids) else np.arange(n)
    return GroupDraw(
        channel=int(channel),
        neighbours=neighbours[~np.isin(neighbours, np.array(bad_channels, dtype=np.int64))],
        spike_ids=ids,
        sampled=sampled.astype(np.int64),
    )


def draw_groups(
    spikes: SpikeEvents, probe: Probe, config: SortingConfig, *, bad_channels: tuple[int, ...] = ()
) -> list[GroupDraw]:
    """One draw for each channel that has spikes, in order of channel."""
    return [
        draw_group(spikes, int(channel), probe, config, bad_channels=bad_channels)
        for channel in np.unique(spikes.channel)
    ]
