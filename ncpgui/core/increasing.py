"""Numbers found in a list that increases: spikes of a unit among those of a component.

A search takes as long as the numbers looked for are many; `numpy.isin` sorts or hashes both lists first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ABSENT = -1


def rows_of(values: NDArray[np.integer], increasing: NDArray[np.integer]) -> NDArray[np.int64]:
    """Row of each of `values` (n,) in `increasing` (m,), which has no number twice; `ABSENT` without one.

    >>> rows_of(np.array([5, 1, 4]), np.array([1, 3, 5])).tolist()
    [2, 0, -1]
    """
    if len(increasing) == 0:
        return np.full(len(values), ABSENT, dtype=np.int64)
    row = np.minimum(np.searchsorted(increasing, values), len(increasing) - 1)
    return np.where(increasing[row] == values, row, ABSENT)


def is_among(values: NDArray[np.integer], increasing: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Whether each of `values` (n,) is one of `increasing` (m,).

    >>> is_among(np.array([5, 1, 4]), np.array([1, 3, 5])).tolist()
    [True, True, False]
    """
    return rows_of(values, increasing) != ABSENT
