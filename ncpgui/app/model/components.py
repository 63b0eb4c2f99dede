"""The components of a project: how far each is, and the order in which to look at them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.component_status import CURATED, SAMPLED, SURE, WAITING, ComponentStatus
from ncpgui.app.model.remembered import Remembered
from ncpgui.app.words import without_options
from ncpgui.core.component import Component, WaitingComponent
from ncpgui.core.partition import counted_pairs
from ncpgui.core.project import Project
from ncpgui.curation.conditioned import Given, GivenComponents
from ncpgui.curation.history import History
from ncpgui.curation.unit_places import UnitPlaces


class Components:
    """The state of all components, sampled or not; `posteriors` are those of the history of edits.

    `places` knows where units are, `given` weighs components by what was decided.

    ids : of all components, increasing; component_of_spike : (n_spikes,) int32, id of the component of each
    spike, -1 = none; channel_of_spike : (n_spikes,) int32, main channels.
    """

    def __init__(self, project: Project | None, history: History, remembered: Remembered) -> None:
        self.posteriors = history.posteriors
        self._remembered = remembered
        self._failed: dict[int, str] = {} if project is None else dict(project.failed)
        self._states: dict[int, ComponentStatus] = {}
        known: tuple[Component | WaitingComponent, ...] = ()
        if project is not None:
            known = (*project.components, *project.waiting)
        self.ids = sorted(one.id for one in known)
        self._contact = {one.id: one.channel for one in known}
        self._spike_ids = {one.id: one.spike_ids for one in known}
        self.channel_of_spike = np.zeros(0, dtype=np.int32)
        self.component_of_spike = np.zeros(0, dtype=np.int32)
        if project is not None:
            self.channel_of_spike = project.spikes.channel
            self.component_of_spike = project.component_of_spike
        self.places = UnitPlaces(history.clustering, self.channel_of_spike, self.component_of_spike)
        self.given = GivenComponents(
            history,
            self.places,
            self.component_of_spike,
            min_spikes=0 if project is None else project.min_cluster_spikes,
        )

    def spike_ids(self, component_id: int) -> NDArray[np.int64]:
        """(n,) spikes of a component, sampled or not."""
        return self._spike_ids[component_id]

    def contact(self, component_id: int) -> int:
        """Reference contact of a component."""
        return self._contact[component_id]

    def at_contact(self, contact: int) -> tuple[int, ...]:
        """Components that have spikes whose main channel is a contact, the one with most of them first."""
        return self._at_contact.get(contact, ())

    @cached_property
    def _at_contact(self) -> dict[int, tuple[int, ...]]:
        component_ids, contacts, counts = counted_pairs(self.component_of_spike, self.channel_of_spike)
        result: dict[int, tuple[int, ...]] = {}
        for row in np.lexsort((component_ids, -counts)):
            contact = int(contacts[row])
            result[contact] = (*result.get(contact, ()), int(component_ids[row]))
        return result

    def sampled(self, component_id: int | None) -> Component | None:
        """Component of an id as it was sampled, None while it is not."""
        return self.posteriors.get(component_id)

    def get(self, component_id: int | None) -> Component | None:
        """Component of an id given what was decided, None while it is not sampled."""
        found = self.given_of(component_id)
        return None if found is None else found.component

    def given_of(self, component_id: int | None) -> Given | None:
        """Component of an id and its condition, None while it is not sampled."""
        component = self.posteriors.get(component_id)
        if component is None:
            return None
        return self._remembered.get(("given", component.id), lambda: self.given.of(component))

    @property
    def failed(self) -> dict[int, str]:
        """Why components could not be sampled, by id."""
        return dict(self._failed)

    def put(self, component: Component) -> None:
        """Take a component that was just sampled; its spikes are those that waited."""
        self.posteriors.put(component)
        self._contact[component.id] = component.channel
        self._failed.pop(component.id, None)
        self._states.pop(component.id, None)

    def fail(self, component_id: int, message: str) -> None:
        """Note that a component could not be sampled, and why."""
        self._failed[component_id] = message
        self._states.pop(component_id, None)

    def say(self, component_id: int, status: ComponentStatus | None) -> ComponentStatus | None:
        """Say how far sampling is; None goes back to what is known. Returns what was said before."""
        before = self._states.get(component_id)
        if status is None:
            self._states.pop(component_id, None)
        else:
            self._states[component_id] = status
        return before

    @property
    def said(self) -> Mapping[int, ComponentStatus]:
        """How far sampling is, of the components of which that was said."""
        return self._states

    def found_status(self, component_id: int, *, is_settled: bool, is_sure: bool) -> ComponentStatus:
        """How far a component is of which nothing was said."""
        if self.sampled(component_id) is not None:
            return CURATED if is_settled else SURE if is_sure else SAMPLED
        if component_id in self._failed:
            failed = ComponentStatus("failed", message=without_options(self._failed[component_id]))
            return CURATED if is_settled else failed
        return WAITING
