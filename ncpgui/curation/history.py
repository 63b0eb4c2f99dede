"""History: edits done, undone and done again; a command that fails leaves no trace.

Undo and redo are entries of their own (``{"do": "undo"}``), so that `entries`, read from the start,
tell everything that happened, and a journal of them brings back both the sorting and what can still
be undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Component
from ncpgui.core.errors import CurationError
from ncpgui.core.project import Project
from ncpgui.curation import decision as deciding
from ncpgui.curation.clustering import Change, Clustering
from ncpgui.curation.command_json import from_json, to_json
from ncpgui.curation.decision import Decision
from ncpgui.curation.labels import Labels, UnitMark, checked_label
from ncpgui.curation.state import Command, Edit, Posteriors, State


class History:
    """Does commands on a clustering, its labels and the posteriors of its components, and takes them back.

    labels : unit -> label that it had before anything was done.
    """

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
        self._decisions: tuple[tuple[int, int] | None, tuple[Decision, ...]] = (None, ())
        self._is_edited = np.zeros(len(clustering), dtype=bool)

    @classmethod
    def of(cls, project: Project, entries: Iterable[dict[str, Any]] = ()) -> History:
        """Everything that was done to a project, and `entries` after it, done again.

        Raises
        ------
        CurationError
            An action cannot be done.
        """
        base = Clustering(project.unit_of_spike, project.probability, highest=project.highest_unit)
        history = cls(base, project.components, project.given_labels)
        history.replay([*project.history, *entries])
        return history

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
            told = [one for edit in self._done for one in edit.decisions if one.kind != "neuron"]
            holds = [one for one in told if one.is_standing or one.is_obeyed(self.clustering)]
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
        edit = command.plan(State(self.clustering, self.labels, self.posteriors))
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
        for ids in map(self.clustering.spikes_of, edit.marks_after or ()):
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

        Raises
        ------
        CurationError
            An entry cannot be done; those before it stand.
        """
        n_done = 0
        for entry in entries:
            self._replay_one(entry, n_done)
            n_done += 1
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
        """Apply one side of an edit that is known to be possible, and write it down."""
        marks = (edit.marks_after if forward else edit.marks_before) or {}
        spikes = edit.spikes_after if forward else edit.spikes_before
        component = edit.component_after if forward else edit.component_before
        self.labels.update(marks)
        change = Change(
            description=words,
            relabelled=tuple(sorted(marks)),
            components=() if component is None else (component.id,),
            decides=edit.decides,
        )
        if spikes is not None:
            change = self.clustering.apply(spikes, words, restoring=True)
        if component is not None:
            self.posteriors.put(component)
        self._entries.append(entry)
        return change

    def _check_said(self, edit: Edit) -> None:
        """Refuse links that contradict anything that was said, and whatever contradicts a link.

        Beside other edits and accepted units the rules of editing hold.
        """
        for new in edit.decisions:
            known = [decision for decision in self.decisions if new.is_link or decision.is_link]
            old = deciding.contradicted(new, known)
            if old is not None:
                raise CurationError(
                    f"'{new.words}' contradicts '{old.words}', which was decided before; nothing is "
                    "changed. Take that back first: Ctrl+Z, or Y for an accepted unit"
                )
