"""Arrays in the JSON of a history: base64 of zlib of little-endian values, kept to the last bit."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

MOST_BYTES = 2**28
"""Size up to which an array is unpacked: one number of each of 67 million spikes."""


def pack(array: NDArray[np.generic], dtype: str) -> str:
    """Array as text."""
    plain = np.ascontiguousarray(array, dtype=dtype).tobytes()
    return base64.b64encode(zlib.compress(plain, 1)).decode("ascii")


def unpack(text: str, dtype: DTypeLike) -> NDArray[Any]:
    """Array (n,) of the text that `pack` made.

    Raises
    ------
    ValueError, zlib.error
        It is none, or one of more than `MOST_BYTES`: a few bytes can stand for any number of zeros.
    """
    reader = zlib.decompressobj()
    plain = reader.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
    if not reader.eof:
        raise ValueError(f"an array that is cut off, or has more than {MOST_BYTES >> 20} MiB")
    return np.frombuffer(plain, dtype=dtype)
