"""The spikes, clusters and labels of a Phy or Kilosort folder, as they are in its files.

Kilosort 2 to 4, SpikeInterface and phy itself write such folders, and each leaves out some of them. What can
be repaired without a guess is, and `notes` say so; the rest is refused with the file and the place named.
Nothing of the folder is run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.csv_text import parse_csv
from ncpgui.core.errors import RecordingError
from ncpgui.core.npy import read_npy
from ncpgui.ephys.literals import read_literals

LABELS = ("good", "mua", "noise", "unsorted")
_LABEL_FILES = (
    ("cluster_group.tsv", "group"),
    ("cluster_groups.csv", "group"),
    ("cluster_group.csv", "group"),
    ("cluster_info.tsv", "group"),
    ("cluster_KSLabel.tsv", "KSLabel"),
    ("cluster_info.tsv", "KSLabel"),
)
_MAX_NAMED = 6


@dataclass(frozen=True)
class PhyFolder:
    """What a folder holds; spikes in the order of its files.

    parameters : literals of ``params.py``, empty without one
    times : (n,) int64 samples; clusters : (n,) int64, of ``clusters_file``
    labels : cluster -> one of `LABELS`
    notes : what was missing or repaired, a sentence each
    """

    folder: Path
    parameters: dict[str, Any]
    times: NDArray[np.int64]
    clusters: NDArray[np.int64]
    clusters_file: Path
    labels: dict[int, str]
    notes: tuple[str, ...]


def is_phy_folder(path: Path) -> bool:
    """Whether a path is a folder of Phy or Kilosort, or the ``params.py`` in one."""
    return (phy_folder_of(path) / "spike_times.npy").is_file()


def phy_folder_of(path: Path) -> Path:
    """The folder, where its ``params.py`` was named."""
    return path.parent if path.name == "params.py" else path


def read_phy_folder(path: Path) -> PhyFolder:
    """Read a folder of Phy or Kilosort.

    Raises
    ------
    RecordingError
        Its files disagree or are damaged; the file is named.
    """
    folder = phy_folder_of(path)
    notes: list[str] = []
    parameters = read_literals(folder / "params.py") if (folder / "params.py").is_file() else {}
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
    return PhyFolder(
        folder, parameters, times, clusters, file, _labels(folder, clusters, notes), tuple(notes)
    )


def sampling_frequency_of(phy: PhyFolder) -> float:
    """Hz of the spike times, as ``params.py`` says.

    Raises
    ------
    RecordingError
        It does not say.
    """
    rate = phy.parameters.get("sample_rate")
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 < rate < np.inf:
        raise RecordingError(
            f"{phy.folder / 'params.py'} does not give sample_rate as a positive number (got {rate!r}); "
            "add a line 'sample_rate = 20000.0'"
        )
    return float(rate)


def array(path: Path) -> NDArray[Any]:
    """An array of numbers of a file, flat.

    Raises
    ------
    RecordingError
        It cannot be read, is a pickle, or holds no numbers.
    """
    try:
        values = read_npy(path)
    except (OSError, ValueError, EOFError, MemoryError) as error:
        raise RecordingError(
            f"{path} cannot be read as an array: {error}; export the sorting again"
        ) from error
    if values.dtype.kind not in "iuf":
        raise RecordingError(f"{path} holds no numbers but {values.dtype}; export the sorting again")
    return values.reshape(-1)


def _samples(file: Path, notes: list[str]) -> NDArray[np.int64]:
    values = array(file)
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise RecordingError(f"{file}: spike {bad[0]} is at {values[bad[0]]}; times must be samples")
    if values.dtype.kind == "f" and (values != np.round(values)).any():
        notes.append("spike times have fractions of a sample: they are rounded to samples")
    if values.dtype.kind == "f":
        furthest = float(np.iinfo(np.int64).max // 2)
        values = np.round(np.clip(values, -furthest, furthest))
    if values.dtype.kind == "u" and values.dtype.itemsize == 8:  # times before 0 are wrapped there
        return values.astype(np.uint64).view(np.int64)
    return values.astype(np.int64)


def _cluster_ids(file: Path) -> NDArray[np.int64]:
    values = array(file)
    bad = np.flatnonzero(~np.isfinite(values) | (values != np.round(values)) | (values < 0))
    if len(bad):
        raise RecordingError(
            f"{file}: spike {bad[0]} is in cluster {values[bad[0]]}; clusters must be whole numbers from 0 on"
        )
    if len(values) and values.max() > np.iinfo(np.int32).max:
        raise RecordingError(f"{file}: cluster {values.max():.0f} is larger than Phy knows; export it again")
    return values.astype(np.int64)


def _labels(folder: Path, clusters: NDArray[np.int64], notes: list[str]) -> dict[int, str]:
    """Labels from the first file that has them; clusters that it lacks stay unsorted."""
    for name, column in _LABEL_FILES:
        cells = column_of(folder / name, column)
        if not cells:
            continue
        strange = sorted({text for text in cells.values() if text.lower() not in (*LABELS, "", "nan")})
        if strange:
            notes.append(f"{name}: labels {_some(strange)} are none of good, mua and noise: left unsorted")
        lacking = sorted(set(np.unique(clusters).tolist()) - set(cells))
        if lacking:
            notes.append(f"{name} lacks clusters {_some(lacking)}: they are unsorted")
        return {unit: text.lower() for unit, text in cells.items() if text.lower() in LABELS}
    return {}


def column_of(file: Path, column: str) -> dict[int, str]:
    """Cells of a column of a table of clusters, by cluster; empty where there is none."""
    rows = table_of(file)
    if not rows:
        return {}
    header = [cell.strip() for cell in rows[0]]
    place = header.index(column) if column in header else (1 if len(header) == 2 else -1)
    if place < 0:
        return {}
    cells = {}
    for row in rows[1:]:
        unit = cluster_of(row)
        if unit is not None and len(row) > place:
            cells[unit] = row[place].strip()
    return cells


def table_of(file: Path) -> list[list[str]]:
    """Rows of a table, its header first; empty where there is none.

    Raises
    ------
    RecordingError
        It cannot be read.
    """
    if not file.is_file():
        return []
    try:
        text = file.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise RecordingError(f"{file} cannot be read: {error.strerror or error}") from error
    try:
        return parse_csv(text, "\t" if "\t" in text.partition("\n")[0] else ",")
    except ValueError as error:
        raise RecordingError(f"{file} is no table of clusters: {error}; export the sorting again") from error


def cluster_of(row: list[str]) -> int | None:
    """Cluster that a row is about, None of one that names none (floats are taken where they are whole)."""
    try:
        value = float(row[0])
    except ValueError:
        return None
    return int(value) if np.isfinite(value) and value == int(value) and value >= 0 else None


def _some(values: list[Any]) -> str:
    shown = ", ".join(map(str, values[:_MAX_NAMED]))
    return shown + (f" and {len(values) - _MAX_NAMED} more" if len(values) > _MAX_NAMED else "")
