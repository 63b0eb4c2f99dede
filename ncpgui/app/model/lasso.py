"""What a person draws around spikes, and the split that is proposed from it: both wait to be confirmed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.shown_sorting import ShownSorting
from ncpgui.core.component import ComponentWaveforms
from ncpgui.core.polygon import MIN_CORNERS
from ncpgui.curation.commands import Assign


@dataclass(frozen=True, eq=False)
class Lasso:
    """A polygon in a plane of spikes.

    component_id : of the spikes, `together.TOGETHER` where they are of several; plane : panel in which it is
    drawn, ``"features"``, ``"over time"`` or ``"embedding"``; axes : names of its coordinates
    corners : (V, 2) in these coordinates
    """

    component_id: int
    plane: str
    axes: tuple[str, str]
    corners: NDArray[np.float64]

    @property
    def is_closed(self) -> bool:
        """Whether it encloses something."""
        return len(self.corners) >= MIN_CORNERS

    def is_in(self, component_id: int | None, plane: str, axes: tuple[str, str]) -> bool:
        """Whether it is drawn in this plane."""
        return (self.component_id, self.plane, self.axes) == (component_id, plane, axes)

    def with_corner(self, x: float, y: float) -> Lasso:
        """The lasso with another corner."""
        return replace(self, corners=np.vstack([self.corners, [x, y]]))


@dataclass(frozen=True, eq=False)
class Proposal:
    """An edit of what is on screen that was not done yet: all panels show what it would make.

    command : does it; sorting : what it would make; before : the sorting in use that it is an edit of
    note : what else there is to say of it, ''
    waveforms : of units that are drawn together; None where the edit is of one component
    """

    command: Assign
    sorting: ShownSorting
    before: ShownSorting
    note: str = ""
    waveforms: ComponentWaveforms | None = None
