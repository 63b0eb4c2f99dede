"""Files of a session are replaced whole: written beside, flushed to disk, then moved over."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ncpgui.core.errors import SessionError
from ncpgui.core.files import replaceable
from ncpgui.core.flushed import flush_folder, flush_to_disk
from ncpgui.core.permissions import keep_permissions, new_file


@contextmanager
def swapped(path: Path, *, of: Path | None = None) -> Iterator[Path]:
    """Yield a path beside `path`; what is written there takes the place of `path` when the block ends.

    The old file stays until the new one is on the disk. The caller holds the session's lock, so the
    name beside is the same each time and a killed program leaves at most one such file. Mode and owner
    stay; a link stays, and what it leads to is replaced.

    of : the file that it belongs to, whose owner and mode it gets where it is new: what lies beside a session
        that nobody else may read is for nobody else either

    Raises
    ------
    SessionError
        The folder is missing or read-only, or the disk is full. The old file is untouched.
    """
    real = Path(os.path.realpath(path))
    like = of if of is not None and not real.exists() else real
    digest = hashlib.blake2b(os.fsencode(real.name), digest_size=6).hexdigest()
    beside = real.with_name(f".ncpgui-{digest}.saving")
    try:
        replaceable(real)
        beside.unlink(missing_ok=True)
        new_file(beside, instead_of=like)
        yield beside
        flush_to_disk(beside)
        keep_permissions(beside, instead_of=like)
        beside.replace(real)
        flush_folder(real.parent)
    except OSError as error:
        if isinstance(error, SessionError):
            raise
        raise write_error(path, error) from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def set_aside(path: Path) -> Path:
    """Move what is not ours, or of another session, out of the way under a name with a number; returns it.

    Raises
    ------
    SessionError
        It cannot be moved.
    """
    aside = _numbered(path)
    try:
        return path.replace(aside)
    except OSError as error:
        raise write_error(aside, error) from error


def kept_copy(path: Path) -> Path:
    """Copy a file to a name with a number beside it; returns that.

    Raises
    ------
    SessionError
        It cannot be copied.
    """
    copy = _numbered(path)
    try:
        return Path(shutil.copy2(path, copy))
    except OSError as error:
        copy.unlink(missing_ok=True)
        raise write_error(copy, error) from error


def _numbered(path: Path) -> Path:
    number = 1
    while os.path.lexists(numbered := path.with_name(f"{path.name}.{number}")):
        number += 1
    return numbered


def write_error(path: Path, error: OSError) -> SessionError:
    """Say that `path` cannot be written, and why."""
    reason = error.strerror or str(error).splitlines()[0]
    return SessionError(f"cannot write {path}: {reason}; free the disk or save to a folder that is writable")
