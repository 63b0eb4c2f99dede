"""Pairs of spikes of two trains by how far apart they are: what refractory periods and correlograms count."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def n_later(first: NDArray[np.integer], second: NDArray[np.integer], low: float, high: float) -> int:
    """Count the pairs of which the second is more than `low` and at most `high` samples later.

    first, second : sorted samples; low, high : samples, not negative
    """
    low, high = math.floor(low), math.floor(high)  # times are whole samples
    return int(
        np.searchsorted(second, first + high, "right").sum()
        - np.searchsorted(second, first + low, "right").sum()
    )


def n_apart(first: NDArray[np.integer], second: NDArray[np.integer], low: float, high: float) -> int:
    """Count the pairs that are more than `low` and at most `high` samples apart, whichever is first.

    A pair within one train, given twice, counts twice. Options as `n_later`.
    """
    return n_later(first, second, low, high) + n_later(second, first, low, high)
