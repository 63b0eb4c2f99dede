"""Open another sorter's result: Phy/Kilosort folders, SpikeInterface sortings, simulated truth."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.spikes import Sorting
from ncpgui.ephys import simulated_folder
from ncpgui.ephys.literals import read_literals
from ncpgui.ephys.paths import existing_path
from ncpgui.ephys.saved_objects import load_saved

LABELS = ("good", "mua", "noise", "unsorted")


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
    if (folder / "spike_times.npy").is_file():
        return _phy(folder, n_samples)
    if (folder / simulated_folder.TRUTH).is_file():
        return simulated_folder.read_truth(folder)[0]
    return _spikeinterface(folder, n_samples)


def _phy(folder: Path, n_samples: int | None) -> Sorting:
    parameters = read_literals(folder / "params.py") if (folder / "params.py").is_file() else {}
    rate = parameters.get("sample_rate")
    if not isinstance(rate, (int, float)) or not rate > 0:
        raise RecordingError(
            f"{folder / 'params.py'} does not give sample_rate as a positive number (got {rate!r}); "
            "add a line 'sample_rate = 20000.0'"
        )
    times = _array(folder / "spike_times.npy").astype(np.int64)
    clusters = folder / "spike_clusters.npy"
    units = _array(clusters if clusters.is_file() else folder / "spike_templates.npy").astype(np.int64)
    if len(times) != len(units):
        raise RecordingError(
            f"{folder}: spike_times.npy has {len(times)} spikes, {clusters.name} has {len(units)}; "
            "the folder is damaged, export it again"
        )
    if len(times) and times.min() < 0:
        raise RecordingError(
            f"{folder / 'spike_times.npy'}: spike {int(times.argmin())} is at a negative sample"
        )
    order = np.argsort(times, kind="stable")
    length = n_samples or _data_length(folder, parameters) or int(times.max(initial=0)) + 1
    return _checked(
        folder,
        sample_index=times[order],
        unit_id=units[order],
        sampling_frequency_hz=float(rate),
        n_samples=length,
        labels=_phy_labels(folder),
        main_channel=_phy_main_channels(folder, units),
    )


def _array(path: Path) -> NDArray[Any]:
    try:
        values: NDArray[Any] = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise RecordingError(f"{path} cannot be read as an array: {error}") from error
    return values.reshape(-1)


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


def _phy_labels(folder: Path) -> dict[int, str]:
    """Labels from cluster_group.tsv, else from Kilosort's own; only those that phy knows."""
    for name in ("cluster_group.tsv", "cluster_group.csv", "cluster_KSLabel.tsv"):
        file = folder / name
        if not file.is_file():
            continue
        rows = list(csv.reader(file.read_text(encoding="utf-8-sig").splitlines(), delimiter="\t"))
        pairs = [(row[0], row[1].strip().lower()) for row in rows[1:] if len(row) >= 2]
        return {int(unit): label for unit, label in pairs if unit.strip().isdigit() and label in LABELS}
    return {}


def _phy_main_channels(folder: Path, units: NDArray[np.int64]) -> dict[int, int]:
    """Channel of the largest template of each unit, where templates.npy and channel_map.npy are there."""
    needed = [folder / name for name in ("templates.npy", "spike_templates.npy")]
    if not all(file.is_file() for file in needed):
        return {}
    try:
        templates = np.load(needed[0], allow_pickle=False, mmap_mode="r")
        template_of_spike = _array(needed[1]).astype(np.int64)
        deepest, highest = templates.min(axis=1), templates.max(axis=1)
        best = (highest.astype(np.float64) - deepest).argmax(axis=1)
        columns_file = folder / "template_ind.npy"
        if columns_file.is_file():
            columns = np.load(columns_file, allow_pickle=False)
            best = columns[np.arange(len(best)), best]
        result = {}
        for unit in np.unique(units):
            values, counts = np.unique(template_of_spike[units == unit], return_counts=True)
            result[int(unit)] = int(best[values[counts.argmax()]])
        return result
    except (OSError, ValueError, IndexError):
        return {}


def _spikeinterface(folder: Path, n_samples: int | None) -> Sorting:
    from spikeinterface.core import BaseSorting, SortingAnalyzer

    try:
        loaded = load_saved(folder)
    except RecordingError:
        raise
    except Exception as error:
        text = str(error).strip().splitlines()
        raise RecordingError(
            f"{folder} is not a sorting that can be opened ({text[0] if text else type(error).__name__}); "
            "give a Phy or Kilosort folder (params.py, spike_times.npy, spike_clusters.npy) "
            "or a SpikeInterface sorting or analyzer folder"
        ) from error
    if isinstance(loaded, SortingAnalyzer):
        n_samples = n_samples or int(loaded.get_num_samples(segment_index=0))
        loaded = loaded.sorting
    if not isinstance(loaded, BaseSorting):
        raise RecordingError(f"{folder} holds a {type(loaded).__name__}, not a sorting")
    if loaded.get_num_segments() != 1:
        raise RecordingError(
            f"{folder} has {loaded.get_num_segments()} segments; concatenate them before opening the sorting"
        )
    spikes = loaded.to_spike_vector()
    ids = [_whole(unit) for unit in loaded.unit_ids]
    numbers = (
        np.arange(len(ids)) if any(i is None for i in ids) or len(set(ids)) < len(ids) else np.array(ids)
    )
    times = spikes["sample_index"].astype(np.int64)
    return _checked(
        folder,
        sample_index=times,
        unit_id=numbers[spikes["unit_index"]].astype(np.int64),
        sampling_frequency_hz=float(loaded.get_sampling_frequency()),
        n_samples=n_samples or int(times.max(initial=0)) + 1,
    )


def _whole(unit: Any) -> int | None:
    text = str(unit)
    return int(text) if text.isdigit() else None


def _checked(folder: Path, **fields: Any) -> Sorting:
    try:
        return Sorting(**fields)
    except InputError as error:
        raise RecordingError(f"{folder}: {error}") from error
