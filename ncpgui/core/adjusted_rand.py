"""How alike two partitions are: the adjusted Rand index."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ncpgui.core.partition import contingency


def adjusted_rand(a: ArrayLike, b: ArrayLike) -> float:
    """Adjusted Rand index of two label vectors: 1 for equal partitions, 0 on average by chance.

    Of all pairs of points it compares those together in both partitions with those together in each
    (Hubert and Arabie 1985). Points that are unassigned (negative) in either are left out.

    >>> round(adjusted_rand([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.5714
    """
    table = contingency(a, b)
    n_points, n_equal = int(table.sum()), int((table**2).sum())
    in_both = n_equal - n_points
    in_first = int((table.sum(axis=1) ** 2).sum()) - n_equal
    in_second = int((table.sum(axis=0) ** 2).sum()) - n_equal
    in_none = n_points**2 - in_first - in_second - n_equal
    if in_first == in_second == 0:
        return 1.0
    above_chance = 2.0 * (in_both * in_none - in_first * in_second)
    by_first = (in_both + in_first) * (in_first + in_none)
    by_second = (in_both + in_second) * (in_second + in_none)
    return above_chance / (by_first + by_second)
