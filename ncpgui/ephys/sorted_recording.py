"""The recording that a sorting was made of, where its folder says which it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.probe import Probe
from ncpgui.core.project import RecordingReference
from ncpgui.ephys.fingerprint import fingerprint
from ncpgui.ephys.literals import read_literals
from ncpgui.ephys.paths import existing_path
from ncpgui.ephys.readers import open_recording
from ncpgui.ephys.recording import ExtractorRecording, Recording
from ncpgui.ephys.simulated_folder import is_simulated_folder

_WAY_OUT = "give it with --recording"


def recording_of_sorting(path: str | Path) -> Recording:
    """Open the recording of a Phy folder, a SpikeInterface analyzer or a simulated folder.

    Raises
    ------
    RecordingError
        The folder does not name a recording, or not one that is there and can be read.
    """
    folder = existing_path(path)
    folder = folder.parent if folder.name == "params.py" else folder
    if is_simulated_folder(folder):
        return open_recording(folder)
    if (folder / "spike_times.npy").is_file():
        return _of_phy(folder)
    try:
        return open_recording(folder)
    except (RecordingError, InputError) as error:
        raise RecordingError(f"{folder} does not lead to its recording ({error}); {_WAY_OUT}") from error


def _of_phy(folder: Path) -> Recording:
    """Read what ``params.py`` names, with the channels and places of Phy's own arrays."""
    parameters = read_literals(folder / "params.py") if (folder / "params.py").is_file() else {}
    data = parameters.get("dat_path")
    data = data[0] if isinstance(data, (list, tuple)) and len(data) == 1 else data
    if not isinstance(data, str) or not (folder / data).is_file():
        raise RecordingError(
            f"the recording that {folder / 'params.py'} names (dat_path = {data!r}) is not there; "
            f"{_WAY_OUT}, or correct dat_path"
        )
    try:
        rate, n_channels = float(parameters["sample_rate"]), int(parameters["n_channels_dat"])
        dtype, offset = np.dtype(str(parameters.get("dtype", "int16"))), int(parameters.get("offset") or 0)
        channels, probe = _channels_of_phy(folder)
        size = (folder / data).stat().st_size - offset
        if n_channels < 1 or size <= 0 or size % (n_channels * dtype.itemsize):
            raise ValueError(f"{size} bytes of data are no whole samples of {n_channels} channels of {dtype}")
        if not len(channels) or channels.min() < 0 or channels.max() >= n_channels:
            raise ValueError(f"channel_map.npy does not fit {n_channels} channels")
    except (KeyError, TypeError, ValueError, OSError) as error:
        raise RecordingError(
            f"the recording of {folder} cannot be opened as its params.py says ({error}); {_WAY_OUT}"
        ) from error
    from spikeinterface.core import BinaryRecordingExtractor

    file = (folder / data).resolve()
    extractor = BinaryRecordingExtractor(
        [file], sampling_frequency=rate, dtype=dtype.str, num_channels=n_channels, file_offset=offset
    )
    chosen = extractor.select_channels(extractor.channel_ids[channels])
    reference = RecordingReference(
        path=str(file),
        options={},
        fingerprint=fingerprint(file),
        n_channels=len(channels),
        sampling_frequency_hz=rate,
        n_samples=int(chosen.get_num_samples(segment_index=0)),
    )
    return ExtractorRecording(chosen, probe=probe, reference=reference)


def _channels_of_phy(folder: Path) -> tuple[NDArray[np.int64], Probe]:
    """Columns of the data file that were sorted, and where their contacts are."""

    def array(name: str) -> NDArray[Any]:
        values: NDArray[Any] = np.load(folder / name, allow_pickle=False)
        return values

    positions = array("channel_positions.npy").reshape(-1, 2)
    shank = array("channel_shanks.npy").reshape(-1) if (folder / "channel_shanks.npy").is_file() else None
    channels = array("channel_map.npy").reshape(-1).astype(np.int64)
    if len(channels) != len(positions):
        raise ValueError(
            f"channel_map.npy has {len(channels)} channels, channel_positions.npy {len(positions)}"
        )
    return channels, Probe(positions, shank)
