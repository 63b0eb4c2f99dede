"""An array of an .npy file from anywhere: its header is checked before anything is allocated."""

from __future__ import annotations

import math
import tokenize
import warnings
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.regular_files import is_hollow, not_special

_READERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_RAISED = (
    ValueError,
    TypeError,
    SyntaxError,
    tokenize.TokenError,
    ArithmeticError,
    RecursionError,
    MemoryError,
)
"""What NumPy raises on headers that are no headers: it reads them as Python."""


class Header(NamedTuple):
    """What an array says of itself; n_bytes : of header and values."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    n_bytes: int


def read_header(stream: BinaryIO) -> Header:
    """Read the header of an array at the start of a stream, which stands at the first value then.

    Raises
    ------
    ValueError
        It is no array, or its header cannot be used.
    """
    version = np.lib.format.read_magic(stream)
    if version not in _READERS:
        raise ValueError(f"an array of the unknown version {version}")
    try:
        with warnings.catch_warnings():  # what Python 2 wrote can be read, and NumPy advises to save it anew
            warnings.simplefilter("ignore", UserWarning)
            shape, _, dtype = _READERS[version](stream)
        if any(isinstance(length, bool) or length < 0 for length in shape):
            raise ValueError(f"it has the shape {shape}")
        return Header(shape, dtype, math.prod(shape) * dtype.itemsize + stream.tell())
    except _RAISED as error:
        raise ValueError(f"its header cannot be used: {error}") from error


def check_npy(path: Path) -> None:
    """Look at the header of an .npy file, before any reader asks for memory.

    Raises
    ------
    ValueError
        It is none, is damaged, holds pickled objects, announces more than the file holds, or hardly anything
        of it was ever written.
    OSError
        The file cannot be read, or is none.
    """
    with not_special(path).open("rb") as stream:
        header = read_header(stream)
    if header.dtype.hasobject:
        raise ValueError("it holds pickled objects, which can run any program and are refused")
    size = path.stat().st_size
    if header.n_bytes > size:
        raise ValueError(f"its header announces {header.n_bytes} bytes, the file holds {size}")
    if is_hollow(path):
        raise ValueError(f"it announces {header.n_bytes} bytes, of which hardly any were written")


def read_npy(path: Path, *, mapped: bool = False) -> NDArray[Any]:
    """Read the array of an .npy file, or map it into memory, read-only, if asked to.

    Raises
    ------
    ValueError, OSError
        As `check_npy`.
    """
    check_npy(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        values: NDArray[Any] = np.load(path, allow_pickle=False, mmap_mode="r" if mapped else None)
    return values
