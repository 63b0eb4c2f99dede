"""Names of backups, numbered upward: NAME, NAME-2, NAME-3, ... One that is taken is never used again."""

from __future__ import annotations

import re
from pathlib import Path


def next_backup(folder: Path, name: str) -> Path:
    """Where the next backup goes: its number is above all that anything in `folder` has."""
    taken = [number_of(place.name, name) for place in folder.iterdir()]
    highest = max((number for number in taken if number is not None), default=0)
    return folder / (f"{name}-{highest + 1}" if highest else name)


def backups_in(folder: Path, name: str) -> list[Path]:
    """Folders that are backups of this name, in order of their numbers."""
    numbers = {
        place: number_of(place.name, name)
        for place in folder.iterdir()
        if place.is_dir() and not place.is_symlink()
    }
    found = {place: number for place, number in numbers.items() if number is not None}
    return sorted(found, key=found.__getitem__)


def number_of(text: str, name: str) -> int | None:
    """The number of a backup, 1 of the first; None where `text` is not called like one."""
    match = re.fullmatch(f"{re.escape(name)}(-[0-9]{{1,18}})?", text)
    if match is None:
        return None
    return int(match[1][1:]) if match[1] else 1
