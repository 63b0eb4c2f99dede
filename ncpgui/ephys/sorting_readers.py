"""Open another sorter's result: Phy/Kilosort folders, SpikeInterface sortings, simulated truth."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.npy import read_npy
from ncpgui.core.project import RecordingReference
from ncpgui.core.spikes import Sorting
from ncpgui.ephys import simulated_folder
from ncpgui.ephys.hdf5_formats import has_nwb_units
from ncpgui.ephys.nwb_units import nwb_sorting
from ncpgui.ephys.paths import existing_path
from ncpgui.ephys.phy_folder import (
    LABELS,
    PhyFolder,
    array,
    is_phy_folder,
    read_phy_folder,
    sampling_frequency_of,
)
from ncpgui.ephys.saved_objects import load_saved
from ncpgui.ephys.strays import set_aside

log = logging.getLogger(__name__)


def digest_of(times: NDArray[np.int64], units: NDArray[np.int64], labels: dict[int, str]) -> str:
    """Digest of all spikes of a sorting, as they are in its files."""
    values = times.tobytes() + units.tobytes()
    return hashlib.sha256(values + repr(sorted(labels.items())).encode()).hexdigest()


@dataclass(frozen=True)
class ReadSorting:
    """A finished sorting as it was read.

    rows : (n_spikes,) int64, place of each spike among those of the files; strays are in none
    digest : of all spikes of the files, their units and labels
    names : unit -> its id there, where that is text
    notes : what was repaired or set aside, a sentence each
    """

    sorting: Sorting
    rows: NDArray[np.int64]
    digest: str
    names: dict[int, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def open_sorting(path: str | Path, *, n_samples: int | None = None) -> Sorting:
    """Open a finished sorting.

    Parameters
    ----------
    path : Phy/Kilosort folder, folder of `ncpgui simulate` (its true spikes), SpikeInterface sorting
        or analyzer folder
    n_samples : length of the recording, when known; otherwise from the data file that the folder
        names, else up to the last spike

    Raises
    ------
    RecordingError
        The folder is not a sorting, or is damaged.
    """
    folder = existing_path(path)
    if folder.is_file():
        if folder.name == "params.py":
            folder = folder.parent
        else:
            raise RecordingError(f"{folder} is a file; give the folder that holds the sorting")
    if is_phy_folder(folder):
        read = phy_sorting(read_phy_folder(folder), n_samples=n_samples)
    elif (folder / simulated_folder.TRUTH).is_file():
        return simulated_folder.read_truth(folder)[0]
    else:
        read = spikeinterface_sorting(folder, n_samples=n_samples)
    for note in read.notes:
        log.warning("%s: %s", folder, note)
    return read.sorting


def phy_sorting(
    phy: PhyFolder, *, n_samples: int | None = None, sampling_frequency_hz: float | None = None
) -> ReadSorting:
    """The spikes of a Phy folder in order of time (stable), without strays.

    sampling_frequency_hz : of the recording, where ``params.py`` need not say it
    """
    rate = sampling_frequency_hz or sampling_frequency_of(phy)
    length = n_samples or _data_length(phy.folder, phy.parameters) or int(phy.times.max(initial=0)) + 1
    rows, note = set_aside(phy.times, length, phy.folder)
    sorting = _checked(
        phy.folder,
        sample_index=phy.times[rows],
        unit_id=phy.clusters[rows],
        sampling_frequency_hz=rate,
        n_samples=length,
        labels=phy.labels,
        main_channel=_phy_main_channels(phy.folder, phy.clusters),
    )
    digest = digest_of(phy.times, phy.clusters, phy.labels)
    return ReadSorting(sorting, rows, digest, notes=(*phy.notes, *([note] if note else [])))


def _data_length(folder: Path, parameters: dict[str, Any]) -> int | None:
    """Samples of the data file that params.py names, or None when it is not at hand."""
    data = parameters.get("dat_path")
    data = data[0] if isinstance(data, (list, tuple)) and len(data) == 1 else data
    channels = parameters.get("n_channels_dat")
    if not isinstance(data, str) or not isinstance(channels, int) or channels < 1:
        return None
    file = folder / data
    if not file.is_file():
        return None
    try:
        frame = np.dtype(str(parameters.get("dtype", "int16"))).itemsize * channels
    except TypeError:
        return None
    return (file.stat().st_size - int(parameters.get("offset") or 0)) // frame


def _phy_main_channels(folder: Path, units: NDArray[np.int64]) -> dict[int, int]:
    """Channel of the largest template of each unit, where templates.npy and channel_map.npy are there."""
    needed = [folder / name for name in ("templates.npy", "spike_templates.npy")]
    if not all(file.is_file() for file in needed):
        return {}
    try:
        templates = np.load(needed[0], allow_pickle=False, mmap_mode="r")
        template_of_spike = array(needed[1]).astype(np.int64)
        deepest, highest = templates.min(axis=1), templates.max(axis=1)
        best = (highest.astype(np.float64) - deepest).argmax(axis=1)
        columns_file = folder / "template_ind.npy"
        if columns_file.is_file():
            columns = read_npy(columns_file)
            best = columns[np.arange(len(best)), best]
        result = {}
        for unit in np.unique(units):
            values, counts = np.unique(template_of_spike[units == unit], return_counts=True)
            result[int(unit)] = int(best[values[counts.argmax()]])
        return result
    except (OSError, ValueError, IndexError):
        return {}


def spikeinterface_sorting(
    path: Path, *, n_samples: int | None = None, recording: RecordingReference | None = None
) -> ReadSorting:
    """The spikes of a SpikeInterface sorting or analyzer, without strays.

    recording : whose samples the spikes of an NWB file are

    Raises
    ------
    RecordingError
        It is none, or cannot be opened by this version of SpikeInterface.
    """
    from spikeinterface.core import BaseSorting, SortingAnalyzer

    try:
        loaded = nwb_sorting(path, recording) if has_nwb_units(path) else load_saved(path)
    except RecordingError:
        raise
    except Exception as error:
        text = str(error).strip().splitlines()
        raise RecordingError(
            f"{path} is not a sorting that can be opened ({text[0] if text else type(error).__name__}); "
            "give a Phy or Kilosort folder (params.py, spike_times.npy, spike_clusters.npy) "
            "or a SpikeInterface sorting or analyzer folder"
        ) from error
    if isinstance(loaded, SortingAnalyzer):
        n_samples = n_samples or int(loaded.get_num_samples(segment_index=0))
        loaded = loaded.sorting
    if not isinstance(loaded, BaseSorting):
        kind = (
            "nothing that this version of SpikeInterface knows" if loaded is None else type(loaded).__name__
        )
        raise RecordingError(f"{path} holds {kind}, not a sorting; save it again, or export it to Phy")
    if loaded.get_num_segments() != 1:
        raise RecordingError(
            f"{path} has {loaded.get_num_segments()} segments; concatenate them before opening the sorting"
        )
    spikes = loaded.to_spike_vector()
    ids = [_whole(unit) for unit in loaded.unit_ids]
    named = any(i is None for i in ids) or len(set(ids)) < len(ids)
    numbers = np.arange(len(ids)) if named else np.array(ids, dtype=np.int64)
    is_text = np.asarray(loaded.unit_ids).dtype.kind not in "iu"
    pairs = zip(numbers, loaded.unit_ids, strict=True) if is_text else ()
    names = {int(number): str(unit) for number, unit in pairs}
    times = spikes["sample_index"].astype(np.int64)
    length = n_samples or int(times.max(initial=0)) + 1
    rows, note = set_aside(times, length, path)
    units = numbers[spikes["unit_index"]].astype(np.int64)
    sorting = _checked(
        path,
        sample_index=times[rows],
        unit_id=units[rows],
        sampling_frequency_hz=float(loaded.get_sampling_frequency()),
        n_samples=length,
        labels=_property_labels(loaded, numbers),
    )
    digest = digest_of(times, units, sorting.labels)
    return ReadSorting(sorting, rows, digest, names, (note,) if note else ())


def _property_labels(sorting: Any, numbers: NDArray[np.int64]) -> dict[int, str]:
    """Labels from the first property that has them."""
    for key in ("quality", "group", "KSLabel", "label"):
        values = sorting.get_property(key)
        if values is not None:
            words = [str(value).strip().lower() for value in values]
            found = {int(n): word for n, word in zip(numbers, words, strict=True) if word in LABELS}
            if found:
                return found
    return {}


def _whole(unit: Any) -> int | None:
    text = str(unit)
    return int(text) if text.isdigit() else None


def _checked(folder: Path, **fields: Any) -> Sorting:
    try:
        return Sorting(**fields)
    except InputError as error:
        raise RecordingError(f"{folder}: {error}") from error
