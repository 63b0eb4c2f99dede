"""Correlograms of the units on screen: does their firing tell one neuron from two?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.analysis.correlograms import Correlograms
from ncpgui.app.model.colors import Color
from ncpgui.app.model.shown_sorting import ShownUnit
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.receptive_fields import spikes_key
from ncpgui.app.presenters.why_empty import NO_UNITS, why_nothing
from ncpgui.app.words import count

MOST_UNITS = 10
LEAST_COUNT = 8
"""A correlogram whose highest bin has fewer spikes is drawn as low as they are, not as high as the cell."""


HALVES_MS = (10.0, 25.0, 50.0, 100.0, 250.0, 500.0)
BINS_MS = (0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
MOST_BINS = 400


@dataclass(frozen=True)
class Scale:
    """How far correlograms reach to either side, and how wide their bins are."""

    half_ms: float = 25.0
    bin_ms: float = 1.0

    @property
    def words(self) -> str:
        """``±25 / 1 ms``."""
        return f"±{self.half_ms:g} / {self.bin_ms:g} ms"

    def with_half(self, half_ms: float) -> Scale:
        """Another reach; bins become as wide as need be for 400 at most."""
        least = min(one for one in BINS_MS if 2 * half_ms / one <= MOST_BINS)
        return Scale(half_ms, max(self.bin_ms, least))

    def with_bin(self, bin_ms: float) -> Scale:
        """Other bins; it reaches as far as 400 of them do, at most."""
        most = max(one for one in HALVES_MS if 2 * one / bin_ms <= MOST_BINS)
        return Scale(min(self.half_ms, most), bin_ms)

    @staticmethod
    def of(remembered: object) -> Scale:
        """What was remembered, if it is one."""
        known = remembered if isinstance(remembered, list) and len(remembered) == 2 else [0, 0]
        half_ms, bin_ms = known
        if half_ms not in HALVES_MS or bin_ms not in BINS_MS:
            return Scale()
        return Scale().with_half(half_ms).with_bin(bin_ms)


Trains = Correlograms
"""What is shown of trains."""


@dataclass(frozen=True, eq=False)
class CorrelogramsView:
    """Units of the grid, and their correlograms; `found` is None while they are computed.

    names, colors, units, is_selected : of each row; a unit is None where only adopting would make it
    n_left_out : units on screen that there is no room for
    """

    names: tuple[str, ...] = ()
    colors: tuple[Color, ...] = ()
    units: tuple[int | None, ...] = ()
    is_selected: tuple[bool, ...] = ()
    found: Trains | None = None
    n_left_out: int = 0
    message: str = ""

    @property
    def note(self) -> str:
        """Beside the title of the panel."""
        if self.found is None or not self.n_left_out:
            return ""
        return f"select fewer to see the other {count(self.n_left_out, 'unit')}"

    def highest(self, row: int, column: int, *, intervals: bool = False) -> int:
        """Spikes of the highest bin of a cell."""
        assert self.found is not None
        is_interval = intervals and row == column
        counts = self.found.intervals[row] if is_interval else self.found.counts[row, column]
        return int(counts.max(initial=0))

    def axis_words(self, *, intervals: bool = False) -> tuple[str, str, str]:
        """What stands at the left end, the middle and the right end of the time axis of a cell."""
        assert self.found is not None
        edges = self.found.interval_edges_ms if intervals else self.found.edges_ms
        low, high = float(edges[0]), float(edges[-1])
        return f"{low:g}".replace("-", "−"), f"{(low + high) / 2:g}", f"{high:g}\u2009ms"

    def bars(self, row: int, column: int, *, intervals: bool = False) -> NDArray[np.float64]:
        """Heights (B,) of a cell on or above the diagonal, 1 for the highest bin."""
        assert self.found is not None
        is_interval = intervals and row == column
        counts = self.found.intervals[row] if is_interval else self.found.counts[row, column]
        return counts / max(int(counts.max(initial=0)), LEAST_COUNT)

    def edges_ms(self, row: int, column: int, *, intervals: bool = False) -> NDArray[np.float64]:
        """Borders (B + 1,) of these bins."""
        assert self.found is not None
        return self.found.interval_edges_ms if intervals and row == column else self.found.edges_ms

    def pair_words(self, row: int, column: int) -> str:
        """Pairs of spikes within 2 ms of a unit, or of two, and how many chance would make."""
        assert self.found is not None
        n, expected = int(self.found.close[row, column]), float(self.found.expected[row, column])
        return f"{n} within 2 ms, {few(expected)} expected"

    def tooltip(self, row: int, column: int) -> str:
        """A cell of the grid in full."""
        assert self.found is not None
        n, expected = int(self.found.close[row, column]), float(self.found.expected[row, column])
        row, column = min(row, column), max(row, column)
        if row == column:
            who = f"Spikes of unit {self.names[row]} around its own"
            what = "One neuron has hardly any this close."
        else:
            who = f"Spikes of unit {self.names[column]} around those of unit {self.names[row]}"
            what = "Two parts of one neuron have hardly any; two neurons have about as many as by chance."
        pairs = f"{count(n, 'pair')} 0.7 to 2 ms apart; by chance there would be {few(expected)}."
        bin_ms = float(self.found.edges_ms[1] - self.found.edges_ms[0])
        top = f"The highest bin has {count(self.highest(row, column), 'spike')} in {bin_ms:g} ms."
        return f"{who}\n{pairs}\n{what}\n{top}"


def few(expected: float) -> str:
    """A number of pairs that is expected: ``0.4``, ``41``."""
    return f"{expected:.0f}" if expected >= 9.5 or expected == 0 else f"{expected:.1f}"


def units_of_grid(workspace: Workspace) -> tuple[ShownUnit, ...]:
    """Units with correlograms: the selected ones, or the parts that an edit would make, if there are
    two or more on screen, else all.
    """
    shown = workspace.shown()
    if shown is None:
        return ()
    chosen = tuple(filter(workspace.is_chosen, shown.units))
    return chosen if len(chosen) > 1 else shown.units


def spikes_of_grid(workspace: Workspace) -> tuple[tuple[bytes, ...], tuple[NDArray[np.int64], ...]]:
    """Keys and spikes (rows of those of the project) of the grid: the same spikes have the same key."""
    shown = workspace.shown()
    if shown is None:
        return (), ()
    units = units_of_grid(workspace)[:MOST_UNITS]
    spikes = tuple(shown.component.spike_ids[unit.positions] for unit in units)
    return tuple(map(spikes_key, spikes)), spikes


def present_correlograms(workspace: Workspace, found: Trains | None) -> CorrelogramsView:
    """The grid of the units on screen, with what was `found` of their spikes (`spikes_of_grid`)."""
    shown = workspace.shown()
    if shown is None:
        return CorrelogramsView(message=why_nothing(workspace, "Correlograms"))
    units = units_of_grid(workspace)
    if not units:
        return CorrelogramsView(message=NO_UNITS)
    in_grid = units[:MOST_UNITS]
    return CorrelogramsView(
        names=tuple(unit.name for unit in in_grid),
        colors=tuple(workspace.coloring.of(shown.component, unit) for unit in in_grid),
        units=tuple(unit.unit for unit in in_grid),
        is_selected=tuple(unit.unit in workspace.selected for unit in in_grid),
        found=found,
        n_left_out=len(units) - len(in_grid),
        message="" if found is not None else "Correlograms are being computed …",
    )
