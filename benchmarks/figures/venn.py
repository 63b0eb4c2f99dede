"""Two circles whose areas, and the area that they share, are as the numbers that they stand for."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle

from .base import INK, MODEL, SECOND


def shared_area(distance: float, first: float, second: float) -> float:
    """Area that two circles of these radii share, whose centres are so far apart."""
    if distance >= first + second:
        return 0.0
    if distance <= abs(first - second):
        return float(np.pi * min(first, second) ** 2)
    a = (distance**2 + first**2 - second**2) / (2 * distance)
    b = distance - a
    half = np.sqrt(max(first**2 - a**2, 0.0))
    one = first**2 * np.arccos(np.clip(a / first, -1, 1)) + second**2 * np.arccos(np.clip(b / second, -1, 1))
    return float(one - distance * half)


def circles(first: int, second: int, both: int) -> tuple[float, float, float]:
    """Return radii and distance: areas are `first` and `second`, that shared is `both`."""
    one, two = np.sqrt(first / np.pi), np.sqrt(second / np.pi)
    low, high = abs(one - two), one + two
    for _ in range(60):  # the shared area falls with the distance
        middle = (low + high) / 2
        low, high = (middle, high) if shared_area(middle, one, two) > both else (low, middle)
    return float(one), float(two), float((low + high) / 2)


def draw(ax: Axes, numbers: tuple[int, int, int], names: tuple[str, str], largest: float) -> None:
    """Draw a Venn diagram of (of the first alone, of both, of the second alone).

    largest : half of the width that is shown, so that diagrams beside each other have one scale
    """
    alone, both, other = numbers
    one, two, distance = circles(alone + both, both + other, both)
    left = -(one + distance + two) / 2 + one
    for x, radius, colour in ((left, one, MODEL), (left + distance, two, SECOND)):
        ax.add_patch(Circle((x, 0), radius, facecolor=colour, alpha=0.22, edgecolor="none"))
        ax.add_patch(Circle((x, 0), radius, fill=False, edgecolor=colour, linewidth=1.4))
    ends = (left - one, left + distance - two, left + one, left + distance + two)
    narrow, away = 0.14 * largest, 0.07 * largest
    places = (
        (ends[0] + ends[1]) / 2 if ends[1] - ends[0] > narrow else ends[0] - away,
        (ends[1] + ends[2]) / 2,
        (ends[2] + ends[3]) / 2 if ends[3] - ends[2] > narrow else ends[3] + away,
    )
    for x, number in zip(places, numbers, strict=True):
        ax.text(x, 0, str(number), ha="center", va="center", color=INK, fontsize=10)
    top = max(one, two) * 1.1
    ax.text(-largest, top, f"{names[0]} {alone + both}", ha="left", va="bottom", color=MODEL, fontsize=9)
    ax.text(largest, top, f"{names[1]} {both + other}", ha="right", va="bottom", color=SECOND, fontsize=9)
    ax.set_xlim(-largest, largest)
    ax.set_ylim(-largest * 0.75, largest * 0.75)
    ax.set_aspect("equal")
    ax.axis("off")
