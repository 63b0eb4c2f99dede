"""Units of any components drawn together, as if their spikes were those of one component.

What panels draw of a selection that reaches beyond the question on screen: the spikes of its units, and their
waveforms on common contacts. Nothing is decided here: alternatives and posteriors stay with their components.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.shown_sorting import ShownSorting, ShownUnit
from ncpgui.app.model.state import State
from ncpgui.core.component import Component, ComponentWaveforms
from ncpgui.core.given_shapes import GivenShapes
from ncpgui.core.increasing import ABSENT, rows_of
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.project import Project
from ncpgui.core.unit_table import most_frequent
from ncpgui.core.waveform_format import N_SAMPLES

TOGETHER = -2
"""Id of the component that units make up while they are drawn together."""
MOST_CONTACTS = 16
MOST_WAVEFORMS = 2000
"""Waveforms that are drawn together, evenly through the recording: as many of each unit."""
N_AXES = 8
MOST_FOR_AXES = 120


@dataclass(frozen=True, eq=False)
class Drawn:
    """One unit: how it is shown, all its spikes that are drawn, and where it comes from.

    spike_ids : (n,) increasing; channel : on which most of them are largest
    origins : sortings of components that have some of its spikes, each with the row of the unit
    """

    unit: ShownUnit
    spike_ids: NDArray[np.int64]
    channel: int
    origins: tuple[tuple[ShownSorting, int], ...] = ()


@dataclass(frozen=True, eq=False)
class TogetherSorting(ShownSorting):
    """The units that are drawn together, in the order in which they were selected."""

    drawn: tuple[Drawn, ...] = ()

    def origin(self, row: int) -> tuple[ShownSorting, int] | None:
        """The component that a unit is of; None where it is of several, or of none."""
        origins = self.drawn[row].origins
        return origins[0] if len(origins) == 1 else None

    @cached_property
    def probability(self) -> NDArray[np.float32]:
        """(n,) P(spike belongs to its unit as it stands), nan where unknown."""
        found = np.full(len(self.labels), np.nan, np.float32)
        for one in self.drawn:
            for sorting, row in one.origins:
                own = sorting.units[row].positions
                at = rows_of(sorting.component.spike_ids[own], self.component.spike_ids)
                found[at[at != ABSENT]] = sorting.probability[own[at != ABSENT]]
        return found


class TogetherWaveforms(ComponentWaveforms):
    """Waveforms on the contacts of the screen, nan where they are not known."""

    def __init__(self, waveforms: NDArray[np.float32]) -> None:
        super().__init__(waveforms, np.zeros((len(waveforms), 0), np.float32))
        del self.__dict__["features"]

    @cached_property
    def features(self) -> NDArray[np.float32]:  # type: ignore[override]
        """(m, 8) principal components of these waveforms, the contacts that are not known taken as flat."""
        return main_axes(self.waveforms)


class ShapeWaveforms(ComponentWaveforms):
    """Templates as high as each spike, and the features that the sorter kept of single spikes, if any."""

    def __init__(
        self,
        shapes: GivenShapes,
        spike_ids: NDArray[np.int64],
        sampled: NDArray[np.int64],
        contacts: NDArray[np.int64],
    ) -> None:
        features = shapes.features_of(spike_ids[sampled], contacts)
        super().__init__(shapes.waveforms(spike_ids[sampled], contacts), features)
        self.__dict__.update(_shapes=shapes, _spike_ids=spike_ids, _contacts=contacts)
        del self.__dict__["coordinates"]

    @cached_property
    def coordinates(self) -> NDArray[np.float32] | None:  # type: ignore[override]
        """(n, P * C) features of all spikes; None where some have none."""
        shapes, ids = self.__dict__["_shapes"], self.__dict__["_spike_ids"]
        is_known = shapes.has_features and len(shapes.some_of(ids)) == len(ids)
        return shapes.features_of(ids, self.__dict__["_contacts"]) if is_known else None


def main_axes(waveforms: NDArray[np.float32]) -> NDArray[np.float32]:
    """First principal components (m, <= 8) of waveforms (m, T, C): the axes are those of at most 120."""
    flat = waveforms.reshape(len(waveforms), -1)
    flat = np.where(np.isnan(flat), np.float32(0), flat)
    if flat.size == 0:
        return np.zeros((len(flat), 0), np.float32)
    some = flat[evenly(len(flat), MOST_FOR_AXES)]
    centre = some.mean(axis=0)
    _, vectors = np.linalg.eigh((some - centre) @ (some - centre).T)
    axes, _ = np.linalg.qr((some - centre).T @ vectors[:, ::-1][:, :N_AXES])
    return np.asarray(flat @ axes - centre @ axes, dtype=np.float32)


def units_together(
    state: State,
    units: Sequence[int],
    waveforms: dict[int, ComponentWaveforms],
    *,
    like: ShownSorting | None = None,
) -> tuple[TogetherSorting, ComponentWaveforms | None]:
    """Units in use as one sorting of one component, after the units of a preview or a proposal (`like`).

    The other arguments, and what is returned, as of `drawn_together`
    """
    assert state.project is not None
    rows = [] if like is None else [_of_preview(state.project, like, row) for row in range(len(like.units))]
    rows += [_in_use(state, unit) for unit in units]
    return drawn_together(rows, waveforms, state.project.probe, like=like, shapes=state.shapes)


def _in_use(state: State, unit: int) -> Drawn:
    """A unit in use, with all its spikes."""
    components = (state.components.get(one) for one in state.places.components_of(unit))
    sortings = [state.sortings.current(component) for component in components if component is not None]
    origins = [
        (sorting, row)
        for sorting in sortings
        for row, other in enumerate(sorting.units)
        if other.unit == unit
    ]
    color = state.sortings.colors.color(unit)
    alone = ShownUnit(str(unit), color, unit, 0, np.zeros(0, np.int32), 0)
    own = origins[0][0].units[origins[0][1]] if origins else alone
    return Drawn(own, state.clustering.spikes_of(unit), state.places.main_channel(unit), tuple(origins))


def _of_preview(project: Project, sorting: ShownSorting, row: int) -> Drawn:
    """A unit that adopting a preview would make, or leave as it is."""
    spike_ids = sorting.component.spike_ids[sorting.units[row].positions]
    channel = most_frequent(project.spikes.channel[spike_ids])
    return Drawn(sorting.units[row], spike_ids, channel, ((sorting, row),))


def drawn_together(
    drawn: Sequence[Drawn],
    waveforms: dict[int, ComponentWaveforms],
    probe: Probe,
    *,
    like: ShownSorting | None = None,
    shapes: GivenShapes | None = None,
) -> tuple[TogetherSorting, ComponentWaveforms | None]:
    """The units as one sorting of one component, and the waveforms of its sampled spikes, None without any.

    waveforms : by component, those that are at hand; like : the preview or proposal that is among them
    shapes : of spikes of no component, where a sorting was opened without its recording
    """
    spike_ids = np.concatenate([one.spike_ids for one in drawn])
    order = np.argsort(spike_ids, kind="stable")
    labels = np.repeat(np.arange(len(drawn), dtype=np.int32), [len(one.spike_ids) for one in drawn])[order]
    spike_ids = spike_ids[order]
    most = MOST_WAVEFORMS // len(drawn)
    seen = [_waveforms_of(one, waveforms, most) or _shapes_of(one, shapes, most) for one in drawn]
    contacts = common_contacts(seen, [one.channel for one in drawn], probe)
    sampled, cut = _on_contacts(seen, contacts, spike_ids)
    component = Component(
        TOGETHER,
        contacts,
        spike_ids,
        sampled,
        PosteriorSamples(labels[sampled][None] if len(sampled) else np.zeros((1, 0), np.int64), np.zeros(1)),
        (),
    )
    units = tuple(
        replace(one.unit, n_spikes=len(one.spike_ids), labels=labels, row=row)
        for row, one in enumerate(drawn)
    )
    sorting = TogetherSorting(
        component,
        None if like is None else like.alternative,
        units,
        labels,
        lambda: np.full(len(spike_ids), np.nan, np.float32),
        proposal=0 if like is None else like.proposal,
        drawn=tuple(drawn),
    )
    if cut is None:
        return sorting, None
    if shapes is not None:
        return sorting, ShapeWaveforms(shapes, spike_ids, sampled, contacts)
    return sorting, TogetherWaveforms(cut)


def of_no_posterior(sorting: ShownSorting) -> TogetherSorting:
    """What an edit would make of units that are drawn together: no posterior tells of its parts."""
    ids = sorting.component.spike_ids
    return TogetherSorting(
        **{field.name: getattr(sorting, field.name) for field in fields(sorting)},
        drawn=tuple(Drawn(unit, ids[unit.positions], sorting.component.channel) for unit in sorting.units),
    )


@dataclass(frozen=True, eq=False)
class _Seen:
    """Waveforms (m, 32, C) of some spikes of a unit, on the contacts of one component."""

    spike_ids: NDArray[np.int64]
    contacts: NDArray[np.int64]
    waveforms: NDArray[np.float32]

    @cached_property
    def height(self) -> NDArray[np.float32]:
        """(C,) peak to peak of their mean."""
        return np.asarray(np.ptp(self.waveforms.mean(axis=0), axis=0))


def _waveforms_of(one: Drawn, known: dict[int, ComponentWaveforms], most: int) -> list[_Seen]:
    """At most so many waveforms of a unit in each component that has some."""
    found = []
    for sorting, row in one.origins:
        component = sorting.component
        own = np.flatnonzero(sorting.sampled_labels == row)
        if component.id not in known or len(own) == 0:
            continue
        own = own[evenly(len(own), most)]
        ids = component.spike_ids[component.sampled[own]]
        found.append(_Seen(ids, component.contacts, known[component.id].some(own)))
    return found


def _shapes_of(one: Drawn, shapes: GivenShapes | None, most: int) -> list[_Seen]:
    """At most so many templates of a unit that a sorter kept, where they are known."""
    if shapes is None or len(one.spike_ids) == 0:
        return []
    ids = shapes.some_of(one.spike_ids)
    ids = ids if len(ids) else one.spike_ids
    ids, contacts = ids[evenly(len(ids), most)], shapes.contacts_of(one.spike_ids)
    return [_Seen(ids, contacts, shapes.waveforms(ids, contacts))]


def common_contacts(
    seen: Sequence[Sequence[_Seen]], channels: Sequence[int], probe: Probe
) -> NDArray[np.int64]:
    """Contacts on which units are drawn together, the main one of the first unit first, then by distance.

    Those that all waveforms have, if the largest of each unit is one of them; else all, or the 16 on which
    any unit is largest.
    """
    parts = [part for own in seen for part in own]
    largest = {int(part.contacts[part.height.argmax()]) for part in parts}
    shared = set.intersection(*(set(part.contacts.tolist()) for part in parts)) if parts else set()
    if not parts or not largest | set(channels) <= shared:
        height = dict.fromkeys(channels, np.inf)
        for part in parts:
            for contact, value in zip(part.contacts.tolist(), part.height.tolist(), strict=True):
                height[contact] = max(height.get(contact, 0.0), value)
        shared = set(sorted(height, key=lambda contact: -height[contact])[:MOST_CONTACTS])
    contacts = np.array(sorted(shared), dtype=np.int64)
    away = np.linalg.norm(probe.positions_um[contacts] - probe.positions_um[channels[0]], axis=1)
    return contacts[np.lexsort((contacts, np.round(away, 6), contacts != channels[0]))]


def _on_contacts(
    seen: Sequence[Sequence[_Seen]], contacts: NDArray[np.int64], spike_ids: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float32] | None]:
    """Positions (m,) of spikes with waveforms, increasing, and these (m, 32, C); nan on other contacts."""
    parts = [part for own in seen for part in own]
    if not parts:
        return np.zeros(0, np.int64), None
    ids = np.concatenate([part.spike_ids for part in parts])
    cut = np.full((len(ids), N_SAMPLES, len(contacts)), np.nan, np.float32)
    begin = 0
    for part in parts:
        _, to, frm = np.intersect1d(contacts, part.contacts, return_indices=True)
        cut[begin : begin + len(part.spike_ids), :, to] = part.waveforms[:, :, frm]
        begin += len(part.spike_ids)
    order = np.argsort(ids)
    return np.searchsorted(spike_ids, ids[order]), cut[order]


def evenly(n: int, most: int) -> NDArray[np.int64]:
    """At most so many of n rows, evenly spaced."""
    return np.arange(n) if n <= most else np.arange(most) * n // most
