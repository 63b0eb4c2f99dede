"""What a path that somebody dropped or named is: a session, a recording, a sorting to review, or neither."""

from __future__ import annotations

import os
from pathlib import Path

from ncpgui.app.words import without_options
from ncpgui.app.work.jobs import is_session
from ncpgui.app.work.recordings import RecordingRequest
from ncpgui.app.work.reviewing import ReviewRequest
from ncpgui.core.errors import InputError, RecordingError, SessionError
from ncpgui.core.home import expanded
from ncpgui.core.progress import Progress, silent
from ncpgui.core.project import SESSION_ENCODING


def recognize(path: Path, *, progress: Progress = silent) -> Path | RecordingRequest | ReviewRequest:
    """Tell what a path is: a session (its path), a recording that can be sorted as it is, or a sorting.

    Raises
    ------
    RecordingError, InputError
        Neither, or a recording that has to be described.
    """
    from ncpgui.ephys.paths import existing_path

    progress(0, 1, "looking at it")
    existing_path(path)
    encoding = _encoding(path) if is_session(path) else ""
    if encoding == SESSION_ENCODING:
        return path

    from ncpgui.ephys.given_folder import is_sorting_folder
    from ncpgui.ephys.phy_folder import phy_folder_of
    from ncpgui.ephys.readers import open_recording

    folder = phy_folder_of(path)
    if is_sorting_folder(folder):
        return ReviewRequest(folder, session=unused_session(folder))
    if encoding is None:
        return path  # opening it tells what is wrong
    try:
        open_recording(path)
    except (InputError, RecordingError) as error:
        raise type(error)(
            f"{without_options(str(error))}. To say what kind of recording it is, use File > Open recording…"
        ) from error
    return RecordingRequest(path, session=unused_session(path))


def _encoding(path: Path) -> str | None:
    """What an HDF5 file says that it is encoded as, '' where it says nothing; None if it cannot be read."""
    from ncpgui.session.store import opened

    try:
        with opened(path, only_header=True) as file:
            return str(file.attrs.get("encoding", ""))
    except SessionError:
        return None


def is_raw(path: Path) -> bool:
    """Whether a path names a raw binary file, and nothing beside it says how it is to be read."""
    try:
        if is_session(path):
            return False

        from ncpgui.ephys.readers import is_undescribed

        return is_undescribed(path)
    except OSError:  # of a name that no file can have; whoever opens it says so
        return False


def unused_session(recording: Path, *, replaces: bool = False) -> Path:
    """Name for the session of a recording that no file has yet: beside it, or at home.

    replaces : the first such name, also where a file has it
    """
    folder = recording.parent if os.access(recording.parent, os.W_OK) else expanded("~")
    stem = folder / recording.stem
    names = [Path(f"{stem}.ncp.h5"), *(Path(f"{stem}-{n}.ncp.h5") for n in range(2, 100))]
    return names[0] if replaces else next((name for name in names if not name.exists()), names[0])


def kept_elsewhere(recording: Path, session: Path | None) -> str:
    """What to say of a session that cannot be beside its recording, '' of one that is where it was wanted."""
    if session is None or os.access(recording.parent, os.W_OK):
        return ""
    return f"{recording.parent} cannot be written; the session is kept as {session}"
