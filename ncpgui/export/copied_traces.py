"""Traces of a recording copied into a flat file, for tools that read nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import ExportError
from ncpgui.core.progress import Progress, reported
from ncpgui.ephys.recording import Recording
from ncpgui.export.destination import TRACES
from ncpgui.export.raw_file import RawFile

PIECE_BYTES = 1 << 24
UINT16_MIDDLE = 32_768


def check_place(recording: Recording, path: Path) -> None:
    """Raise ExportError unless the disk of `path` has place for the traces."""
    dtype, _ = _stored(recording)
    needed = recording.n_samples * recording.n_channels * dtype.itemsize
    folder = path.resolve().parent
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise ExportError(
            f"the copied traces take {_megabytes(needed)}, and the disk of {folder} has {_megabytes(free)} "
            "free; free the disk, choose another folder, or export without them"
        )


def copy_traces(recording: Recording, folder: Path, *, progress: Progress) -> RawFile:
    """Write ``recording.dat`` into `folder`, (n_samples, n_channels), as int16 where that holds all numbers.

    Unsigned integers of 16 bits are moved to the middle of int16; other numbers become float32.
    """
    source, (dtype, shift) = recording.extractor(), _stored(recording)
    step = max(1, PIECE_BYTES // (recording.n_channels * 8))
    with (folder / TRACES).open("wb") as file:
        for start in reported(range(0, recording.n_samples, step), progress, "copying traces"):
            piece: NDArray[Any] = source.get_traces(
                start_frame=start, end_frame=min(start + step, recording.n_samples)
            )
            if shift:
                piece = piece.astype(np.int32) - shift
            file.write(np.ascontiguousarray(piece, dtype=dtype).tobytes())
    words = "the numbers of the recording" + (f" minus {shift}" if shift else "")
    gains = source.get_channel_gains()
    if gains is not None and len(set(gains)) == 1:
        words += f"; 1 is {gains[0]:g} uV"
    return RawFile(folder / TRACES, dtype.name, recording.n_channels, about=words)


def _stored(recording: Recording) -> tuple[np.dtype[Any], int]:
    """Dtype of the copy, and what is subtracted from the numbers."""
    source = recording.extractor().get_dtype()
    if source == np.uint16:
        return np.dtype(np.int16), UINT16_MIDDLE
    fits = source.kind in "iu" and np.can_cast(source, np.int16)
    return np.dtype(np.int16 if fits else np.float32), 0


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:.2f} MB" if n_bytes < 1e8 else f"{n_bytes / 1e9:.1f} GB"
