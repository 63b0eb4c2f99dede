"""Who may read a file: one that is replaced keeps its mode and owner, a new one follows the umask."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
"""Until it is whole, what takes the place of something else is readable for nobody else."""

MARK_PROTECTS = os.name == "nt"
"""Whether the system replaces and deletes no file that is marked read-only; elsewhere its folder decides."""


def check_replaceable(place: Path) -> None:
    """Refuse what the system would refuse halfway: a file that is marked read-only, or a folder that has one.

    Raises
    ------
    PermissionError
        Which file it is.
    """
    if not MARK_PROTECTS or not place.exists():
        return
    for file in (place, *(place.rglob("*") if place.is_dir() else ())):
        if file.is_file() and not file.stat().st_mode & stat.S_IWRITE:
            raise PermissionError(
                errno.EACCES, f"{file.name} is marked read-only; take the mark off", str(file)
            )


def new_file(place: Path, *, instead_of: Path) -> None:
    """Make an empty file at `place`, where nothing is; the system applies the umask to a new one.

    Parameters
    ----------
    instead_of : the file whose place it takes later; need not exist

    Raises
    ------
    OSError
        It cannot be made.
    """
    mode = PRIVATE_FILE if instead_of.exists() else 0o666
    os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))


def new_folder(place: Path, *, instead_of: Path) -> None:
    """Make an empty folder at `place`, as `new_file` does."""
    place.mkdir(mode=PRIVATE_FOLDER if instead_of.exists() else 0o777)


def keep_permissions(place: Path, *, instead_of: Path) -> None:
    """Give `place` the owner, group, access list and mode of what it takes the place of, if that is there.

    What the system does not let this user give is left out, as by a copy. Of two folders, files of the same
    name are treated alike.
    """
    _keep(place, instead_of)
    if place.is_dir() and instead_of.is_dir():
        for item in place.rglob("*"):
            _keep(item, instead_of / item.relative_to(place))


def _keep(place: Path, instead_of: Path) -> None:
    if place.is_symlink() or not instead_of.exists():
        return
    before = instead_of.stat()
    if hasattr(os, "chown"):
        try:
            os.chown(place, before.st_uid, before.st_gid)
        except OSError:  # only root gives files away; the group may be one of the user's own
            with suppress(OSError):
                os.chown(place, -1, before.st_gid)
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            for name in os.listxattr(instead_of):
                with suppress(OSError):
                    os.setxattr(place, name, os.getxattr(instead_of, name))
    with suppress(OSError):  # on some file systems all files have the same
        place.chmod(stat.S_IMODE(before.st_mode))
