"""Arrays of float16 as float32: NumPy takes four times as long, and every reading of kept traces does it."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

_EXPONENTS_APART = np.float32(2.0**112)
"""Ratio of what the same bits of an exponent mean: its bias is 127 in float32, 15 in float16."""


def widen(values: NDArray[np.float16], into: NDArray[np.float32]) -> None:
    """Write finite float16 values into a float32 array of their size; both are contiguous."""
    flat = into.reshape(-1)
    _bits(values.reshape(-1).view(np.uint16), flat.view(np.uint32))
    flat *= _EXPONENTS_APART


@numba.njit(cache=True, nogil=True)
def _bits(half, single):  # type: ignore[no-untyped-def]
    """Sign, exponent and mantissa of each where float32 has them."""
    for i in range(len(half)):
        bits = np.uint32(half[i])
        sign = (bits & np.uint32(0x8000)) << np.uint32(16)
        single[i] = sign | ((bits & np.uint32(0x7FFF)) << np.uint32(13))
