"""Which of the formats that are HDF5 files a file is, by what is in it; many end in .h5."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ncpgui.core.errors import RecordingError
from ncpgui.core.own_contents import not_its_own
from ncpgui.core.project import SESSION_ENCODING, WAVEFORM_CACHE_ENCODING
from ncpgui.ephys.reasons import reason

HDF5_ENDINGS = (".h5", ".hdf5")
NWB_MARK = "nwb_version"
FURTHEST_S = 9e9
"""Seconds that are nanoseconds in 64 bits: 285 years."""
_AT_ONCE = 1 << 20
_CONVERT = "open it with SpikeInterface and save it with recording.save(folder=...)"


class _Format(NamedTuple):
    """Name, what its files hold, and the reader of SpikeInterface.

    reader : None where it would download something, empty where such files hold no traces
    """

    name: str
    holds: Callable[[Any], bool]
    reader: str | None


_FORMATS = (
    _Format(
        "MaxWell",
        lambda file: "version" in file and ("wells" in file or {"sig", "mapping"} <= set(file)),
        "MaxwellRecordingExtractor",
    ),
    _Format("MCS", lambda file: "Data/Recording_0/AnalogStream" in file, "MCSH5RecordingExtractor"),
    _Format("NWB", lambda file: NWB_MARK in file.attrs, "NwbRecordingExtractor"),
    _Format(
        "3Brain BioCAM",
        lambda file: "3BData" in file or {"ExperimentSettings", "TOC"} <= set(file),
        "BiocamRecordingExtractor",
    ),
    _Format("SiNAPS", lambda file: "RealTimeProcessedData" in file, None),
    _Format(
        "MEArec",
        lambda file: {"recordings", "spiketrains", "templates"} <= set(file),
        "MEArecRecordingExtractor",
    ),
    _Format(
        "MEArec",
        lambda file: {"info", "channel_positions"} <= set(file) or {"info", "templates"} <= set(file),
        "",
    ),
)


DAMAGED = (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, MemoryError)
"""What h5py raises on files that are cut short, or hold something else than is looked for."""


@contextlib.contextmanager
def opened_hdf5(path: Path) -> Iterator[Any]:
    """Open an HDF5 file of another program for reading.

    Raises
    ------
    RecordingError
        A part of it is kept in other files, or announced and not there.
    OSError and others of `DAMAGED`
        It cannot be read.
    """
    import h5py

    with h5py.File(path, "r") as file:
        problem = not_its_own(file)
        if problem:
            raise RecordingError(f"{path} is refused: {problem}")
        yield file


def refuse_what_is_elsewhere(path: Path) -> None:
    """Raise RecordingError where an HDF5 file is damaged, or a part of it is in other files or made up."""
    import h5py

    if not h5py.is_hdf5(path):
        return
    try:
        with opened_hdf5(path):
            pass
    except RecordingError:
        raise
    except DAMAGED as error:
        raise RecordingError(
            f"{path} is damaged ({reason(error)}); copy it again, or use a backup"
        ) from error


def hdf5_format(path: Path) -> tuple[str, str]:
    """Name of the format of a recording, and the reader of SpikeInterface that opens it.

    Raises
    ------
    RecordingError
        No HDF5 file, a session of ncpgui, or a format that is not known or not read here.
    """
    try:
        with opened_hdf5(path) as file:
            encoding = file.attrs.get("encoding")
            held = sorted(file)
            found = next((known for known in _FORMATS if known.holds(file)), None)
    except RecordingError:
        raise
    except DAMAGED as error:
        raise RecordingError(f"{path} is not an HDF5 file, or damaged ({error})") from error
    if encoding == SESSION_ENCODING:
        raise RecordingError(
            f"{path} is a session of ncpgui, not a recording; open it with 'ncpgui {path}', "
            "or give the recording that it was made of"
        )
    if encoding == WAVEFORM_CACHE_ENCODING:
        raise RecordingError(f"{path} is the waveform cache of a session, not a recording")
    if found is None:
        names = ", ".join(f"'{name}'" for name in held[:5]) or "nothing"
        raise RecordingError(
            f"{path} is an HDF5 file of a format that is not known here (it holds {names}); a recording in "
            "such a file can be one of MaxWell, MCS, NWB, 3Brain BioCAM or MEArec. If it is another, "
            f"{_CONVERT}"
        )
    if found.reader == "":
        raise RecordingError(
            f"{path} is a file of {found.name} without recordings: it holds no traces; give a recording that "
            "was made with it"
        )
    if found.reader is None:
        raise RecordingError(
            f"{path} is a recording of {found.name}, which is not opened directly; {_CONVERT}"
        )
    return found.name, found.reader


def has_nwb_units(path: Path) -> bool:
    """Whether a path is an NWB file with a table of units that have spikes."""
    if not path.is_file() or path.suffix.lower() not in (".nwb", *HDF5_ENDINGS):
        return False
    try:
        with opened_hdf5(path) as file:
            is_there = NWB_MARK in file.attrs and "units/spike_times" in file
            shape: tuple[int, ...] = getattr(file["units/spike_times"], "shape", ()) if is_there else ()
            return len(shape) == 1 and shape[0] > 0
    except RecordingError:
        raise
    except DAMAGED:
        return False


def check_nwb_units(path: Path) -> None:
    """Look at the spikes of the units of an NWB file, before a reader takes what are no seconds for some.

    Raises
    ------
    RecordingError
        A spike is at no second, or it cannot be told of which unit; the place is named.
    OSError and others of `DAMAGED`
        They cannot be read.
    """
    with opened_hdf5(path) as file:
        times, ends = file["units/spike_times"], file["units/spike_times_index"]
        _check_numbers(path, times, "iuf")
        _check_numbers(path, ends, "iu")
        last = ends[()].astype(np.int64)
        bad = np.flatnonzero((np.diff(last, prepend=0) < 0) | (last > len(times)))
        if len(bad):
            raise RecordingError(
                f"{path}: {ends.name} says that the spikes of row {bad[0]} end at {last[bad[0]]}: before "
                f"those of the row above, or past the {len(times)} that there are; write the file again"
            )
        for begin in range(0, len(times), _AT_ONCE):
            seconds = times[begin : begin + _AT_ONCE].astype(np.float64)
            wild = np.flatnonzero(~(np.abs(seconds) < FURTHEST_S))
            if len(wild):
                raise RecordingError(
                    f"{path}: {times.name} has spike {begin + wild[0]} at {seconds[wild[0]]:g}; times must "
                    "be seconds on the clock of the file; write it again"
                )


def _check_numbers(path: Path, node: Any, kinds: str) -> None:
    """Raise RecordingError unless a part of a file is one row of numbers of these kinds of NumPy."""
    told = f"{node.dtype} of the shape {node.shape}" if hasattr(node, "dtype") else "a group"
    if told == "a group" or node.ndim != 1 or node.dtype.kind not in kinds:
        raise RecordingError(
            f"{path}: {node.name} must be numbers in a row, and is {told}; write the file again"
        )


def nwb_intervals(path: Path) -> dict[str, dict[str, Any]]:
    """Columns (arrays) of each table of intervals in an NWB file, by its name: trials, epochs and others.

    Raises
    ------
    RecordingError
        It is no NWB file, damaged, or refused.
    """
    tables: dict[str, dict[str, Any]] = {}
    try:
        with opened_hdf5(path) as file:
            if NWB_MARK not in file.attrs:
                raise RecordingError(f"{path} is not an NWB file; trials are read from those alone")
            for name, table in file.get("intervals", {}).items():
                if "start_time" in table:
                    _check_numbers(path, table["start_time"], "iuf")
                    columns = {key: column for key, column in table.items() if hasattr(column, "shape")}
                    tables[name] = {key: column[()] for key, column in columns.items()}
    except RecordingError:
        raise
    except DAMAGED as error:
        raise RecordingError(f"{path} is not an NWB file, or damaged ({error})") from error
    return tables


def nwb_second_0(path: Path) -> str:
    """When the clock of an NWB file was 0, as ISO 8601 text with the zone; '' where it does not say that."""
    with opened_hdf5(path) as file:
        for name in ("timestamps_reference_time", "session_start_time"):
            try:
                return _moment(file[name])
            except (KeyError, ValueError, TypeError, AttributeError, OSError, RuntimeError):
                continue
    return ""


def _moment(node: Any) -> str:
    """ISO 8601 text with the zone, as Python writes it, of a data set.

    Raises
    ------
    ValueError, TypeError, AttributeError
        It is none, or does not say the zone.
    """
    if node.shape != ():
        raise ValueError("it is not one value")
    text = node[()].decode("utf-8")
    found = datetime.fromisoformat(f"{text[:-1]}+00:00" if text.endswith("Z") else text)
    if found.tzinfo is None:
        raise ValueError("no zone is said")
    return found.isoformat()


def mcs_stream_names(path: Path) -> list[str]:
    """Names of the analog streams in a file of MCS."""
    with opened_hdf5(path) as file:
        return sorted(file["Data/Recording_0/AnalogStream"])


def maxwell_runs(path: Path) -> list[str]:
    """Names of the recordings in a file of MaxWell, which may have several of each well."""
    import h5py

    with h5py.File(path, "r") as file:
        return sorted({run for well in file.get("wells", {}).values() for run in well})


def maxwell(path: Path, **options: Any) -> Any:
    """Open a recording of MaxOne or MaxTwo; their library for compressed files is never downloaded.

    options : of the reader of SpikeInterface

    Raises
    ------
    RecordingError
        It needs that library.
    """
    import spikeinterface.extractors

    recording = spikeinterface.extractors.read_maxwell(path, install_maxwell_plugin=False, **options)
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # the reader prints its advice
            recording.get_traces(segment_index=0, start_frame=0, end_frame=1)
    except OSError as error:
        raise RecordingError(
            f"{path} is compressed by MaxWell's own library, which is not installed ({error}); get "
            "libcompression from MaxWell, and name its folder in the environment variable "
            "HDF5_PLUGIN_PATH. ncpgui downloads nothing"
        ) from error
    return recording
