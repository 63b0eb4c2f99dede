"""Arrays of an .npz file from anywhere: its headers are checked before anything is allocated."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.npy import read_header
from ncpgui.core.regular_files import not_special

MOST_BYTES = 16 * 2**30
"""Size up to which the arrays of a file are read, all together."""

_MOST_DEFLATED = 1032  # bytes that one byte of a deflated file can stand for, at most
_DAMAGED = (OSError, ValueError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)


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
