"""Open another sorter's result: Phy/Kilosort folders, SpikeInterface sortings, simulated truth."""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.counted import some
from ncpgui.core.errors import InputError, RecordingError
from ncpgui.core.given import numbered
from ncpgui.core.numpy_files import read_npy
from ncpgui.core.project import RecordingReference
from ncpgui.core.spikes import Sorting
from ncpgui.ephys import simulated_folder
from ncpgui.ephys.hdf5_formats import has_nwb_units
from ncpgui.ephys.nwb_units import CLOCK_HZ, nwb_sorting
from ncpgui.ephys.paths import existing_path
from ncpgui.ephys.phy_data import data_length
from ncpgui.ephys.phy_folder import (
    PhyFolder,
    array,
    is_phy_folder,
    read_phy_folder,
    sampling_frequency_of,
)
from ncpgui.ephys.phy_labels import LABELS, NO_LABEL
from ncpgui.ephys.proposals import LABELLERS
from ncpgui.ephys.reasons import reason
from ncpgui.ephys.saved_objects import load_saved
from ncpgui.ephys.strays import set_aside

if TYPE_CHECKING:
    from spikeinterface.core import BaseSorting

log = logging.getLogger(__name__)

_COUNTED = ("unit_index", "segment_index")
_LABEL_PROPERTIES = ("quality", "quality_label", "group", "KSLabel", "label")


def digest_of(times: NDArray[np.int64], clusters: NDArray[np.int64]) -> str:
    """Digest of all spikes of a Phy folder, as they are in its files."""
    return hashlib.sha256(times.tobytes() + clusters.tobytes()).hexdigest()


@dataclass(frozen=True)
class ReadSorting:
    """A finished sorting as it was read.

    rows : (n_spikes,) int64, place of each spike among those of the files; strays are in none
    units : (n,) int64 of all spikes of the files, in their order
    digest : of these spikes; of SpikeInterface of units and labels too
    names, silent, highest : of `core.given.GivenSorting`
    order : units in the order of the files, where these have one
    notes : what was repaired or set aside, a sentence each
    properties : with labels of other programs (`ephys.proposals`): name -> unit -> value
    """

    sorting: Sorting
    rows: NDArray[np.int64]
    units: NDArray[np.int64]
    digest: str
    names: dict[int, int | str] = field(default_factory=dict)
    silent: tuple[int, ...] = ()
    highest: int = -1
    order: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    properties: dict[str, dict[int, str]] = field(default_factory=dict)


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
    length = n_samples or data_length(phy.folder) or int(phy.times.max(initial=0)) + 1
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
    digest = digest_of(phy.times, phy.clusters)
    notes = (*phy.notes, *([note] if note else []))
    return ReadSorting(sorting, rows, phy.clusters, digest, phy.names, highest=phy.highest, notes=notes)


def _phy_main_channels(folder: Path, units: NDArray[np.int64]) -> dict[int, int]:
    """Channel of the largest template of each unit, where templates.npy and channel_map.npy are there."""
    needed = [folder / name for name in ("templates.npy", "spike_templates.npy")]
    if not all(file.is_file() for file in needed):
        return {}
    try:
        templates = read_npy(needed[0], mapped=True)
        if templates.ndim != 3 or 0 in templates.shape:
            return {}
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
            template = values[counts.argmax()]
            if not 0 <= template < len(best) or not best[template] >= 0:
                return {}
            result[int(unit)] = int(best[template])
        return result
    except (OSError, ValueError, IndexError):
        return {}


def spikeinterface_sorting(
    path: Path, *, n_samples: int | None = None, recording: RecordingReference | None = None
) -> ReadSorting:
    """The spikes of a SpikeInterface sorting or analyzer, without strays.

    recording : whose samples the spikes are: of an NWB file by its clock, of segments by where each begins

    Raises
    ------
    RecordingError
        It is none, or cannot be opened by this version of SpikeInterface; or it has other segments than the
        recording.
    """
    loaded, lengths = _opened(path)
    starts = _segment_starts(path, loaded.get_num_segments(), lengths, recording)
    ids, names = numbered(_plain(unit) for unit in loaded.unit_ids)
    numbers = np.array(ids, dtype=np.int64)
    spikes = loaded.to_spike_vector()
    times, rate_hz = spikes["sample_index"].astype(np.int64), float(loaded.get_sampling_frequency())
    if recording is not None and has_nwb_units(path):
        times, rate_hz = recording.clock.samples(times / CLOCK_HZ), recording.sampling_frequency_hz
    known = n_samples or sum(lengths)
    times = _joined(times, spikes["segment_index"], starts, known)
    length = known or int(times.max(initial=0)) + 1
    rows, note = set_aside(times, length, path)
    units = numbers[spikes["unit_index"]].astype(np.int64)
    sorting = _checked(
        path,
        sample_index=times[rows],
        unit_id=units[rows],
        sampling_frequency_hz=rate_hz,
        n_samples=length,
        labels=_property_labels(loaded, numbers),
    )
    return ReadSorting(
        sorting,
        rows,
        units,
        _file_digest(loaded),
        names,
        silent=tuple(np.setdiff1d(numbers, sorting.unit_id).tolist()),
        highest=int(numbers.max(initial=-1)),
        order=tuple(numbers.tolist()),
        notes=(*([note] if note else []), *_other_words(loaded, numbers)),
        properties={
            name: dict(zip(ids, map(str, loaded.get_property(name)), strict=True))
            for name in loaded.get_property_keys()
            if name.lower() in LABELLERS
        },
    )


def _file_digest(sorting: BaseSorting) -> str:
    """Digest of the rows of a sorting, of its units and of their labels."""
    spikes = sorting.to_spike_vector()
    labels = sorted(_property_labels(sorting, np.arange(len(sorting.unit_ids))).items())
    digest = hashlib.sha256(repr(([str(unit) for unit in sorting.unit_ids], labels)).encode())
    for name in ("sample_index", "unit_index", "segment_index"):
        digest.update(spikes[name].astype(np.int64).tobytes())
    return digest.hexdigest()


def _opened(path: Path) -> tuple[BaseSorting, list[int]]:
    """A sorting of SpikeInterface, and the samples of each segment, none where it does not say them."""
    from spikeinterface.core import BaseSorting, SortingAnalyzer

    lengths: list[int] = []
    try:
        loaded = nwb_sorting(path) if has_nwb_units(path) else load_saved(path)
        if isinstance(loaded, SortingAnalyzer):
            lengths = [int(loaded.get_num_samples(k)) for k in range(loaded.get_num_segments())]
            loaded = loaded.sorting
        if isinstance(loaded, BaseSorting):
            _check_spikes(loaded)
    except RecordingError:
        raise
    except Exception as error:
        raise RecordingError(
            f"{path} is not a sorting that can be opened ({reason(error)}); "
            "give a Phy or Kilosort folder (params.py, spike_times.npy, spike_clusters.npy) "
            "or a SpikeInterface sorting or analyzer folder"
        ) from error
    if not isinstance(loaded, BaseSorting):
        kind = (
            "nothing that this version of SpikeInterface knows" if loaded is None else type(loaded).__name__
        )
        raise RecordingError(f"{path} holds {kind}, not a sorting; save it again, or export it to Phy")
    return loaded, lengths


def _check_spikes(sorting: BaseSorting) -> None:
    """Raise ValueError where spikes or units of a file cannot be used; SpikeInterface looks at none."""
    rate = float(sorting.get_sampling_frequency())
    if not 0 < rate < np.inf:
        raise ValueError(f"its sampling frequency is {rate} Hz")
    ids = [_plain(unit) for unit in sorting.unit_ids]
    twice = [unit for unit, n in Counter(ids).items() if n > 1]
    if twice:
        raise ValueError(f"{len(twice)} of its unit ids are there twice: {some(twice)}")
    spikes = sorting.to_spike_vector()  # which it keeps
    if spikes.ndim != 1 or not {"sample_index", *_COUNTED} <= set(spikes.dtype.names or ()):
        raise ValueError("its spikes have no samples, units or segments")
    samples = spikes["sample_index"]
    bad = np.flatnonzero(~np.isfinite(samples) | (samples != np.round(samples)))
    if len(bad):
        raise ValueError(f"spike {bad[0]} is at sample {samples[bad[0]]}; samples are whole numbers")
    for name, n in zip(_COUNTED, (len(ids), sorting.get_num_segments()), strict=True):
        bad = np.flatnonzero((spikes[name] < 0) | (spikes[name] >= n))
        if len(bad):
            raise ValueError(f"spike {bad[0]} has the {name} {spikes[name][bad[0]]}, of {n} that there are")


def _segment_starts(
    path: Path, n_segments: int, lengths: list[int], recording: RecordingReference | None
) -> NDArray[np.int64]:
    """Sample of the joined recording at which each segment of a sorting begins.

    lengths : of the segments, where the sorting says them
    """
    if n_segments == 1:
        return np.zeros(1, np.int64)
    known = None if recording is None else recording.clock.segment_start
    if known is not None and len(known) == n_segments:
        return known
    ends = np.cumsum(lengths)
    if len(lengths) == n_segments and (recording is None or ends[-1] == recording.n_samples):
        return np.append(0, ends[:-1]).astype(np.int64)
    if recording is None:
        raise RecordingError(
            f"{path} has {n_segments} segments and does not say how long they are; open an analyzer, which "
            "does, or concatenate them before opening the sorting"
        )
    raise RecordingError(
        f"{path} has {n_segments} segments, but its recording {recording.path} has "
        f"{recording.clock.n_segments}; give the recording that was sorted, with the same segments"
    )


def _joined(
    times: NDArray[np.int64], segment: NDArray[np.integer], starts: NDArray[np.int64], n_samples: int
) -> NDArray[np.int64]:
    """Samples of the joined recording; one past the end of its own segment lies past the end of it all."""
    if len(starts) == 1:
        return times
    after_segment = times >= np.append(np.diff(starts), np.iinfo(np.int64).max)[segment]
    joined = np.where(times < 0, times, times + starts[segment])
    return np.where(after_segment, n_samples + times, joined)


def _property_labels(sorting: Any, numbers: NDArray[np.int64]) -> dict[int, str]:
    """Labels from the first property that labels any unit."""
    for key in _LABEL_PROPERTIES:
        words = {unit: word.lower() for unit, word in _words(sorting, key, numbers).items()}
        found = {unit: word for unit, word in words.items() if word in LABELS}
        if set(found.values()) - {"unsorted"}:
            return found
    return {}


def _other_words(sorting: Any, numbers: NDArray[np.int64]) -> list[str]:
    """A sentence if the first property that says anything has labels of one's own."""
    for key in _LABEL_PROPERTIES:
        said = [word for word in _words(sorting, key, numbers).values() if word.lower() not in NO_LABEL]
        own = Counter(word for word in said if word.lower() not in LABELS)
        if own:
            counted = some([f"{word} {n}" for word, n in sorted(own.items())])
            return [f"labels of {key} that are not good, mua or noise are not shown: {counted}"]
        if said:
            break
    return []


def _words(sorting: Any, key: str, numbers: NDArray[np.int64]) -> dict[int, str]:
    """Text of a property by unit, none where it holds something else."""
    values = sorting.get_property(key)
    if values is None:
        return {}
    text = [value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in values]
    return {
        int(unit): value.strip() for unit, value in zip(numbers, text, strict=True) if isinstance(value, str)
    }


def _plain(unit: Any) -> int | str:
    value = unit.item() if isinstance(unit, np.generic) else unit
    return value if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _checked(folder: Path, **fields: Any) -> Sorting:
    try:
        return Sorting(**fields)
    except InputError as error:
        raise RecordingError(f"{folder}: {error}") from error
