"""Commands: every edit of a sorting as a value that knows how to do it, and can be written down.

A command that makes units says which ids they got once it is done (`Merge.into`, `Assign.unit_ids`), so that
doing it again from a file gives the same numbers. Its fields are its JSON (`command_json`). `plan` says what
it does to a sorting as it stands, and raises `CurationError` where that is impossible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncpgui.core.counted import few
from ncpgui.core.errors import CurationError
from ncpgui.core.spikes import UNASSIGNED
from ncpgui.curation import decision as deciding
from ncpgui.curation.clustering import Reassignment
from ncpgui.curation.labels import UnitMark, checked_label, checked_words, inherited
from ncpgui.curation.resample import Resample
from ncpgui.curation.state import Command, Edit, State

NEW = -1
NONE = -1


@dataclass(frozen=True)
class Merge:
    """Make one unit of two or more; `into` is its id, NEW until the command is done."""

    name: ClassVar[str] = "merge"
    unit_ids: tuple[int, ...]
    into: int = NEW

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit_ids", _several_units(self.unit_ids, "merging"))

    @property
    def words(self) -> str:
        """What the command does, for menus and the journal."""
        return f"merge {' + '.join(map(str, self.unit_ids))}"

    def plan(self, now: State) -> Edit:
        """All spikes of the units go to one."""
        now.clustering.require(self.unit_ids)
        parts = [now.clustering.spikes_of(unit) for unit in self.unit_ids]
        ids = np.sort(np.concatenate(parts), kind="stable")
        into = now.clustering.next_unit_id if self.into == NEW else self.into
        before = now.clustering.current(ids)
        one = np.zeros(len(ids), np.uint8), np.array([into], np.int64)
        mark = inherited(now.labels.mark(unit) for unit in self.unit_ids)
        return Edit(
            replace(self, into=into),
            before,
            Reassignment(ids, *one, before.probability),
            {into: now.labels.mark(into)},
            {into: mark},
            decisions=deciding.of_merge(parts, self.unit_ids),
        )


@dataclass(frozen=True, eq=False)
class Assign:
    """Give spikes to units: split, move, unassign, adopt an alternative.

    Parameters
    ----------
    spike_ids : (n,) int, each spike once; sorted on creation
    cluster : (n,) int, local clusters 0 .. k-1, NONE = leave the spike unassigned
    probability : (n,) float, P(the spike belongs to its cluster); ones when left out
    words : what this does, for menus and the journal
    unit_ids : (k,) id of the unit of each local cluster; NEW = a new unit (all new when left out)
    adopts : (component id, index) of the alternative that this adopts, None when it adopts none
    """

    name: ClassVar[str] = "assign"
    spike_ids: NDArray[np.int64]
    cluster: NDArray[np.int32]
    probability: NDArray[np.float32]
    words: str
    unit_ids: tuple[int, ...]
    adopts: tuple[int, int] | None

    def __init__(
        self,
        spike_ids: NDArray[np.integer] | Sequence[int],
        cluster: NDArray[np.integer] | Sequence[int],
        probability: NDArray[np.floating] | Sequence[float] | None = None,
        words: str = "assign spikes",
        unit_ids: tuple[int, ...] | None = None,
        adopts: tuple[int, int] | None = None,
    ) -> None:
        ids = np.asarray(spike_ids, dtype=np.int64).reshape(-1)
        local = np.asarray(cluster, dtype=np.int32).reshape(-1)
        share = np.ones(len(ids)) if probability is None else probability
        sure = np.asarray(share, dtype=np.float32).reshape(-1)
        if not len(ids) == len(local) == len(sure) or len(ids) == 0:
            raise CurationError(
                f"assigning needs one cluster and probability a spike and at least one spike, got "
                f"{len(ids)} spikes, {len(local)} clusters, {len(sure)} probabilities"
            )
        n_clusters = int(local.max()) + 1
        if unit_ids is None:
            unit_ids = (NEW,) * n_clusters
        if local.min() < NONE or n_clusters > len(unit_ids):
            raise CurationError(
                f"local clusters must be -1 .. {len(unit_ids) - 1}, got {local.min()} .. {n_clusters - 1}"
            )
        order = np.argsort(ids, kind="stable")
        for name, array in (("spike_ids", ids), ("cluster", local), ("probability", sure)):
            ordered = array[order]
            ordered.flags.writeable = False
            object.__setattr__(self, name, ordered)
        if (np.diff(self.spike_ids) == 0).any():
            raise CurationError("assigning names a spike twice; give each spike once")
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "unit_ids", tuple(int(unit) for unit in unit_ids))
        object.__setattr__(self, "adopts", adopts)

    def plan(self, now: State) -> Edit:
        """The spikes go to their units; a new one has the mark of that which most of its spikes come from."""
        now.clustering.check_spikes(self.spike_ids)
        fresh = now.clustering.next_unit_id
        units = []
        for unit in self.unit_ids:
            units.append(fresh if unit == NEW else unit)
            fresh += unit == NEW
        before = now.clustering.current(self.spike_ids)
        table = np.array([*units, UNASSIGNED], dtype=np.int64)
        cluster = np.where(self.cluster < 0, len(units), self.cluster)
        marks = {}
        for local, unit in enumerate(units):
            from_units = before.cluster[self.cluster == local]
            if unit not in now.clustering and len(from_units):
                parent = int(before.unit_ids[np.bincount(from_units).argmax()])
                marks[unit] = replace(now.labels.mark(parent), accepted=False)
        return Edit(
            Assign(self.spike_ids, self.cluster, self.probability, self.words, tuple(units), self.adopts),
            before,
            Reassignment(self.spike_ids, cluster, table, self.probability),
            {unit: now.labels.mark(unit) for unit in marks},
            marks,
            decisions=deciding.of_assign(now.clustering, self.spike_ids, table[cluster]),
        )


@dataclass(frozen=True)
class SetLabel:
    """Call units good, mua, noise or unsorted; `why`, for menus and the journal, '' where a person did."""

    name: ClassVar[str] = "label"
    unit_ids: tuple[int, ...]
    label: str
    why: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit_ids", _some_units(self.unit_ids))
        checked_label(self.label)

    @property
    def words(self) -> str:
        """What the command does, for menus and the journal."""
        return f"label {_names(self.unit_ids)} {self.label}" + (f", {self.why}" if self.why else "")

    def plan(self, now: State) -> Edit:
        """The units get the label."""
        label = checked_label(self.label)
        return _marking(self, now, lambda mark: replace(mark, label=label))


@dataclass(frozen=True)
class SetWords:
    """Give units a label of one's own (kind "tag"), or a note on them; '' takes it off."""

    name: ClassVar[str] = "write"
    unit_ids: tuple[int, ...]
    kind: str
    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit_ids", _some_units(self.unit_ids))
        object.__setattr__(self, "text", checked_words(self.kind, self.text))

    @property
    def words(self) -> str:
        """What the command does, for menus and the journal."""
        if not self.text:
            return f"take the {self.kind} off {_names(self.unit_ids)}"
        if self.kind == "note":
            return f"note on {_names(self.unit_ids)}"
        return f"tag {_names(self.unit_ids)} '{self.text}'"

    def plan(self, now: State) -> Edit:
        """The units get the words."""
        written: dict[str, Any] = {self.kind: self.text}
        return _marking(self, now, lambda mark: replace(mark, **written))


@dataclass(frozen=True)
class SetAccepted:
    """Accept units, or open them again."""

    name: ClassVar[str] = "accept"
    unit_ids: tuple[int, ...]
    accepted: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit_ids", _some_units(self.unit_ids))

    @property
    def words(self) -> str:
        """What the command does, for menus and the journal."""
        return f"{'accept' if self.accepted else 'open again'} {_names(self.unit_ids)}"

    def plan(self, now: State) -> Edit:
        """The units are accepted, or no more; what accepted units say lasts as long as they are."""
        says = deciding.of_accepted(now.clustering, self.unit_ids) if self.accepted else ()
        return _marking(self, now, lambda mark: replace(mark, accepted=self.accepted), says)


@dataclass(frozen=True)
class Link:
    """Say that units are one neuron, or that no two of them are; no spike changes its unit."""

    name: ClassVar[str] = "link"
    unit_ids: tuple[int, ...]
    same: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit_ids", _several_units(self.unit_ids, "a link"))

    @property
    def words(self) -> str:
        """What the command does, for menus and the journal."""
        names = " and ".join(map(str, self.unit_ids))
        return f"{names} are one neuron" if self.same else f"never merge {names}"

    def plan(self, now: State) -> Edit:
        """Nothing changes but what is known of the units."""
        now.clustering.require(self.unit_ids)
        parts = [now.clustering.spikes_of(unit) for unit in self.unit_ids]
        says = deciding.of_link(parts, self.unit_ids, same=self.same)
        return _marking(self, now, lambda mark: mark, says)


KINDS: tuple[type[Command], ...] = (Merge, Assign, SetLabel, SetWords, SetAccepted, Link, Resample)
"""Every kind of command."""


def split(spike_ids: ArrayLike, cluster: ArrayLike, words: str = "") -> Assign:
    """Assign that makes a new unit of each local cluster, e.g. inside and outside of a lasso."""
    local = np.asarray(cluster)
    return Assign(np.asarray(spike_ids), local, words=words or f"split in {len(np.unique(local))}")


def _marking(
    command: SetLabel | SetWords | SetAccepted | Link,
    now: State,
    new: Callable[[UnitMark], UnitMark],
    says: tuple[deciding.Decision, ...] = (),
) -> Edit:
    """Edit that gives units of a command another mark."""
    now.clustering.require(command.unit_ids)
    before = {unit: now.labels.mark(unit) for unit in command.unit_ids}
    after = {unit: new(mark) for unit, mark in before.items()}
    return Edit(command, marks_before=before, marks_after=after, decisions=says)


def _several_units(units: tuple[int, ...], what: str) -> tuple[int, ...]:
    found = tuple(sorted({int(unit) for unit in units}))
    if len(found) < 2:
        raise CurationError(f"{what} needs two different units, got {len(found)}; select another one")
    return found


def _some_units(units: tuple[int, ...]) -> tuple[int, ...]:
    if len(units) == 0:
        raise CurationError("no unit is selected; select one first")
    return tuple(sorted({int(unit) for unit in units}))


def _names(units: tuple[int, ...]) -> str:
    return f"{'unit' if len(units) == 1 else 'units'} {few(units)}"
