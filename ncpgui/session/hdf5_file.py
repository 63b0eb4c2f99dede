"""Write an HDF5 file so that a disk that fills does no harm to the program; say what HDF5 could not read.

HDF5 writes through a `GuardedFile`, which keeps a failure to itself; it is raised when the file is closed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py

from ncpgui.core.guarded_file import GuardedFile
from ncpgui.core.regular_files import NotRead


@contextmanager
def written_hdf5(path: Path) -> Iterator[h5py.File]:
    """Yield a new HDF5 file at `path`; it is closed, but not flushed to the disk, when the block ends.

    Raises
    ------
    OSError
        It could not be written; what is at `path` then is no HDF5 file.
    """
    with (
        GuardedFile(path) as target,
        h5py.File(target, "w", libver=("earliest", "v110"), locking=False) as file,
    ):
        yield file


def reason(error: BaseException) -> str:
    """What an error of HDF5 says, in a line: what the system said, where it was that."""
    if isinstance(error, OSError) and error.errno and not isinstance(error, NotRead):
        return os.strerror(error.errno)
    return (str(error).splitlines() or ["unreadable"])[0]
