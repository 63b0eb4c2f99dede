"""Arrays that are read from an open file when somebody asks for them.

A file that is mapped into memory ends the program (SIGBUS) when somebody cuts it short; one that is read says
so. It stays open: what takes its place under its name does not matter.
"""

from __future__ import annotations

import os
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import SessionError


class OpenedFile:
    """A file that is open for reading as long as somebody holds this; safe to read from several threads.

    Raises
    ------
    OSError
        It cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._mutex = threading.Lock()
        weakref.finalize(self, os.close, self._handle)

    @property
    def n_bytes(self) -> int:
        """How long the file is now."""
        return os.fstat(self._handle).st_size

    def read(self, begin: int, n_bytes: int) -> bytes:
        """Bytes from `begin` on.

        Raises
        ------
        SessionError
            There are not so many, or they cannot be read.
        """
        pieces: list[bytes] = []
        try:
            with self._mutex:
                os.lseek(self._handle, begin, os.SEEK_SET)
                while n_bytes and (piece := os.read(self._handle, n_bytes)):
                    pieces.append(piece)
                    n_bytes -= len(piece)
        except OSError as error:
            raise SessionError(
                f"cannot read {self.path}: {error.strerror}; delete it, it can be made again"
            ) from error
        if n_bytes:
            raise SessionError(
                f"{self.path} was cut short while it was open; delete it and open the session again"
            )
        return b"".join(pieces)


@dataclass(frozen=True)
class Piece:
    """An array that lies in one piece in a file, from byte `begin` on."""

    file: OpenedFile
    begin: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def _n_bytes(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    @property
    def end(self) -> int:
        """Byte before which the array ends."""
        return self.begin + self._n_bytes

    def read(self) -> NDArray[Any]:
        """The array, as stored; see `OpenedFile.read`."""
        return np.frombuffer(self.file.read(self.begin, self._n_bytes), self.dtype).reshape(self.shape)
