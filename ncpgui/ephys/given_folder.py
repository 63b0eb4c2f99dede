"""Somebody's finished sorting, to be reviewed: its spikes, and what ties them to its files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ncpgui.core.errors import InputError, MissingRecordingError, RecordingError, SeveralStreamsError
from ncpgui.core.given import PHY, SPIKEINTERFACE, GivenSorting, called
from ncpgui.core.spikes import Sorting
from ncpgui.ephys.formats import SAVED
from ncpgui.ephys.hdf5_formats import has_nwb_units
from ncpgui.ephys.paths import existing_path
from ncpgui.ephys.phy_folder import is_phy_folder, phy_folder_of, read_phy_folder
from ncpgui.ephys.proposals import proposals_beside
from ncpgui.ephys.recording import Recording
from ncpgui.ephys.simulated_folder import is_simulated_folder
from ncpgui.ephys.sorted_recording import recording_given_for, recording_of_sorting
from ncpgui.ephys.sorting_readers import phy_sorting, spikeinterface_sorting
from ncpgui.ephys.without_traces import without_traces

RATE_TOLERANCE = 1e-3


@dataclass(frozen=True)
class OpenedSorting:
    """A sorting and where it comes from; `notes` say what was missing or repaired."""

    sorting: Sorting
    given: GivenSorting
    notes: tuple[str, ...]


def is_sorting_folder(path: Path) -> bool:
    """Whether a path holds a sorting of Phy, Kilosort, SpikeInterface or NWB, by its files."""
    if is_phy_folder(path) or has_nwb_units(path):
        return True
    if path.suffix == ".zarr" and path.is_dir():
        return (path / "sorting").is_dir() or (path / "unit_ids").is_dir()
    names = ("sorting", "sorting_provenance.json", "numpysorting_info.json", "spikes.npy")
    return path.is_dir() and any((path / name).exists() for name in names)


def open_given(path: str | Path, recording: Recording) -> OpenedSorting:
    """Open a finished sorting of a recording.

    Raises
    ------
    RecordingError
        It is none, is damaged, holds no spike, or is of another recording.
    """
    folder = phy_folder_of(existing_path(path))
    phy = read_phy_folder(folder) if is_phy_folder(folder) else None
    rate = recording.sampling_frequency_hz
    n_samples = recording.n_samples
    if phy is not None:
        named = phy.parameters.get("sample_rate")
        read = phy_sorting(
            phy,
            n_samples=n_samples,
            sampling_frequency_hz=rate if named is None or not recording.reference.has_traces else None,
        )
    else:
        if folder.is_file() and not has_nwb_units(folder):
            raise RecordingError(
                f"{folder} is a file without units that have spikes; give the folder that holds the sorting"
            )
        read = spikeinterface_sorting(folder, n_samples=n_samples, recording=recording.reference)
    opened = read.sorting
    if abs(opened.sampling_frequency_hz - rate) > RATE_TOLERANCE * rate:
        raise RecordingError(
            f"{folder} is of a recording at {opened.sampling_frequency_hz:g} Hz, but "
            f"{recording.reference.path} is at {rate:g} Hz; give its own with --recording"
        )
    if len(opened) == 0:
        raise RecordingError(f"{folder} holds no spike; there is nothing to review")
    labels = {unit: label for unit, label in opened.labels.items() if label != "unsorted"}
    present = set(opened.unit_ids.tolist())
    ids = called(present, {} if phy is not None else read.names, read.highest)
    proposals, notes = proposals_beside(folder, {name: unit for unit, name in ids.items()}, read.properties)
    given = GivenSorting(
        path=str(folder.resolve()),
        kind=SPIKEINTERFACE if phy is None else PHY,
        rows=read.rows,
        digest=read.digest,
        labels={unit: label for unit, label in labels.items() if unit in present},
        names=read.names,
        silent=read.silent,
        highest=read.highest,
        proposals=proposals,
    )
    return OpenedSorting(opened, given, (*read.notes, *notes))


def open_reviewed(
    path: str | Path, *, recording: Path | None = None, **options: Any
) -> tuple[Recording, OpenedSorting]:
    """Open a finished sorting and its recording: the one its folder leads to, unless another is given.

    Where it leads to none the sorting is opened without traces (`without_traces`).

    options : of the `recording`, as `readers.open_recording`; None where left out. The stream may be that of
        an NWB file that holds both

    Raises
    ------
    RecordingError, InputError
        One of them cannot be opened, or they do not belong together.
    """
    if recording is not None:
        _check_is_sorting(existing_path(path))
        found = recording_given_for(path, recording, options)
        return found, open_given(path, found)
    given = {name: value for name, value in options.items() if value is not None}
    allowed = {"probe", "sampling_frequency"} | ({"stream"} if has_nwb_units(Path(path)) else set())
    if given.keys() - allowed:
        raise InputError("--n-channels, --dtype and --stream are of a --recording, which is missing; give it")
    _check_is_sorting(existing_path(path))
    rate, of_file = given.get("sampling_frequency"), {k: given[k] for k in given if k != "sampling_frequency"}
    try:
        found = recording_of_sorting(path, **of_file)
    except MissingRecordingError as error:
        if isinstance(error.__cause__, SeveralStreamsError):
            raise
        return _without_recording(path, error, rate, given.get("probe"))
    if rate is not None:
        raise InputError(
            "--sampling-frequency is of a --recording, or of a sorting without one; "
            f"{found.reference.path} says its own; leave it out"
        )
    return found, open_given(path, found)


def _without_recording(
    path: str | Path, missing: MissingRecordingError, rate: float | None, probe: str | Path | None
) -> tuple[Recording, OpenedSorting]:
    """Open a sorting that does not lead to its recording; if that cannot be, its recording is missing."""
    try:
        found = without_traces(existing_path(path), str(missing), sampling_frequency=rate, probe=probe)
        return found, open_given(path, found)
    except (InputError, RecordingError) as error:
        raise MissingRecordingError(
            f"{missing}; without it the sorting cannot be opened either: {error}"
        ) from error


def _check_is_sorting(path: Path) -> None:
    """Raise RecordingError where a folder has no file of any sorting."""
    folder = phy_folder_of(path)
    known = (
        is_sorting_folder(folder)
        or is_simulated_folder(folder)
        or any((folder / name).is_file() for name in SAVED)
    )
    if folder.is_dir() and not known:
        what = "it is empty" if not any(folder.iterdir()) else "it has neither spike_times.npy nor units"
        raise RecordingError(
            f"there is no sorting in {folder}: {what}; give a folder of Phy or Kilosort (params.py, "
            "spike_times.npy, spike_clusters.npy), or a SpikeInterface sorting or analyzer"
        )
