"""Units that may be the same neuron as the selected one: by the draws, templates and firing times."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import Color
from ncpgui.app.model.shown_sorting import ShownSorting
from ncpgui.app.model.unit_numbers import unit_label
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.why_empty import OPEN_FIRST
from ncpgui.sorting.template_distance import likeness

NEAR_UM = 100.0
"""Units whose main channels are farther apart are not listed, unless a draw says that they are one neuron."""
MOST_LISTED = 30
MAX_LAG = 8
"""Samples at 20 kHz by which mean waveforms may be shifted: those of another component have another contact
at their middle."""
nan = float("nan")


@dataclass(frozen=True)
class SimilarUnit:
    """One unit beside the chosen one; nan where something is not known, or not computed yet.

    p_same : P(both are one neuron), 0 of units that were never in doubt together
    distance_sd, cosine : of mean waveforms on common contacts, at the best lag; unknown where the largest
    contact of one is none of the other's component
    nats : log likelihood of the firing times, one neuron against two
    is_elsewhere : whether it is of another question: no posterior tells of both
    """

    unit: int
    color: Color
    label: str
    channel: int
    n_spikes: int
    p_same: float
    distance_sd: float
    cosine: float
    nats: float
    is_taken: bool
    is_elsewhere: bool


@dataclass(frozen=True)
class SimilarView:
    """The list of one unit, the most probable first; `unit` is None and `message` says why without one."""

    unit: int | None = None
    rows: tuple[SimilarUnit, ...] = ()
    message: str = ""


def present_similar(
    workspace: Workspace, nats: Callable[[int, Sequence[int]], Mapping[int, float]] | None = None
) -> SimilarView:
    """List of the unit that was selected first; nats(unit, others) : of each of these, as far as known."""
    unit = listed_about(workspace)
    if workspace.state.project is None:
        return SimilarView(message=OPEN_FIRST)
    if unit is None:
        return SimilarView(message="Select a unit to see which others may be the same neuron.")
    others = near_by(workspace, unit)
    same, alike = p_same(workspace, unit), _likeness(workspace, unit, others)
    here = set(workspace.state.places.components_of(unit))
    rows = []
    for other in others:
        distance, cosine = alike.get(other, (nan, nan))
        rows.append(
            SimilarUnit(
                unit=other,
                color=workspace.coloring.of_unit(other),
                label=unit_label(workspace.state, other),
                channel=workspace.state.places.main_channel(other),
                n_spikes=len(workspace.state.clustering.spikes_of(other)),
                p_same=same.get(other, 0.0) if here else nan,
                distance_sd=distance,
                cosine=cosine,
                nats=nan,
                is_taken=other in workspace.similar,
                is_elsewhere=bool(here) and not here & set(workspace.state.places.components_of(other)),
            )
        )
    rows = sorted(rows, key=_order)[:MOST_LISTED]
    known = {} if nats is None else nats(unit, [row.unit for row in rows])
    listed = tuple(replace(row, nats=known.get(row.unit, nan)) for row in rows)
    return SimilarView(unit, listed, "" if rows else f"No other unit is near unit {unit}.")


def listed_about(workspace: Workspace) -> int | None:
    """Unit that the list is about: the first that is selected, without those taken from the list."""
    return next(iter(workspace.chosen), None)


def step_similar(workspace: Workspace, step: int) -> None:
    """Take the next unit of the list beside the chosen one (1), or the one before (-1)."""
    rows = present_similar(workspace).rows
    if not rows:
        workspace.state.told.emit(present_similar(workspace).message)
        return
    place = next((k for k, row in enumerate(rows) if row.is_taken), -1) + step
    if place >= len(rows):
        workspace.state.told.emit(f"That was the last unit near unit {listed_about(workspace)}")
        return
    workspace.take_similar([rows[place].unit] if place >= 0 else [])


def near_by(workspace: Workspace, unit: int) -> tuple[int, ...]:
    """Units of a common component, and those whose main channels are near that of a unit."""
    assert workspace.state.project is not None
    positions_um = workspace.state.project.probe.positions_um
    centre = positions_um[workspace.state.places.main_channel(unit)]
    together = {
        one.unit
        for component_id in workspace.state.places.components_of(unit)
        if (sorting := workspace.current_of(component_id)) is not None
        for one in sorting.units
    }
    return tuple(
        other
        for other in workspace.state.clustering.unit_ids.tolist()
        if other != unit
        and (
            other in together
            or math.dist(positions_um[workspace.state.places.main_channel(other)], centre) <= NEAR_UM
        )
    )


def _order(row: SimilarUnit) -> tuple[float, float, int]:
    """The most probable first, then the most similar; what is unknown after what is known."""
    p_same = -1.0 if math.isnan(row.p_same) else row.p_same
    return -p_same, math.inf if math.isnan(row.distance_sd) else row.distance_sd, row.unit


def p_same(workspace: Workspace, unit: int) -> dict[int, float]:
    """P(same neuron) with each unit of a common component; a mean over these, by spikes of the smaller."""
    sums: dict[int, float] = {}
    weights: dict[int, int] = {}
    for component_id in workspace.state.places.components_of(unit):
        sorting = workspace.current_of(component_id)
        if sorting is None:
            continue
        rows = {one.unit: row for row, one in enumerate(sorting.units)}
        table = workspace.state.remembered.get(("same neuron", component_id), partial(_table, sorting))
        for other, row in rows.items():
            if other is None or other == unit:
                continue
            sizes = [sorting.units[one].n_spikes for one in (row, rows[unit])]
            sums[other] = sums.get(other, 0.0) + min(sizes) * float(table[rows[unit], row])
            weights[other] = weights.get(other, 0) + min(sizes)
    return {other: sums[other] / weights[other] for other in sums}


def _table(sorting: ShownSorting) -> NDArray[np.float64]:
    from ncpgui.evidence.same_neuron import same_neuron  # the window opens without SciPy

    component = sorting.component
    return same_neuron(
        component.posterior,
        sorting.sampled_labels,
        stands_for=component.spikes_each,
        n_units=len(sorting.units),
    )


def _likeness(workspace: Workspace, unit: int, others: tuple[int, ...]) -> dict[int, tuple[float, float]]:
    """Distance and cosine of the mean waveforms of a unit and others, where these are at hand."""
    own = mean_waveform(workspace, unit)
    if own is None:
        return {}
    contacts, waveform = own
    result = {}
    for other in others:
        found = mean_waveform(workspace, other)
        if found is None:
            continue
        common, mine, theirs = np.intersect1d(contacts, found[0], return_indices=True)
        if not {deepest(*own), deepest(*found)} <= set(common.tolist()):
            continue  # one is hardly seen where the other was cut out
        pair = np.stack([waveform[:, mine], found[1][:, theirs]])
        distance = float(likeness(pair, max_lag=MAX_LAG).distance[0, 1])
        one, two = (pair.astype(np.float64) ** 2).sum(axis=(1, 2))
        product = (one + two - distance**2) / 2
        result[other] = distance, float(product / np.sqrt(one * two)) if one * two > 0 else nan
    return result


def deepest(contacts: NDArray[np.int64], waveform: NDArray[np.float32]) -> int:
    """Contact on which a mean waveform is largest."""
    return int(contacts[np.ptp(waveform, axis=0).argmax()])


def mean_waveform(workspace: Workspace, unit: int) -> tuple[NDArray[np.int64], NDArray[np.float32]] | None:
    """Contacts and mean waveform (32, C) in the component with most of its spikes; None if unknown."""
    component_id = next(iter(workspace.state.places.components_of(unit)), None)
    if component_id is None:
        return _mean_template(workspace, unit)
    sorting, waveforms = workspace.current_of(component_id), workspace.waveforms(component_id)
    if sorting is None or waveforms is None:
        return None

    def means() -> dict[int | None, NDArray[np.float32]]:
        labels = sorting.sampled_labels
        return {
            one.unit: waveforms.waveforms[labels == row].mean(axis=0)
            for row, one in enumerate(sorting.units)
            if (labels == row).any()
        }

    known = workspace.state.remembered.get(("mean waveforms", component_id), means).get(unit)
    return None if known is None else (sorting.component.contacts, known)


def _mean_template(workspace: Workspace, unit: int) -> tuple[NDArray[np.int64], NDArray[np.float32]] | None:
    """The same of a unit of a sorting without recording, as its templates have it; None without them."""
    shapes = workspace.state.shapes
    if shapes is None:
        return None
    known: dict[int, tuple[NDArray[np.int64], NDArray[np.float32]]]
    known = workspace.state.remembered.get(("mean templates",), dict)
    if unit not in known:
        mean = shapes.mean(workspace.state.clustering.spikes_of(unit))
        contacts = np.sort(shapes.contacts_of(workspace.state.clustering.spikes_of(unit)))
        known[unit] = contacts, mean[:, contacts]
    return known[unit]
