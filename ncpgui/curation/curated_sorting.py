"""A sorting as a person left it, as values that another thread or an export may keep."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.spikes import UNASSIGNED
from ncpgui.curation.commands import Assign
from ncpgui.curation.history import History
from ncpgui.curation.unit_places import UnitPlaces


@dataclass(frozen=True, eq=False)
class CuratedSorting:
    """A sorting as it stands after every edit.

    unit_of_spike : (n_spikes,) int64, -1 = unassigned; probability : (n_spikes,) float32;
    labels : unit -> good, mua, noise or unsorted; accepted : units that a person accepted;
    decided : these, and those at home in a component that is settled;
    tags, notes : unit -> a person's own label and note, of those that have one;
    unit_before_merges : (n_spikes,) int64, the sorting with every edit but the merges. The spikes of
    one of its units are all in one unit of `unit_of_spike`.
    """

    unit_of_spike: NDArray[np.int64]
    probability: NDArray[np.float32]
    labels: dict[int, str]
    accepted: frozenset[int]
    unit_before_merges: NDArray[np.int64]
    tags: dict[int, str] = field(default_factory=dict)
    notes: dict[int, str] = field(default_factory=dict)
    decided: frozenset[int] = frozenset()

    @classmethod
    def of(cls, history: History, initial: NDArray[np.int64]) -> CuratedSorting:
        """Decisions of a history that began with the sorting `initial`, (n_spikes,) unit of each spike."""
        clustering, labels = history.clustering, history.labels
        units = clustering.unit_ids.tolist()
        return cls(
            unit_of_spike=clustering.unit_of_spike.copy(),
            probability=clustering.probability.copy(),
            labels={**labels.as_dict(units)},
            accepted=labels.accepted,
            unit_before_merges=_before_merges(history, initial),
            tags=labels.words("tag", units),
            notes=labels.words("note", units),
            decided=_decided(history),
        )


def _decided(history: History) -> frozenset[int]:
    of_spike = np.full(len(history.clustering.unit_of_spike), -1, dtype=np.int32)
    for component in history.posteriors.components:
        of_spike[component.spike_ids] = component.id
    nowhere = np.zeros_like(of_spike)
    return UnitPlaces(history.clustering, nowhere, of_spike).decided(history)


def _before_merges(history: History, initial: NDArray[np.int64]) -> NDArray[np.int64]:
    units = np.array(initial, dtype=np.int64)
    for command in history.commands:
        if isinstance(command, Assign):
            table = np.array([*command.unit_ids, UNASSIGNED], dtype=np.int64)
            units[command.spike_ids] = table[command.cluster]  # -1, none of them, is the last
    return units
