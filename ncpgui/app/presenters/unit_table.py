"""Units on screen, or of the whole recording, with what is known of each: a `UnitTable` of the window.

Its columns are those of exports (`core.unit_table.measured_units`, `evidence.units.NUMBERS`) and what only
the window knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.analysis.refractory_violations import refractory_violations
from ncpgui.analysis.unit_metrics import UnitMetrics
from ncpgui.app.model.shown_sorting import ShownSorting
from ncpgui.app.model.state import State
from ncpgui.app.model.unit_numbers import label_of, numbers_before, unit_numbers
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.why_empty import NO_UNITS, why_nothing
from ncpgui.core.project import Project
from ncpgui.core.unit_table import UnitTable, measured_units, most_frequent, stacked
from ncpgui.evidence.units import p_neuron, part_of_units, united

NO_METRICS = UnitMetrics()
METRICS = tuple(vars(NO_METRICS))
NOT_TOLD: dict[str, Any] = {
    "color": "", "label": "unsorted", "name": "", "tag": "", "note": "", "made": "", "is_label_given": False,
    "accepted": False, "p_pure_before": np.nan, "p_complete_before": np.nan, **vars(NO_METRICS),
}  # fmt: skip
"""Columns that are told of units, and their values where nothing is."""
Metrics = Callable[[Iterable[int]], Mapping[int, UnitMetrics]]


def unit_table_message(workspace: Workspace) -> str:
    """Return what to show where there are no rows."""
    return why_nothing(workspace, "Units") if workspace.shown() is None else NO_UNITS


def present_unit_table(
    workspace: Workspace, *, all_units: bool = False, metrics: Metrics | None = None
) -> UnitTable:
    """The units on screen, or all units; metrics(units) : those that are known.

    Of a preview, rows are those of what adopting it would give, then those of the units that it replaces.

    Columns, beside those of exports: violations, the share of intervals under 1.5 ms; color, a `Color`;
    accepted; label, a person's, else by P(neuron), and is_label_given, whether it is a person's; name, in the
    sorting that is reviewed, '' if that is its number; tag, note, a person's own, '' for none; p_pure_before,
    p_complete_before, before any decision, nan where nothing was decided; SpikeInterface's metrics
    (`UnitMetrics`), nan where they were not computed; made, what a unit is called that only adopting the
    preview would make, which has no number (its id is below -1), '' of a unit in use.
    """
    state, project = workspace.state, workspace.state.project
    if project is None:
        return UnitTable(np.zeros(0, np.int64), {})
    is_all = all_units or not state.components.ids  # all there are, where there are no questions
    in_use = _in_use(workspace, project, all_units=is_all, metrics=metrics)
    shown = None if all_units else workspace.shown()
    if shown is None or not shown.is_preview:
        return in_use
    known = in_use.ids.tolist()
    row_of = {-2 - row if unit.unit is None else unit.unit: row for row, unit in enumerate(shown.units)}
    made = {number: row for number, row in row_of.items() if number not in known}
    return stacked(_made(workspace, project, shown, made), in_use).of(dict.fromkeys((*row_of, *known)))


def _in_use(workspace: Workspace, project: Project, *, all_units: bool, metrics: Metrics | None) -> UnitTable:
    """Units in use: all of them by number, or those on screen, the largest of each component first."""
    state = workspace.state
    measured = _measured_in_use(workspace, project, all_units=all_units)
    units = measured.ids.tolist()
    numbers, before = unit_numbers(state, units), numbers_before(state, units)
    computed = {} if metrics is None else metrics(units)
    marks = [state.history.labels.mark(unit) for unit in units]
    names = project.given.called(units) if project.given is not None and project.given.names else {}
    return _told(
        measured,
        numbers,
        color=[workspace.coloring.of_unit(unit) for unit in units],
        label=[label_of(state, row) for row in numbers.rows()],
        is_label_given=[mark.label != "unsorted" for mark in marks],
        accepted=[mark.accepted for mark in marks],
        name=[str(names.get(unit, "")) for unit in units],
        tag=[mark.tag for mark in marks],
        note=[mark.note for mark in marks],
        p_pure_before=before["p_pure"],
        p_complete_before=before["p_complete"],
        **{name: [getattr(computed.get(unit, NO_METRICS), name) for unit in units] for name in METRICS},
    )


def _measured_in_use(workspace: Workspace, project: Project, *, all_units: bool) -> UnitTable:
    """What is measured of the units in use that are listed, in the order of the table."""
    state = workspace.state
    components = state.components.ids if all_units else workspace.components_on_screen
    tables = [
        state.remembered.get(("measured units", one), partial(_of_component, workspace, project, one))
        for one in components
    ]
    tables.append(state.remembered.get(("other measured units",), partial(_of_no_component, state, project)))
    is_asked = [*(all_units or one == workspace.component_id for one in components), all_units]
    found = stacked(*tables)
    listed = np.repeat(is_asked, [len(table) for table in tables])
    found = found.take(listed | np.isin(found.ids, workspace.drawn_together))
    first = np.unique(found.ids, return_index=True)[1]
    return found.take(first if all_units else np.sort(first))


def _of_component(workspace: Workspace, project: Project, component_id: int) -> UnitTable:
    """All units that have spikes in a component; of one that is not sampled, those of matching."""
    sorting, state = workspace.current_of(component_id), workspace.state
    waiting = () if sorting else sorted(state.places.units_in(state.components.spike_ids(component_id)))
    units = waiting if sorting is None else sorting.unit_ids
    return _measured(project, {unit: state.clustering.spikes_of(unit) for unit in units})


def _of_no_component(state: State, project: Project) -> UnitTable:
    """The units that have no spikes in any component."""
    units = [unit for unit in state.clustering.unit_ids.tolist() if not state.places.components_of(unit)]
    return _measured(project, {unit: state.clustering.spikes_of(unit) for unit in units})


def _made(
    workspace: Workspace, project: Project, shown: ShownSorting, row_of: Mapping[int, int]
) -> UnitTable:
    """Units that adopting a preview would make, or keep with other spikes; row_of : in `shown`, by number."""
    units = {number: shown.units[row] for number, row in row_of.items()}
    spike_ids = {number: shown.component.spike_ids[unit.positions] for number, unit in units.items()}
    parts: dict[int, UnitTable] = {}
    for number, row in row_of.items():
        origin = shown.origin(row)
        if origin is not None and not np.isnan(origin[0].p_exists[origin[1]]):
            parts[number] = part_of_units(origin[0].numbers.units.take(np.array([origin[1]])), [number])
    p = [p_neuron(project, spike_ids[number]) if number in parts else np.nan for number in units]
    return _told(
        _measured(project, spike_ids),
        united(list(units), list(parts.values()), p_neuron=p),
        color=[workspace.coloring.of(shown.component, unit) for unit in units.values()],
        made=[unit.name if unit.unit is None else "" for unit in units.values()],
    )


def _measured(project: Project, spike_ids: Mapping[int, NDArray[np.int64]]) -> UnitTable:
    """What is measured of units, in this order: `core.unit_table.measured_units`, and violations."""
    n_spikes = np.array([len(ids) for ids in spike_ids.values()], dtype=np.int64)
    all_ids = np.concatenate([np.zeros(0, np.int64), *spike_ids.values()])
    channel, rate_hz = project.spikes.channel, project.spikes.sampling_frequency_hz
    found = measured_units(
        np.array(list(spike_ids), dtype=np.int64),
        np.repeat(np.arange(len(n_spikes)), n_spikes),
        amplitude=project.spikes.amplitude[all_ids],
        main_channel={unit: most_frequent(channel[ids]) for unit, ids in spike_ids.items()},
        probe=project.probe,
        duration_s=project.spikes.duration_s,
    )
    violations = [
        refractory_violations(project.fired[ids], sampling_frequency_hz=rate_hz) for ids in spike_ids.values()
    ]
    return found.with_columns(violations=np.array(violations, dtype=np.float64))


def _told(measured: UnitTable, numbers: UnitTable, **told: Any) -> UnitTable:
    """The table of measured units with their numbers and all that is `told` of them, a value for each."""
    columns = {}
    for name, nothing in NOT_TOLD.items():
        values = told.get(name, [nothing] * len(measured))
        columns[name] = np.array(values, dtype=object if isinstance(nothing, str) else type(nothing))
    return measured.with_columns(**numbers.columns, **columns)
