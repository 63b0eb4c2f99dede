"""The raw recording that a folder of Phy or Kilosort names: its files, its columns, and their places."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError, MissingRecordingError, NcpguiError, RecordingError
from ncpgui.ephys.literals import Literals, read_literals
from ncpgui.ephys.phy_folder import array
from ncpgui.ephys.wired_probe import WiredProbe, wired_probe

log = logging.getLogger(__name__)

WAY_OUT = "give it with --recording"
LARGEST = 2**53
"""Numbers of parameters are smaller."""


@dataclass(frozen=True)
class RawLayout:
    """How the raw files of a folder are read: options of `readers.open_recording` but the probe."""

    sampling_frequency: float
    n_channels: int
    dtype: str
    offset: int


def data_files(folder: Path) -> list[Path]:
    """The files that ``params.py`` names; where the folder was moved, those of their names in or beside it.

    Raises
    ------
    MissingRecordingError
        It names none, or one that is not there.
    """
    if not (folder / "params.py").is_file():
        raise MissingRecordingError(
            f"{folder} has no params.py, which says where its recording is; {WAY_OUT}"
        )
    parameters = read_literals(folder / "params.py")
    named = parameters.get("dat_path")
    names = list(named) if isinstance(named, (list, tuple)) else [named]
    if not names or not all(isinstance(name, str) and name for name in names):
        raise MissingRecordingError(
            f"{folder / 'params.py'} does not name the recording: {_lacking(parameters, 'dat_path')}; write "
            f"its path in quotes, as r'...' or with / between folders, or {WAY_OUT}"
        )
    return [_found(folder, str(name)) for name in names]


def _found(folder: Path, name: str) -> Path:
    last = PureWindowsPath(name).name  # of both kinds of paths
    for place in (folder / name, folder / last, folder.parent / last):
        try:
            if place.is_file():
                if place != folder / name:
                    log.warning("%s is not there; the recording is taken to be %s", name, place)
                return place
        except (OSError, ValueError):  # a name that no file can have
            continue
    raise MissingRecordingError(
        f"the recording that {folder / 'params.py'} names (dat_path = {name!r}) is not there; "
        f"{WAY_OUT}, or correct dat_path"
    )


def data_length(folder: Path) -> int | None:
    """Samples of the files that ``params.py`` names, None where they are not at hand."""
    try:
        layout = raw_layout(folder)
        frame = np.dtype(layout.dtype).itemsize * layout.n_channels
        sizes = [file.stat().st_size for file in data_files(folder)]
    except (NcpguiError, OSError, TypeError):
        return None
    return sum((size - layout.offset) // frame for size in sizes) if frame > 0 else None


def raw_layout(folder: Path) -> RawLayout:
    """How ``params.py`` says that the raw files are read.

    Raises
    ------
    RecordingError
        It does not say, or says something else than a number.
    """
    parameters = read_literals(folder / "params.py")
    rate = parameters.get("sample_rate")
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not abs(rate) < LARGEST:
        raise RecordingError(f"sample_rate is not a number: {_lacking(parameters, 'sample_rate')}")
    return RawLayout(
        float(rate),
        _whole(parameters, "n_channels_dat"),
        _dtype(parameters),
        _whole(parameters, "offset") if parameters.get("offset") or "offset" in parameters.skipped else 0,
    )


def _dtype(parameters: Literals) -> str:
    """Type of the numbers, int16 where no line is about it."""
    if not parameters.says("dtype"):
        return "int16"
    value = parameters.get("dtype")
    if not isinstance(value, str) or not value:
        raise RecordingError(f"dtype is not the name of a type: {_lacking(parameters, 'dtype')}")
    return value


def _whole(parameters: Literals, name: str) -> int:
    value = parameters.get(name)
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not abs(value) < LARGEST
        or not float(value).is_integer()
    ):
        raise RecordingError(f"{name} is not a whole number: {_lacking(parameters, name)}")
    return int(value)


def _lacking(parameters: Literals, name: str) -> str:
    return f"{name} = {parameters[name]!r}" if name in parameters else parameters.lacks(name)


def sorted_columns(folder: Path, n_columns: int) -> NDArray[np.int64]:
    """Columns of the raw files that were sorted, ``channel_map.npy``, of so many.

    Raises
    ------
    RecordingError
        The file is missing or damaged, or names a column that is not there, or one twice.
    """
    values = array(folder / "channel_map.npy")
    bad = np.flatnonzero(~np.isfinite(values) | (values != np.round(values)))
    if len(bad):
        raise RecordingError(f"{folder / 'channel_map.npy'}: channel {bad[0]} is {values[bad[0]]}")
    columns = values.astype(np.int64)
    fit = len(columns) and columns.min() >= 0 and columns.max() < n_columns
    if not fit or len(np.unique(columns)) < len(columns):
        raise RecordingError(f"channel_map.npy does not fit {n_columns} channels ({folder})")
    return columns


def own_places(folder: Path, columns: NDArray[np.int64]) -> WiredProbe:
    """Places of the columns, of ``channel_positions.npy`` and ``channel_shanks.npy``, in their order.

    Raises
    ------
    InputError
        They disagree, or are no places.
    RecordingError
        A file is missing or damaged.
    """
    n = len(columns)
    places = array(folder / "channel_positions.npy", flat=False)
    if places.ndim != 2 or places.shape[1] not in (2, 3):
        raise InputError(f"channel_positions.npy must have places (x, y) or (x, y, z), got {places.shape}")
    if len(places) != n:
        raise InputError(f"channel_map.npy has {n} channels, channel_positions.npy {len(places)}")
    shanks = None
    if (folder / "channel_shanks.npy").is_file():
        shanks = array(folder / "channel_shanks.npy")
    return wired_probe(places, shanks=shanks)


def given_places(given: WiredProbe, columns: NDArray[np.int64], n_columns: int) -> WiredProbe:
    """Places of the columns in a probe that somebody gives: by its wiring, else by their order.

    Raises
    ------
    InputError
        It has no place for one of them.
    """
    n = given.probe.n_channels
    if given.channels is not None:
        lacking = np.setdiff1d(columns, given.channels)
        if len(lacking):
            raise InputError(f"no contact of the probe is wired to channel {lacking[0]}, which was sorted")
        rows = np.searchsorted(given.channels, columns)
    elif n == len(columns):
        rows = np.arange(n)
    elif n == n_columns and columns.max() < n:
        rows = columns
    else:
        raise InputError(
            f"probe has {n} contacts, but {len(columns)} of {n_columns} channels were sorted; pass a probe "
            f"of {len(columns)} contacts in the order of channel_map.npy, or one that is wired"
        )
    assert given.probe.shank is not None
    return wired_probe(given.probe.positions_um[rows], shanks=[int(s) for s in given.probe.shank[rows]])
