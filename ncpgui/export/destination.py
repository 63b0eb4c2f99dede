"""Export folders are swapped in whole, and never take the place of anybody's work."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import ncpgui
from ncpgui.core.counted import some
from ncpgui.core.errors import ExportError
from ncpgui.core.files import replaced_folder
from ncpgui.core.json_text import parse_json
from ncpgui.core.regular_files import regular
from ncpgui.ephys.fingerprint import fingerprint

TRACES = "recording.dat"
"""Traces that an export holds."""
SECONDS = "spike_times_s.npy"
"""Seconds of spikes on the clock of the recording, beside formats that count samples."""
MANIFEST = "ncpgui_export.json"
_LEFT_BY_OTHERS = (".phy", "phy.log", "__pycache__", ".DS_Store")
"""Caches and logs that other tools leave; no work is lost with them."""


@contextmanager
def exported_folder(path: Path) -> Iterator[Path]:
    """Yield a folder to write into; it becomes `path` when the block succeeds.

    An older export at `path` is replaced only if every file in it is as it was exported, also when the new
    one is whole: what somebody saved there meanwhile stays, and the new one goes beside it.

    Raises
    ------
    ExportError
        `path` is a file, holds anything else, was changed since, or cannot be written.
    """
    path = path.resolve()
    _check_replaceable(path)
    with replaced_folder(path, check=lambda now: _check_replaceable(now, path)) as folder:
        try:
            yield folder
        finally:
            _check_whole(folder, path)
        files = {item.relative_to(folder).as_posix(): _digest(item) for item in _files(folder)}
        text = json.dumps({"program": f"ncpgui {ncpgui.__version__}", "files": files}, indent=1)
        (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def _check_whole(folder: Path, path: Path) -> None:
    """Refuse arrays that were cut short: of small ones NumPy does not say that the disk was full."""
    for item in _files(folder):
        if item.suffix == ".npy":
            try:
                np.load(item, mmap_mode="r")
            except (ValueError, EOFError) as error:
                raise ExportError(
                    f"cannot write {path}: {item.name} could not be written in full; free the disk, or "
                    "choose another folder"
                ) from error


def _check_replaceable(path: Path, shown: Path | None = None) -> None:
    """Refuse to replace a folder that is not an export as it was made; `shown` is its name in the error."""
    if not path.exists():
        return
    if not path.is_dir():
        raise ExportError(f"{path} is a file; give the name of a new folder")
    named = shown or path
    present = {item.relative_to(path).as_posix(): item for item in _files(path)}
    manifest = present.pop(MANIFEST, None)
    known = {} if manifest is None else _read_manifest(manifest)
    foreign = sorted(name for name in present if name not in known)
    if foreign:
        raise ExportError(
            f"{named} holds files that ncpgui did not write ({some(foreign, 1)}); choose a new folder"
        )
    changed = sorted(name for name, item in present.items() if _digest(item) != known[name])
    if changed:
        raise ExportError(
            f"{named} was changed since it was exported ({some(changed, 1)}); "
            "choose a new folder, or delete this one if that work is not needed"
        )


def _files(folder: Path) -> list[Path]:
    return [
        item
        for item in sorted(folder.rglob("*"))
        if not item.is_dir() and not any(part in _LEFT_BY_OTHERS for part in item.relative_to(folder).parts)
    ]


def _read_manifest(path: Path) -> dict[str, str]:
    try:
        files = parse_json(regular(path).read_text(encoding="utf-8"))["files"]
        return {str(name): str(digest) for name, digest in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _digest(path: Path) -> str:
    if path.name == TRACES:  # of many GB; nobody edits traces here and there
        return fingerprint(path)
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
