"""How sortings on screen are made: what the units of a component are, and would be after an edit.

Units that stay as they are keep their number and colour. A new cluster is called after the units that it
comes from (``7+12`` a merge, ``12a`` a part of 12) and takes the colour of the one that gives it most spikes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import Color, ColorBook
from ncpgui.app.model.shown_sorting import CONTAINED, ShownSorting, ShownUnit
from ncpgui.core.component import Alternative, Component
from ncpgui.core.increasing import ABSENT, rows_of
from ncpgui.core.partition import contingency
from ncpgui.core.spikes import UNASSIGNED
from ncpgui.curation.adopt import adopt_command
from ncpgui.curation.clustering import Clustering, unit_codes
from ncpgui.curation.commands import Assign


def current_sorting(
    clustering: Clustering,
    component: Component,
    colors: ColorBook,
    *,
    before: ShownSorting | None = None,
    min_spikes: int = 0,
    unknown: Callable[[int], bool] = lambda _: False,
    decided: Collection[int] = (),
) -> ShownSorting:
    """The units that the spikes of a component have now.

    min_spikes : sampled spikes below which the sorting dropped clusters;
    unknown : whether no posterior tells of a unit as it is; decided : units that a person decided on;
    before : sorting of the component before the last change: a new unit takes the colour of the one that gave
        it most spikes, as its preview did.
    """
    ids = component.spike_ids
    now = clustering.unit_of_spike[ids]
    unit_ids, labels, counts = _ordered(now)
    if before is not None:
        _inherit_colors(before, unit_ids, labels, colors)
    units = tuple(
        ShownUnit(str(unit), colors.color(unit, beside=unit_ids), unit, counts[row], labels, row)
        for row, unit in enumerate(unit_ids)
    )
    return ShownSorting(
        component,
        None,
        units,
        labels,
        lambda: clustering.probability[ids],
        min_spikes,
        frozenset(unit for unit in unit_ids if unknown(unit)),
        frozenset(unit for unit in unit_ids if unit in decided),
    )


def preview_sorting(
    clustering: Clustering,
    component: Component,
    index: int,
    colors: ColorBook,
    *,
    current: ShownSorting | None = None,
    accepted: Collection[int] = (),
) -> ShownSorting:
    """What the units of a component would be after adopting its alternative `index`.

    current : the current sorting, when it is at hand.
    """
    alternative = component.alternatives[index]
    current = current_sorting(clustering, component, colors) if current is None else current
    command = adopt_command(clustering, component, alternative, accepted=accepted)
    shown = sorting_after(clustering, component, command, colors, current=current)
    return replace(
        shown,
        alternative=index,
        assigned=lambda: alternative.probability,
        held=_held(clustering, component, alternative, accepted),
    )


def sorting_after(
    clustering: Clustering,
    component: Component,
    command: Assign | None,
    colors: ColorBook,
    *,
    current: ShownSorting,
    proposal: int = 0,
) -> ShownSorting:
    """What the units of a component would be after a command that gives its spikes to others.

    proposal : its number, see `ShownSorting`
    """
    after, n_here = _after(clustering, component, command)
    codes, labels, counts = _ordered(after)
    names = _names(current, labels, codes)
    chosen = _colors(current, labels, codes, colors)
    units = tuple(
        ShownUnit(
            name=names[row],
            color=chosen[row],
            unit=code if code >= 0 else None,
            n_spikes=counts[row],
            labels=labels,
            row=row,
            is_changed=code < 0,
        )
        for row, code in enumerate(codes)
    )
    n_moved = 0 if command is None else len(command.spike_ids)
    return ShownSorting(
        component,
        None,
        units,
        labels,
        lambda: clustering.probability[component.spike_ids],
        current.min_spikes,
        current.unknown,
        current.decided,
        n_moved=n_moved,
        n_taken_along=n_moved - n_here,
        proposal=proposal,
    )


def n_units_after(
    clustering: Clustering, component: Component, alternative: Alternative, accepted: Collection[int]
) -> int:
    """Number of units that a component would have after adopting an alternative: what a preview shows.

    Where no unit is accepted, those are the clusters of the alternative.
    """
    if not accepted or set(accepted).isdisjoint(
        unit_codes(clustering.unit_of_spike[component.spike_ids])[1].tolist()
    ):
        return int(np.count_nonzero(np.bincount(alternative.labels + 1, minlength=1)[1:]))
    command = adopt_command(clustering, component, alternative, accepted=accepted)
    return len(_ordered(_after(clustering, component, command)[0])[0])


def _after(
    clustering: Clustering, component: Component, command: Assign | None
) -> tuple[NDArray[np.int64], int]:
    """Units of the spikes of a component after a command, new ones -2 and down; how many of them it gives."""
    after = clustering.unit_of_spike[component.spike_ids]
    if command is None:
        return after, 0
    row = rows_of(component.spike_ids, command.spike_ids)
    is_given = row != ABSENT
    cluster = command.cluster[row[is_given]].astype(np.int64)
    after[is_given] = np.where(cluster < 0, UNASSIGNED, -2 - cluster)
    return after, int(np.count_nonzero(is_given))


def _held(
    clustering: Clustering,
    component: Component,
    alternative: Alternative,
    accepted: Collection[int],
) -> tuple[int, ...]:
    """Accepted units that the alternative would change if they were not accepted."""
    now = clustering.unit_of_spike[component.spike_ids]
    here = sorted(set(accepted).intersection(unit_codes(now)[1].tolist()))
    if not here:
        return ()
    free = adopt_command(clustering, component, alternative)
    if free is None:
        return ()
    changed = set(clustering.unit_of_spike[free.spike_ids].tolist())
    return tuple(unit for unit in here if unit in changed)


def _ordered(units: NDArray[np.int64]) -> tuple[list[int], NDArray[np.int32], list[int]]:
    """Distinct units, those with most spikes first; the row of each spike; the spikes of each."""
    code, values = unit_codes(units)
    counts = np.bincount(code, minlength=len(values))
    order = np.lexsort((np.abs(values), -counts))
    order = order[values[order] != UNASSIGNED]
    row = np.full(len(values), -1, dtype=np.int32)
    row[order] = np.arange(len(order))
    return values[order].tolist(), row[code], counts[order].tolist()


def _names(current: ShownSorting, labels: NDArray[np.int32], codes: list[int]) -> list[str]:
    """Names of clusters after the current units that they come from."""
    table = contingency(current.labels, labels)
    table = np.pad(table, [(0, len(current.units) - table.shape[0]), (0, len(codes) - table.shape[1])])
    whole = np.array([unit.n_spikes for unit in current.units])
    parent = [_parent(table[:, row]) if code < 0 else -1 for row, code in enumerate(codes)]
    names: list[str] = []
    parts: dict[int, int] = {}
    for row, code in enumerate(codes):
        inside = np.flatnonzero(table[:, row] >= CONTAINED * np.maximum(whole, 1))
        if code >= 0:
            names.append(str(code))
        elif len(inside) > 1:
            names.append("+".join(current.units[k].name for k in sorted(inside)))
        elif parent[row] >= 0 and parent.count(parent[row]) > 1:
            letter = "abcdefghijklmnopqrstuvwxyz"[parts.get(parent[row], 0) % 26]
            parts[parent[row]] = parts.get(parent[row], 0) + 1
            names.append(f"{current.units[parent[row]].name}{letter}")
        elif len(inside) or parent[row] >= 0:
            names.append(f"{current.units[int(inside[0]) if len(inside) else parent[row]].name}'")
        else:
            names.append("new")
    return _distinct(names)


def _parent(column: NDArray[np.int64]) -> int:
    """Row that most of a cluster's spikes come from, -1 when none has 60 % of them."""
    if len(column) == 0 or column.max() < CONTAINED * column.sum() or column.sum() == 0:
        return -1
    return int(column.argmax())


def _distinct(names: list[str]) -> list[str]:
    """Names with an apostrophe where one is used twice: a rest of 12 beside its parts is 12'."""
    used: set[str] = set()
    result = []
    for name in names:
        while name in used:
            name += "'"
        used.add(name)
        result.append(name)
    return result


def _colors(
    current: ShownSorting, labels: NDArray[np.int32], codes: list[int], colors: ColorBook
) -> list[Color]:
    stays = {code: colors.color(code).index for code in codes if code >= 0}
    given = _heirs(current, labels, codes, stays)
    taken = {*stays.values(), *given.values()}
    result = []
    for row, code in enumerate(codes):
        index = stays[code] if code >= 0 else given.get(row)
        if index is None:
            index = colors.free({*taken, *(unit.color.index for unit in current.units)})
            taken.add(index)
        result.append(Color(index))
    return result


def _inherit_colors(
    before: ShownSorting, codes: list[int], labels: NDArray[np.int32], colors: ColorBook
) -> None:
    known = [code for code in codes if code in colors]
    for row, index in _heirs(before, labels, codes, known).items():
        colors.give(codes[row], index)


def _heirs(
    before: ShownSorting, labels: NDArray[np.int32], codes: list[int], stays: Collection[int]
) -> dict[int, int]:
    """Colour index for rows of `codes` that are not in `stays`: that of the unit it is mostly made of.

    Each unit that does not stay gives its colour to at most one of them, the largest unit first.
    """
    table = contingency(before.labels, labels)
    given: dict[int, int] = {}
    free = [k for k, unit in enumerate(before.units[: len(table)]) if unit.unit not in stays]
    for k in sorted(free, key=lambda k: -before.units[k].n_spikes):
        row = int(table[k].argmax()) if table[k].size else 0
        if table[k].any() and codes[row] not in stays and row not in given:
            given[row] = before.units[k].color.index
    return given
