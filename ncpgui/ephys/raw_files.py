"""Raw binary files: numbers without a header, or behind one, in one file or in several end to end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.ephys.reasons import way_out

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording

_MARKS = (
    (b"\x93NUMPY", "an array of NumPy"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b\x08", "packed by gzip"),
    (b"\x28\xb5\x2f\xfd", "packed by zstd"),
    (b"\xfd7zXZ\x00", "packed by xz"),
)
"""Bytes that files of other kinds begin with."""


def open_raw(
    files: Sequence[Path],
    *,
    sampling_frequency: float,
    n_channels: int,
    dtype: str,
    offset: int = 0,
) -> BaseRecording:
    """Open all columns of raw files; several are one recording, end to end.

    n_channels : columns of the files; offset : bytes before the first sample of each

    Raises
    ------
    InputError
        An option makes no sense.
    RecordingError
        A file is missing, empty, or holds no whole samples.
    """
    if not (np.isfinite(sampling_frequency) and sampling_frequency > 0):
        raise InputError(f"sampling frequency must be a positive number of Hz, got {sampling_frequency}")
    if n_channels < 1:
        raise InputError(f"number of channels must be at least 1, got {n_channels}")
    kind = number_type(dtype)
    for file in files:
        check_size(file, n_channels, kind, offset=offset)
    from spikeinterface.core import BinaryRecordingExtractor, concatenate_recordings

    extractor = BinaryRecordingExtractor(
        list(files),
        sampling_frequency=float(sampling_frequency),
        dtype=kind.str,
        num_channels=int(n_channels),
        file_offset=int(offset),
    )
    return extractor if len(files) == 1 else concatenate_recordings([extractor])


def number_type(dtype: str) -> np.dtype[Any]:
    """Type of the numbers of a raw file.

    Raises
    ------
    InputError
        It is not known, or cannot hold traces.
    """
    try:
        kind = np.dtype(dtype)
    except TypeError as error:
        raise InputError(
            f"dtype '{dtype}' is unknown; use int16, uint16, int32, float32 or float64"
        ) from error
    if kind.kind not in "iuf":
        raise InputError(f"dtype '{dtype}' cannot hold traces; use int16, uint16, int32, float32 or float64")
    return kind


def check_size(path: Path, n_channels: int, dtype: np.dtype[Any], *, offset: int = 0) -> None:
    """Raise RecordingError unless a file holds whole samples behind `offset` bytes, and nothing else."""
    try:
        size = path.stat().st_size
        packed = "" if offset else _packed(path)
    except OSError as error:
        raise RecordingError(
            f"{path} cannot be read: {error.strerror or error}; {way_out(error, 'check the path')}"
        ) from error
    frame = n_channels * dtype.itemsize
    if frame < 1:
        raise RecordingError(f"{path} is said to have {n_channels} channels, and a recording has one or more")
    if size == 0:
        raise RecordingError(f"{path} is empty (0 bytes); copy the recording again")
    if packed:
        raise RecordingError(
            f"{path} is {packed}, and not the numbers of its samples alone; unpack it, or write the samples "
            "as they are, as NumPy's array.tofile(...) does"
        )
    if not 0 <= offset < size:
        raise RecordingError(
            f"{path} has {size} bytes, and none behind an offset of {offset}; correct the offset"
        )
    if (size - offset) % frame:
        behind = f" behind an offset of {offset}" if offset else ""
        raise RecordingError(
            f"{path} has {size - offset} bytes{behind}, not a multiple of {frame} ({n_channels} channels of "
            f"{dtype.name}): {(size - offset) % frame} bytes are left over. Either the file is truncated "
            "(copy it again), or the number of channels or the dtype is wrong"
        )


def _packed(path: Path) -> str:
    """What a file is whose first bytes, or ending, say that it is something else than numbers; '' if none."""
    if path.suffix.lower() == ".cbin":
        return "packed by mtscomp"
    with path.open("rb") as file:
        begin = file.read(8)
    return next((name for mark, name in _MARKS if begin.startswith(mark)), "")


def check_binary(recording: BaseRecording) -> None:
    """Raise RecordingError where a raw file of a recording that SpikeInterface saved is cut short.

    SpikeInterface takes the whole samples that are there.
    """
    from spikeinterface.core import BinaryRecordingExtractor

    parent: Any = recording
    while parent is not None:
        if isinstance(parent, BinaryRecordingExtractor):
            raw = parent.get_binary_description()
            for file in raw["file_paths"]:
                check_size(Path(file), raw["num_channels"], raw["dtype"], offset=raw["file_offset"])
        parent = parent.get_parent()


def columns_in(columns: Any, n_channels: int, place: Path) -> NDArray[np.int64]:
    """Columns of a file that are read, as somebody named them: each once, and all in the file.

    Raises
    ------
    RecordingError
        One is not there, or there twice.
    """
    places = np.asarray(columns, dtype=np.int64)
    fit = places.ndim == 1 and len(places) and places.min() >= 0 and places.max() < n_channels
    if not fit or len(np.unique(places)) < len(places):
        raise RecordingError(
            f"the channels that are named do not fit {n_channels} channels ({place}); name each of them "
            f"once, from 0 to {n_channels - 1}"
        )
    return places


def parts_of(path: Path, more_files: Sequence[str]) -> list[Path]:
    """Files of a recording in several: the first, and the others where they were, or beside it."""
    others = [Path(file) for file in more_files]
    return [path, *(file if file.is_file() else path.parent / file.name for file in others)]
