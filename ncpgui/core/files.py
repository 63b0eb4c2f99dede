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


@contextmanager
def replaced_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; moved over `path` when the block ends without error.

    Raises
    ------
    ExportError
        The folder does not exist or cannot be written.
    """
    with _writable(path):
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
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
        beside = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
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
