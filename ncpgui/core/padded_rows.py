"""Rows of different lengths as one array, as compiled loops read them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def padded(rows: Sequence[NDArray[np.integer]]) -> NDArray[np.int32]:
    """Rows (n, most of any, at least 1) of numbers of channels or the like, each of them then -1.

    >>> padded([np.array([4, 5]), np.array([], int)])
    array([[ 4,  5],
           [-1, -1]], dtype=int32)
    """
    result = np.full((len(rows), max([1, *map(len, rows)])), -1, np.int32)
    for into, row in zip(result, rows, strict=True):
        into[: len(row)] = row
    return result
