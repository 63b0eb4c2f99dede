"""Files are swapped in whole: written beside, then moved over the old one."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ncpgui.core.errors import ExportError
from ncpgui.core.permissions import keep_permissions, new_file, new_folder

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

    It takes over mode and owner of the file that it replaces. A link stays: what it leads to is replaced.

    Raises
    ------
    ExportError
        The folder does not exist or cannot be written, or `path` is no file.
    """
    with _writable(path):
        place = replaceable(path)
        beside = place.with_name(f"{_hidden(place.stem)}{place.suffix}")
        new_file(beside, instead_of=place)
    try:
        with _writable(path):
            yield beside
            keep_permissions(beside, instead_of=place)
            beside.replace(place)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def replaced_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder beside `path`; it takes the place of `path` when the block succeeds.

    The folder and the files in it take over mode and owner of those that they replace. A link stays.

    Raises
    ------
    ExportError
        The parent folder does not exist or cannot be written.
    """
    with _writable(path):
        place = Path(os.path.realpath(path))
        beside = place.with_name(_hidden(place.name))
        new_folder(beside, instead_of=place)
    try:
        with _writable(path):
            yield beside
            keep_permissions(beside, instead_of=place)
            if place.exists():
                old = beside.with_name(beside.name + "-old")
                place.replace(old)
                beside.replace(place)
                shutil.rmtree(old)
            else:
                beside.replace(place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def replaceable(path: Path) -> Path:
    """Where the file at `path` really is, through links, so that a new one can take its place.

    Raises
    ------
    OSError
        Something else is there, such as a folder, a device or a named pipe, which must not be replaced.
    """
    place = Path(os.path.realpath(path))
    if place.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if place.exists() and not place.is_file():
        raise OSError(errno.ENXIO, "it is a device or a named pipe, not a file")
    return place


def free_name(path: Path) -> Path:
    """`path`, or where something is there already, the first of NAME-1, NAME-2, ... that is free."""
    number, free = 0, path
    while os.path.lexists(free):
        number += 1
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return free


def _hidden(name: str) -> str:
    """A temporary name that says whose it is; short, so that it fits where `name` does."""
    return f".{name[:_SHOWN]}-{secrets.token_hex(4)}"


_SHOWN = 30
_NO_FILE = (errno.EISDIR, errno.ENXIO)


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
        if error.errno in _NO_FILE:
            way_out = "give the name of a file"
        raise ExportError(f"cannot write {path}: {reason}; {way_out}") from error
