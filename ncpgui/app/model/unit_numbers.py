"""What is known of a unit of the open project as it stands, in all components that have its spikes."""

from __future__ import annotations

from functools import partial

from ncpgui.app.model.state import State
from ncpgui.core.component import Component
from ncpgui.evidence import units as evidence
from ncpgui.evidence.gain import Gain
from ncpgui.evidence.units import UnitNumbers, component_gain, united
from ncpgui.sorting.neuron_probability import shown_label


def unit_numbers(state: State, unit: int) -> UnitNumbers:
    """Numbers of a unit, given what was decided."""
    parts = []
    for component_id in _homes(state, unit):
        component = state.components.get(component_id)
        if component is not None:
            shown = state.sortings.current(component)
            beyond = gain(state, component).is_settled_by_no_card
            parts.append(shown.numbers.part(shown.row_of(unit), is_beyond_cards=beyond))
    return united(parts, p_neuron=p_neuron(state, unit))


def numbers_before(state: State, unit: int) -> UnitNumbers | None:
    """Numbers of a unit, as it stands, before any decision; None where nothing was decided."""
    homes = _homes(state, unit)
    if not any(state.is_decided(one) for one in homes):
        return None
    parts = []
    for component_id in homes:
        component, drawn = state.components.get(component_id), state.components.sampled(component_id)
        if component is not None and drawn is not None:
            shown = state.sortings.current(component)
            key = ("numbers before", component_id)
            before = state.remembered.get(key, partial(shown.numbers_before, drawn))
            parts.append(before.part(shown.row_of(unit)))
    return united(parts, p_neuron=p_neuron(state, unit))


def unit_label(state: State, unit: int) -> str:
    """Label of a unit: what a person says, else noise or mua by the posterior, else unsorted."""
    numbers = unit_numbers(state, unit)
    return shown_label(
        state.history.labels.label(unit),
        numbers.p_neuron,
        numbers.p_pure,
        is_beyond_cards=numbers.is_beyond_cards,
    )


def p_neuron(state: State, unit: int) -> float:
    """P(a unit is one or more cells), the mean over its spikes; nan where it is not known."""
    if state.project is None:
        return float("nan")
    return evidence.p_neuron(state.project, state.clustering.spikes_of(unit))


def gain(state: State, component: Component) -> Gain:
    """What the answer to the question of a component is expected to gain."""
    assert state.project is not None
    project, labels = state.project, state.sortings.current(component).sampled_labels
    return state.remembered.get(("gain", component.id), lambda: component_gain(project, component, labels))


def _homes(state: State, unit: int) -> tuple[int, ...]:
    """Components whose posterior tells of a unit as it is."""
    return () if state.sortings.is_unknown(unit) else state.places.components_of(unit)
