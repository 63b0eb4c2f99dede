"""The sorting of each component as panels show it, remembered under the version of each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import ColorBook
from ncpgui.app.model.making_sortings import (
    current_sorting,
    n_units_after,
    preview_sorting,
    sorting_after,
)
from ncpgui.app.model.remembered import Remembered
from ncpgui.app.model.shown_sorting import ShownSorting
from ncpgui.core.component import Component
from ncpgui.curation.adopt import present_alternative
from ncpgui.curation.commands import Assign
from ncpgui.curation.history import History
from ncpgui.curation.unit_places import UnitPlaces
from ncpgui.evidence.draws_by_alternative import OTHER, alternative_of_sorting
from ncpgui.evidence.units import joined_by_hand


class Sortings:
    """Current sorting and previews of each component, made when first asked for.

    Parameters
    ----------
    history : what was done so far
    initial : (n_spikes,) sorting before any curation; set it when that grows
    places : of the units as they are
    component_of_spike : (n_spikes,) id of the component of each spike, -1 = none;
    remembered : what is known of each component under its version;
    min_spikes : `Project.min_cluster_spikes`
    """

    def __init__(
        self,
        history: History,
        initial: NDArray[np.int64],
        places: UnitPlaces,
        component_of_spike: NDArray[np.integer],
        remembered: Remembered,
        *,
        min_spikes: int = 0,
    ) -> None:
        self.initial = initial
        self.colors = ColorBook()
        self._history = history
        self._places = places
        self._component = component_of_spike
        self._min_spikes = min_spikes
        self._remembered = remembered
        self._last: dict[int, ShownSorting] = {}

    def current(self, component: Component) -> ShownSorting:
        """Current sorting of a component."""

        def make() -> ShownSorting:
            last = self._last.get(component.id)
            shown = current_sorting(
                self._history.clustering,
                component,
                self.colors,
                before=last,
                min_spikes=self._min_spikes,
                unknown=self.is_unknown,
                decided=self._remembered.get(("decided",), lambda: self._places.decided(self._history)),
            )
            self._last[component.id] = shown
            return shown

        return self._remembered.get(("current", component.id), make)

    def unit_names(self, component: Component) -> tuple[str, ...]:
        """Names of the units of a component, in order of number."""
        return self._remembered.get(
            ("unit names", component.id),
            lambda: tuple(map(str, sorted(self.current(component).unit_ids))),
        )

    def preview(self, component: Component, index: int) -> ShownSorting:
        """What adopting an alternative of a component would give."""
        return self._remembered.get(
            ("preview", component.id, index),
            lambda: preview_sorting(
                self._history.clustering,
                component,
                index,
                self.colors,
                current=self.current(component),
                accepted=self._history.labels.accepted,
            ),
        )

    def after(self, now: ShownSorting, command: Assign, *, proposal: int) -> ShownSorting:
        """What an edit that is proposed would make of a sorting in use."""
        return sorting_after(
            self._history.clustering, now.component, command, self.colors, current=now, proposal=proposal
        )

    def present(self, component: Component) -> int | None:
        """Index of the alternative that the current sorting of a component is, None when none."""
        return self._remembered.get(
            ("present", component.id),
            lambda: present_alternative(self.current(component).labels, component),
        )

    def in_use(self, component: Component) -> int | None:
        """Index of the alternative that the current sorting is, but for small clusters and single spikes."""

        def find() -> int | None:
            current = self.current(component)
            alternatives = [alternative.labels[component.sampled] for alternative in component.alternatives]
            index = alternative_of_sorting(current.sampled_labels, alternatives, min_spikes=self._min_spikes)
            return None if index == OTHER else index

        present = self.present(component)
        return self._remembered.get(("in use", component.id), find) if present is None else present

    def is_unknown(self, unit: int) -> bool:
        """Whether a person joined the unit across components: no posterior tells of it as it is."""
        if len(self._places.components_of(unit)) < 2:
            return False
        ids = self._history.clustering.spikes_of(unit)
        return joined_by_hand(self._component[ids], self.initial[ids])

    def n_units(self, component: Component, index: int) -> int:
        """Number of units that a component has with an alternative: what its card shows."""
        if index == self.present(component):
            return len(self.current(component).units)
        alternative, labels = component.alternatives[index], self._history.labels
        return self._remembered.get(
            ("n units", component.id, index),
            lambda: n_units_after(self._history.clustering, component, alternative, labels.accepted),
        )

    def is_empty(self, component: Component) -> bool:
        """Whether a component has no units, whichever alternative is used: there is nothing to decide."""
        return not self.current(component).units and not any(
            self.n_units(component, index) for index in range(len(component.alternatives))
        )
