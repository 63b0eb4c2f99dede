"""Units on screen, or of the whole recording, with what is measured of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ncpgui.analysis.quality import unit_quality
from ncpgui.analysis.unit_metrics import UnitMetrics
from ncpgui.app.model.colors import Color
from ncpgui.app.model.shown_sorting import ShownSorting
from ncpgui.app.model.unit_numbers import numbers_before, unit_label, unit_numbers
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.why_empty import NO_UNITS, why_nothing
from ncpgui.core.unit_table import most_frequent
from ncpgui.evidence.units import UnitNumbers, united
from ncpgui.evidence.units import p_neuron as unit_p_neuron

NO_METRICS = UnitMetrics()
Metrics = Callable[[Iterable[int]], Mapping[int, UnitMetrics]]


@dataclass(frozen=True)
class UnitRow:
    """One unit of the current sorting.

    component_id : that with most of its spikes, None without one
    amplitude : mean depth of the trough in noise sd (signal to noise); violations : share of intervals under
        1.5 ms
    label : a person's, or else by P(neuron), and whether it `is_label_given` by a person
    name : in the sorting that is reviewed, '' if that is its number; tag, note : a person's own, '' = none
    depth_um : of the main channel along the longer axis of the probe
    numbers : what the posterior says of it; metrics : SpikeInterface's, where they were computed
    before : the numbers before any decision, None where nothing was decided.
    made : what a unit is called that only adopting the preview would make, which has no number: `unit` is
        below -1; '' of a unit in use
    """

    unit: int
    color: Color
    label: str
    is_label_given: bool
    is_accepted: bool
    component_id: int | None
    channel: int
    n_spikes: int
    rate_hz: float
    amplitude: float
    violations: float
    numbers: UnitNumbers
    is_selected: bool
    depth_um: float = float("nan")
    name: str = ""
    tag: str = ""
    note: str = ""
    metrics: UnitMetrics = NO_METRICS
    before: UnitNumbers | None = None
    made: str = ""


def unit_table_message(workspace: Workspace) -> str:
    """Return what to show where there are no rows."""
    return why_nothing(workspace, "Units") if workspace.shown() is None else NO_UNITS


def present_unit_table(
    workspace: Workspace, *, all_units: bool = False, metrics: Metrics | None = None
) -> tuple[UnitRow, ...]:
    """Rows of the units on screen, or of all units; metrics(units) : those that are known.

    Of a preview, rows are those of what adopting it would give, then those of the units that it replaces.
    """
    if workspace.state.project is None:
        return ()
    shown = None if all_units else workspace.shown()
    if shown is not None and shown.is_preview:
        in_use = {row.unit: row for row in _in_use(workspace, all_units=False, metrics=metrics)}
        previewed = tuple(
            in_use[unit.unit] if unit.unit in in_use else _made(workspace, shown, row)
            for row, unit in enumerate(shown.units)
        )
        kept = {row.unit for row in previewed}
        return (*previewed, *(row for row in in_use.values() if row.unit not in kept))
    return _in_use(workspace, all_units=all_units, metrics=metrics)


def _in_use(workspace: Workspace, *, all_units: bool, metrics: Metrics | None) -> tuple[UnitRow, ...]:
    """Rows of units in use."""
    assert workspace.state.project is not None
    all_units = all_units or not workspace.state.components.ids  # all there are, where there are no questions
    shown = workspace.state.components.ids if all_units else workspace.components_on_screen
    others = () if all_units else workspace.drawn_together
    rows: dict[int, UnitRow] = {}
    for component_id in shown:
        for row in workspace.state.remembered.get(
            ("unit rows", component_id), partial(_rows, workspace, component_id)
        ):
            if component_id == workspace.component_id or row.unit in others or all_units:
                rows[row.unit] = row
    for row in workspace.state.remembered.get(("other unit rows",), partial(_others, workspace)):
        if all_units or row.unit in others:
            rows[row.unit] = row
    labels, computed = workspace.state.history.labels, {} if metrics is None else metrics(rows)
    given = workspace.state.project.given
    names = given.called(rows) if given is not None and given.names else {}
    return tuple(
        UnitRow(
            **{
                **vars(rows[unit]),
                "color": workspace.coloring.of_unit(unit),
                "label": unit_label(workspace.state, unit),
                "is_label_given": labels.label(unit) != "unsorted",
                "is_accepted": labels.is_accepted(unit),
                "is_selected": unit in workspace.selected,
                "numbers": unit_numbers(workspace.state, unit),
                "before": numbers_before(workspace.state, unit),
                "name": str(names.get(unit, "")),
                "tag": labels.mark(unit).tag,
                "note": labels.mark(unit).note,
                "metrics": computed.get(unit, NO_METRICS),
            }
        )
        for unit in (sorted(rows) if all_units else rows)
    )


def _rows(workspace: Workspace, component_id: int) -> tuple[UnitRow, ...]:
    """Rows of all units that have spikes in a component; of one that is not sampled, those of matching."""
    sorting = workspace.current_of(component_id)
    if sorting is None:
        state = workspace.state
        units = sorted(state.places.units_in(state.components.spike_ids(component_id)))
        return tuple(_row(workspace, unit, state.sortings.colors.color(unit)) for unit in units)
    return tuple(_row(workspace, one.unit, one.color) for one in sorting.units if one.unit is not None)


def _others(workspace: Workspace) -> tuple[UnitRow, ...]:
    """Rows of the units that have no spikes in any component."""
    units = workspace.state.clustering.unit_ids.tolist()
    return tuple(
        _row(workspace, unit, workspace.state.sortings.colors.color(unit))
        for unit in units
        if not workspace.state.places.components_of(unit)
    )


def _made(workspace: Workspace, shown: ShownSorting, row: int) -> UnitRow:
    """Row of a unit that adopting a preview would make, or keep with other spikes."""
    unit = shown.units[row]
    ids = shown.component.spike_ids[unit.positions]
    assert workspace.state.project is not None
    channel = most_frequent(workspace.state.project.spikes.channel[ids])
    number = -2 - row if unit.unit is None else unit.unit
    made = _row(workspace, number, workspace.coloring.of(shown.component, unit), ids=ids, channel=channel)
    origin = shown.origin(row)
    known = origin is not None and not np.isnan(origin[0].p_exists[origin[1]])
    numbers = UnitNumbers()
    if origin is not None and known:
        p_neuron = unit_p_neuron(workspace.state.project, ids)
        numbers = united([origin[0].numbers.part(origin[1])], p_neuron=p_neuron)
    return replace(made, numbers=numbers, made=unit.name if unit.unit is None else "")


def _row(
    workspace: Workspace,
    unit: int,
    color: Color,
    *,
    ids: NDArray[np.int64] | None = None,
    channel: int | None = None,
) -> UnitRow:
    assert workspace.state.project is not None
    spikes = workspace.state.project.spikes
    ids = workspace.state.clustering.spikes_of(unit) if ids is None else ids
    quality = unit_quality(
        workspace.state.project.fired[ids],
        spikes.amplitude[ids],
        sampling_frequency_hz=spikes.sampling_frequency_hz,
        n_samples=spikes.n_samples,
    )
    channel = workspace.state.places.main_channel(unit) if channel is None else channel
    return UnitRow(
        unit=unit,
        color=color,
        label="unsorted",
        is_label_given=False,
        is_accepted=False,
        component_id=next(iter(workspace.state.places.components_of(unit)), None),
        channel=channel,
        n_spikes=quality.n_spikes,
        rate_hz=quality.rate_hz,
        amplitude=quality.snr,
        violations=quality.refractory_violations,
        numbers=UnitNumbers(),
        is_selected=False,
        depth_um=float(workspace.state.project.probe.depth_um[channel]),
    )
