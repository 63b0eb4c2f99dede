"""Paths that people give, looked at before anything is opened."""

from __future__ import annotations

from pathlib import Path

from ncpgui.core import arguments
from ncpgui.core.errors import RecordingError
from ncpgui.core.home import expanded


def existing_path(path: str | Path) -> Path:
    """Return the absolute path of a file or folder that is there.

    Raises
    ------
    InputError
        It is no path at all.
    RecordingError
        It is not there, or the system cannot even look: a name too long, a folder without permission,
        an unknown home.
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
    return place
