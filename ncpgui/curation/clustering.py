"""Clustering: the unit of every spike, and the spikes of every unit.

Both directions are kept: the array spike -> unit and, per unit, the sorted ids of its spikes. An
edit touches only the units it names, so merging in a recording of a million spikes costs as much
as the merged units are large. Unit ids are never reused, not even after an undo. An id that no unit
had yet may be given, also one below others: that of an edit, on spikes that were sorted later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncpgui.core.errors import CurationError, InputError
from ncpgui.core.partition import rows_of_clusters
from ncpgui.core.spikes import UNASSIGNED

_FEW_IDS = 1 << 20
"""A table of so many ids is made faster than spikes are sorted."""


@dataclass(frozen=True)
class Change:
    """What an edit did to the units.

    added : units that exist now and did not before; removed : units that no longer exist;
    modified : units that exist before and after, with other spikes; relabelled : units whose label
    changed, or of which something is said; components : ids of those that have another posterior;
    decides : whether something else is known of the relabelled; description : in words, for the status bar
    and the undo menu.
    """

    added: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    description: str = ""
    modified: tuple[int, ...] = ()
    relabelled: tuple[int, ...] = ()
    components: tuple[int, ...] = ()
    decides: bool = False


@dataclass(frozen=True, eq=False)
class Reassignment:
    """Units for some spikes, compactly.

    spike_ids : (n,) int64, increasing; cluster : (n,) integer, row of `unit_ids`;
    unit_ids : (k,) int64, -1 = unassigned; probability : (n,) float32.
    """

    spike_ids: NDArray[np.int64]
    cluster: NDArray[np.integer]
    unit_ids: NDArray[np.int64]
    probability: NDArray[np.float32]


class Clustering:
    """Unit and probability of each spike; counts edits in `n_changes`, and of each unit in its `version`.

    Parameters
    ----------
    unit_of_spike : (n,) int, -1 = unassigned
    probability : (n,) float, with which each spike was assigned to its unit; ones when left out
    highest : largest id that was ever in use, also by units without a spike: new ones lie above

    Raises
    ------
    InputError
        One array is longer than the other, or an id is below -1.
    """

    def __init__(
        self, unit_of_spike: ArrayLike, probability: ArrayLike | None = None, *, highest: int = UNASSIGNED
    ) -> None:
        self._unit = np.array(unit_of_spike, dtype=np.int64).reshape(-1)
        if probability is None:
            probability = np.ones(len(self._unit), dtype=np.float32)
        self._probability = np.array(probability, dtype=np.float32).reshape(-1)
        if len(self._unit) != len(self._probability):
            raise InputError(
                f"clustering does not fit: {len(self._unit)} unit ids, {len(self._probability)} "
                "probabilities; give one of each a spike"
            )
        if len(self._unit) and self._unit.min() < UNASSIGNED:
            raise InputError(f"unit ids must be -1 (unassigned) or more, got {self._unit.min()}")
        code, units = unit_codes(self._unit)
        self._spikes = dict(zip(units.tolist(), rows_of_clusters(code, len(units)), strict=True))
        self._used = {unit for unit in self._spikes if unit != UNASSIGNED}
        self._highest = highest
        self.n_changes = 0
        self._version: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._unit)

    def __contains__(self, unit: object) -> bool:
        return unit != UNASSIGNED and unit in self._spikes

    @property
    def unit_of_spike(self) -> NDArray[np.int64]:
        """Unit of each spike, -1 = unassigned; read-only view that follows the edits."""
        return _read_only(self._unit)

    @property
    def probability(self) -> NDArray[np.float32]:
        """Probability with which each spike was assigned; read-only view that follows the edits."""
        return _read_only(self._probability)

    @property
    def unit_ids(self) -> NDArray[np.int64]:
        """Sorted ids of the units that have a spike."""
        return np.array(sorted(unit for unit in self._spikes if unit != UNASSIGNED), dtype=np.int64)

    @property
    def next_unit_id(self) -> int:
        """Id that the next new unit gets: above every id ever handed out."""
        return max(self._highest, *self._used, UNASSIGNED) + 1

    def spikes_of(self, unit: int) -> NDArray[np.int64]:
        """Return the increasing spike ids of a unit (of the unassigned spikes for -1); read-only.

        A unit that does not exist has no spikes.
        """
        spikes = self._spikes.get(int(unit))
        return np.zeros(0, dtype=np.int64) if spikes is None else _read_only(spikes)

    def version(self, unit: int) -> int:
        """Another number whenever the spikes of a unit are others."""
        return self._version.get(int(unit), 0)

    def require(self, units: ArrayLike) -> None:
        """Raise CurationError unless all of `units` exist."""
        missing = [int(unit) for unit in np.atleast_1d(units) if int(unit) not in self]
        if missing:
            raise CurationError(f"unit {missing[0]} does not exist (any more); select one of the unit table")

    def current(self, spike_ids: NDArray[np.int64]) -> Reassignment:
        """Return the reassignment that would bring these spikes back to where they are now."""
        cluster, unit_ids = unit_codes(self._unit[spike_ids])
        return Reassignment(spike_ids, cluster, unit_ids, self._probability[spike_ids])

    def apply(self, new: Reassignment, description: str = "", *, restoring: bool = False) -> Change:
        """Give spikes to units; units left without spikes cease to exist. Tells nobody: `History` does.

        `restoring` is for undo and redo, to which ids that were in use once come back.

        Raises
        ------
        CurationError
            A spike that does not exist, twice the same one, or an id that was in use once and is
            not now. Nothing has changed then.
        """
        ids = new.spike_ids
        if not restoring:
            self.check(new)
        old_cluster, old_units = unit_codes(self._unit[ids])
        before = {int(unit) for unit in old_units}
        after = {int(new.unit_ids[k]) for k in np.flatnonzero(np.bincount(new.cluster))}
        touched = sorted(before | after)
        existed = {unit for unit in touched if unit in self._spikes}
        leaving = dict(zip(old_units.tolist(), np.bincount(old_cluster).tolist(), strict=True))
        self.n_changes += 1
        self._version.update(dict.fromkeys(touched, self.n_changes))
        self._unit[ids] = new.unit_ids[new.cluster]
        self._probability[ids] = new.probability
        joining = _parts(ids, new.cluster, new.unit_ids)
        moving = np.zeros(len(self), dtype=bool)
        moving[ids] = True
        for unit in touched:
            spikes = self._spikes.pop(unit, np.zeros(0, dtype=np.int64))
            kept = spikes[:0] if leaving.get(unit) == len(spikes) else spikes[~moving[spikes]]
            pieces = [piece for piece in (kept, *joining.get(unit, ())) if len(piece)]
            if pieces:
                together = np.concatenate(pieces) if len(pieces) > 1 else pieces[0]
                self._spikes[unit] = np.sort(together, kind="stable") if len(pieces) > 1 else together
        exist = {unit for unit in touched if unit in self._spikes}
        self._used |= after - {UNASSIGNED}
        return Change(
            added=_ids(exist - existed),
            removed=_ids(existed - exist),
            description=description,
            modified=_ids(exist & existed),
        )

    def check_spikes(self, ids: NDArray[np.int64]) -> None:
        """Raise CurationError unless `ids` increase and are spikes of the recording."""
        if len(ids) and (ids[0] < 0 or ids[-1] >= len(self)):
            bad = int(ids[0] if ids[0] < 0 else ids[-1])
            raise CurationError(f"spike {bad} does not exist; the recording has {len(self)} spikes")
        if len(ids) > 1 and (np.diff(ids) <= 0).any():
            raise CurationError("spike ids must increase and name each spike once; sort them, drop doubles")

    def check(self, new: Reassignment) -> None:
        """Raise CurationError if `apply` would: unknown spikes, or ids that were in use once."""
        self.check_spikes(new.spike_ids)
        for unit in new.unit_ids.tolist():
            gone = unit in self._used and unit not in self._spikes
            if unit < UNASSIGNED or gone:
                raise CurationError(f"unit {unit} does not exist (any more); ids are never reused")


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def unit_codes(units: NDArray[np.integer]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Units as (code, table) with table[code] == units; the table increases, spikes are not sorted."""
    if len(units) == 0:
        return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)
    least = int(units.min())
    if int(units.max()) - least > len(units) + _FEW_IDS:
        table, row = np.unique(units, return_inverse=True)
        return row.astype(np.int32), table.astype(np.int64)
    above = units - least if least else units
    is_there = np.bincount(above) > 0
    code = np.cumsum(is_there, dtype=np.int32) - np.int32(1)
    return code[above], np.flatnonzero(is_there) + least


def _parts(
    ids: NDArray[np.int64], cluster: NDArray[np.integer], unit_ids: NDArray[np.int64]
) -> dict[int, list[NDArray[np.int64]]]:
    """Spike ids that go to each unit, increasing within each piece."""
    parts: dict[int, list[NDArray[np.int64]]] = {}
    if len(ids) == 0:
        return parts
    for unit, rows in zip(unit_ids.tolist(), rows_of_clusters(cluster, len(unit_ids)), strict=True):
        if len(rows):
            parts.setdefault(unit, []).append(ids[rows])
    return parts


def _ids(units: set[int]) -> tuple[int, ...]:
    return tuple(sorted(unit for unit in units if unit != UNASSIGNED))
