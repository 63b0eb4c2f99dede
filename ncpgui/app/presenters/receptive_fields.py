"""Receptive fields of the units on screen: does the ambiguity matter to what the cells see?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import Color
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.words import count


class Field(Protocol):
    """What is shown of a receptive field (`ncpgui.analysis.receptive_field.ReceptiveField`)."""

    spatial: NDArray[np.float32]
    time_course: NDArray[np.float32]
    center_px: tuple[float, float]
    ellipse: tuple[float, float, float]
    is_clear: bool
    peak_z: float


@dataclass(frozen=True, eq=False)
class FieldTile:
    """One unit: field is None while it is computed; unit is None for one that only adopting would make."""

    name: str
    color: Color
    n_spikes: int
    field: Field | None
    unit: int | None = None
    is_selected: bool = False
    is_changed: bool = False

    @property
    def caption(self) -> str:
        """Beside its name."""
        return count(self.n_spikes, "spike")

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
    def tooltip(self) -> str:
        """The tile in full."""
        text = f"Unit {self.name}, {self.caption}: {self.verdict}"
        if self.field is not None:
            text += f"\nThe largest pixel is {abs(self.field.peak_z):.0f} noise sd"
        return text


@dataclass(frozen=True, eq=False)
class ReceptiveFieldsView:
    """Tiles of the sorting on screen; message : what to show when there are none."""

    tiles: tuple[FieldTile, ...]
    message: str = ""
    has_stimulus: bool = False

    @property
    def note(self) -> str:
        """Beside the title of the panel."""
        if not self.tiles:
            return ""
        n_clear = sum(tile.field is not None and tile.field.is_clear for tile in self.tiles)
        return f"{n_clear} of {count(len(self.tiles), 'unit')} clear"


def present_receptive_fields(
    workspace: Workspace, known: dict[bytes, Field], *, problem: str = ""
) -> ReceptiveFieldsView:
    """Tiles with the fields that are known, by `spikes_key`; or the `problem` why there are none."""
    if workspace.project is None:
        return ReceptiveFieldsView((), "Open a recording or a session to begin.")
    if workspace.project.stimulus is None:
        return ReceptiveFieldsView(
            (),
            "No stimulus in this session.\nPut stimulus.npz (frames, trigger_sample) beside the "
            "recording before it is sorted to see the receptive field of each unit.",
        )
    if problem:
        return ReceptiveFieldsView((), f"No receptive fields: {problem}", True)
    shown = workspace.shown()
    if shown is None:
        return ReceptiveFieldsView((), "Receptive fields appear when the component is sampled.", True)
    if not shown.units:
        return ReceptiveFieldsView((), "No units in this sorting.", True)
    tiles = tuple(
        FieldTile(
            name=unit.name,
            color=unit.color,
            n_spikes=unit.n_spikes,
            field=known.get(spikes_key(shown.component.id, unit.positions)),
            unit=unit.unit,
            is_selected=unit.unit is not None and unit.unit in workspace.selected,
            is_changed=unit.is_changed,
        )
        for unit in shown.units
    )
    return ReceptiveFieldsView(tiles, "", True)


def spikes_key(component_id: int, positions: NDArray[np.int64]) -> bytes:
    """Key of a set of spikes of a component: the same set, the same receptive field."""
    import hashlib

    digest = hashlib.blake2b(np.ascontiguousarray(positions).tobytes(), digest_size=16)
    digest.update(str(component_id).encode())
    return digest.digest()
