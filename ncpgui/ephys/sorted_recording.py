"""The recording that a sorting was made of, where its folder says which it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ncpgui.core.errors import InputError, MissingRecordingError, RecordingError
from ncpgui.core.probe import Probe
from ncpgui.ephys.formats import RAW_ENDINGS
from ncpgui.ephys.paths import existing_path
from ncpgui.ephys.phy_data import (
    WAY_OUT,
    RawLayout,
    data_files,
    given_places,
    own_places,
    raw_layout,
    sorted_columns,
)
from ncpgui.ephys.phy_folder import is_phy_folder, phy_folder_of
from ncpgui.ephys.probes import load_wired_probe
from ncpgui.ephys.readers import open_recording
from ncpgui.ephys.recording import Recording
from ncpgui.ephys.simulated_folder import is_simulated_folder


def recording_of_sorting(
    path: str | Path, *, stream: str | None = None, probe: str | Path | Probe | None = None
) -> Recording:
    """Open the recording of a Phy folder, a SpikeInterface analyzer, an NWB file or a simulated folder.

    stream : which series of an NWB file; probe : where the contacts are, instead of what the folder says

    Raises
    ------
    RecordingError
        The folder does not name a recording, or not one that is there and can be read.
    """
    folder = phy_folder_of(existing_path(path))
    given: dict[str, Any] = {} if probe is None else {"probe": probe}
    if is_simulated_folder(folder):
        return open_recording(folder, **given)
    if is_phy_folder(folder):
        return _of_phy(folder, data_files(folder), probe)
    try:
        return open_recording(folder, stream=stream, **given)
    except (RecordingError, InputError) as error:
        raise MissingRecordingError(
            f"{folder} does not lead to its recording ({error}); {WAY_OUT}"
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
    if not (is_phy_folder(folder) and is_raw):
        return open_recording(place, **given)
    if not given.keys() - {"probe"} and (folder / "params.py").is_file():
        return _of_phy(folder, [place], given.get("probe"))
    has_columns = (folder / "channel_map.npy").is_file()
    has_places = "probe" in given or (folder / "channel_positions.npy").is_file()
    if {"sampling_frequency", "n_channels"} <= given.keys() and has_columns and has_places:
        layout = RawLayout(
            given["sampling_frequency"], given["n_channels"], given.get("dtype") or "int16", offset=0
        )
        try:
            return _read(folder, [place], layout, given.get("probe"))
        except InputError as error:
            raise RecordingError(f"{folder}: {error}; give a probe with --probe") from error
    return open_recording(place, **given)


def _of_phy(folder: Path, files: Sequence[Path], probe: str | Path | Probe | None) -> Recording:
    """Read raw files as ``params.py`` says, with the channels and places of Phy's own arrays."""
    try:
        return _read(folder, files, raw_layout(folder), probe)
    except InputError as error:
        raise MissingRecordingError(
            f"the recording of {folder} cannot be opened as its params.py and arrays say ({error}); correct "
            f"them, give the places of the contacts with --probe, or {WAY_OUT}"
        ) from error
    except RecordingError as error:
        raise MissingRecordingError(
            f"the recording of {folder} cannot be opened as its params.py says ({error}); {WAY_OUT}"
        ) from error


def _read(
    folder: Path, files: Sequence[Path], layout: RawLayout, probe: str | Path | Probe | None
) -> Recording:
    columns = sorted_columns(folder, layout.n_channels)
    given = None if probe is None else load_wired_probe(probe)
    wired = own_places(folder, columns) if given is None else given_places(given, columns, layout.n_channels)
    return open_recording(
        files[0],
        sampling_frequency=layout.sampling_frequency,
        n_channels=layout.n_channels,
        dtype=layout.dtype,
        offset=layout.offset,
        more_files=[str(file) for file in files[1:]],
        probe=wired.probe,
        columns=columns.tolist(),
    )
