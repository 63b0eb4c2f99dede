"""Arrays of .npy and .npz files from anywhere: headers are checked before anything is allocated."""

from __future__ import annotations

import lzma
import math
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.files import replaced_file
from ncpgui.core.regular_files import is_hollow, not_special

MOST_BYTES = 16 * 2**30
"""Size up to which the arrays of a file are read, all together."""

_MOST_DEFLATED = 1032  # bytes that one byte of a deflated file can stand for, at most
_DAMAGED = (OSError, ValueError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)
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
    try:
        version = np.lib.format.read_magic(stream)
    except ValueError as error:
        raise ValueError("it does not begin like an array of NumPy") from error
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


def read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """Read all arrays of an .npz file.

    Raises
    ------
    InputError
        Not an .npz file, one that is damaged or holds pickled objects; arrays whose headers announce another
        size than the file holds, or more than `MOST_BYTES` together.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder; give an .npz file")
    try:
        with not_special(path).open("rb") as stream:
            if stream.read(6) == np.lib.format.MAGIC_PREFIX:
                raise InputError(f"{path} is a single array; save it as an .npz file with numpy.savez")
        if not zipfile.is_zipfile(path):
            raise InputError(f"{path} is damaged or not an .npz file; save it again with numpy.savez")
        check_headers(path)
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except InputError:
        raise
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist; give an .npz file") from error
    except MemoryError as error:
        raise InputError(f"{path} needs more memory than there is; save fewer spikes in it") from error
    except _DAMAGED as error:
        raise InputError(f"{path} is damaged or not an .npz file ({error}); save it again") from error


def write_npz(path: Path, arrays: Mapping[str, ArrayLike], *, replace: bool = True) -> None:
    """Write arrays as an .npz file, swapped in whole; `path` keeps its name, whatever its suffix.

    replace : as of `replaced_file`, whose errors it raises
    """
    with replaced_file(path, replace=replace) as beside, beside.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def check_headers(path: Path) -> None:
    """Look at the headers of all arrays, before any reader asks for memory.

    Raises
    ------
    InputError
        As `read_npz`.
    """
    left = MOST_BYTES
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            name = member.filename.removesuffix(".npy")
            with archive.open(member) as stream:
                n_bytes = _announced(stream, name, path)  # type: ignore[arg-type]
            most = member.compress_size * (
                1 if member.compress_type == zipfile.ZIP_STORED else _MOST_DEFLATED
            )
            if n_bytes != member.file_size or n_bytes > most:
                raise InputError(
                    f"{path}: the header of '{name}' announces {n_bytes} bytes, but the file holds "
                    f"{min(member.file_size, most)} at most; it is damaged, save it again"
                )
            left -= n_bytes
            if left < 0:
                raise InputError(
                    f"{path}: its arrays need more than {MOST_BYTES // 2**30} GiB, the most that is read; "
                    "save fewer spikes in it"
                )


def _announced(stream: BinaryIO, name: str, path: Path) -> int:
    """Bytes of an array with its header, as the header tells them."""
    try:
        header = read_header(stream)
    except ValueError as error:
        raise InputError(
            f"{path} is damaged or not an .npz file: '{name}' is not an array ({error}); "
            "save plain arrays with numpy.savez"
        ) from error
    if header.dtype.hasobject:
        raise InputError(
            f"{path} holds pickled objects ('{name}'), which can run any program and are refused; "
            "save plain numbers"
        )
    return header.n_bytes
