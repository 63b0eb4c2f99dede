"""The sorting of each group as panels show it, remembered until the group changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ncpgui.analysis.support import joined_by_hand
from ncpgui.app.colors import ColorBook
from ncpgui.app.shown import ShownSorting, current_sorting, preview_sorting
from ncpgui.core.group import ChannelGroup
from ncpgui.curation.adopt import present_alternative
from ncpgui.curation.commands import Assign
from ncpgui.curation.history import History
from ncpgui.curation.rebase import SAMPLER_WORDS

Value = TypeVar("Value")


class Sortings:
    """Current sorting and previews of each group, made when first asked for.

    Parameters
    ----------
    history : what was done so far
    initial : (n_spikes,) sorting before any curation; set it when that grows
    channel_of_spike : (n_spikes,) main channels; min_spikes : `Project.min_cluster_spikes`
    before : sortings that were shown before `history` was replaced: units keep their colours
    """

    def __init__(
        self,
        history: History,
        initial: NDArray[np.int64],
        channel_of_spike: NDArray[np.integer],
        *,
        min_spikes: int = 0,
        before: Sortings | None = None,
    ) -> None:
        self.initial = initial
        self.colors = ColorBook()
        self._history = history
        self._channel = channel_of_spike
        self._min_spikes = min_spikes
        self._memo: dict[tuple[Any, ...], Any] = {}
        self._last: dict[int, ShownSorting] = {} if before is None else dict(before._last)

    def current(self, group: ChannelGroup) -> ShownSorting:
        """Current sorting of a group."""

        def make() -> ShownSorting:
            last = self._last.get(group.channel)
            shown = current_sorting(
                self._history.clustering,
                group,
                self.colors,
                before=last,
                initial=self.initial_of(group),
                min_spikes=self._min_spikes,
                unknown=self.is_unknown,
            )
            self._last[group.channel] = shown
            return shown

        return self.memo(("current", group.channel), make)

    def preview(self, group: ChannelGroup, index: int) -> ShownSorting:
        """What adopting an alternative of a group would give."""
        return self.memo(
            ("preview", group.channel, index),
            lambda: preview_sorting(
                self._history.clustering,
                group,
                index,
                self.colors,
                current=self.current(group),
                locked=self._history.labels.locked,
                initial=self.initial_of(group),
            ),
        )

    def present(self, group: ChannelGroup) -> int | None:
        """Index of the alternative that the current sorting of a group is, None when none."""
        return self.memo(
            ("present", group.channel),
            lambda: present_alternative(self._history.clustering, group, initial=self.initial_of(group)),
        )

    def is_unknown(self, unit: int) -> bool:
        """Whether a person joined the unit across channels: no posterior tells of it as it is."""
        ids = self._history.clustering.spikes_of(unit)
        return joined_by_hand(self._channel[ids], self.initial[ids])

    def n_units(self, group: ChannelGroup, index: int) -> int:
        """Number of units that a group has with an alternative: what its card shows."""
        shown = self.current(group) if index == self.present(group) else self.preview(group, index)
        return len(shown.units)

    def is_empty(self, group: ChannelGroup) -> bool:
        """Whether a group has no units, whichever alternative is used: there is nothing to decide."""
        return not self.current(group).units and not any(
            self.n_units(group, index) for index in range(len(group.alternatives))
        )

    def initial_of(self, group: ChannelGroup) -> NDArray[np.int64] | None:
        """Sorting before curation, where it says which spikes are second sightings.

        It says nothing of a group that was sampled when there were edits already.
        """
        words = f"{SAMPLER_WORDS} {group.channel}"
        late = self.memo(
            ("initial", group.channel),
            lambda: any(isinstance(c, Assign) and c.words == words for c in self._history.commands),
        )
        return None if late else self.initial

    def memo(self, key: tuple[Any, ...], make: Callable[[], Value]) -> Value:
        """Value of `make()`, kept until the group changes: key is (name, channel, ...) or (name,)."""
        if key not in self._memo:
            self._memo[key] = make()
        return self._memo[key]

    def forget(self, channels: Iterable[int]) -> None:
        """Drop what was made of some groups, and of no group in particular."""
        gone = set(channels)
        for key in [k for k in self._memo if len(k) < 2 or k[1] in gone]:
            del self._memo[key]

    def forget_previews(self, channels: Iterable[int]) -> None:
        """Drop what depends on which units are locked."""
        gone, current = set(channels), ("current", "present", "initial", "unit rows", "agreement")
        for key in [k for k in self._memo if len(k) < 2 or (k[1] in gone and k[0] not in current)]:
            del self._memo[key]
