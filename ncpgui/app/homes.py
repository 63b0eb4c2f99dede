"""On which channels the spikes of each unit are, and which channels a person has settled."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ncpgui.curation.clustering import Clustering
from ncpgui.curation.commands import Assign, Command
from ncpgui.curation.history import History
from ncpgui.curation.rebase import is_sampling


class UnitHomes:
    """Counts the spikes of each unit by main channel, and keeps up with edits.

    Parameters
    ----------
    clustering : unit of every spike; call `update` after each change of it
    channel_of_spike : (n_spikes,) main channels, 0 .. n_channels - 1
    """

    def __init__(
        self, clustering: Clustering, channel_of_spike: NDArray[np.integer], n_channels: int
    ) -> None:
        self._clustering = clustering
        self._channel = channel_of_spike
        self._n_channels = n_channels
        self._counts: dict[int, NDArray[np.int64]] = {}
        self._decided_on: dict[Command, int] = {}
        self.update(clustering.unit_ids.tolist())

    def update(self, units: Iterable[int]) -> set[int]:
        """Count units again that were changed, made or removed; the channels they were or are on."""
        channels: set[int] = set()
        for unit in units:
            before = self._counts.pop(unit, None)
            if before is not None:
                channels.update(np.flatnonzero(before).tolist())
            if unit in self._clustering:
                now = self._count(self._clustering.spikes_of(unit))
                self._counts[unit] = now
                channels.update(np.flatnonzero(now).tolist())
        return channels

    def channels_of(self, unit: int) -> list[int]:
        """Channels that have spikes of a unit."""
        return [int(c) for c in np.flatnonzero(self._counts[unit])] if unit in self._counts else []

    def main_channel(self, unit: int) -> int:
        """Channel on which most spikes of a unit are largest."""
        return int(self._counts[unit].argmax())

    def settled(self, history: History) -> frozenset[int]:
        """Channels where an alternative was adopted, or all units are accepted."""
        found = {
            self._place(command)
            for command in history.commands
            if isinstance(command, Assign) and not is_sampling(command)
        }
        locked = history.labels.locked
        if locked and self._counts:
            present = np.stack(list(self._counts.values())) > 0
            is_locked = np.array([unit in locked for unit in self._counts])
            all_locked = present.any(axis=0) & ~present[~is_locked].any(axis=0)
            found.update(np.flatnonzero(all_locked).tolist())
        return frozenset(found)

    def _place(self, command: Assign) -> int:
        if command not in self._decided_on:
            self._decided_on[command] = int(self._count(command.spike_ids).argmax())
        return self._decided_on[command]

    def _count(self, spike_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(self._channel[spike_ids], minlength=self._n_channels)
