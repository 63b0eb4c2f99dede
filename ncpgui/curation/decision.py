"""What edits say of spikes: which are of one neuron, and which are not.

An edit is more than a change of labels: it tells something that the posterior did not know. As few things are
read out of it as say what was done:

- units that an edit puts together are of one neuron ("same");
- sizeable parts into which it cuts a unit are of different ones ("different"); nothing is said of the inside
  of a part;
- of sizeable parts that go from one unit to another both are said; of single spikes that move, and of those
  that are taken from or given to no unit, nothing;
- an accepted unit is a neuron, all of it and nothing else ("neuron").

What an edit says holds as long as the sorting obeys it: who merges what was cut before has changed their
mind. A link says the same without changing the sorting, and holds until it is taken back: an edit that
contradicts it is refused, and so is a link that contradicts anything that was decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.alternatives import min_unit_size
from ncpgui.core.difference import difference
from ncpgui.core.increasing import is_among
from ncpgui.core.spikes import UNASSIGNED
from ncpgui.curation.clustering import Clustering, unit_codes

Kind = Literal["neuron", "same", "different"]
MOSTLY = 0.5


@dataclass(frozen=True, eq=False)
class Decision:
    """One thing said of spikes.

    kind : "neuron" (one set), "same" (all sets are of one neuron), "different" (no two of them are)
    sets : increasing spike ids of each set
    words : as menus and cards name it, such as "3 + 7 together"
    units : those that it is about, by the numbers that they had then
    is_standing : whether it holds until it is taken back, whatever the sorting is
    """

    kind: Kind
    sets: tuple[NDArray[np.int64], ...]
    words: str
    units: tuple[int, ...] = ()
    is_standing: bool = False

    @property
    def key(self) -> tuple[str, str, tuple[int, ...]]:
        """The same for what says the same."""
        return self.kind, self.words, self.units

    @property
    def is_link(self) -> bool:
        """Whether a link says it: it holds whatever the sorting is, and no edit may contradict it."""
        return self.is_standing and self.kind != "neuron"

    def is_obeyed(self, clustering: Clustering) -> bool:
        """Whether a sorting has it so: by the unit that has most of each set."""
        if self.kind == "neuron":
            return True
        main = [_main_unit(clustering, ids) for ids in self.sets]
        if UNASSIGNED in main:
            return False
        return len(set(main)) == (1 if self.kind == "same" else len(main))


def of_merge(parts: Sequence[NDArray[np.int64]], units: tuple[int, ...]) -> tuple[Decision, ...]:
    """What a merge of units says; parts : spike ids of each."""
    return (Decision("same", tuple(parts), f"{_sum(units)} together", units),)


def of_link(
    parts: Sequence[NDArray[np.int64]], units: tuple[int, ...], *, same: bool
) -> tuple[Decision, ...]:
    """What a link between units says: that they are one neuron, or all different ones."""
    if same:
        return (Decision("same", tuple(parts), f"{_sum(units)} one neuron", units, is_standing=True),)
    return (Decision("different", tuple(parts), f"{_and(units)} apart", units, is_standing=True),)


def of_accepted(clustering: Clustering, units: Iterable[int]) -> tuple[Decision, ...]:
    """What accepted units say; units that do not exist say nothing."""
    return tuple(
        Decision("neuron", (clustering.spikes_of(unit),), f"{unit} accepted", (unit,), is_standing=True)
        for unit in sorted(units)
        if unit in clustering
    )


def of_assign(
    clustering: Clustering, spike_ids: NDArray[np.int64], after: NDArray[np.int64]
) -> tuple[Decision, ...]:
    """What giving spikes to units says, before it is done.

    after : (n,) unit of each of `spike_ids`, -1 = none
    """
    before = clustering.unit_of_spike[spike_ids]
    units = {unit for some in (before, after) for unit in unit_codes(some)[1].tolist()}
    involved = [clustering.spikes_of(unit) for unit in sorted(units - {UNASSIGNED})]
    ids = np.sort(np.concatenate([spike_ids[before == UNASSIGNED], *involved]), kind="stable")
    was = clustering.unit_of_spike[ids]
    now = was.copy()
    now[np.searchsorted(ids, spike_ids)] = after
    old_units, old = _numbered(was)
    _, new = _numbered(now)
    change = difference(old, new)
    result = [
        Decision(
            "same",
            tuple(ids[old == k] for k in group),
            f"{_sum([old_units[k] for k in group])} together",
            tuple(old_units[k] for k in group),
        )
        for group in change.merges
    ]
    for k, parts in change.splits:
        sets = tuple(ids[(old == k) & (new == part)] for part in parts)
        result.append(Decision("different", sets, f"{old_units[k]} split in {len(parts)}", (old_units[k],)))
    told: set[tuple[int, int]] = set()
    for source, target, n in change.moved:
        if n < min_unit_size(len(ids)):
            continue
        places = np.bincount(new[(old == source) & (new >= 0)])
        there = np.bincount(new[(old == target) & (new >= 0)]) if target >= 0 else None
        new_ones = [place for place in np.flatnonzero(places == n).tolist() if (source, place) not in told]
        place = new_ones[-1] if there is None else int(there.argmax())
        told.add((source, place))
        moved = ids[(old == source) & (new == place)]
        rest = ids[(old == source) & ~is_among(ids, moved)]
        about = (old_units[source],) if target < 0 else (old_units[source], old_units[target])
        words = f"{n} spikes moved {old_units[source]} → {'new' if target < 0 else old_units[target]}"
        if len(rest):
            result.append(Decision("different", (moved, rest), words, about))
        if target >= 0:
            result.append(Decision("same", (moved, ids[old == target]), words, about))
    return tuple(result)


def contradicted(new: Decision, standing: Sequence[Decision]) -> Decision | None:
    """One of `standing` that cannot be true if `new` is; None when there is none.

    What is the same as the same is the same. A set counts as part of another when most of it is.
    """
    everything = [*standing, new]
    groups = _together(everything)
    for said in everything:
        if said.kind == "different":
            broken = any(sum(_part(ids, group) > MOSTLY for ids in said.sets) > 1 for group, _ in groups)
        elif said.kind == "neuron":
            broken = any(_reaches_out(members, said.sets[0]) for _, members in groups)
        else:
            continue
        if broken and said is not new:
            return said
        if broken:
            return next((s for s in standing if s.kind == "same" or s.kind == "neuron"), None)
    return None


def _together(everything: Sequence[Decision]) -> list[tuple[NDArray[np.int64], list[NDArray[np.int64]]]]:
    """Groups of sets that are one neuron: all their spikes, and the sets."""
    groups: list[tuple[NDArray[np.int64], list[NDArray[np.int64]]]] = [
        (said.sets[0], [said.sets[0]]) for said in everything if said.kind == "neuron"
    ]
    for said in everything:
        if said.kind != "same":
            continue
        members = list(said.sets)
        apart = []
        for group, sets in groups:
            if any(_part(ids, group) > MOSTLY or _part(group, ids) > MOSTLY for ids in members):
                members += sets
            else:
                apart.append((group, sets))
        groups = [*apart, (np.unique(np.concatenate(members)), members)]
    return groups


def _reaches_out(members: Sequence[NDArray[np.int64]], unit: NDArray[np.int64]) -> bool:
    """Whether sets that are one neuron lie partly in a unit and partly elsewhere."""
    if len(members) == 1:
        return False
    inside = [_part(ids, unit) > MOSTLY for ids in members]
    return any(inside) and not all(inside)


def _part(ids: NDArray[np.int64], whole: NDArray[np.int64]) -> float:
    """Share of `ids` that is in `whole`."""
    return float(is_among(ids, whole).mean()) if len(ids) else 0.0


def _main_unit(clustering: Clustering, ids: NDArray[np.int64]) -> int:
    code, units = unit_codes(clustering.unit_of_spike[ids])
    return int(units[np.bincount(code).argmax()]) if len(units) else UNASSIGNED


def _numbered(units: NDArray[np.int64]) -> tuple[list[int], NDArray[np.int64]]:
    """Distinct units, and the row of each spike's, -1 = none."""
    table = np.unique(units[units != UNASSIGNED])
    return table.tolist(), np.where(units == UNASSIGNED, -1, np.searchsorted(table, units))


def _sum(units: Iterable[int]) -> str:
    return " + ".join(map(str, units))


def _and(units: Sequence[int]) -> str:
    shown = [str(unit) for unit in units]
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
