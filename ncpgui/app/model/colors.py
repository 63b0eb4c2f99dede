"""A stable colour per unit, told apart with any of the three colour-vision deficiencies.

The first eight colours keep a CIELAB distance of at least 13 from each other in normal vision and
under simulated protanopia, deuteranopia and tritanopia (Machado et al. 2009); `tests/app` holds
this. Each has a twin for dark backgrounds, so that a unit keeps its hue when the theme changes. Numbers have
a scale on which lightness alone tells their order (a part of Matplotlib's plasma on each background).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

LIGHT = (
    "#2F6FDE", "#F07A05", "#2FAE78", "#8C2468", "#E57FC6", "#5C6000", "#3A1FA6", "#D3273E",
    "#4BB3E6", "#7A7F8C",
)  # fmt: skip
DARK = (
    "#5B9BFF", "#F5871A", "#35D694", "#CF4390", "#F9B4E6", "#F0EE5C", "#8A63FF", "#E8442E",
    "#9BE3FF", "#9AA0AE",
)  # fmt: skip
N_COLORS = len(LIGHT)
SHADES = ((0.0, 0.0), (-0.4, 0.45), (0.45, -0.4))
"""Of units beyond the tenth: each colour mixed with this share of white, or of black where it is negative, on
a light and on a dark background. So thirty units have colours of their own."""
LIGHT_SCALE = ("#0D0887", "#6A00A8", "#B12A90", "#CC4778", "#E16462")
DARK_SCALE = ("#CC4778", "#E16462", "#F2844B", "#FCA636", "#F0F921")


@dataclass(frozen=True)
class Color:
    """One entry of the palette, or a place on the scale; the theme picks the twin.

    share : from 0, the low end of the scale, to 1; None for an entry of the palette
    """

    index: int
    share: float | None = None

    def hex(self, *, dark: bool) -> str:
        """``#RRGGBB`` on a light or dark background."""
        if self.share is not None:
            return _between(DARK_SCALE if dark else LIGHT_SCALE, self.share)
        color = (DARK if dark else LIGHT)[self.index % N_COLORS]
        mixed = SHADES[self.index // N_COLORS % len(SHADES)][dark]
        return _between((color, "#FFFFFF" if mixed > 0 else "#000000"), abs(mixed))


@lru_cache(4096)
def _between(stops: tuple[str, ...], share: float) -> str:
    """Colour at a share of the way along some colours, evenly apart."""
    place = min(max(share, 0.0), 1.0) * (len(stops) - 1)
    left = min(int(place), len(stops) - 2)
    ends = [[int(stop[k : k + 2], 16) for k in (1, 3, 5)] for stop in stops[left : left + 2]]
    mix = (round(a + (b - a) * (place - left)) for a, b in zip(*ends, strict=True))
    return "#" + "".join(f"{part:02X}" for part in mix)


class ColorBook:
    """Remembers the colour of each unit: one that no unit beside it had when it was first seen."""

    def __init__(self) -> None:
        self._index: dict[int, int] = {}

    def __contains__(self, unit: int) -> bool:
        return unit in self._index

    def give(self, unit: int, index: int) -> None:
        """Give a unit a palette entry; one that has a colour keeps it."""
        self._index.setdefault(unit, index)

    def spread(self, units: Iterable[int]) -> None:
        """Give units the palette entries in turn."""
        for row, unit in enumerate(units):
            self.give(unit, row % N_COLORS)

    def color(self, unit: int, beside: Iterable[int] = ()) -> Color:
        """Colour of `unit`; when it is new, one that none of the units `beside` it has."""
        if unit not in self._index:
            self._index[unit] = self.free({self._index[u] for u in beside if u in self._index})
        return Color(self._index[unit])

    @staticmethod
    def free(taken: Iterable[int]) -> int:
        """Lowest palette entry that is not taken, in another shade when all are; then the least used one."""
        counts = [0] * (N_COLORS * len(SHADES))
        for index in taken:
            counts[index % len(counts)] += 1
        return counts.index(min(counts))
