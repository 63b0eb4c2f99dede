"""The sorting on screen: the current one of a component, or what adopting or an edit would make of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import Color
from ncpgui.core.component import Component
from ncpgui.evidence.units import SortingNumbers, component_numbers

CONTAINED = 0.6


@dataclass(frozen=True, eq=False)
class ShownUnit:
    """One unit of the sorting on screen.

    name, color : as every panel shows it; unit : id when it is a unit of the current sorting;
    n_spikes : in this component; labels, row : of the sorting, and which of its units this is
    is_changed : whether adopting the preview would make it.
    """

    name: str
    color: Color
    unit: int | None
    n_spikes: int
    labels: NDArray[np.int32]
    row: int
    is_changed: bool = False

    @cached_property
    def positions(self) -> NDArray[np.int64]:
        """(n_spikes,) rows of the component's `spike_ids`."""
        return np.flatnonzero(self.labels == self.row)


@dataclass(frozen=True, eq=False)
class ShownSorting:
    """Units of one component, the largest spikes first.

    alternative : index when it is a preview of one, None for another sorting;
    proposal : number of the edit that it previews, 0 where it previews none;
    labels : (n,) int32, row of `units` of each spike of the component, -1 = none;
    assigned() : (n,) float32, probability with which each spike was given to its unit; asked for with the
    numbers of units, which most sortings of a long list never are
    min_spikes : sampled spikes below which the sorting dropped clusters;
    unknown : units that a person joined across components, of which no posterior tells;
    decided : units that a person decided on;
    n_moved, n_taken_along : spikes to which adopting the preview would give another unit, or none, and
    those of them that are of other components;
    held : accepted units without which the preview would be another one.
    """

    component: Component
    alternative: int | None
    units: tuple[ShownUnit, ...]
    labels: NDArray[np.int32]
    assigned: Callable[[], NDArray[np.float32]]
    min_spikes: int = 0
    unknown: frozenset[int] = frozenset()
    decided: frozenset[int] = frozenset()
    n_moved: int = 0
    n_taken_along: int = 0
    held: tuple[int, ...] = ()
    proposal: int = 0

    @property
    def is_preview(self) -> bool:
        """Whether it shows what an alternative or an edit would make, and not what is."""
        return self.alternative is not None or self.proposal > 0

    @property
    def key(self) -> tuple[int | None, int]:
        """The same for the same sorting, as long as no spike of the component changes its unit."""
        return self.alternative, self.proposal

    def origin(self, row: int) -> tuple[ShownSorting, int] | None:
        """Sorting of the component whose posterior tells of a unit, and the row of the unit in it."""
        return self, row

    @property
    def unit_ids(self) -> tuple[int, ...]:
        """Those of its units that are units of the current sorting."""
        return tuple(unit.unit for unit in self.units if unit.unit is not None)

    @property
    def n_unassigned(self) -> int:
        """Spikes of the component that are in no unit."""
        return int(np.count_nonzero(self.labels < 0))

    @cached_property
    def sampled_labels(self) -> NDArray[np.int32]:
        """(m,) labels of the spikes that the network clustered."""
        return self.labels[self.component.sampled]

    @cached_property
    def numbers(self) -> SortingNumbers:
        """What the posterior of the component says of these units, as they are here."""
        rows = [row for row, unit in enumerate(self.units) if unit.unit in self.decided]
        return component_numbers(self.component, self.labels, self.assigned(), decided=rows, entropy=False)

    def numbers_before(self, drawn: Component) -> SortingNumbers:
        """What the draws said of these units before any decision; drawn : the component as it was sampled."""
        return component_numbers(drawn, self.labels, self.assigned(), entropy=False)

    @cached_property
    def p_exists(self) -> NDArray[np.float64]:
        """(n_units,) P(the unit exists as it stands), nan where unknown: see `evidence.units`."""
        return np.where(self._is_unknown[:-1], np.nan, self.numbers.units["p_exists"])

    @cached_property
    def probability(self) -> NDArray[np.float32]:
        """(n,) P(spike belongs to its unit as it stands), nan where unknown."""
        return np.where(self._is_unknown[self.labels], np.float32(np.nan), self.numbers.probability)

    @property
    def _is_unknown(self) -> NDArray[np.bool_]:
        return np.array([*(unit.unit in self.unknown for unit in self.units), False])

    @cached_property
    def moved(self) -> NDArray[np.bool_]:
        """(n,) whether adopting the preview would give the spike to another unit."""
        changed = np.array([*(unit.is_changed for unit in self.units), False])
        return changed[self.labels]
