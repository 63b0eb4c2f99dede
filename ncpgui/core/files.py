"""Files are swapped in whole: written beside, then moved over the old one."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ncpgui.core.errors import ExportError

DISK_FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
"""What the system says when there is no place left, or a quota is used up."""

NAME_BYTES = 255
"""Length of a name, in bytes, that common file systems take."""


def too_long(path: str | Path, *beside: Path) -> str:
    """What is wrong with the length of a name in `path`, or of the files `beside` it; '' when nothing."""
    longest = max((len(os.fsencode(part)) for part in Path(path).parts), default=0)
    at_most = max((longest, *(len(os.fsencode(other.name)) for other in beside)))
    if at_most <= NAME_BYTES:
        return ""
    name = f"the name has {longest} bytes"
    if at_most > longest:
        name = f"with what ncpgui writes beside it, the name has up to {at_most} bytes"
    return f"{name}, and the file system takes {NAME_BYTES}; give a shorter name"


@contextmanager
def replaced_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; moved over `path` when the block ends without error.

    Raises
    ------
    ExportError
        The folder does not exist or cannot be written.
    """
    with _writable(path):
        handle, name = tempfile.mkstemp(prefix=_hidden(path.stem), suffix=path.suffix, dir=path.parent)
        os.close(handle)
    beside = Path(name)
    try:
        with _writable(path):
            yield beside
            beside.chmod(0o644)
            beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def replaced_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder beside `path`; it takes the place of `path` when the block succeeds.

    Raises
    ------
    ExportError
        The parent folder does not exist or cannot be written.
    """
    with _writable(path):
        beside = Path(tempfile.mkdtemp(prefix=_hidden(path.name), dir=path.parent))
    try:
        with _writable(path):
            yield beside
            beside.chmod(0o755)
            if path.exists():
                old = beside.with_name(beside.name + "-old")
                path.replace(old)
                beside.replace(path)
                shutil.rmtree(old)
            else:
                beside.replace(path)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _hidden(name: str) -> str:
    """Begin of a temporary name that says whose it is; short, so that it fits where `name` does."""
    return f".{name[:_SHOWN]}-"


_SHOWN = 30


def make_folder(path: Path) -> None:
    """Make a folder, unless it is there.

    Raises
    ------
    ExportError
        The folder above it does not exist or cannot be written, or `path` is a file.
    """
    with _writable(path):
        path.mkdir(exist_ok=True)


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        way_out = "choose a folder that exists and is writable"
        if error.errno in DISK_FULL:
            way_out = "free the disk, or choose another folder"
        raise ExportError(f"cannot write {path}: {reason}; {way_out}") from error
