"""Spikes as points of two coordinates, each in the colour of its unit: what scatter panels draw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import Color
from ncpgui.app.model.shown_sorting import ShownSorting
from ncpgui.app.model.together import evenly
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.words import count
from ncpgui.core.partition import rows_of_clusters
from ncpgui.core.percent import percent

MOST_POINTS, MOST_IN_ALL = 2500, 10_000
"""Points of a unit that are drawn, and of all units together, as many of each: more cannot be told apart, and
each costs time."""


@dataclass(frozen=True, eq=False)
class SpikePoints:
    """Points of some spikes.

    x, y : (n,) float64; labels : (n,) row of `colors`, -1 = no unit
    names, colors, units, is_selected : of each unit; a unit is None where only adopting would make it
    certainty : (n,) P(the spike is of its unit), nan = unknown; opacity : (n,) in which it is drawn, 0 .. 1
    ring : (n,) row of `ring_colors` in which the point has a ring, -1 = it has none
    These four are None where nothing is said of single spikes.
    spike_ids : (n,) the spikes, None where they are not known
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    labels: NDArray[np.int32]
    names: tuple[str, ...] = ()
    colors: tuple[Color, ...] = ()
    units: tuple[int | None, ...] = ()
    is_selected: tuple[bool, ...] = ()
    certainty: NDArray[np.float32] | None = None
    opacity: NDArray[np.float32] | None = None
    ring: NDArray[np.int32] | None = None
    ring_colors: tuple[Color | None, ...] = ()
    spike_ids: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.x)

    @property
    def is_dimmed(self) -> NDArray[np.bool_]:
        """(n,) whether a unit is selected and the spike is of another one, or of none."""
        chosen = np.array([*self.is_selected, False])
        return ~chosen[self.labels] & bool(chosen.any())

    def name_tooltip(self, label: int) -> str:
        """Words about the name of a unit, which is in the middle of its points."""
        n = int(np.count_nonzero(self.labels == label))
        return f"Unit {self.names[label]}: its name is at the median of its {count(n, 'drawn spike')}"

    def tooltip(self, point: int) -> str:
        """Words about a point."""
        label = int(self.labels[point])
        if label < 0:
            return "A spike of no unit"
        if self.certainty is None or np.isnan(self.certainty[point]):
            return f"Unit {self.names[label]}"
        return f"Spike of unit {self.names[label]}, with probability {percent(float(self.certainty[point]))}"


def colors_of(workspace: Workspace, shown: ShownSorting) -> tuple[Color, ...]:
    """Colour of each unit of a sorting, as every panel shows it."""
    return tuple(workspace.coloring.of(shown.component, unit) for unit in shown.units)


NO_POINTS = SpikePoints(np.zeros(0), np.zeros(0), np.zeros(0, np.int32))


@dataclass(frozen=True, eq=False)
class Plane:
    """Two coordinates of the spikes of a component that have them, computed when they are asked for.

    positions : (m,) of these spikes in the component; coordinates : x and y (k,) of some rows (k,) of them
    """

    positions: NDArray[np.int64]
    coordinates: Callable[[NDArray[np.int64]], tuple[NDArray[np.floating], NDArray[np.floating]]]

    def of_all(self) -> NDArray[np.floating]:
        """Both coordinates of all of them: (m, 2)."""
        return np.column_stack(self.coordinates(np.arange(len(self.positions))))


def spike_points(workspace: Workspace, shown: ShownSorting, plane: Plane) -> SpikePoints:
    """Points of spikes of the component on screen, evenly thinned a unit."""
    most = min(MOST_POINTS, max(MOST_IN_ALL // max(len(shown.units), 1), 1))
    kept = evenly_thinned(shown.labels[plane.positions], most=most)
    positions = plane.positions[kept]
    x, y = plane.coordinates(kept)
    return SpikePoints(
        np.asarray(x, np.float64),
        np.asarray(y, np.float64),
        shown.labels[positions],
        names=tuple(unit.name for unit in shown.units),
        colors=colors_of(workspace, shown),
        units=tuple(unit.unit for unit in shown.units),
        is_selected=tuple(map(workspace.is_chosen, shown.units)),
        spike_ids=shown.component.spike_ids[positions],
    )


def evenly_thinned(labels: NDArray[np.int32], *, most: int) -> NDArray[np.int64]:
    """Rows in order, at most `most` of each label, evenly spaced among its own."""
    every = rows_of_clusters(labels + 1, int(labels.max(initial=-2)) + 2)
    kept = [rows[evenly(len(rows), most)] for rows in every]
    return np.sort(np.concatenate(kept)) if kept else np.zeros(0, np.int64)
