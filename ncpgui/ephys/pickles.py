"""Refuse files that would run a program when opened."""

from __future__ import annotations

from pathlib import Path

from ncpgui.core.errors import RecordingError


def refuse_pickles(path: Path) -> None:
    """Raise RecordingError when opening `path` would run a pickle, which can hold any program.

    SpikeInterface keeps some objects as pickles, and zarr arrays can name one as their codec.
    """
    suspects = (
        [path]
        if path.is_file()
        else [
            item
            for item in path.rglob("*")
            if item.suffix in (".pkl", ".pickle") or item.name.startswith(".z")
        ]
    )
    for item in suspects:
        pickled = item.suffix in (".pkl", ".pickle")
        if item.name in (".zarray", ".zmetadata"):
            pickled = b'"pickle"' in item.read_bytes()
        if pickled:
            raise RecordingError(
                f"{item} is a pickle, which can run any program when opened, and is refused; "
                "save the recording again with recording.save(folder=...)"
            )
