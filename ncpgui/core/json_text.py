"""JSON: text from outside, values as it takes them, and arrays packed into text."""

from __future__ import annotations

import base64
import json
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

MOST_BYTES = 2**28
"""Size up to which an array is unpacked: one number of each of 67 million spikes."""


def parse_json(text: str | bytes) -> Any:
    """Read a JSON text.

    Raises
    ------
    ValueError
        It is no JSON, not in UTF-8, nested so deeply that Python cannot read it, or says something twice, of
        which nobody can tell what counts.
    """
    try:
        return json.loads(text, object_pairs_hook=_each_once)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
        raise ValueError(f"it says '{twice:.60}' twice, and nobody can tell which counts")
    return found


def as_json(value: Any, number: Callable[[float], float | None] = float) -> Any:
    """Dataclasses, tuples, arrays and NumPy's numbers as JSON takes them; what it has no words for stays.

    number : what becomes of each float
    """
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: as_json(item, number) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item, number) for item in value]
    return number(value) if isinstance(value, float) else value


def pack(array: NDArray[np.generic], dtype: str) -> str:
    """Array as text."""
    plain = np.ascontiguousarray(array, dtype=dtype).tobytes()
    return base64.b64encode(zlib.compress(plain, 1)).decode("ascii")


def pack_array(array: NDArray[np.generic]) -> dict[str, Any]:
    """Array of any shape as JSON: integers as differences from one to the next, most often small ones."""
    flat, dtype = array.reshape(-1), "<f4" if array.dtype == np.float32 else "<f8"
    if np.issubdtype(array.dtype, np.integer):
        flat = np.diff(flat.astype(np.int64), prepend=0)
        dtype = "<i4" if np.abs(flat).max(initial=0) < 2**31 else "<i8"
    return {"dtype": dtype, "shape": list(array.shape), "data": pack(flat, dtype)}


def unpack_array(value: Any, kind: type[Any]) -> NDArray[Any]:
    """Array that `pack_array` wrote, as a NumPy type; as it is where that is abstract, such as `np.integer`.

    Raises
    ------
    KeyError, TypeError, ValueError, zlib.error
        It is none, see `unpack`, or one of integers where others are wanted, or the other way round.
    """
    dtype = value["dtype"]
    if dtype not in ("<i4", "<i8", "<f4", "<f8") or ("i" in dtype) != issubclass(kind, np.integer):
        raise TypeError(f"an array of {dtype!r:.20}, where {kind.__name__} is needed")
    flat = unpack(value["data"], dtype)
    whole = (np.cumsum(flat, dtype=np.int64) if "i" in dtype else flat).reshape(value["shape"])
    return whole if kind in (np.integer, np.floating) else whole.astype(kind)


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
