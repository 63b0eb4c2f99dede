"""Which points of a plane lie inside a polygon that a person drew."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

MIN_CORNERS = 3


def inside_polygon(points: ArrayLike, corners: ArrayLike) -> NDArray[np.bool_]:
    """Whether points lie inside a polygon: (n,).

    A point is inside where a ray from it to the left crosses the border an odd number of times, so that
    what a border that crosses itself encloses twice is outside. Polygons that share an edge have no point in
    common and leave none between them.

    Parameters
    ----------
    points : (n, 2) float; those that are not finite are outside
    corners : (V, 2) float, in order; the last is joined to the first. Fewer than three enclose nothing
    """
    place = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    border = np.asarray(corners, dtype=np.float64).reshape(-1, 2)
    inside = np.zeros(len(place), dtype=bool)
    if len(border) < MIN_CORNERS:
        return inside
    low, high = border.min(axis=0), border.max(axis=0)
    near = np.flatnonzero(((place >= low) & (place <= high)).all(axis=1))
    x, y = place[near].T
    odd = np.zeros(len(near), dtype=bool)
    for (x0, y0), (x1, y1) in zip(border, np.roll(border, -1, axis=0), strict=True):
        if y0 == y1:
            continue
        crossed = np.flatnonzero((y0 <= y) != (y1 <= y))
        at = x0 + (y[crossed] - y0) * ((x1 - x0) / (y1 - y0))
        odd[crossed[x[crossed] >= at]] ^= True
    inside[near] = odd
    return inside
