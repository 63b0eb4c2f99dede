"""Waiting until something is on the disk, so that it is there after a power cut."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def flush_to_disk(path: Path) -> None:
    """Wait until the contents of a file are on the disk, also of one that may only be read."""
    with path.open("rb" if os.name == "posix" else "rb+") as file:  # Windows flushes what may be written
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where the system has a way to ask."""
    if os.name != "posix":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
