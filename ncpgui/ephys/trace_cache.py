"""Where traces are kept: a temporary file without a name, on a disk that has room for it."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ncpgui.core.home import expanded

log = logging.getLogger(__name__)

MAX_CACHE_BYTES = 128 << 30
"""An hour of 384 channels at 30 kHz takes 83 GB."""
LEFT_FREE_BYTES = 10 * 10**9
LITTLE_BYTES = 10**9
BYTES_A_SAMPLE = 2
_IN_MEMORY = ("tmpfs", "ramfs")
_MOUNTS = Path("/proc/self/mountinfo")


@dataclass(frozen=True)
class Room:
    """Where traces are kept: a folder with so many bytes free, or None and why."""

    folder: Path | None
    free: int
    reason: str


def room_for(n_bytes: int, max_bytes: int = MAX_CACHE_BYTES) -> Room:
    """Look for a folder that has room for `n_bytes` of filtered traces.

    Half of the free disk or `LEFT_FREE_BYTES`, whichever is less, is left. The folder is that of temporary
    files, or another where that one is kept in memory or is too small.
    """
    if n_bytes > max_bytes:
        return Room(None, 0, f"more than {_size(max_bytes)}")
    reasons = []
    for folder in _folders():
        try:
            if in_memory(folder):
                reasons.append(f"{folder} is kept in memory")
                continue
            free = shutil.disk_usage(folder).free
        except OSError as error:
            reasons.append(f"{folder}: {error.strerror or error}")
            continue
        stays = min(free - free // 2, LEFT_FREE_BYTES)
        if n_bytes <= free - stays:
            return Room(folder, free, "")
        reasons.append(f"{folder} has {_size(free)} free, of which {_size(stays)} must stay free")
    return Room(None, 0, "; ".join(reasons) + "; set TMPDIR to a folder on a disk with room")


def cache_file(n_bytes: int, max_bytes: int = MAX_CACHE_BYTES) -> IO[bytes] | None:
    """Open a temporary file for `n_bytes` of filtered traces; None where they are not kept, which is logged.

    It is where `room_for` says, and gone when it is closed.
    """
    room = room_for(n_bytes, max_bytes)
    reason = room.reason
    if room.folder is not None:
        try:
            return tempfile.TemporaryFile(prefix="ncpgui-traces-", dir=room.folder)
        except OSError as error:
            reason = f"{room.folder}: {error.strerror or error}"
    log.warning(
        "filtered traces (%s) are not kept: %s. The recording is filtered anew for each pass over it, which "
        "takes longer",
        _size(n_bytes),
        reason,
    )
    return None


def disk_note(n_samples: int, n_channels: int) -> str:
    """What sorting so many samples will take of the disk, a sentence; nothing where that is little."""
    n_bytes = n_samples * n_channels * BYTES_A_SAMPLE
    room = room_for(n_bytes)
    if n_bytes < LITTLE_BYTES or room.folder is None:
        return ""
    return (
        f"filtered traces take up to {_size(n_bytes)} of the disk while this runs, in {room.folder}, which "
        f"has {_size(room.free)} free; TMPDIR names another folder"
    )


def in_memory(folder: Path) -> bool:
    """Whether a folder is on a file system that is kept in memory, as far as the system tells (Linux)."""
    try:
        device = folder.stat().st_dev
        lines = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    number = f"{os.major(device)}:{os.minor(device)}"
    for line in lines:
        mount, _, kind = line.partition(" - ")
        if mount.split()[2:3] == [number]:
            return kind.split()[0] in _IN_MEMORY
    return False


def _folders() -> list[Path]:
    """Folders for temporary files that there are, the usual one first."""
    caches = expanded(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    folders = [Path(tempfile.gettempdir()), Path("/var/tmp"), caches]
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:.1f} MB"
