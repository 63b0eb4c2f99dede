"""What tells whether a file is still the one that was read."""

from __future__ import annotations

from pathlib import Path


def file_stamp(path: Path) -> tuple[int, ...] | None:
    """What changes when another file is at `path`, or it is written to; None where none can be found."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
