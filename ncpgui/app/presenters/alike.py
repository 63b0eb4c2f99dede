"""The unit that is most similar to each one on screen, from the whole probe: its mean waveform in grey."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import Color
from ncpgui.app.model.shown_sorting import ShownSorting
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.similar_units import deepest, mean_waveform, near_by


@dataclass(frozen=True, eq=False)
class Ghost:
    """Another unit, drawn beside one: its mean (32, C), noise sd, nan on contacts where it is not known."""

    name: str
    color: Color
    mean: NDArray[np.float32]


def most_alike(units: Sequence[Ghost], others: Sequence[Ghost]) -> list[Ghost | None]:
    """Of each unit, the other one whose mean is nearest by the sum of squared differences.

    Where a mean is not known it counts as flat. None for a unit without a waveform, and where there is no
    other with one.
    """
    found: list[Ghost | None] = []
    means = [np.nan_to_num(other.mean) for other in others]
    known = [(other, mean) for other, mean in zip(others, means, strict=True) if mean.any()]
    for unit in units:
        own = np.nan_to_num(unit.mean)
        rest = [(other, mean) for other, mean in known if other is not unit]
        if not rest or not own.any():
            found.append(None)
            continue
        apart = [((mean - own) ** 2).sum() for _, mean in rest]
        found.append(rest[int(np.argmin(apart))][0])
    return found


def near_by_ghosts(workspace: Workspace, shown: ShownSorting) -> tuple[Ghost, ...]:
    """Units near those on screen that are in other components, on the contacts of this one.

    Only those whose largest contact is one of these, and whose waveforms are at hand.
    """
    contacts = shown.component.contacts
    here = {unit.unit for unit in shown.units}
    near = {other for unit in here if unit is not None for other in near_by(workspace, unit)} - here
    current = workspace.current_of(shown.component.id)
    near -= {unit.unit for unit in current.units} if current is not None else set()
    found = []
    for other in sorted(near):
        known = mean_waveform(workspace, other)
        if known is None or deepest(*known) not in contacts:
            continue
        _, place, row = np.intersect1d(contacts, known[0], return_indices=True)
        mean = np.full((len(known[1]), len(contacts)), np.nan, dtype=np.float32)
        mean[:, place] = known[1][:, row]
        found.append(Ghost(str(other), workspace.coloring.of_unit(other), mean))
    return tuple(found)
