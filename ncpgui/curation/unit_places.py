"""In which components and on which contacts the spikes of each unit are; which components are settled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.partition import counted_pairs
from ncpgui.core.spikes import UNASSIGNED
from ncpgui.core.unit_table import most_frequent
from ncpgui.curation.clustering import Clustering, unit_codes
from ncpgui.curation.commands import Assign
from ncpgui.curation.history import History
from ncpgui.curation.state import Command


@dataclass(frozen=True)
class _Place:
    """Where the spikes of a unit are: its components, that with most of its spikes first; main channel."""

    components: tuple[int, ...]
    main_channel: int


class UnitPlaces:
    """Knows where the spikes of each unit are, and keeps up with edits.

    Parameters
    ----------
    clustering : unit of every spike; call `update` after each change of it
    channel_of_spike : (n_spikes,) main channels
    component_of_spike : (n_spikes,) id of the component of each spike, -1 = none
    """

    def __init__(
        self,
        clustering: Clustering,
        channel_of_spike: NDArray[np.integer],
        component_of_spike: NDArray[np.integer],
    ) -> None:
        self._clustering = clustering
        self._channel = channel_of_spike
        self._component = component_of_spike
        self._places = self._all_places()
        self._decided_on: dict[Command, int | None] = {}

    def update(self, units: Iterable[int]) -> set[int]:
        """Look again at units that were changed, made or removed; the components they were or are in."""
        touched: set[int] = set()
        for unit in units:
            before = self._places.pop(unit, None)
            if before is not None:
                touched.update(before.components)
            if unit in self._clustering:
                now = self._place(self._clustering.spikes_of(unit))
                self._places[unit] = now
                touched.update(now.components)
        return touched

    def components_of(self, unit: int) -> tuple[int, ...]:
        """Components that have spikes of a unit, the one with most of them first."""
        return self._places[unit].components if unit in self._places else ()

    def units_in(self, spike_ids: NDArray[np.int64]) -> tuple[int, ...]:
        """Units that have some of these spikes, the one with most of them first."""
        return _most_first(self._clustering.unit_of_spike[spike_ids])

    def main_channel(self, unit: int) -> int:
        """Channel on which most spikes of a unit are largest."""
        return self._places[unit].main_channel

    def by_main_channel(self) -> dict[int, tuple[int, ...]]:
        """Units of each main channel, in order of number."""
        found: dict[int, tuple[int, ...]] = {}
        for unit in self._clustering.unit_ids.tolist():
            channel = self.main_channel(unit)
            found[channel] = (*found.get(channel, ()), unit)
        return found

    def settled(self, history: History) -> frozenset[int]:
        """Components where an alternative was adopted, or all units are accepted."""
        return self._settled(history, [command for command in history.commands if _settles(command)])

    def _settled(self, history: History, commands: Iterable[Command]) -> frozenset[int]:
        found = {self._decided(command) for command in commands if isinstance(command, Assign)}
        accepted = history.labels.accepted
        with_accepted = {c for unit in accepted for c in self.components_of(unit)}
        free = {c for unit, place in self._places.items() if unit not in accepted for c in place.components}
        return frozenset(one for one in found | (with_accepted - free) if one is not None)

    def decided(self, history: History) -> frozenset[int]:
        """Units that a person decided on: those that are accepted, or at home in a settled component."""
        settled = self._settled(history, history.commands)
        at_home = {unit for unit, place in self._places.items() if settled.intersection(place.components[:1])}
        return frozenset(at_home | set(history.labels.accepted))

    def _decided(self, command: Assign) -> int | None:
        """Component that has most of the spikes which a command assigns."""
        if command not in self._decided_on:
            components = self._place(command.spike_ids).components
            self._decided_on[command] = components[0] if components else None
        return self._decided_on[command]

    def _all_places(self) -> dict[int, _Place]:
        """Place of each unit, all spikes counted at once and in order: see `_place`."""
        units: NDArray[np.integer] = self._clustering.unit_of_spike
        names: Mapping[int, int] = {}
        if units.max(initial=0) > len(units):  # numbers that are too large to count by
            units, table = unit_codes(units)
            names = dict(enumerate(table.tolist()))
        components, channels = (_values_most_first(units, of) for of in (self._component, self._channel))
        found = {
            names.get(row, row): _Place(tuple(components.get(row, ())), own[0])
            for row, own in channels.items()
        }
        found.pop(UNASSIGNED, None)
        return found

    def _place(self, spike_ids: NDArray[np.int64]) -> _Place:
        components = _most_first(self._component[spike_ids])
        return _Place(components, most_frequent(self._channel[spike_ids]))


def _settles(command: Command) -> bool:
    """Whether it answers the question: it adopts a sorting, or says that there is no unit; no split does."""
    return isinstance(command, Assign) and (command.adopts is not None or bool((command.cluster < 0).all()))


def _most_first(numbers: NDArray[np.integer]) -> tuple[int, ...]:
    """Distinct numbers but -1, those that are there most often first; most units have one only."""
    if len(numbers) and (numbers == numbers[0]).all():
        return (int(numbers[0]),) if numbers[0] >= 0 else ()
    counts = np.bincount(numbers + 1)[1:]
    return tuple(np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)].tolist())


def _values_most_first(code: NDArray[np.integer], values: NDArray[np.integer]) -> dict[int, list[int]]:
    """The same of the spikes of each code, where it has some."""
    codes, found, counts = counted_pairs(code, values)
    order = np.lexsort((found, -counts, codes))
    codes, first = np.unique(codes[order], return_index=True)
    each = np.split(found[order], first[1:])
    return {row: own.tolist() for row, own in zip(codes.tolist(), each, strict=len(codes) > 0)}
