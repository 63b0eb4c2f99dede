"""A stable colour per unit, told apart with any of the three colour-vision deficiencies.

The first eight colours keep a CIELAB distance of at least 13 from each other in normal vision and
under simulated protanopia, deuteranopia and tritanopia (Machado et al. 2009); `tests/app` holds
this. Each has a twin for dark backgrounds, so that a unit keeps its hue when the theme changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

LIGHT = (
    "#2F6FDE", "#F07A05", "#2FAE78", "#8C2468", "#E57FC6", "#5C6000", "#3A1FA6", "#D3273E",
    "#4BB3E6", "#7A7F8C",
)  # fmt: skip
DARK = (
    "#5B9BFF", "#F5871A", "#35D694", "#CF4390", "#F9B4E6", "#F0EE5C", "#8A63FF", "#E8442E",
    "#9BE3FF", "#9AA0AE",
)  # fmt: skip
N_COLORS = len(LIGHT)


@dataclass(frozen=True)
class Color:
    """One entry of the palette; the theme picks the twin."""

    index: int

    def hex(self, *, dark: bool) -> str:
        """``#RRGGBB`` on a light or dark background."""
        return (DARK if dark else LIGHT)[self.index % N_COLORS]


class ColorBook:
    """Remembers the colour of each unit: one that no unit beside it had when it was first seen."""

    def __init__(self) -> None:
        self._index: dict[int, int] = {}

    def __contains__(self, unit: int) -> bool:
        return unit in self._index

    def give(self, unit: int, index: int) -> None:
        """Give a unit a palette entry; one that has a colour keeps it."""
        self._index.setdefault(unit, index)

    def color(self, unit: int, beside: Iterable[int] = ()) -> Color:
        """Colour of `unit`; when it is new, one that none of the units `beside` it has."""
        if unit not in self._index:
            self._index[unit] = self.free({self._index[u] for u in beside if u in self._index})
        return Color(self._index[unit])

    @staticmethod
    def free(taken: Iterable[int]) -> int:
        """Lowest palette entry that is not taken; the least used one when all are."""
        counts = [0] * N_COLORS
        for index in taken:
            counts[index % N_COLORS] += 1
        return counts.index(min(counts))
