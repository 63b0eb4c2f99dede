"""Decisions written back into the folder of another program that was reviewed, when somebody asks for it.

Of a Phy or Kilosort folder, ``spike_clusters.npy`` gets the units as they stand, ``cluster_group.tsv`` the
label of every cluster, and the other tables of clusters a row for each new cluster (that of the cluster which
most of its spikes come from, as phy has it). What is replaced is kept in ``before-ncpgui`` inside the folder
first; ``spike_templates.npy``, spike times and templates are never written. For SpikeInterface the decisions
are a curation JSON, which the analyzer's window reads; the sorting itself is not touched.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.csv_text import Spelling
from ncpgui.core.errors import ExportError, RecordingError
from ncpgui.core.files import replaced_file, replaced_folder
from ncpgui.core.given import PHY, GivenSorting
from ncpgui.core.json_text import parse_json
from ncpgui.core.project import Project
from ncpgui.curation.decisions import Decisions
from ncpgui.ephys.cluster_tables import ClusterTable, read_cluster_table
from ncpgui.ephys.given_folder import digest_now, phy_digest
from ncpgui.ephys.phy_folder import NAME_COLUMNS, PhyFolder, array, read_phy_folder
from ncpgui.export.curation_json import curation_steps

BACKUP = "before-ncpgui"
MARK = "written_back.json"
CLUSTERS, GROUPS, INFO = "spike_clusters.npy", "cluster_group.tsv", "cluster_info.tsv"


@dataclass(frozen=True)
class WrittenBack:
    """What was written: `files` in `folder`, what they were is in `backup`; no file where nothing changed."""

    folder: Path
    files: tuple[str, ...]
    n_moved: int
    backup: Path | None
    note: str = ""

    @property
    def words(self) -> str:
        """What was done, in a sentence."""
        if not self.files:
            return f"nothing was decided that {self.folder} does not have; its files are as they were"
        text = f"wrote {', '.join(self.files)} in {self.folder}: {self.n_moved} spikes are in another unit"
        if self.backup is not None:
            text += f"; what was there is kept in {self.backup}"
        return text + (f"; {self.note}" if self.note else "")


def write_back(project: Project, decisions: Decisions) -> WrittenBack:
    """Write the units as they stand into the folder that the project reviews.

    Raises
    ------
    ExportError
        The project reviews no folder; it is gone, changed since it was read, or cannot be written. Nothing
        is changed then.
    """
    given = project.given
    if given is None:
        raise ExportError("this sorting was made here and reviews no other; write it with 'ncpgui export'")
    folder = Path(given.path)
    now = _digest(given)
    if given.kind == PHY:
        source = _source(folder, given, now)
        return _to_phy(folder, source, given, project, decisions)
    if now != given.digest:
        raise _changed(folder)
    return _to_spikeinterface(folder, given, project, decisions)


def _digest(given: GivenSorting) -> str:
    try:
        return digest_now(given)
    except RecordingError as error:
        raise ExportError(
            f"decisions cannot be written back: {error}; put the folder back where it was, or export the "
            "sorting with 'ncpgui export'"
        ) from error


def _changed(folder: Path) -> ExportError:
    return ExportError(
        f"{folder} changed since it was reviewed (its spikes, clusters or labels differ); put the files back "
        f"({BACKUP} has those from before anything was written), review it again, or use 'ncpgui export'"
    )


def _source(folder: Path, given: GivenSorting, now: str) -> Path:
    """Folder of the files as they were reviewed: the folder itself, or the first of our backups."""
    if now == given.digest:
        return folder
    marks = {backup: _mark(backup) for backup in _backups(folder)}
    ours = [backup for backup, mark in marks.items() if mark.get("reviewed") == given.digest]
    if ours and any(mark.get("written") == now for mark in marks.values()):
        return ours[0]
    raise _changed(folder)


def _backups(folder: Path) -> list[Path]:
    """Backups of a folder, oldest first."""
    names = [BACKUP, *(f"{BACKUP}-{number}" for number in range(2, 1000))]
    return [folder / name for name in names if (folder / name).is_dir()]


def _mark(backup: Path) -> dict[str, Any]:
    try:
        value = parse_json((backup / MARK).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


# -- Phy ----------------------------------------------------------------------------------------


def _to_phy(
    folder: Path, source: Path, given: GivenSorting, project: Project, decisions: Decisions
) -> WrittenBack:
    phy = read_phy_folder(folder)
    before = project.unit_of_spike
    units, note = _all_in_units(decisions.unit_of_spike, project.highest_unit)
    noise = {} if units is decisions.unit_of_spike else {int(units.max()): "noise"}
    clusters = _with_strays(_reviewed_clusters(phy, source), given.rows, units)
    ids = np.unique(clusters).tolist()
    labels = {unit: {**decisions.labels, **noise}.get(unit, "unsorted") for unit in ids}
    if np.array_equal(clusters, phy.clusters) and _same_labels(labels, phy.labels):
        return WrittenBack(folder, (), 0, None)
    parent = _parents(before, units)
    groups = [["cluster_id", "group"], *([str(unit), labels[unit]] for unit in ids)]
    tables = {GROUPS: Spelling().as_bytes(groups)}
    reviewed = np.unique(before).tolist()
    for file in sorted(folder.glob("cluster_*.tsv")):
        if file.name == GROUPS:
            continue
        original = source / file.name if (source / file.name).is_file() else file
        table = read_cluster_table(original, reviewed)
        if table is None or table.id_column is None:
            continue
        rows = _rows(table, ids, parent, given)
        if file.name == INFO:
            _put_info(table, rows, clusters, labels, project)
        now = read_cluster_table(file, phy.clusters)
        if now is None or rows != now.rows:
            tables[file.name] = table.as_bytes(rows)
    written = replace(phy, clusters=clusters, labels=labels)
    backup = _keep(folder, [CLUSTERS, *tables], given.digest, phy_digest(written))
    for name, data in tables.items():
        with replaced_file(folder / name) as beside:
            beside.write_bytes(data)
    with replaced_file(folder / CLUSTERS) as path:
        _save(path, _as_before(phy, clusters))
    n_moved = int((units != before).sum())
    return WrittenBack(folder, (CLUSTERS, *tables), n_moved, backup, note)


def _reviewed_clusters(phy: PhyFolder, source: Path) -> NDArray[np.int64]:
    """Clusters of all spikes of the folder as it was reviewed."""
    file = source / phy.clusters_file.name
    return array(file).astype(np.int64) if file.is_file() else phy.clusters


def _with_strays(
    reviewed: NDArray[np.int64], rows: NDArray[np.int64], units: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Cluster of every spike of the folder; strays go where most of their cluster went."""
    clusters = reviewed.copy()
    clusters[rows] = units
    strays = np.setdiff1d(np.arange(len(reviewed)), rows)
    for cluster in np.unique(reviewed[strays]).tolist():
        went, counts = np.unique(units[reviewed[rows] == cluster], return_counts=True)
        if len(went):
            clusters[strays[reviewed[strays] == cluster]] = went[counts.argmax()]
    return clusters


def _all_in_units(units: NDArray[np.int64], highest: int) -> tuple[NDArray[np.int64], str]:
    """Units where every spike is in one, as Phy wants it: those of none are a unit of their own."""
    out = units < 0
    if not out.any():
        return units, ""
    new = max(int(units.max(initial=-1)), highest) + 1
    return np.where(out, new, units), f"{int(out.sum())} spikes of no unit are cluster {new}, labelled noise"


def _same_labels(labels: dict[int, str], there: dict[int, str]) -> bool:
    return all(there.get(unit, "unsorted") == label for unit, label in labels.items())


def _parents(before: NDArray[np.int64], units: NDArray[np.int64]) -> dict[int, int]:
    """For each unit that is new, the one that most of its spikes come from."""
    result = {}
    for unit in np.setdiff1d(units, before).tolist():
        values, counts = np.unique(before[units == unit], return_counts=True)
        result[unit] = int(values[counts.argmax()])
    return result


def _rows(
    table: ClusterTable, ids: list[int], parent: dict[int, int], given: GivenSorting
) -> list[list[str]]:
    """Rows of the clusters that are there and had one, or whose parent had; a row that stays is as it was."""
    column = table.id_column
    assert column is not None
    known = {table.cluster_of(row): row for row in table.rows}
    rows: list[list[str]] = []
    for unit in ids:
        row = known.get(unit, known.get(parent.get(unit)))
        if row is not None:
            rows.append([*row] if unit in known else [*row[:column], str(unit), *row[column + 1 :]])
    place = table.column(*NAME_COLUMNS)
    if place is not None:  # SpikeInterface calls a new cluster by a name that none ever had
        names = given.called(ids)
        for row in rows:
            new = table.cluster_of(row)
            if new in parent and place < len(row):
                row[place] = str(names[new])
    return rows


def _put_info(
    table: ClusterTable,
    rows: list[list[str]],
    clusters: NDArray[np.int64],
    labels: dict[int, str],
    project: Project,
) -> None:
    """Counts, rates and labels of clusters in ``cluster_info.tsv``."""
    units, counts = np.unique(clusters, return_counts=True)
    n_spikes = dict(zip(units.tolist(), counts.tolist(), strict=True))
    for row in rows:
        unit = table.cluster_of(row)
        assert unit is not None
        values = {
            "n_spikes": str(n_spikes[unit]),
            "fr": f"{n_spikes[unit] / project.spikes.duration_s:.4f}",
            "group": "" if labels[unit] == "unsorted" else labels[unit],
        }
        for name, value in values.items():
            place = table.column(name)
            if place is not None and place < len(row):
                row[place] = value


def _as_before(phy: PhyFolder, clusters: NDArray[np.int64]) -> NDArray[Any]:
    """Clusters in the shape of the file that they replace, whole numbers."""
    old = np.load(phy.clusters_file, allow_pickle=False)
    kind = (
        old.dtype if old.dtype.kind in "iu" and clusters.max(initial=0) <= np.iinfo(old.dtype).max else None
    )
    return clusters.astype(kind or np.int32).reshape(old.shape)


def _keep(folder: Path, names: list[str], reviewed: str, written: str) -> Path:
    """Copy the files that are to be replaced into a backup that nothing else is in."""
    taken = len(_backups(folder))
    backup = folder / (BACKUP if not taken else f"{BACKUP}-{taken + 1}")
    with replaced_folder(backup) as place:
        for name in names:
            if (folder / name).is_file():
                shutil.copy2(folder / name, place / name)
        mark = {"reviewed": reviewed, "written": written, "replaced": names}
        (place / MARK).write_text(json.dumps(mark, indent=1) + "\n", encoding="utf-8")
        if (folder / ".phy").is_dir():  # phy's cache is of the clusters as they were
            (folder / ".phy").replace(place / ".phy")
    return backup


def _save(path: Path, values: NDArray[Any]) -> None:
    """Write an array in full, or raise OSError: of small ones NumPy does not say that the disk was full."""
    np.save(path, values)
    if not np.array_equal(np.load(path), values):
        raise OSError(28, "No space left on device")


# -- SpikeInterface ------------------------------------------------------------------------------


def _to_spikeinterface(
    folder: Path, given: GivenSorting, project: Project, decisions: Decisions
) -> WrittenBack:
    labels = {unit: label for unit, label in decisions.labels.items() if label != "unsorted"}
    before = {unit: label for unit, label in given.labels.items() if label != "unsorted"}
    moved = decisions.unit_of_spike != project.unit_of_spike
    if not moved.any() and labels == before:
        return WrittenBack(folder, (), 0, None)
    steps = curation_steps(
        project.unit_of_spike,
        decisions.unit_of_spike,
        labels,
        given.names,
        silent=given.silent,
        highest=given.highest,
    )
    value: Any = steps[0] if len(steps) == 1 else steps
    place = curation_place(folder)
    if place.parent != folder.parent:
        _make(place.parent)
    backup = None
    if place.exists():
        backup = place.with_name(f"{place.stem}.{BACKUP}{place.suffix}")
        if not backup.exists():
            with replaced_file(backup) as beside:
                shutil.copyfile(place, beside)
    with replaced_file(place) as beside:
        beside.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    return WrittenBack(place.parent, (place.name,), int(moved.sum()), backup)


def curation_place(folder: Path) -> Path:
    """Where the curation goes: where SpikeInterface's window looks for it in an analyzer, else beside."""
    if folder.suffix != ".zarr" and (folder / "sorting").is_dir():
        return folder / "spikeinterface_gui" / "curation_data.json"
    return folder.with_name(f"{folder.name}_curation.json")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise ExportError(
            f"cannot write {folder}: {error.strerror or error}; copy the analyzer where it can be written"
        ) from error
