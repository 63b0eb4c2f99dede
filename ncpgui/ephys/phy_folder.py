"""The spikes and clusters of a Phy or Kilosort folder, as they are in its files, and their labels.

Kilosort 2 to 4, SpikeInterface and phy itself write such folders, and each leaves out some of them. What can
be repaired without a guess is, and `notes` say so; the rest is refused with the file and the place named.
Nothing of the folder is run.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.csv_text import plain
from ncpgui.core.errors import ExportError, RecordingError
from ncpgui.core.given import number_of
from ncpgui.core.numpy_files import read_npy
from ncpgui.core.replaced_set import alone_in, finish, interrupted
from ncpgui.ephys.cluster_tables import IDS, read_cluster_table
from ncpgui.ephys.literals import Literals, read_literals
from ncpgui.ephys.paths import refuse_special
from ncpgui.ephys.phy_labels import labels_in
from ncpgui.ephys.phy_marks import marks_in
from ncpgui.ephys.reasons import no_file, way_out

_FILES = (
    "params.py",
    *(f"{name}.npy" for name in ("spike_times", "spike_clusters", "spike_templates")),
    *(f"{name}.npy" for name in ("channel_map", "channel_positions", "channel_shanks")),
)
"""What says which spikes, units and contacts there are: absent only where nothing is called so."""
NAME_COLUMNS = ("si_unit_id", "unit_name")
"""Columns with what SpikeInterface calls clusters, or ncpgui where its export has ids that are text."""
LARGEST_RATE = 1e12
LARGEST_STEP = 1e9
"""Numbers that are further apart are of no recording, and their spikes are strays."""
LARGEST_CLUSTER = 2**31
"""The first that phy cannot hold."""


@dataclass(frozen=True)
class PhyFolder:
    """What a folder holds; spikes in the order of its files.

    parameters : literals of ``params.py``, empty without one
    times : (n,) int64 samples; clusters : (n,) int64, of ``clusters_file``
    labels : cluster -> one of `LABELS`; own_labels : cluster -> any other word that a person labelled it with
    names : cluster -> what SpikeInterface calls it, where it calls any by another name
    highest : largest cluster that there ever was, by spikes, templates, tables and earlier write-backs
    notes : what was missing or repaired, a sentence each
    """

    folder: Path
    parameters: Literals
    times: NDArray[np.int64]
    clusters: NDArray[np.int64]
    clusters_file: Path
    labels: dict[int, str]
    own_labels: dict[int, str]
    names: dict[int, int | str]
    highest: int
    notes: tuple[str, ...]


def is_phy_folder(path: Path) -> bool:
    """Whether a path is a folder of Phy or Kilosort, or the ``params.py`` in one."""
    return os.path.lexists(phy_folder_of(path) / "spike_times.npy")


def phy_folder_of(path: Path) -> Path:
    """The folder, where its ``params.py`` was named."""
    return path.parent if path.name == "params.py" else path


def read_phy_folder(path: Path) -> PhyFolder:
    """Read a folder of Phy or Kilosort. A write-back that was stopped in the middle is finished first.

    Raises
    ------
    RecordingError
        Its files disagree or are damaged; the file is named.
    """
    folder = phy_folder_of(path)
    for file in folder.iterdir():
        refuse_special(file)
        if file.name in _FILES and not file.is_file():
            raise RecordingError(
                f"{file} is {no_file(file)}, and the folder is another one without it; put the file back, "
                "or export the sorting again"
            )
    notes: list[str] = []
    if interrupted(folder):
        _finish(folder)
        notes.append("files of the folder were being replaced when ncpgui was stopped: that was finished")
    parameters = read_literals(folder / "params.py") if (folder / "params.py").is_file() else Literals()
    times = _samples(folder / "spike_times.npy", notes)
    file = folder / "spike_clusters.npy"
    if not file.is_file():
        file = folder / "spike_templates.npy"
        if not file.is_file():
            raise RecordingError(
                f"{folder} has neither spike_clusters.npy nor spike_templates.npy; export the sorting again"
            )
        notes.append("spike_clusters.npy is not there: the clusters are those of spike_templates.npy")
    clusters = _cluster_ids(file)
    if len(times) != len(clusters):
        raise RecordingError(
            f"{folder}: spike_times.npy has {len(times)} spikes, {file.name} has {len(clusters)}; "
            "the folder is damaged, export it again"
        )
    if (np.diff(times) < 0).any():
        notes.append("spike times are not in order of time in the file: they are taken in order")
    labels, own = labels_in(folder, clusters, notes)
    names, highest = _names_and_highest(folder, clusters)
    return PhyFolder(folder, parameters, times, clusters, file, labels, own, names, highest, tuple(notes))


def _finish(folder: Path) -> None:
    try:
        with alone_in(folder, "wait until it is done"):
            finish(folder, through_links=False)
    except ExportError as error:
        raise RecordingError(
            f"{folder} holds files of two sortings, because a write-back into it was stopped: {error}"
        ) from error


def sampling_frequency_of(phy: PhyFolder) -> float:
    """Hz of the spike times, as ``params.py`` says.

    Raises
    ------
    RecordingError
        It does not say.
    """
    rate = phy.parameters.get("sample_rate")
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 < rate < LARGEST_RATE:
        got = (
            f"it is {rate!r:.20}" if "sample_rate" in phy.parameters else phy.parameters.lacks("sample_rate")
        )
        raise RecordingError(
            f"{phy.folder / 'params.py'} does not give sample_rate as a positive number ({got}); "
            "write a line 'sample_rate = 20000.0'"
        )
    return float(rate)


def array(path: Path, *, flat: bool = True) -> NDArray[Any]:
    """An array of numbers of a file, flat unless its shape says something.

    Raises
    ------
    RecordingError
        It cannot be read, is a pickle, or holds no numbers.
    """
    try:
        values = read_npy(path)
    except (OSError, ValueError, EOFError, MemoryError) as error:
        why = (error.strerror if isinstance(error, OSError) else "") or error
        raise RecordingError(
            f"{path} cannot be read as an array: {why}; {way_out(error, 'export the sorting again')}"
        ) from error
    if values.dtype.kind not in "iuf":
        raise RecordingError(f"{path} holds no numbers but {values.dtype}; export the sorting again")
    return values.reshape(-1) if flat else values


def _samples(file: Path, notes: list[str]) -> NDArray[np.int64]:
    values = array(file)
    if values.dtype.kind == "u":  # times before the first sample come back from where they wrapped to
        values = values.astype(np.int64)
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise RecordingError(f"{file}: spike {bad[0]} is at {values[bad[0]]}; times must be samples")
    if values.dtype.kind == "f" and (values != np.round(values)).any():
        if len(values) > np.ptp(values) + 1:
            raise RecordingError(
                f"{file} has {len(values)} spikes within {np.ptp(values):.3g} samples; times must be "
                "samples, not seconds: multiply them by the sampling frequency"
            )
        notes.append("spike times have fractions of a sample: they are rounded to samples")
    apart = np.spacing(np.abs(values).max(initial=0)) if values.dtype.kind == "f" else 1
    if 1 < apart < LARGEST_STEP:
        notes.append(
            f"{file.name} has numbers of type {values.dtype}, which are exact to {apart:g} samples only "
            "where they are largest: spikes lie beside their samples; write them as int64"
        )
    if values.dtype.kind == "f":
        furthest = float(np.iinfo(np.int64).max // 2)
        values = np.round(np.clip(values, -furthest, furthest))
    return values.astype(np.int64)


def _cluster_ids(file: Path) -> NDArray[np.int64]:
    values = array(file)
    bad = np.flatnonzero(~np.isfinite(values) | (values != np.round(values)) | (values < 0))
    if len(bad):
        raise RecordingError(
            f"{file}: spike {bad[0]} is in cluster {values[bad[0]]}; clusters must be whole numbers from 0 on"
        )
    if len(values) and values.max() >= LARGEST_CLUSTER:
        raise RecordingError(f"{file}: cluster {values.max():.0f} is larger than Phy knows; export it again")
    return values.astype(np.int64)


def _names_and_highest(folder: Path, clusters: NDArray[np.int64]) -> tuple[dict[int, int | str], int]:
    """What SpikeInterface calls each cluster, where that is another name; the largest of all files."""
    present = set(np.unique(clusters).tolist())
    known = {-1, *present}
    names: dict[int, str] = {}
    for file in sorted(folder.glob("cluster_*.?sv")):
        try:
            table = read_cluster_table(file, present)
        except RecordingError:  # of labels it is refused where they are read; what others say is not needed
            continue
        if table is None or table.id_column is None or plain(table.names[table.id_column]) not in IDS:
            continue
        known |= {unit for row in table.rows if (unit := table.cluster_of(row)) is not None}
        place = table.column(*NAME_COLUMNS)
        if place is not None and not names:
            names = {unit: name for unit, name in table.cells(place).items() if name and unit in present}
    if (folder / "spike_templates.npy").is_file():
        templates = array(folder / "spike_templates.npy")
        templates = templates[np.isfinite(templates)]
        known.add(int(templates.astype(np.int64).max(initial=-1)))
    known |= {mark.highest for mark in marks_in(folder).values()}
    highest = max(unit for unit in known if unit < LARGEST_CLUSTER)
    numbers = {unit: number_of(name) for unit, name in names.items()}
    whole = all(number is not None and str(number) == names[unit] for unit, number in numbers.items())
    if whole and all(number == unit for unit, number in numbers.items()):
        return {}, highest
    found: dict[int, int | str] = {unit: int(name) if whole else name for unit, name in names.items()}
    return _all_named(found, present), highest


def _all_named(names: dict[int, int | str], present: set[int]) -> dict[int, int | str]:
    """Clusters that phy made since have no name: one above all others."""
    numbers = (number_of(name) for name in names.values())
    fresh = count(max((number for number in numbers if number is not None), default=-1) + 1)
    is_text = any(isinstance(name, str) for name in names.values())
    for unit in sorted(present - set(names)):
        names[unit] = str(next(fresh)) if is_text else next(fresh)
    return names
