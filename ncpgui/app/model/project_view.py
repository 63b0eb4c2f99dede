"""What is known of the open project: its components, their units, what of them is worth asking."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import ColorBook
from ncpgui.app.model.component_status import ComponentStatus
from ncpgui.app.model.components import Components
from ncpgui.app.model.open_questions import UnitDoubt, expected_wrong_of, is_sure, unit_doubts
from ncpgui.app.model.remembered import Remembered
from ncpgui.app.model.sortings import Sortings
from ncpgui.app.words import unit_names
from ncpgui.core.component import Component
from ncpgui.core.project import Project
from ncpgui.curation.clustering import Clustering
from ncpgui.curation.conditioned import Given
from ncpgui.curation.history import History
from ncpgui.curation.unit_places import UnitPlaces
from ncpgui.evidence.gain import Gain
from ncpgui.evidence.units import MORE_PROBABLY, UnitNumbers, component_gain, p_neuron, united
from ncpgui.sorting.neuron_probability import shown_label

Value = TypeVar("Value")


class ProjectView:
    """The open project as panels read it; `OpenProject` changes it.

    asked_by : name of the finding that gives the queue its order, '' where none does
    """

    asked_by: str = ""
    _effects: Mapping[int, float] = MappingProxyType({})

    project: Project | None
    history: History
    _components: Components
    _places: UnitPlaces
    _sortings: Sortings
    _remembered: Remembered

    @property
    def clustering(self) -> Clustering:
        """Unit of every spike as it stands."""
        return self.history.clustering

    @property
    def colors(self) -> ColorBook:
        """Colour of every unit."""
        return self._sortings.colors

    @property
    def component_ids(self) -> list[int]:
        """Ids of all components, sampled or not."""
        return self._components.ids

    def n_spikes(self, component_id: int) -> int:
        """Count the spikes of a component."""
        return self._components.n_spikes(component_id)

    def status(self, component_id: int) -> ComponentStatus:
        """How far a component is."""
        return self._components.status(
            component_id,
            lambda: self._is_settled(component_id),
            lambda: self._is_sure(component_id),
        )

    def _is_settled(self, component_id: int) -> bool:
        """Whether an alternative was adopted, all units were accepted, or there are none to decide on."""
        settled = self.memo(("settled",), lambda: self._places.settled(self.history))
        return component_id in settled or self.is_empty(component_id)

    def _is_sure(self, component_id: int) -> bool:
        """Whether nothing needs to be asked (`open_questions`), or it is asked in another component."""
        component = self._components.get(component_id)
        if component is None or self.doubts(component_id):
            return False
        return self.memo(("sure", component_id), lambda: self._draws_are_sure(component))

    def _draws_are_sure(self, component: Component) -> bool:
        shown = self._sortings.current(component)
        units = [unit.unit for unit in shown.units if unit.unit is not None]
        if units and all(self.components_of(unit)[0] != component.id for unit in units):
            return True
        if any(self.unit_numbers(unit).p_exists < MORE_PROBABLY for unit in units):
            return False
        return is_sure(component, self._sortings.in_use(component), self._misplaced(component))

    def expected_wrong(self, component_id: int) -> float:
        """Spikes of a component that are expected to be in a wrong unit, 0 while it is not sampled.

        Those that were lost count, and those of units that may be no neurons, until a person has said what
        such a unit is.
        """
        component = self._components.get(component_id)
        if component is None:
            return 0.0
        open_doubts = self._open_doubts(component_id).values()
        return self._misplaced(component) + sum(doubt.n_wrong for doubt in open_doubts)

    def unit_doubts(self, component_id: int) -> dict[int, UnitDoubt]:
        """How far each unit that is at home in a component may be no neuron's train, however it is sorted."""
        component = self._components.get(component_id)
        if component is None:
            return {}
        return self.memo(("doubts", component_id), lambda: self._all_doubts(component))

    def doubts(self, component_id: int) -> dict[int, UnitDoubt]:
        """Units of a component that are a question themselves, which nobody has answered."""
        doubts = self._open_doubts(component_id)
        return {unit: doubt for unit, doubt in doubts.items() if doubt.is_question}

    def is_doubted(self, component_id: int, units: Iterable[int]) -> bool:
        """Whether one of these units is a question of a component, before a person says what it is."""
        known = self.unit_doubts(component_id)
        return any(unit in known and known[unit].is_question for unit in units)

    def _misplaced(self, component: Component) -> float:
        return self.memo(
            ("wrong", component.id),
            lambda: expected_wrong_of(
                component,
                self._sortings.current(component).labels,
                _part(self.project, "p_neuron", component),
            ),
        )

    def _open_doubts(self, component_id: int) -> dict[int, UnitDoubt]:
        """Those of units that nobody has accepted or labelled."""
        marks = self.history.labels
        return {
            unit: doubt
            for unit, doubt in self.unit_doubts(component_id).items()
            if not marks.is_accepted(unit) and marks.label(unit) == "unsorted"
        }

    def _all_doubts(self, component: Component) -> dict[int, UnitDoubt]:
        shown = self._sortings.current(component)
        found = unit_doubts(
            component,
            shown.labels,
            _part(self.project, "p_neuron", component),
            _part(self.project, "lost", component),
        )
        return {
            shown_unit.unit: doubt
            for shown_unit, doubt in zip(shown.units, found, strict=bool(found))
            if shown_unit.unit is not None and self.components_of(shown_unit.unit)[0] == component.id
        }

    def given(self, component_id: int) -> Given | None:
        """A component given what was decided, and the condition; None while it is not sampled."""
        return self._components.given_of(component_id)

    def sampled_component(self, component_id: int) -> Component | None:
        """A component as it was sampled, whatever was decided since."""
        return self._components.sampled(component_id)

    def whole_as_sampled(self, component_id: int) -> Component:
        """A sampled component before any decision, with the rarer sortings that somebody asked for."""
        sampled = self._components.sampled(component_id)
        assert sampled is not None
        return self._components.given.whole(sampled)

    def is_decided(self, component_id: int) -> bool:
        """Whether something that was decided weighs the draws of a component."""
        given = self.given(component_id)
        return given is not None and given.is_decided_since

    def misplaced(self, component_id: int) -> float:
        """Spikes of a component that are expected to be in a wrong unit; 0 before it is sampled."""
        component = self._components.get(component_id)
        return 0.0 if component is None else self._misplaced(component)

    def n_rarer(self, component_id: int) -> int:
        """Number of sortings that are shown although they are too rare for a card of their own."""
        sampled, whole = self._components.sampled(component_id), self._components.get(component_id)
        return 0 if sampled is None or whole is None else len(whole.alternatives) - len(sampled.alternatives)

    def is_empty(self, component_id: int) -> bool:
        """Whether a sampled component has no units, whichever of its alternatives is used."""
        component = self._components.get(component_id)
        return component is not None and self._sortings.is_empty(component)

    def n_units(self, component_id: int, index: int) -> int:
        """Number of units of a sampled component with one of its alternatives: what its card shows."""
        component = self._components.get(component_id)
        return 0 if component is None else self._sortings.n_units(component, index)

    def expected_gain(self, component_id: int) -> float:
        """Spikes that an answer is expected to put right: which card it is (`evidence.gain`), what units are.

        What may be noise gains the spikes of the less probable answer, until a person has said what it is.
        """
        component = self._components.get(component_id)
        if component is None:
            return 0.0
        return self._gain(component).gained + sum(
            doubt.n_gained for doubt in self._open_doubts(component_id).values()
        )

    def is_beyond_cards(self, component_id: int) -> bool:
        """Whether no card settles the question of a component, and nobody has."""
        component = self._components.get(component_id)
        if component is None or self.status(component_id).is_settled:
            return False
        return self._gain(component).is_settled_by_no_card

    def _gain(self, component: Component) -> Gain:
        assert self.project is not None
        project, labels = self.project, self._sortings.current(component).sampled_labels
        return self.memo(("gain", component.id), lambda: component_gain(project, component, labels))

    def queue_order(self) -> list[int]:
        """Components that may have units: questions first, those whose answer is expected to gain most before
        others; then what waits; then what no card settles; then what is settled. Empty ones are none.

        Where a finding was named (`Workspace.ask_by`), questions that narrow it most come first.
        """

        def key(component_id: int) -> tuple[int, float, float, int]:
            if self._components.sampled(component_id) is None:
                return (1, 0.0, -float(self.n_spikes(component_id)), component_id)
            settled = self.status(component_id).is_settled
            place = 3 if settled else 2 if self.is_beyond_cards(component_id) else 0
            effect = self._effects.get(component_id, 0.0)
            return (place, -effect, -self.expected_gain(component_id), component_id)

        return sorted((one for one in self.component_ids if not self.is_empty(one)), key=key)

    def wrong_left(self) -> float:
        """Spikes that are expected to be in a wrong unit where there is still something to ask."""
        return sum(
            self.expected_wrong(one)
            for one in self.component_ids
            if self._components.sampled(one) is not None and not self.status(one).is_settled
        )

    def main_channel(self, unit: int) -> int:
        """Channel on which most spikes of a unit are largest."""
        return self._places.main_channel(unit)

    def components_of(self, unit: int) -> tuple[int, ...]:
        """Components that have spikes of a unit, the one with most of them first."""
        return self._places.components_of(unit)

    def contact(self, component_id: int) -> int:
        """Reference contact of a component, where it is shown on the probe."""
        return self._components.contact(component_id)

    def at_contact(self, contact: int) -> tuple[int, ...]:
        """Components that have spikes whose main channel is a contact, the one with most of them first."""
        return self._components.at_contact(contact)

    def units_at(self, contact: int) -> tuple[int, ...]:
        """Units that are largest on a contact, where there are no components: without raw data."""
        if self.component_ids:
            return ()
        return self.memo(("units at",), self._units_at).get(contact, ())

    def _units_at(self) -> dict[int, tuple[int, ...]]:
        found: dict[int, tuple[int, ...]] = {}
        for unit in self.clustering.unit_ids.tolist():
            contact = self.main_channel(unit)
            found[contact] = (*found.get(contact, ()), unit)
        return found

    def name(self, component_id: int) -> str:
        """What a component is called within a sentence: its units and where it is."""
        place = f"around contact {self.contact(component_id)}"
        return f"{self.units_of(component_id) or 'the spikes'} {place}"

    def units_of(self, component_id: int) -> str:
        """Units of a component in words; '' when it has none, or is not sampled."""
        names = self.unit_names(component_id)
        return unit_names(names) if names else ""

    def unit_names(self, component_id: int) -> tuple[str, ...] | None:
        """Names of the units of a component, in order of number; None while it is not sampled."""
        component = self._components.get(component_id)
        if component is None:
            return None
        units = self._sortings.current(component).units
        return tuple(str(unit) for unit in sorted(shown.unit for shown in units if shown.unit is not None))

    def unit_numbers(self, unit: int) -> UnitNumbers:
        """What is known of a unit as it stands in all its components."""
        parts = []
        for component_id in () if self._sortings.is_unknown(unit) else self._places.components_of(unit):
            component = self._components.get(component_id)
            if component is not None:
                shown = self._sortings.current(component)
                row = next(row for row, other in enumerate(shown.units) if other.unit == unit)
                beyond = self._gain(component).is_settled_by_no_card
                parts.append(shown.numbers.part(row, is_beyond_cards=beyond))
        return united(parts, p_neuron=self.p_neuron(unit))

    def numbers_before(self, unit: int) -> UnitNumbers | None:
        """What was known of a unit, as it stands, before any decision; None where nothing was decided."""
        homes = () if self._sortings.is_unknown(unit) else self._places.components_of(unit)
        if not any(self.is_decided(one) for one in homes):
            return None
        parts = []
        for component_id in homes:
            component, drawn = self._components.get(component_id), self._components.sampled(component_id)
            if component is not None and drawn is not None:
                shown = self._sortings.current(component)
                before = self.memo(("numbers before", component_id), partial(shown.numbers_before, drawn))
                parts.append(before.part(next(k for k, one in enumerate(shown.units) if one.unit == unit)))
        return united(parts, p_neuron=self.p_neuron(unit))

    def unit_label(self, unit: int) -> str:
        """Label of a unit: what a person says, else noise or mua by the posterior, else unsorted."""
        numbers = self.unit_numbers(unit)
        return shown_label(
            self.history.labels.label(unit),
            numbers.p_neuron,
            numbers.p_pure,
            is_beyond_cards=numbers.is_beyond_cards,
        )

    def p_neuron(self, unit: int) -> float:
        """P(a unit is one or more cells), the mean over its spikes; nan where it is not known."""
        return (
            float("nan") if self.project is None else p_neuron(self.project, self.clustering.spikes_of(unit))
        )

    def memo(self, key: tuple[Any, ...], make: Callable[[], Value]) -> Value:
        """Value of `make()`, remembered by the version of a component: key is (name, id, ...) or (name,)."""
        return self._remembered.get(key, make)


def _part(
    project: Project | None, name: Literal["p_neuron", "lost"], component: Component
) -> NDArray[np.float32] | None:
    """What matching says of the spikes of a component, None where it says nothing."""
    known: NDArray[np.float32] | None = None if project is None else getattr(project, name)
    return None if known is None else known[component.spike_ids]
