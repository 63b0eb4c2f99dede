"""Sessions beside a sorting in which it is reviewed."""

from __future__ import annotations

from pathlib import Path

from ncpgui.core.errors import SessionError
from ncpgui.session.codecs import read_string
from ncpgui.session.store import opened, read_header


def reviews_beside(folder: Path) -> list[Path]:
    """Sessions in the place of a sorting that review it, the one that was saved last first.

    A session knows the sorting by its path; where that is gone, by its name.
    """
    files = [file for file in folder.resolve().parent.glob("*.h5") if file.is_file()]
    return sorted((file for file in files if _reviews(file, folder)), key=lambda file: -file.stat().st_mtime)


def _reviews(file: Path, folder: Path) -> bool:
    try:
        with opened(file, only_header=True) as root:
            read_header(root)
            path = Path(read_string(root["given"], "path")) if "given" in root else None
    except SessionError:
        return False
    if path is None:
        return False
    return path.resolve() == folder.resolve() or (not path.exists() and path.name == folder.name)
