"""Arrays of float16 as float32 and back: NumPy takes four times as long, and all kept traces go both ways."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.loops import compiled

BLOCK = 4096
LARGEST = float(np.finfo(np.float16).max)
_EXPONENTS_APART = np.float32(2.0**112)
"""Ratio of what the same bits of an exponent mean: its bias is 127 in float32, 15 in float16."""
_LARGEST_BITS = int(np.float32(LARGEST).view(np.uint32))
_LEAST_NORMAL_BITS = int(np.float32(2.0**-14).view(np.uint32))
_LEAST_BITS = int(np.float32(2.0**-25).view(np.uint32))


def widen(values: NDArray[np.float16], into: NDArray[np.float32]) -> None:
    """Write finite float16 values into a float32 array of their size; both are contiguous."""
    flat = into.reshape(-1)
    _widened(values.reshape(-1).view(np.int16), flat.view(np.int32), flat)


def narrowed(values: NDArray[np.float32]) -> NDArray[np.float16]:
    """Finite float32 values as float16, rounded to the nearest; those beyond its range are its `LARGEST`."""
    result = np.empty(values.shape, np.float16)
    bits = np.ascontiguousarray(values).reshape(-1).view(np.uint32)
    _narrowed(bits, result.reshape(-1).view(np.uint16))
    return result


@compiled()
def _widened(half, bits_of_single, single):  # type: ignore[no-untyped-def]
    """Sign, exponent and mantissa of each where float32 has them, and then the exponent's own bias.

    A half that is read as a number with a sign fills the bits above it with that sign; all of these but the
    last go. A block is done with before the next: memory is gone through once.
    """
    for first in range(0, len(half), BLOCK):
        last = min(first + BLOCK, len(half))
        some, bits, values = half[first:last], bits_of_single[first:last], single[first:last]
        for i in range(len(some)):
            bits[i] = (np.int32(some[i]) << np.int32(13)) & np.int32(~0x70000000)
        for i in range(len(values)):
            values[i] *= _EXPONENTS_APART


@compiled()
def _narrowed(single, half):  # type: ignore[no-untyped-def]
    """The 13 last bits of the mantissa are rounded away, more of what is too small for an exponent."""
    one = np.uint32(1)
    for i in range(len(single)):
        bits = single[i]
        size = min(bits & np.uint32(0x7FFFFFFF), np.uint32(_LARGEST_BITS))
        normal = size - np.uint32(112 << 23)
        mantissa = (size & np.uint32(0x7FFFFF)) | np.uint32(0x800000)
        drop = min(np.uint32(126) - (size >> np.uint32(23)), np.uint32(31))
        is_normal = size >= np.uint32(_LEAST_NORMAL_BITS)
        kept = normal if is_normal else (mantissa if size >= np.uint32(_LEAST_BITS) else np.uint32(0))
        away = np.uint32(13) if is_normal else drop
        kept += (one << (away - one)) - one + ((kept >> away) & one)
        half[i] = np.uint16((kept >> away) | ((bits >> np.uint32(16)) & np.uint32(0x8000)))
