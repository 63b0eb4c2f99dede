"""Files from anywhere are files: no pipe that is waited for, no device without end, none too large."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

TEXT_BYTES = 256 * 2**20
"""Size up to which files of text are read: settings, descriptions, tables."""

_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class NotRead(OSError):
    """A path that is not read, though it may be there; its text is the reason alone."""

    def __str__(self) -> str:
        return str(self.strerror)


def special(path: str | Path) -> str:
    """What a path leads to if it is neither file nor folder, such as "a named pipe"; '' otherwise."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except (OSError, ValueError):
        return ""
    return next((name for is_it, name in _KINDS if is_it(mode)), "")


def not_special(path: Path) -> Path:
    """The path itself, unless it is a named pipe, a socket or a device, which nobody waits for.

    Raises
    ------
    NotRead
        It is one of them.
    """
    kind = special(path)
    if kind:
        raise NotRead(errno.EINVAL, f"it is {kind}, not a file", str(path))
    return path


def regular(path: Path, *, most_bytes: int = TEXT_BYTES) -> Path:
    """The path itself, if it can be read whole.

    Raises
    ------
    NotRead
        It is a named pipe, a socket or a device, or has more than `most_bytes`.
    OSError
        It is not there.
    """
    size = not_special(path).stat().st_size
    if size > most_bytes:
        raise NotRead(errno.EFBIG, f"it has {size} bytes, and no more than {most_bytes} are read", str(path))
    return path


def is_hollow(path: Path) -> bool:
    """Whether a file says to have over 1 GiB, of which hardly anything is on the disk."""
    found = path.stat()
    on_disk = getattr(found, "st_blocks", None)
    return on_disk is not None and found.st_size > 2**30 and on_disk * 512 < found.st_size // 10_000
