"""GuardedFile: a file whose disk may fill while somebody else's code writes to it.

HDF5 keeps what it could not write and tries again: when its objects are freed, on whatever thread that
happens, and when the program ends, until it crashes there. Here a failure stays with the file.
"""

from __future__ import annotations

import os
from pathlib import Path


class GuardedFile:
    """What h5py takes for a file (its `fileobj` driver); `path` is written anew.

    error : the first write that failed. From then on writes go to memory, so that HDF5 reads back what
    it wrote and can close its objects.
    """

    def __init__(self, path: Path) -> None:
        self.error: OSError | None = None
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o666)
        self._position = self._end = 0
        self._unwritten: list[tuple[int, bytes]] = []

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place; returns it."""
        origin = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._end}
        self._position = origin[whence] + offset
        return self._position

    def tell(self) -> int:
        """Where the next byte is read or written."""
        return self._position

    def read(self, size: int = -1) -> bytes:
        """Return the next `size` bytes, all that are left when it is negative."""
        data = bytearray(max(0, self._end - self._position) if size < 0 else size)
        return bytes(data[: self.readinto(memoryview(data))])

    def readinto(self, buffer: memoryview) -> int:
        """Fill a buffer from here; returns how many bytes there were."""
        start, wanted = self._position, memoryview(buffer).cast("B")
        os.lseek(self._handle, start, os.SEEK_SET)
        n_read = 0
        while n_read < len(wanted) and (some := os.read(self._handle, len(wanted) - n_read)):
            wanted[n_read : n_read + len(some)] = some
            n_read += len(some)
        n_there = min(len(wanted), max(0, self._end - start))
        wanted[n_read:n_there] = bytes(max(0, n_there - n_read))
        for offset, data in self._unwritten:
            first, last = max(offset, start), min(offset + len(data), start + len(wanted))
            if first < last:
                wanted[first - start : last - start] = data[first - offset : last - offset]
        self._position += n_there
        return n_there

    def write(self, data: memoryview) -> int:
        """Write bytes here, to memory once a write has failed."""
        view, start = memoryview(data).cast("B"), self._position
        if self.error is None:
            try:
                self._write_all(view, start)
            except OSError as error:
                self.error = error
        if self.error is not None:
            self._unwritten.append((start, bytes(view)))
        self._position += len(view)
        self._end = max(self._end, self._position)
        return len(view)

    def truncate(self, size: int) -> int:
        """Cut the file, or make it longer."""
        self._end = size
        if self.error is None:
            try:
                os.ftruncate(self._handle, size)
            except OSError as error:
                self.error = error
        return size

    def flush(self) -> None:
        """Do nothing: what is written is in the file."""

    def close(self) -> None:
        """Close the file; `error` then says whether it is whole."""
        os.close(self._handle)

    def __enter__(self) -> GuardedFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        if self.error is not None:
            raise self.error

    def _write_all(self, view: memoryview, start: int) -> None:
        os.lseek(self._handle, start, os.SEEK_SET)
        while view:
            view = view[os.write(self._handle, view) :]
