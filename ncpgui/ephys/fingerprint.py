"""Fingerprint of a recording: tells whether a file is still the one that was sorted."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from ncpgui.core.errors import RecordingError
from ncpgui.core.regular_files import not_special

_EDGE_BYTES = 1 << 20


def fingerprint(path: Path) -> str:
    """SHA-256 over size, first and last MB of a file; of a folder: all sizes, and its largest file.

    Raises
    ------
    RecordingError
        The path is not there or cannot be read.
    """
    digest = hashlib.sha256()
    try:
        if path.is_dir():
            files = sorted(item for item in path.rglob("*") if item.is_file())
            for item in files:
                digest.update(f"{item.relative_to(path).as_posix()}:{item.stat().st_size}\n".encode())
            largest = max(files, key=lambda item: (item.stat().st_size, item.as_posix()), default=None)
        else:
            largest = path
        if largest is not None:
            size = largest.stat().st_size
            digest.update(str(size).encode())
            with not_special(largest).open("rb") as file:
                digest.update(file.read(_EDGE_BYTES))
                if size > _EDGE_BYTES:
                    file.seek(max(_EDGE_BYTES, size - _EDGE_BYTES))
                    digest.update(file.read(_EDGE_BYTES))
    except OSError as error:
        raise RecordingError(f"{path} cannot be read: {error.strerror or error}") from error
    return digest.hexdigest()


def fingerprint_of(files: Sequence[Path]) -> str:
    """Fingerprint of files that are one recording, in their order; of one, its own.

    Raises
    ------
    RecordingError
        One is not there or cannot be read.
    """
    found = [fingerprint(file) for file in files]
    return found[0] if len(found) == 1 else hashlib.sha256("".join(found).encode()).hexdigest()
