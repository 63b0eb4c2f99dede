"""What the colours of units say: which unit it is, or its label, depth, P(neuron) or shank."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ncpgui.app.model.colors import Color
from ncpgui.app.model.shown_sorting import ShownUnit
from ncpgui.app.model.state import State
from ncpgui.app.model.unit_numbers import p_neuron, unit_label
from ncpgui.core.component import Component
from ncpgui.core.project import Project
from ncpgui.core.signals import Signal
from ncpgui.core.unit_table import most_frequent
from ncpgui.sorting.neuron_probability import shown_label

COLOR_BY = ("unit", "label", "depth", "P(neuron)", "shank")
LABELS = {"good": 2, "mua": 1, "noise": 9, "unsorted": 0}
"""Colour of each label, entries of the palette; what somebody else calls a unit has that of *unsorted*."""
UNKNOWN = Color(9)


@dataclass(frozen=True)
class Legend:
    """What the colours mean: the title, then (words, colour) of each, from low to high on a scale."""

    title: str
    entries: tuple[tuple[str, Color], ...]

    @property
    def is_scale(self) -> bool:
        """Whether the entries are the ends of a scale."""
        return any(color.share is not None for _, color in self.entries)


class Coloring:
    """Gives units their colours; `by` is one of `COLOR_BY`. Signal: `changed`, they say something else.

    A unit that only adopting would make has the depth and P(neuron) of its spikes, and no label.
    """

    changed: ClassVar[Signal] = Signal()

    def __init__(self, state: State) -> None:
        self.by = "unit"
        self._state = state
        self._apart: dict[int, Color] = {}

    def color_by(self, what: str) -> None:
        """Let colours say something else, one of `COLOR_BY`; others are ignored."""
        if what in COLOR_BY and what != self.by:
            self.by = what
            self.changed.emit()

    def set_apart(self, units: Iterable[int], beside: Iterable[int] = ()) -> None:
        """Let no two of these units have one colour, while they are drawn together.

        Each keeps its own where no unit before it has that already; where there are colours enough, they are
        none of those of the units `beside`, which are on cards.
        """
        colors, self._apart = self._state.sortings.colors, {}
        drawn: list[int] = []
        others = [colors.color(unit).index for unit in beside]
        for unit in units:
            own = colors.color(unit).index
            other = colors.free([*drawn, *drawn, *others])
            index = other if own in drawn or (own in others and other not in drawn) else own
            drawn.append(index)
            self._apart[unit] = Color(index)

    def of_unit(self, unit: int) -> Color:
        """Colour of a unit of the current sorting."""
        if self.by == "unit" or self._state.project is None:
            return self._apart.get(unit) or self._state.sortings.colors.color(unit)
        label = unit_label(self._state, unit) if self.by == "label" else ""
        share = p_neuron(self._state, unit) if self.by == "P(neuron)" else math.nan
        return self._of(self._state.project, label, self._state.places.main_channel(unit), share)

    def of(self, component: Component, unit: ShownUnit) -> Color:
        """Colour of a unit on screen."""
        project = self._state.project
        if self.by == "unit" or project is None:
            return unit.color if unit.unit is None else self._apart.get(unit.unit, unit.color)
        if unit.unit is not None:
            return self.of_unit(unit.unit)
        ids = component.spike_ids[unit.positions]
        channel = most_frequent(project.spikes.channel[ids]) if len(ids) else component.channel
        known = project.p_neuron
        share = math.nan if known is None or len(ids) == 0 else float(known[ids].mean(dtype=np.float64))
        return self._of(project, shown_label("unsorted", share), channel, share)

    def _of(self, project: Project, label: str, channel: int, share: float) -> Color:
        if self.by == "label":
            return Color(LABELS.get(label, LABELS["unsorted"]))
        if self.by == "shank":
            assert project.probe.shank is not None
            return Color(int(np.unique(project.probe.shank).searchsorted(project.probe.shank[channel])))
        if self.by == "depth":
            depth = project.probe.depth_um
            return Color(-1, float(depth[channel] - depth.min()) / max(float(np.ptp(depth)), 1e-9))
        return UNKNOWN if math.isnan(share) else Color(-1, share)

    def legend(self) -> Legend | None:
        """What the colours mean; None where they only tell units apart."""
        project = self._state.project
        if self.by == "unit" or project is None:
            return None
        if self.by == "label":
            return Legend("label", tuple((name, Color(index)) for name, index in LABELS.items()))
        if self.by == "shank":
            assert project.probe.shank is not None
            shanks = np.unique(project.probe.shank)
            return Legend(
                "shank", tuple((str(shank), Color(row)) for row, shank in enumerate(shanks.tolist()))
            )
        if self.by == "depth":
            depth = project.probe.depth_um
            ends = (f"{depth.min():.0f}", f"{depth.max():.0f} µm")
        else:
            ends = ("0", "100\u2009%")
        return Legend(self.by, ((ends[0], Color(-1, 0.0)), (ends[1], Color(-1, 1.0))))
