"""Receptive fields of the units on screen: does the ambiguity matter to what the cells see?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.colors import Color
from ncpgui.app.workspace import Workspace


class Field(Protocol):
    """What is shown of a receptive field (`ncpgui.analysis.receptive_field.ReceptiveField`)."""

    spatial: NDArray[np.float32]
    time_course: NDArray[np.float32]
    center_px: tuple[float, float]
    ellipse: tuple[float, float, float]
    is_clear: bool


@dataclass(frozen=True, eq=False)
class FieldTile:
    """One unit: field is None while it is computed."""

    name: str
    color: Color
    n_spikes: int
    field: Field | None


@dataclass(frozen=True, eq=False)
class ReceptiveFieldsView:
    """Tiles of the sorting on screen; message : what to show when there are none."""

    tiles: tuple[FieldTile, ...]
    message: str = ""
    has_stimulus: bool = False


def present_receptive_fields(workspace: Workspace, known: dict[bytes, Field]) -> ReceptiveFieldsView:
    """Tiles with the fields that are known, by `spikes_key`."""
    if workspace.project is None or workspace.project.stimulus is None:
        return ReceptiveFieldsView(
            (),
            "No stimulus in this session.\nPut stimulus.npz (frames, trigger_sample) beside the "
            "recording before it is sorted to see the receptive field of each unit.",
        )
    shown = workspace.shown()
    if shown is None:
        return ReceptiveFieldsView((), "Receptive fields appear when the group is sampled.", True)
    if not shown.units:
        return ReceptiveFieldsView((), "No units in this sorting.", True)
    tiles = tuple(
        FieldTile(unit.name, unit.color, unit.n_spikes, known.get(spikes_key(shown.channel, unit.positions)))
        for unit in shown.units
    )
    return ReceptiveFieldsView(tiles, "", True)


def spikes_key(channel: int, positions: NDArray[np.int64]) -> bytes:
    """Key of a set of spikes of a group: the same set, the same receptive field."""
    import hashlib

    digest = hashlib.blake2b(np.ascontiguousarray(positions).tobytes(), digest_size=16)
    digest.update(str(channel).encode())
    return digest.digest()
