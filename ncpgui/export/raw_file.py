"""Where the traces are as a flat binary file, for tools that read nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ncpgui.core.errors import RecordingError
from ncpgui.core.project import RecordingReference
from ncpgui.ephys import simulated_folder
from ncpgui.ephys.raw_columns import COLUMNS


@dataclass(frozen=True)
class RawFile:
    """A file of (n_samples, n_channels) numbers of one dtype, without a header.

    about : what the numbers are, where the file is a copy; ASCII
    """

    path: Path
    dtype: str
    n_channels: int
    about: str = ""


def raw_file(recording: RecordingReference) -> RawFile | None:
    """Find the raw file of a recording; None when it has none, or it is not there any more.

    Some columns of a file are none either: other tools take all of them.
    """
    if not recording.path:
        return None
    path = Path(recording.path)
    if path.is_dir() and simulated_folder.is_simulated_folder(path):
        try:
            dtype = str(simulated_folder.read_description(path).get("dtype", simulated_folder.DTYPE))
        except RecordingError:
            return None
        return RawFile(path / simulated_folder.TRACES, _name(dtype), recording.n_channels)
    if path.is_file() and recording.options.get("dtype") and COLUMNS not in recording.options:
        return RawFile(path, _name(str(recording.options["dtype"])), recording.n_channels)
    return None


def _name(dtype: str) -> str:
    """``int16`` rather than ``<i2``, unless the bytes are in the other order."""
    kind = np.dtype(dtype)
    return kind.name if kind.isnative else kind.str
