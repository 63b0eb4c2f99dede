"""Paths that people give, looked at before anything is opened."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ncpgui.core import arguments
from ncpgui.core.errors import RecordingError
from ncpgui.core.home import expanded
from ncpgui.core.regular_files import is_hollow, special

MOST_FILES = 1_000_000
"""Number of files of a folder that are looked at: a Zarr folder has one a chunk."""


def existing_path(path: str | Path) -> Path:
    """Return the absolute path of a file or folder that is there.

    Raises
    ------
    InputError
        It is no path at all.
    RecordingError
        It is not there, is neither file nor folder, or the system cannot even look: a name too long, a
        folder without permission, an unknown home.
    """
    given = arguments.path(path, "the path")
    try:
        place = expanded(given).resolve()
        there = place.exists()
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RecordingError(f"{path} cannot be opened: {reason}; check the path") from error
    if not there:
        raise RecordingError(f"{place} does not exist; check the path, or mount the disk that holds it")
    refuse_special(place)
    return place


def refuse_special(path: Path) -> None:
    """Raise RecordingError where a path is, or leads to, a named pipe, a socket or a device."""
    kind = special(path)
    if kind:
        raise RecordingError(
            f"{path} is {kind}, not a file, and is not waited for; save to a file what comes from it"
        )


def refuse_hollow(path: Path) -> None:
    """Raise RecordingError where a file says to be large, and hardly anything of it was written.

    Programs make such files before a recording, or when they are cut off. Libraries read files of some
    formats whole, which takes all memory for nothing.
    """
    if path.is_file() and is_hollow(path):
        raise RecordingError(
            f"{path} has {path.stat().st_size} bytes, of which hardly any were ever written; copy the "
            "recording again"
        )


def files_inside(folder: Path, *, but: Path | None = None, behind_links: bool = True) -> Iterator[Path]:
    """All files under a folder.

    but : a folder that is left out where it is reached by this name; behind a link of another name it is not
    behind_links : also those in folders that links lead to

    Raises
    ------
    RecordingError
        One is a named pipe, a socket or a device, or there are more than `MOST_FILES`.
    """
    seen: set[str] = set()
    n_files = 0
    for root, folders, names in os.walk(folder, followlinks=behind_links):
        here = Path(root)
        real = os.path.realpath(root)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = [name for name in folders if here / name != but]
        n_files += len(names)
        if n_files > MOST_FILES:
            raise RecordingError(
                f"{folder} holds more than {MOST_FILES} files, which no recording does; give the folder of "
                "the recording alone"
            )
        for name in names:
            refuse_special(here / name)
            yield here / name
