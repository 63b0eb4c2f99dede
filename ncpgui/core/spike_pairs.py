"""Pairs of spikes by how far apart they are: what refractory periods and correlograms count."""

from __future__ import annotations

import math
from collections.abc import Iterator

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


def pairs_within(
    times: NDArray[np.integer], longest: float
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the pairs of spikes at most `longest` samples apart: places of both, and samples between them.

    Each yield has pairs with as many spikes between them, none first, in order of time: (P,) each.

    times : (n,) samples in order of time
    """
    times = np.asarray(times, dtype=np.int64)
    first = np.arange(len(times))
    for step in range(1, len(times)):
        first = first[: np.searchsorted(first, len(times) - step)]
        apart = times[first + step] - times[first]
        first, apart = first[apart <= longest], apart[apart <= longest]
        if len(first) == 0:
            return
        yield first, first + step, apart
