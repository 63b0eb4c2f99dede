"""Spikes as points of two coordinates, each in the colour of its unit: what scatter panels draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import Color
from ncpgui.app.model.shown_sorting import ShownSorting
from ncpgui.app.model.workspace import Workspace
from ncpgui.core.percent import percent

MOST_POINTS = 2500
"""Points of a unit that are drawn: more cannot be told apart, and each costs time."""


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

    def tooltip(self, point: int) -> str:
        """Words about a point."""
        label = int(self.labels[point])
        if label < 0:
            return "A spike of no unit"
        if self.certainty is None:
            return f"Unit {self.names[label]}"
        return f"Spike of unit {self.names[label]}, with probability {percent(float(self.certainty[point]))}"


def colors_of(workspace: Workspace, shown: ShownSorting) -> tuple[Color, ...]:
    """Colour of each unit of a sorting, as every panel shows it."""
    return tuple(workspace.coloring.of(shown.component, unit) for unit in shown.units)


NO_POINTS = SpikePoints(np.zeros(0), np.zeros(0), np.zeros(0, np.int32))


def spike_points(
    workspace: Workspace,
    shown: ShownSorting,
    positions: NDArray[np.int64],
    x: NDArray[np.floating],
    y: NDArray[np.floating],
) -> SpikePoints:
    """Points of the spikes at `positions` of the component on screen, evenly thinned a unit."""
    kept = evenly_thinned(shown.labels[positions], most=MOST_POINTS)
    return SpikePoints(
        np.asarray(x, np.float64)[kept],
        np.asarray(y, np.float64)[kept],
        shown.labels[positions][kept],
        names=tuple(unit.name for unit in shown.units),
        colors=colors_of(workspace, shown),
        units=tuple(unit.unit for unit in shown.units),
        is_selected=tuple(map(workspace.is_chosen, shown.units)),
        spike_ids=shown.component.spike_ids[positions[kept]],
    )


def evenly_thinned(labels: NDArray[np.int32], *, most: int) -> NDArray[np.int64]:
    """Rows in order, at most `most` of each label, evenly spaced among its own."""
    kept = []
    for label in np.flatnonzero(np.bincount(labels + 1)) - 1:
        rows = np.flatnonzero(labels == label)
        kept.append(rows if len(rows) <= most else rows[np.arange(most) * len(rows) // most])
    return np.sort(np.concatenate(kept)) if kept else np.zeros(0, np.int64)
