"""Receptive fields of the units on screen: does the ambiguity matter to what the cells see?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import Color
from ncpgui.app.model.shown_sorting import ShownSorting
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.why_empty import NO_UNITS, OPEN_FIRST, why_nothing
from ncpgui.app.words import count
from ncpgui.core.percent import percent, percent_of_draws
from ncpgui.evidence.same_train import LEAST_JACCARD, same_train

if TYPE_CHECKING:  # SciPy is loaded when a field is computed
    from ncpgui.analysis.receptive_field import ReceptiveField

Tile = TypeVar("Tile", bound="UnitTile")
MOST_OTHERS = 4
"""Other sortings of which receptive fields are shown: the most probable of the cards."""
MOSTLY = 0.5
"""Share of the posterior in which a field is the same, from which on a clear one is green."""


@dataclass(frozen=True, eq=False)
class UnitTile:
    """One unit: unit is None for one that only adopting would make.

    p_same : share of the posterior in which its spike train, and with it what the tile shows, is the same
    (`evidence.same_train`), nan where unknown
    """

    name: str
    color: Color
    n_spikes: int
    unit: int | None = None
    is_selected: bool = False
    is_changed: bool = False
    p_same: float = float("nan")

    @property
    def caption(self) -> str:
        """Beside its name."""
        return count(self.n_spikes, "spike")

    def foot_color(self, words: str) -> str:
        """Colour of the theme in which some words below the picture are written."""
        return "muted"

    @property
    def same(self) -> str:
        """In how much of the posterior it is the same; '' where that is unknown."""
        return "" if math.isnan(self.p_same) else f"same in {percent(self.p_same)}"

    def same_in_full(self, what: str) -> str:
        """The same in sentences; '' where that is unknown."""
        if math.isnan(self.p_same):
            return ""
        return (
            f"\nSame in {percent(self.p_same)}: in this share of the draws, a cell and this unit have\n"
            f"at least {percent(LEAST_JACCARD)} of the spikes of both in common, so that the\n"
            f"{what} is this one"
        )


@dataclass(frozen=True, eq=False)
class FieldTile(UnitTile):
    """A unit with its receptive field, None while that is computed."""

    field: ReceptiveField | None = None

    def foot_color(self, words: str) -> str:
        """Green of a clear field, but for words that say that it is another one in most of the posterior."""
        is_clear = self.field is not None and self.field.is_clear
        says_other = self.same in words and self.p_same < MOSTLY
        return "good" if is_clear and not says_other else "muted"

    @property
    def verdict(self) -> str:
        """What is known of the field, in words."""
        if self.field is None:
            return "computing …"
        if not self.field.is_clear:
            return "no clear field"
        return f"clear {'ON' if self.field.peak_z > 0 else 'OFF'} field"

    @property
    def short_verdict(self) -> str:
        """The verdict where there is little room."""
        if self.field is not None and not self.field.is_clear:
            return "unclear"
        return self.verdict.removesuffix(" field")

    @property
    def foot(self) -> tuple[str, ...]:
        """Words below the map, the longest first, for as much room as there is."""
        same = self.same
        if not same:
            return self.verdict, self.short_verdict
        shorter = [self.short_verdict, self.short_verdict.removeprefix("clear ")]
        with_same = [f"{words} · {same}" for words in dict.fromkeys((self.verdict, *shorter))]
        return *with_same, same, self.short_verdict

    @property
    def tooltip(self) -> str:
        """The tile in full."""
        text = f"Unit {self.name}, {self.caption}: {self.verdict}{self.same_in_full('field')}"
        if self.field is not None:
            text += f"\nThe largest pixel is {abs(self.field.peak_z):.0f} noise sd"
        return text


@dataclass(frozen=True, eq=False)
class SortingWithFields:
    """A sorting and the rows of its units that have tiles, with a title where it is not the one on screen.

    alternative : to be shown for it, None for the sorting in use
    """

    sorting: ShownSorting
    rows: tuple[int, ...]
    title: str = ""
    alternative: int | None = None

    @property
    def n_tiles(self) -> int:
        """How many tiles it has."""
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class TilesView(Generic[Tile]):
    """Tiles of the sorting on screen, then those of other cards that differ, a group a sorting.

    message : what to show when there are none.
    """

    tiles: tuple[Tile, ...] = ()
    message: str = ""
    groups: tuple[SortingWithFields, ...] = ()

    def group_of(self, tile: int) -> SortingWithFields:
        """Group of a tile."""
        ends = np.cumsum([group.n_tiles for group in self.groups])
        return self.groups[int(np.searchsorted(ends, tile, side="right"))]


@dataclass(frozen=True, eq=False)
class ReceptiveFieldsView(TilesView[FieldTile]):
    """Tiles with receptive fields."""

    @property
    def note(self) -> str:
        """Beside the title of the panel."""
        if not self.tiles:
            return ""
        here = self.tiles[: self.groups[0].n_tiles]
        n_clear = sum(tile.field is not None and tile.field.is_clear for tile in here)
        return f"{n_clear} of {count(len(here), 'unit')} clear"


def sortings_with_fields(workspace: Workspace, *, others: bool) -> list[SortingWithFields]:
    """The sorting on screen with all units, then (`others`) the most probable cards with what they change."""
    shown, component = workspace.shown(), workspace.component()
    if shown is None or not shown.units:
        return []
    found = [SortingWithFields(shown, tuple(range(len(shown.units))))]
    if not others or component is None or workspace.proposal is not None or workspace.drawn_together:
        return found
    seen = {spikes_key(component.spike_ids[unit.positions]) for unit in shown.units}
    current, present = workspace.current(), workspace.present_alternative()
    cards: list[tuple[ShownSorting | None, str, int | None]] = []
    if workspace.preview is not None:
        cards.append((current, "in use", None))
    for index, way in enumerate(component.alternatives):
        if index not in (workspace.preview, present):
            cards.append(
                (workspace.sorting_of(index), f"card {index + 1}: {percent_of_draws(way.mass)}", index)
            )
    for sorting, title, alternative in cards[:MOST_OTHERS]:
        if sorting is None:
            continue
        keys = [spikes_key(component.spike_ids[unit.positions]) for unit in sorting.units]
        rows = tuple(row for row, key in enumerate(keys) if key not in seen)
        seen.update(keys)
        if rows:
            found.append(SortingWithFields(sorting, rows, title, alternative))
    return found


def present_receptive_fields(
    workspace: Workspace, known: dict[bytes, ReceptiveField], *, problem: str = "", others: bool = False
) -> ReceptiveFieldsView:
    """Tiles with the fields that are known, by `spikes_key`; or the `problem` why there are none.

    others : those that other cards would make, too
    """
    if workspace.state.project is None:
        return ReceptiveFieldsView((), OPEN_FIRST)
    if workspace.state.project.stimulus is None:
        return ReceptiveFieldsView(
            (),
            "No stimulus in this session.\nPut stimulus.npz (frames, trigger_sample) beside the "
            "recording before it is sorted to see the receptive field of each unit.",
        )
    if problem:
        return ReceptiveFieldsView((), f"No receptive fields: {problem}")
    shown = workspace.shown()
    if shown is None:
        return ReceptiveFieldsView((), why_nothing(workspace, "Receptive fields"))
    if not shown.units:
        return ReceptiveFieldsView((), NO_UNITS)
    groups = sortings_with_fields(workspace, others=others)
    return ReceptiveFieldsView(
        tuple(FieldTile(**told, field=known.get(key)) for key, told in tiles_of(workspace, groups)),
        groups=tuple(groups),
    )


def tiles_of(workspace: Workspace, groups: list[SortingWithFields]) -> list[tuple[bytes, dict[str, Any]]]:
    """Key of the spikes (`spikes_key`) of each unit of sortings, and what a `UnitTile` says of it."""
    return [
        (
            spikes_key(shown.component.spike_ids[unit.positions]),
            {
                "name": unit.name,
                "color": workspace.coloring.of(shown.component, unit),
                "n_spikes": unit.n_spikes,
                "unit": unit.unit,
                "is_selected": unit.unit in workspace.selected,
                "is_changed": unit.is_changed and not group.title,
                "p_same": _p_same_of(workspace, shown, row),
            },
        )
        for group in groups
        for shown in (group.sorting,)
        for row, unit in enumerate(shown.units)
        if row in group.rows
    ]


def trains_of_tiles(workspace: Workspace, *, others: bool) -> dict[bytes, NDArray[np.int64]]:
    """Samples of the spikes of each unit that has a tile, by `spikes_key`."""
    project = workspace.state.project
    groups = [] if project is None else sortings_with_fields(workspace, others=others)
    each = [(group.sorting, group.sorting.units[row]) for group in groups for row in group.rows]
    sets = [sorting.component.spike_ids[unit.positions] for sorting, unit in each]
    return {} if project is None else {spikes_key(ids): project.spikes.sample_index[ids] for ids in sets}


def _p_same_of(workspace: Workspace, shown: ShownSorting, row: int) -> float:
    """Share of the posterior with the same train; nan where no posterior tells of the unit."""
    origin = shown.origin(row)
    if origin is None:
        return float("nan")
    sorting, at = origin
    key = ("same train", sorting.component.id, sorting.key)
    return float(workspace.state.remembered.get(key, lambda: _p_same(sorting))[at])


def _p_same(shown: ShownSorting) -> NDArray[np.float64]:
    """Share of the posterior with the same train, of each unit; nan of those that nothing is known of."""
    component = shown.component
    share = same_train(
        component.posterior,
        shown.sampled_labels,
        stands_for=component.spikes_each,
        n_units=len(shown.units),
    )
    return np.where(np.isnan(shown.p_exists), np.nan, share)


def spikes_key(spike_ids: NDArray[np.int64]) -> bytes:
    """Key of a set of spikes: the same set, the same receptive field."""
    import hashlib

    return hashlib.blake2b(np.ascontiguousarray(spike_ids).tobytes(), digest_size=16).digest()
