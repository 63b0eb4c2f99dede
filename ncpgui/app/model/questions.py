"""What of the open project is worth asking: doubts of components and units, and the order of the queue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.component_status import ComponentStatus
from ncpgui.app.model.open_questions import UnitDoubt, is_sure, unit_doubts
from ncpgui.app.model.state import State
from ncpgui.app.model.unit_numbers import gain, unit_numbers
from ncpgui.core.component import Component
from ncpgui.core.project import Project
from ncpgui.curation.clustering import Change
from ncpgui.evidence.units import MORE_PROBABLY


@dataclass(frozen=True)
class Standing:
    """What is known of the question of a component as it stands: all that queue and probe ask of each.

    is_empty : a sampled component has no units, whichever of its alternatives is used
    settles_itself : nothing needs to be asked (`open_questions`), or it is asked in another component
    is_beyond_cards : no card settles it
    n_wrong : spikes that are expected to be in a wrong unit; those that were lost count, and those of units
        that may be no neurons, until a person has said what such a unit is
    n_gained : spikes that an answer is expected to put right: which card it is (`evidence.gain`), what
        units are. Of what may be noise it is those of the less probable answer, until a person has said it
    doubts : units that are a question themselves, which nobody has accepted or labelled
    """

    is_empty: bool
    settles_itself: bool
    is_beyond_cards: bool
    n_wrong: float
    n_gained: float
    doubts: Mapping[int, UnitDoubt]


NOT_SAMPLED = Standing(False, False, False, 0.0, 0.0, {})


class Questions:
    """Asks of a state how far each component is, and what an answer would put right.

    asked_by : name of the finding that gives the queue its order, '' where none does
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._start()
        state.opened.connect(self._start)
        state.units_changed.connect(self._relabelled)

    def _start(self) -> None:
        self.asked_by = ""
        self._effects: Mapping[int, float] = {}

    def _relabelled(self, change: Change) -> None:
        """A label of a unit in doubt answers its question."""
        if change.decides:
            return  # the state tells it
        asked = {
            component_id
            for unit in change.relabelled
            for component_id in self._state.places.components_of(unit)
            if (doubt := self.unit_doubts(component_id).get(unit)) is not None and doubt.is_question
        }
        if asked:
            self._state.question_changed(asked)

    def ask_by(self, finding: str, effects: Mapping[int, float]) -> None:
        """Give the queue the order in which answers narrow a finding, or its own again ('').

        effects : what the answer to the question of each component takes away of its variance
        """
        self.asked_by, self._effects = finding, dict(effects)
        self._state.remembered.changed()
        self._state.components_changed.emit(())

    def status(self, component_id: int) -> ComponentStatus:
        """How far a component is."""
        return self._state.components.said.get(component_id) or self._found()[component_id]

    def statuses(self) -> dict[int, ComponentStatus]:
        """The same of each component, in order of id."""
        return {**self._found(), **self._state.components.said}

    def _found(self) -> Mapping[int, ComponentStatus]:
        """How far each component is, whatever was said of its sampling."""
        return self._state.remembered.get(("statuses",), self._find_statuses)

    def _find_statuses(self) -> Mapping[int, ComponentStatus]:
        settled, find = self._settled, self._state.components.found_status
        return {
            one: find(one, is_settled=one in settled or known.is_empty, is_sure=known.settles_itself)
            for one, known in self.standings().items()
        }

    def standing(self, component_id: int) -> Standing:
        """What is known of the question of a component."""
        component = self._state.components.sampled(component_id)
        if component is None:
            return NOT_SAMPLED
        return self._state.remembered.get(("standing", component_id), lambda: self._standing(component_id))

    def standings(self) -> Mapping[int, Standing]:
        """The same of each component, in order of id."""
        ids = self._state.components.ids
        return self._state.remembered.get(("standings",), lambda: {one: self.standing(one) for one in ids})

    def _standing(self, component_id: int) -> Standing:
        component, marks = self._state.components.get(component_id), self._state.history.labels
        assert component is not None
        open_doubts = {
            unit: doubt
            for unit, doubt in self.unit_doubts(component_id).items()
            if not marks.is_accepted(unit) and marks.label(unit) == "unsorted"
        }
        doubts = {unit: doubt for unit, doubt in open_doubts.items() if doubt.is_question}
        by_cards = gain(self._state, component)
        return Standing(
            is_empty=self._state.sortings.is_empty(component),
            settles_itself=not doubts and self._draws_are_sure(component),
            is_beyond_cards=by_cards.is_settled_by_no_card,
            n_wrong=self.misplaced(component_id) + sum(one.n_wrong for one in open_doubts.values()),
            n_gained=by_cards.gained + sum(one.n_gained for one in open_doubts.values()),
            doubts=doubts,
        )

    def is_answered(self, component_id: int) -> bool:
        """Whether there is nothing left to ask, whatever is sampled meanwhile."""
        standing = self.standing(component_id)
        return component_id in self._settled or standing.is_empty or standing.settles_itself

    @property
    def _settled(self) -> frozenset[int]:
        """Components where an alternative was adopted, or all units were accepted."""
        return self._state.remembered.get(
            ("settled",), lambda: self._state.places.settled(self._state.history)
        )

    def _draws_are_sure(self, component: Component) -> bool:
        shown = self._state.sortings.current(component)
        units, places = shown.unit_ids, self._state.places
        if units and all(places.components_of(unit)[0] != component.id for unit in units):
            return True
        if (unit_numbers(self._state, units)["p_exists"] < MORE_PROBABLY).any():
            return False
        return is_sure(component, self._state.sortings.in_use(component), gain(self._state, component).wrong)

    def unit_doubts(self, component_id: int) -> dict[int, UnitDoubt]:
        """How far each unit that is at home in a component may be no neuron's train, however it is sorted."""
        component = self._state.components.get(component_id)
        if component is None:
            return {}
        return self._state.remembered.get(("doubts", component_id), lambda: self._all_doubts(component))

    def _all_doubts(self, component: Component) -> dict[int, UnitDoubt]:
        shown, places = self._state.sortings.current(component), self._state.places
        found = unit_doubts(
            component,
            shown.labels,
            _part(self._state.project, "p_neuron", component),
            _part(self._state.project, "lost", component),
        )
        return {
            shown_unit.unit: doubt
            for shown_unit, doubt in zip(shown.units, found, strict=bool(found))
            if shown_unit.unit is not None and places.components_of(shown_unit.unit)[0] == component.id
        }

    def misplaced(self, component_id: int) -> float:
        """Spikes of a component that are expected to be in a wrong unit; 0 before it is sampled."""
        component = self._state.components.get(component_id)
        return 0.0 if component is None else gain(self._state, component).wrong

    def n_units(self, component_id: int, index: int) -> int:
        """Number of units of a sampled component with one of its alternatives: what its card shows."""
        component = self._state.components.get(component_id)
        return 0 if component is None else self._state.sortings.n_units(component, index)

    def is_beyond_cards(self, component_id: int) -> bool:
        """Whether no card settles the question of a component, and nobody has."""
        return self.standing(component_id).is_beyond_cards and not self.status(component_id).is_settled

    def queue_order(self) -> list[int]:
        """Components that may have units: questions first, those whose answer is expected to gain most before
        others; then what waits; then what no card settles; then what is settled. Empty ones are none.

        Where a finding was named (`ask_by`), questions that narrow it most come first.
        """
        return [*self._state.remembered.get(("queue order",), self._queue_order)]

    def _queue_order(self) -> list[int]:
        components, standings, found = self._state.components, self.standings(), self._found()

        def key(component_id: int) -> tuple[int, float, float, int]:
            if components.sampled(component_id) is None:
                return (1, 0.0, -float(len(components.spike_ids(component_id))), component_id)
            standing = standings[component_id]
            place = 3 if found[component_id].is_settled else 2 if standing.is_beyond_cards else 0
            return (place, -self._effects.get(component_id, 0.0), -standing.n_gained, component_id)

        return sorted((one for one, standing in standings.items() if not standing.is_empty), key=key)

    def wrong_left(self) -> float:
        """Spikes that are expected to be in a wrong unit where there is still something to ask."""
        statuses = self.statuses()
        return sum(
            standing.n_wrong
            for one, standing in self.standings().items()
            if standing is not NOT_SAMPLED and not statuses[one].is_settled
        )


def _part(
    project: Project | None, name: Literal["p_neuron", "lost"], component: Component
) -> NDArray[np.float32] | None:
    """What matching says of the spikes of a component, None where it says nothing."""
    known: NDArray[np.float32] | None = None if project is None else getattr(project, name)
    return None if known is None else known[component.spike_ids]
