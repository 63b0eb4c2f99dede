"""Which units may be one neuron, of all pairs at once: a matrix in the order of the table of units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import Color
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.similar_units import p_same
from ncpgui.app.presenters.why_empty import OPEN_FIRST
from ncpgui.app.words import count
from ncpgui.core.percent import percent


@dataclass(frozen=True, eq=False)
class SimilarityView:
    """P(same neuron) of pairs of units.

    units, colors, is_selected : (n,) of each row and column; p_same : (n, n), nan where no draw has both
    """

    units: tuple[int, ...] = ()
    colors: tuple[Color, ...] = ()
    is_selected: tuple[bool, ...] = ()
    p_same: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    message: str = ""

    @property
    def note(self) -> str:
        """Beside the title of the panel."""
        return count(len(self.units), "unit") if self.units else ""

    def tooltip(self, row: int, column: int) -> str:
        """A cell: which pair, its value, and from what."""
        one, other = self.units[row], self.units[column]
        if row == column:
            return f"Unit {one}\nA click selects it"
        p = self.p_same[row, column]
        if np.isnan(p):
            told = "never in doubt together: no draws have both"
        else:
            told = (
                f"P(same) {percent(float(p))}\nThe share of the draws in which one cluster has most of both"
            )
        return f"Units {one} and {other}: {told}\nA click selects both"


def present_similarity(workspace: Workspace, units: Sequence[int]) -> SimilarityView:
    """The matrix of some units, in their order."""
    if workspace.state.project is None:
        return SimilarityView(message=OPEN_FIRST)
    if len(units) < 2:
        return SimilarityView(message="The table lists fewer than two units.")
    place = {unit: row for row, unit in enumerate(units)}
    values = np.full((len(units), len(units)), np.nan)
    for unit, row in place.items():
        for other, p in p_same(workspace, unit).items():
            if other in place:
                values[row, place[other]] = p
    return SimilarityView(
        units=tuple(units),
        colors=tuple(workspace.coloring.of_unit(unit) for unit in units),
        is_selected=tuple(unit in workspace.selected for unit in units),
        p_same=values,
    )
