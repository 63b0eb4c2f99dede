"""What a session file says of its journal: its last bytes name it while actions are only there.

They are appended behind what HDF5 reads, so that nothing of the session is written again, and go with the
next save. A session that was moved away from its journal is known by them.
"""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

from ncpgui.core.json_text import parse_json

logger = logging.getLogger(__name__)

_BEGIN = b'\n{"actions in":'
_MOST_BYTES = 32768
"""Length of the longest mark that is looked for: a path of any system, in JSON."""


def mark(session: Path, journal: Path) -> None:
    """Note in a session that actions are in its journal; without a place for that, do without."""
    line = _BEGIN + json.dumps(str(journal.absolute())).encode("ascii") + b"}\n"
    try:
        with session.open("ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        logger.info("%s does not say that it has a journal: %s", session, error)


def marked_journal(session: Path) -> Path | None:
    """The journal that a session says it has, None when all of it was saved.

    Raises
    ------
    OSError
        The session cannot be read.
    """
    with session.open("rb") as file:
        file.seek(-min(_MOST_BYTES, file.seek(0, os.SEEK_END)), os.SEEK_END)
        end = file.read()
    begin = end.rfind(_BEGIN)
    if begin < 0 or not end.endswith(b"}\n"):
        return None
    try:
        named = parse_json(end[begin + 1 :])["actions in"]
    except (ValueError, KeyError, TypeError):
        return None
    return Path(named) if isinstance(named, str) else None
