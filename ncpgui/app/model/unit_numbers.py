"""What is known of units of the open project as they stand, in all components that have their spikes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ncpgui.app.model.shown_sorting import ShownSorting
from ncpgui.app.model.state import State
from ncpgui.core.component import Component
from ncpgui.core.unit_table import Row, UnitTable
from ncpgui.evidence import units as evidence
from ncpgui.evidence.gain import Gain
from ncpgui.evidence.units import component_gain, part_of_units, united
from ncpgui.sorting.neuron_probability import shown_label


def unit_numbers(state: State, units: Sequence[int]) -> UnitTable:
    """Numbers of units, given what was decided: `evidence.units.NUMBERS` and is_beyond_cards."""

    def part(shown: ShownSorting, ids: Sequence[int]) -> UnitTable:
        beyond = gain(state, shown.component).is_settled_by_no_card
        return part_of_units(shown.numbers.units, ids, is_beyond_cards=beyond)

    found = _united(state, units, units, part)
    _known(state).update(zip(units, found.rows(), strict=True))
    return found


def _known(state: State) -> dict[int, Row]:
    """Numbers of the units that were asked for since the last edit."""
    known: dict[int, Row] = state.remembered.get(("unit numbers",), dict)
    return known


def numbers_before(state: State, units: Sequence[int]) -> UnitTable:
    """The same of units, as they stand, before any decision; nan where nothing was decided."""

    def part(shown: ShownSorting, ids: Sequence[int]) -> UnitTable:
        drawn = state.components.sampled(shown.component.id)
        assert drawn is not None
        key = ("numbers before", drawn.id)
        before = state.remembered.get(key, partial(shown.numbers_before, drawn))
        return part_of_units(before.units, ids)

    decided = [unit for unit in units if any(map(state.is_decided, state.places.components_of(unit)))]
    return _united(state, units, decided, part)


def _united(
    state: State,
    units: Sequence[int],
    asked: Sequence[int],
    part: Callable[[ShownSorting, Sequence[int]], UnitTable],
) -> UnitTable:
    """What all components say of units, nan of those that are not `asked` about, or of which none tells."""
    told = [unit for unit in asked if not state.sortings.is_unknown(unit)]
    parts = []
    for component_id in dict.fromkeys(one for unit in told for one in state.places.components_of(unit)):
        component = state.components.get(component_id)
        if component is not None:
            shown = state.sortings.current(component)
            of_units = part(shown, shown.unit_ids)
            parts.append(of_units.take(np.isin(of_units.ids, told)))
    return united(units, parts, p_neuron=[p_neuron(state, unit) for unit in units])


def unit_label(state: State, unit: int) -> str:
    """Label of a unit: what a person says, else noise or mua by the posterior, else unsorted."""
    if unit not in _known(state):
        unit_numbers(state, (unit,))
    return label_of(state, _known(state)[unit])


def label_of(state: State, numbers: Row) -> str:
    """The same of a unit whose `unit_numbers` are known."""
    return shown_label(
        state.history.labels.label(numbers["id"]),
        numbers["p_neuron"],
        numbers["p_pure"],
        is_beyond_cards=numbers["is_beyond_cards"],
    )


def p_neuron(state: State, unit: int) -> float:
    """P(a unit is one or more cells), the mean over its spikes; nan where it is not known."""
    if state.project is None:
        return float("nan")
    known: dict[int, float] = state.remembered.get(("p neuron",), dict)
    if unit not in known:
        known[unit] = evidence.p_neuron(state.project, state.clustering.spikes_of(unit))
    return known[unit]


def gain(state: State, component: Component) -> Gain:
    """What the answer to the question of a component is expected to gain."""
    assert state.project is not None
    project, labels = state.project, state.sortings.current(component).sampled_labels
    return state.remembered.get(("gain", component.id), lambda: component_gain(project, component, labels))
