"""The channel groups as they stand: each with its posterior as sampled first, or again since."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from ncpgui.core.group import ChannelGroup
from ncpgui.core.signals import Signal


class Posteriors:
    """Group of each sampled channel; tells `changed(channel)` when an edit put another posterior there."""

    changed: ClassVar[Signal] = Signal(int)

    def __init__(self, groups: Iterable[ChannelGroup] = ()) -> None:
        self._groups = {group.channel: group for group in groups}

    def get(self, channel: int | None) -> ChannelGroup | None:
        """Group of a channel, None while it is not sampled."""
        return None if channel is None else self._groups.get(channel)

    @property
    def groups(self) -> tuple[ChannelGroup, ...]:
        """Sampled groups, by channel."""
        return tuple(self._groups[channel] for channel in sorted(self._groups))

    def put(self, group: ChannelGroup) -> None:
        """Put a group in its place. Whoever does emits `changed` once its own books are in order."""
        self._groups[group.channel] = group
