"""Where the traces are as flat binary files, for tools that read nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ncpgui.core.errors import RecordingError
from ncpgui.core.project import RecordingReference
from ncpgui.ephys import simulated_folder
from ncpgui.ephys.raw_files import parts_of


@dataclass(frozen=True)
class RawFile:
    """Files of (n_samples, n_channels) numbers of one dtype, end to end: mostly one, without a header.

    n_channels : columns of the files; columns : which of them are the channels of the recording, in their
    order; None: all
    offset : bytes before the first sample of each file; more : files that go on where `path` ends
    about : what the numbers are, where the file is a copy; ASCII
    """

    path: Path
    dtype: str
    n_channels: int
    about: str = ""
    columns: tuple[int, ...] | None = None
    offset: int = 0
    more: tuple[Path, ...] = ()

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files, in the order of time."""
        return (self.path, *self.more)


def raw_file(recording: RecordingReference) -> RawFile | None:
    """Find the raw files of a recording; None when it has none, or one is not there any more."""
    if not recording.path:
        return None
    path = Path(recording.path)
    if path.is_dir() and simulated_folder.is_simulated_folder(path):
        try:
            dtype = str(simulated_folder.read_description(path).get("dtype", simulated_folder.DTYPE))
        except RecordingError:
            return None
        return RawFile(path / simulated_folder.TRACES, _name(dtype), recording.n_channels)
    options = recording.options
    files = parts_of(path, options.get("more_files", ()))
    if not options.get("dtype") or not all(file.is_file() for file in files):
        return None
    columns = options.get("columns")
    return RawFile(
        path,
        _name(str(options["dtype"])),
        int(options.get("n_channels") or recording.n_channels),
        columns=None if columns is None else tuple(columns),
        offset=int(options.get("offset", 0)),
        more=tuple(files[1:]),
    )


def _name(dtype: str) -> str:
    """``int16`` rather than ``<i2``, unless the bytes are in the other order."""
    kind = np.dtype(dtype)
    return kind.name if kind.isnative else kind.str
