"""The channel groups of a project: how far each is, and the order in which to look at them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ncpgui.app.status import CURATED, SAMPLED, WAITING, GroupStatus
from ncpgui.core.group import ChannelGroup
from ncpgui.core.project import Project
from ncpgui.curation.posteriors import Posteriors

MIN_GROUP_SPIKES = 1


class Groups:
    """The state of all channels that have spikes; `posteriors` are those of the history of edits."""

    def __init__(self, project: Project | None = None) -> None:
        self.posteriors = Posteriors()
        self._failed: dict[int, str] = {}
        self._states: dict[int, GroupStatus] = {}
        self._n_spikes = np.zeros(0, dtype=np.int64)
        if project is not None:
            self._failed = dict(project.failed)
            self._n_spikes = np.bincount(project.spikes.channel, minlength=project.probe.n_channels)
        self.channels = [int(c) for c in np.flatnonzero(self._n_spikes >= MIN_GROUP_SPIKES)]

    def n_spikes(self, channel: int) -> int:
        """Spikes whose main channel this is."""
        return int(self._n_spikes[channel])

    def get(self, channel: int | None) -> ChannelGroup | None:
        """Group of a channel, None while it is not sampled."""
        return self.posteriors.get(channel)

    @property
    def failed(self) -> dict[int, str]:
        """Why groups could not be sampled, by channel."""
        return dict(self._failed)

    def put(self, group: ChannelGroup) -> None:
        """Take a group that was just sampled."""
        self.posteriors.put(group)
        self._failed.pop(group.channel, None)
        self._states.pop(group.channel, None)

    def fail(self, channel: int, message: str) -> None:
        """Note that a group could not be sampled, and why."""
        self._failed[channel] = message
        self._states.pop(channel, None)

    def say(self, channel: int, status: GroupStatus | None) -> None:
        """Say how far sampling is; None goes back to what is known of the group."""
        if status is None:
            self._states.pop(channel, None)
        else:
            self._states[channel] = status

    def status(self, channel: int, is_settled: Callable[[], bool]) -> GroupStatus:
        """How far a group is."""
        if channel in self._states:
            return self._states[channel]
        if self.get(channel) is not None:
            return CURATED if is_settled() else SAMPLED
        if channel in self._failed:
            return GroupStatus("failed", message=self._failed[channel])
        return WAITING

    def queue_order(self) -> list[int]:
        """Channels with spikes, those where a decision would settle most first."""

        def key(channel: int) -> tuple[int, float, int]:
            group = self.get(channel)
            if group is None:
                return (1, -float(self._n_spikes[channel]), channel)
            return (0, -group.ambiguity, channel)

        return sorted(self.channels, key=key)
