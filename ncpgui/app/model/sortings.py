"""The sorting of each component as panels show it, remembered until the component changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import ColorBook
from ncpgui.app.model.shown_sorting import (
    ShownSorting,
    current_sorting,
    n_units_after,
    preview_sorting,
    sorting_after,
)
from ncpgui.core.component import Component
from ncpgui.curation.adopt import present_alternative
from ncpgui.curation.commands import Assign
from ncpgui.curation.history import History
from ncpgui.curation.unit_places import UnitPlaces
from ncpgui.evidence.draws_by_alternative import OTHER, alternative_of_sorting
from ncpgui.evidence.units import joined_by_hand

Value = TypeVar("Value")
OF_DRAWS = frozenset({"pca", "principal components", "depth"})
"""Names of what is remembered of the draws and their waveforms, which no edit changes."""


class Sortings:
    """Current sorting and previews of each component, made when first asked for.

    Parameters
    ----------
    history : what was done so far
    initial : (n_spikes,) sorting before any curation; set it when that grows
    places : of the units as they are
    component_of_spike : (n_spikes,) id of the component of each spike, -1 = none;
    min_spikes : `Project.min_cluster_spikes`
    """

    def __init__(
        self,
        history: History,
        initial: NDArray[np.int64],
        places: UnitPlaces,
        component_of_spike: NDArray[np.integer],
        *,
        min_spikes: int = 0,
    ) -> None:
        self.initial = initial
        self.colors = ColorBook()
        self._history = history
        self._places = places
        self._component = component_of_spike
        self._min_spikes = min_spikes
        self._memo: dict[tuple[Any, ...], Any] = {}
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
                decided=self.memo(("decided",), lambda: self._places.decided(self._history)),
            )
            self._last[component.id] = shown
            return shown

        return self.memo(("current", component.id), make)

    def preview(self, component: Component, index: int) -> ShownSorting:
        """What adopting an alternative of a component would give."""
        return self.memo(
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
        return self.memo(
            ("present", component.id),
            lambda: present_alternative(self._history.clustering, component),
        )

    def in_use(self, component: Component) -> int | None:
        """Index of the alternative that the current sorting is, but for small clusters and single spikes."""

        def find() -> int | None:
            current = self.current(component)
            alternatives = [alternative.labels[component.sampled] for alternative in component.alternatives]
            index = alternative_of_sorting(current.sampled_labels, alternatives, min_spikes=self._min_spikes)
            return None if index == OTHER else index

        present = self.present(component)
        return self.memo(("in use", component.id), find) if present is None else present

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
        return self.memo(
            ("n units", component.id, index),
            lambda: n_units_after(self._history.clustering, component, alternative, labels.accepted),
        )

    def is_empty(self, component: Component) -> bool:
        """Whether a component has no units, whichever alternative is used: there is nothing to decide."""
        return not self.current(component).units and not any(
            self.n_units(component, index) for index in range(len(component.alternatives))
        )

    def memo(self, key: tuple[Any, ...], make: Callable[[], Value]) -> Value:
        """Value of `make()`, kept until the component changes: key is (name, id, ...) or (name,)."""
        if key not in self._memo:
            self._memo[key] = make()
        return self._memo[key]

    def drop(self, component_id: int) -> None:
        """Drop what was made of one component, and nothing else."""
        for key in [key for key in self._memo if len(key) > 1 and key[1] == component_id]:
            del self._memo[key]

    def forget(self, component_ids: Iterable[int], *, draws: bool = False) -> None:
        """Drop what was made of some components, and of no component in particular.

        draws : whether their draws are others now; else what is `OF_DRAWS` stays
        """
        gone = set(component_ids)
        stays: frozenset[str] = frozenset() if draws else OF_DRAWS
        for key in [k for k in self._memo if len(k) < 2 or (k[1] in gone and k[0] not in stays)]:
            del self._memo[key]
