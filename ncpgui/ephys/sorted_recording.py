"""The recording that a sorting was made of, where its folder says which it is."""

from __future__ import annotations

import logging
from pathlib import Path, PureWindowsPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError, MissingRecordingError, RecordingError
from ncpgui.core.probe import Probe
from ncpgui.ephys.formats import RAW_ENDINGS
from ncpgui.ephys.literals import read_literals
from ncpgui.ephys.paths import existing_path
from ncpgui.ephys.phy_folder import array, is_phy_folder, phy_folder_of
from ncpgui.ephys.raw_columns import open_columns
from ncpgui.ephys.readers import open_recording
from ncpgui.ephys.recording import Recording
from ncpgui.ephys.simulated_folder import is_simulated_folder

log = logging.getLogger(__name__)

_WAY_OUT = "give it with --recording"


def recording_of_sorting(path: str | Path, *, stream: str | None = None) -> Recording:
    """Open the recording of a Phy folder, a SpikeInterface analyzer, an NWB file or a simulated folder.

    stream : which series of an NWB file

    Raises
    ------
    RecordingError
        The folder does not name a recording, or not one that is there and can be read.
    """
    folder = phy_folder_of(existing_path(path))
    if is_simulated_folder(folder):
        return open_recording(folder)
    if is_phy_folder(folder):
        return _of_phy(folder, _data_file(folder))
    try:
        return open_recording(folder, stream=stream)
    except (RecordingError, InputError) as error:
        raise MissingRecordingError(
            f"{folder} does not lead to its recording ({error}); {_WAY_OUT}"
        ) from error


def recording_given_for(path: str | Path, recording: Path, options: dict[str, Any]) -> Recording:
    """Open a recording that somebody gives for a sorting whose folder does not lead to it.

    A raw file needs no options where ``params.py`` has them, and no probe where Phy's arrays have the places.

    options : of `readers.open_recording`; None where left out

    Raises
    ------
    RecordingError, InputError
        It cannot be read so.
    """
    folder = phy_folder_of(existing_path(path))
    place = existing_path(recording)
    given = {name: value for name, value in options.items() if value is not None}
    is_raw = place.is_file() and place.suffix.lower() in RAW_ENDINGS
    if not (is_phy_folder(folder) and is_raw) or "probe" in given:
        return open_recording(place, **given)
    if not given and (folder / "params.py").is_file():
        return _of_phy(folder, place)
    if {"sampling_frequency", "n_channels"} <= given.keys() and _has_places(folder):
        try:
            channels, probe = _channels_of_phy(folder)
        except ValueError as error:
            raise RecordingError(f"{folder}: {error}; give a probe with --probe") from error
        return open_columns(
            place,
            sampling_frequency=given["sampling_frequency"],
            n_channels=given["n_channels"],
            dtype=given.get("dtype") or "int16",
            probe=probe,
            columns=channels.tolist(),
        )
    return open_recording(place, **given)


def _has_places(folder: Path) -> bool:
    return all((folder / name).is_file() for name in ("channel_map.npy", "channel_positions.npy"))


def _data_file(folder: Path) -> Path:
    """The file that ``params.py`` names; where the folder was moved, the one of that name in or beside it."""
    if not (folder / "params.py").is_file():
        raise MissingRecordingError(
            f"{folder} has no params.py, which says where its recording is; {_WAY_OUT}"
        )
    data = read_literals(folder / "params.py").get("dat_path")
    data = data[0] if isinstance(data, (list, tuple)) and len(data) == 1 else data
    if isinstance(data, str) and data:
        name = PureWindowsPath(data).name  # of both kinds of paths
        for place in (folder / data, folder / name, folder.parent / name):
            if place.is_file():
                if place != folder / data:
                    log.warning("%s is not there; the recording is taken to be %s", data, place)
                return place
    raise MissingRecordingError(
        f"the recording that {folder / 'params.py'} names (dat_path = {data!r}) is not there; "
        f"{_WAY_OUT}, or correct dat_path"
    )


def _of_phy(folder: Path, data: Path) -> Recording:
    """Read a raw file as ``params.py`` says, with the channels and places of Phy's own arrays."""
    parameters = read_literals(folder / "params.py")
    try:
        channels, probe = _channels_of_phy(folder)
        return open_columns(
            data,
            sampling_frequency=float(parameters["sample_rate"]),
            n_channels=int(parameters["n_channels_dat"]),
            dtype=str(parameters.get("dtype", "int16")),
            probe=probe,
            columns=channels.tolist(),
            offset=int(parameters.get("offset") or 0),
        )
    except (KeyError, TypeError, ValueError, OSError, RecordingError) as error:
        raise MissingRecordingError(
            f"the recording of {folder} cannot be opened as its params.py says ({error}); {_WAY_OUT}"
        ) from error


def _channels_of_phy(folder: Path) -> tuple[NDArray[np.int64], Probe]:
    """Columns of the data file that were sorted, and where their contacts are."""
    positions = array(folder / "channel_positions.npy").reshape(-1, 2)
    shank = array(folder / "channel_shanks.npy") if (folder / "channel_shanks.npy").is_file() else None
    channels = array(folder / "channel_map.npy").astype(np.int64)
    if len(channels) != len(positions):
        raise ValueError(
            f"channel_map.npy has {len(channels)} channels, channel_positions.npy {len(positions)}"
        )
    return channels, Probe(positions, shank)
