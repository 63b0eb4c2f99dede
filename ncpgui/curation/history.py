"""History: edits done, undone and done again; a command that fails leaves no trace.

Undo and redo are entries of their own (``{"do": "undo"}``), so that `entries`, read from the start,
tell everything that happened, and a journal of them brings back both the sorting and what can still
be undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Component
from ncpgui.core.errors import CurationError
from ncpgui.core.signals import Signal
from ncpgui.core.spikes import UNASSIGNED
from ncpgui.curation import decision as deciding
from ncpgui.curation.clustering import Change, Clustering, Reassignment
from ncpgui.curation.commands import (
    NEW,
    Assign,
    Command,
    Link,
    Merge,
    SetAccepted,
    SetLabel,
    SetWords,
    from_json,
    to_json,
)
from ncpgui.curation.decision import Decision
from ncpgui.curation.labels import Labels, UnitMark, checked_label, inherited
from ncpgui.curation.resample import Posteriors, Resample


@dataclass(frozen=True, eq=False)
class Edit:
    """A command with all that is needed to do it, undo it and do it again, and what it says of spikes."""

    command: Command
    spikes_before: Reassignment | None = None
    spikes_after: Reassignment | None = None
    marks_before: dict[int, UnitMark] | None = None
    marks_after: dict[int, UnitMark] | None = None
    component_before: Component | None = None
    component_after: Component | None = None
    decisions: tuple[Decision, ...] = ()


class History:
    """Does commands on a clustering, its labels and the posteriors of its components, and takes them back.

    Signals: `recorded(entry)` with the JSON value of each thing done, to be written to the journal;
    `changed()` whenever what can be undone or redone is other than before.

    labels : unit -> label that it had before anything was done.
    """

    recorded: ClassVar[Signal] = Signal(dict)
    changed: ClassVar[Signal] = Signal()

    def __init__(
        self,
        clustering: Clustering,
        components: Iterable[Component] = (),
        labels: Mapping[int, str] | None = None,
    ) -> None:
        self.clustering = clustering
        self.labels = Labels()
        self.labels_before = dict(labels or {})
        self.labels.update({u: UnitMark(checked_label(label)) for u, label in self.labels_before.items()})
        self.posteriors = Posteriors(components)
        self._done: list[Edit] = []
        self._undone: list[Edit] = []
        self._entries: list[dict[str, Any]] = []
        self._decisions: tuple[tuple[int, int], tuple[Decision, ...]] = ((-1, -1), ())
        self._is_edited = np.zeros(len(clustering), dtype=bool)

    @property
    def can_undo(self) -> bool:
        """Whether there is something to take back."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """Whether something taken back can be done again."""
        return bool(self._undone)

    @property
    def undo_words(self) -> str:
        """What undo would take back; empty when nothing."""
        return self._done[-1].command.words if self._done else ""

    @property
    def redo_words(self) -> str:
        """What redo would do; empty when nothing."""
        return self._undone[-1].command.words if self._undone else ""

    @property
    def commands(self) -> tuple[Command, ...]:
        """Commands in force, oldest first, with the unit ids they made."""
        return tuple(edit.command for edit in self._done)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """What accepted units and the edits in force say, as far as the sorting still obeys it."""
        state = len(self._entries), self.clustering.n_changes
        if self._decisions[0] != state:
            told = [decision for edit in self._done for decision in edit.decisions]
            holds = [
                decision for decision in told if decision.is_standing or decision.is_obeyed(self.clustering)
            ]
            self._decisions = state, (*deciding.of_accepted(self.clustering, self.labels.accepted), *holds)
        return self._decisions[1]

    @property
    def undone(self) -> tuple[Command, ...]:
        """Commands taken back that can be done again, the next one first."""
        return tuple(edit.command for edit in reversed(self._undone))

    @property
    def entries(self) -> tuple[dict[str, Any], ...]:
        """Everything that happened, undo and redo too, as JSON values; `replay` takes them."""
        return tuple(self._entries)

    def do(self, command: Command) -> Change:
        """Do a command and return what changed.

        Raises
        ------
        CurationError
            It is impossible as things stand; nothing has changed then.
        """
        edit = self._plan(command)
        if edit.spikes_after is not None:
            self.clustering.check(edit.spikes_after)
        self._check_said(edit)
        self._note_spikes(edit)
        self._done.append(edit)
        self._undone.clear()
        return self._run(edit, edit.command.words, to_json(edit.command))

    def is_edited(self, spike_ids: NDArray[np.int64]) -> bool:
        """Whether anything was ever done with one of these spikes or its unit, taken back or not."""
        return bool(self._is_edited[spike_ids].any())

    def _note_spikes(self, edit: Edit) -> None:
        units = edit.command.unit_ids if isinstance(edit.command, Link) else edit.marks_after or ()
        for ids in map(self.clustering.spikes_of, units):
            self._is_edited[ids] = True
        if edit.spikes_after is not None:
            self._is_edited[edit.spikes_after.spike_ids] = True

    def undo(self) -> Change | None:
        """Take back the last command; None when there is none."""
        if not self._done:
            return None
        edit = self._done.pop()
        self._undone.append(edit)
        words = f"undo {edit.command.words}"
        return self._run(edit, words, {"do": "undo", "words": words}, forward=False)

    def redo(self) -> Change | None:
        """Do again what was taken back last; None when there is nothing."""
        if not self._undone:
            return None
        edit = self._undone.pop()
        self._done.append(edit)
        return self._run(edit, edit.command.words, {"do": "redo", "words": f"redo {edit.command.words}"})

    def replay(self, entries: Iterable[dict[str, Any]]) -> int:
        """Do all of `entries` again, e.g. after a crash, and return how many.

        Listeners hear of one change of everything at the end, and nothing is recorded again.

        Raises
        ------
        CurationError
            An entry cannot be done; those before it stand.
        """
        units_before = set(self.clustering.unit_ids.tolist())
        n_done = 0
        try:
            with (
                self.clustering.changed.blocked(),
                self.labels.changed.blocked(),
                self.posteriors.changed.blocked(),
                self.changed.blocked(),
                self.recorded.blocked(),
            ):
                for entry in entries:
                    self._replay_one(entry, n_done)
                    n_done += 1
        finally:
            units = set(self.clustering.unit_ids.tolist())
            if n_done:
                self.clustering.changed.emit(
                    Change(
                        added=tuple(sorted(units - units_before)),
                        removed=tuple(sorted(units_before - units)),
                        description=f"{n_done} edits read again",
                        modified=tuple(sorted(units & units_before)),
                        relabelled=tuple(sorted(units)),
                    )
                )
                self.changed.emit()
        return n_done

    def _replay_one(self, entry: Any, number: int) -> None:
        kind = entry.get("do") if isinstance(entry, dict) else None
        try:
            if kind == "undo":
                self.undo()
            elif kind == "redo":
                self.redo()
            else:
                self.do(from_json(entry))
        except CurationError as error:
            raise CurationError(f"entry {number + 1} of the history cannot be done: {error}") from error

    def _run(self, edit: Edit, words: str, entry: dict[str, Any], *, forward: bool = True) -> Change:
        """Apply one side of an edit that is known to be possible, write it down, then tell."""
        marks = (edit.marks_after if forward else edit.marks_before) or {}
        spikes = edit.spikes_after if forward else edit.spikes_before
        component = edit.component_after if forward else edit.component_before
        self.labels.update(marks)
        change = Change(
            description=words,
            relabelled=edit.command.unit_ids if isinstance(edit.command, Link) else tuple(sorted(marks)),
            components=() if component is None else (component.id,),
        )
        if spikes is not None:
            change = self.clustering.apply(spikes, words, restoring=True)
        if component is not None:
            self.posteriors.put(component)
        self._entries.append(entry)
        self.recorded.emit(entry)
        if spikes is not None:
            self.clustering.changed.emit(change)
        elif component is not None:
            self.posteriors.changed.emit(component.id)
        else:  # labels, or what is known of units
            self.labels.changed.emit(change.relabelled)
        self.changed.emit()
        return change

    def _plan(self, command: Command) -> Edit:
        if isinstance(command, SetLabel):
            label = checked_label(command.label)
            return self._marking(command, lambda mark: replace(mark, label=label))
        if isinstance(command, SetWords):
            written = {command.kind: command.text}
            return self._marking(command, lambda mark: replace(mark, **written))
        if isinstance(command, SetAccepted):
            accepted = command.accepted
            return self._marking(command, lambda mark: replace(mark, accepted=accepted))
        if isinstance(command, Link):
            self.clustering.require(command.unit_ids)
            parts = [self.clustering.spikes_of(unit) for unit in command.unit_ids]
            return Edit(command, decisions=deciding.of_link(parts, command.unit_ids, same=command.same))
        if isinstance(command, Resample):
            before = self.posteriors.get(command.component_id)
            return Edit(command, component_before=before, component_after=command.applied(before))
        return self._merging(command) if isinstance(command, Merge) else self._assigning(command)

    def _marking(self, command: SetLabel | SetWords | SetAccepted, new: Any) -> Edit:
        self.clustering.require(command.unit_ids)
        before = {unit: self.labels.mark(unit) for unit in command.unit_ids}
        after = {unit: new(mark) for unit, mark in before.items()}
        return Edit(command, marks_before=before, marks_after=after)

    def _merging(self, command: Merge) -> Edit:
        self.clustering.require(command.unit_ids)
        parts = [self.clustering.spikes_of(unit) for unit in command.unit_ids]
        ids = np.sort(np.concatenate(parts), kind="stable")
        into = self.clustering.next_unit_id if command.into == NEW else command.into
        before = self.clustering.current(ids)
        after = Reassignment(
            ids, np.zeros(len(ids), np.uint8), np.array([into], np.int64), before.probability
        )
        mark = inherited(self.labels.mark(unit) for unit in command.unit_ids)
        marks = {into: self.labels.mark(into)}, {into: mark}
        decisions = deciding.of_merge(parts, command.unit_ids)
        return Edit(replace(command, into=into), before, after, *marks, decisions=decisions)

    def _check_said(self, edit: Edit) -> None:
        """Refuse what contradicts links, and links or accepted units that contradict what was said."""
        command = edit.command
        new = edit.decisions
        if isinstance(command, SetAccepted) and command.accepted:
            new = deciding.of_accepted(self.clustering, command.unit_ids)
        if not new:
            return
        known = self.decisions
        if not isinstance(command, Link):  # beside edits and accepted units the rules of editing hold
            known = tuple(
                decision for decision in known if decision.is_standing and decision.kind != "neuron"
            )
        for decision in new:
            old = deciding.contradicted(decision, known)
            if old is not None:
                raise CurationError(
                    f"'{decision.words}' contradicts '{old.words}', which was decided before; nothing is "
                    "changed. Take that back first: Ctrl+Z, or Y for an accepted unit"
                )

    def _assigning(self, command: Assign) -> Edit:
        ids = command.spike_ids
        self.clustering.check_spikes(ids)
        fresh = self.clustering.next_unit_id
        units = []
        for unit in command.unit_ids:
            units.append(fresh if unit == NEW else unit)
            fresh += unit == NEW
        named = Assign(ids, command.cluster, command.probability, command.words, tuple(units), command.adopts)
        before = self.clustering.current(ids)
        table = np.array([*units, UNASSIGNED], dtype=np.int64)
        cluster = np.where(named.cluster < 0, len(units), named.cluster)
        after = Reassignment(ids, cluster, table, named.probability)
        parents = self._parents(before, named)
        marks_before = {unit: self.labels.mark(unit) for unit in parents}
        decisions = deciding.of_assign(self.clustering, ids, table[cluster])
        return Edit(named, before, after, marks_before, parents, decisions=decisions)

    def _parents(self, before: Reassignment, command: Assign) -> dict[int, UnitMark]:
        """Mark that each new unit inherits: that of the unit which most of its spikes come from."""
        result = {}
        for local, unit in enumerate(command.unit_ids):
            if unit in self.clustering:
                continue
            from_units = before.cluster[command.cluster == local]
            if len(from_units):
                parent = int(before.unit_ids[np.bincount(from_units).argmax()])
                result[unit] = replace(self.labels.mark(parent), accepted=False)
        return result
