"""Arrays in the JSON of a history: base64 of zlib of little-endian values, kept to the last bit."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


def pack(array: NDArray[np.generic], dtype: str) -> str:
    """Array as text."""
    plain = np.ascontiguousarray(array, dtype=dtype).tobytes()
    return base64.b64encode(zlib.compress(plain, 1)).decode("ascii")


def unpack(text: str, dtype: DTypeLike) -> NDArray[Any]:
    """Array (n,) of the text that `pack` made."""
    return np.frombuffer(zlib.decompress(base64.b64decode(text, validate=True)), dtype=dtype)
