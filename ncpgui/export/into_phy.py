"""Decisions into the Phy or Kilosort folder that was reviewed.

``spike_clusters.npy`` gets the units as they stand, ``cluster_group.tsv`` the label of every cluster,
``cluster_tag.tsv`` and ``cluster_note.tsv`` tags and notes where there are any, and the other tables of
clusters rows for new clusters (`phy_tables`). All of it is replaced as one (`core.replaced_set`), and what
was there is kept in ``before-ncpgui`` inside the folder; ``spike_templates.npy``, spike times and templates
are never written.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.counted import some
from ncpgui.core.errors import ExportError, RecordingError
from ncpgui.core.given import GivenSorting, called
from ncpgui.core.numpy_files import read_npy
from ncpgui.core.project import Project
from ncpgui.core.replaced_set import alone_in, finish, replace_together
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.curation.labels import WORDS
from ncpgui.ephys.cluster_tables import ClusterTable, read_cluster_table
from ncpgui.ephys.paths import existing_path
from ncpgui.ephys.phy_folder import PhyFolder, array, read_phy_folder
from ncpgui.ephys.phy_labels import LABELS
from ncpgui.ephys.phy_marks import BACKUP, MARK, OUT, Mark, clusters_of_new, marks_in
from ncpgui.ephys.sorting_readers import digest_of
from ncpgui.ephys.strays import with_strays
from ncpgui.export.phy_tables import (
    GROUP,
    GROUPS,
    ClusterChange,
    Words,
    column_of_words,
    new_table,
    rows_after,
)
from ncpgui.export.written_back import OTHERWISE, WrittenBack, changed, unreadable

CLUSTERS, TEMPLATES, CACHE = "spike_clusters.npy", "spike_templates.npy", ".phy"


@dataclass(frozen=True)
class _Folder:
    """The folder as it is, and as it was reviewed.

    reviewed : (n,) cluster of each spike of its files as they were reviewed; marks : of write-backs of the
    same review, the oldest first; every : of all write-backs; originals : backups that may have files as they
    were reviewed, the oldest first
    """

    now: PhyFolder
    reviewed: NDArray[np.int64]
    marks: tuple[Mark, ...]
    every: tuple[Mark, ...]
    originals: tuple[Path, ...]

    def original(self, name: str) -> ClusterTable | None:
        """A table as it was reviewed, None where it was not replaced since, or not there."""
        for backup in self.originals:
            if (backup / name).is_file():
                return read_cluster_table(backup / name, np.unique(self.reviewed).tolist())
        return None


@dataclass(frozen=True)
class _Clusters:
    """The clusters of all spikes of the folder afterwards, and which unit is which.

    clusters : (n,) cluster of each spike of its files; of_unit : new unit -> its cluster, `OUT` for the
    spikes of none; unseen : clusters of strays alone, which nobody reviewed; parent, first : new cluster ->
    that which most of its spikes come from, now and as it was reviewed
    """

    clusters: NDArray[np.int64]
    of_unit: dict[int, int]
    unseen: frozenset[int]
    parent: dict[int, int]
    first: dict[int, int]

    @property
    def ids(self) -> tuple[int, ...]:
        """Clusters that have spikes, increasing."""
        return tuple(np.unique(self.clusters).tolist())


def write_into_phy(project: Project, given: GivenSorting, decisions: CuratedSorting) -> WrittenBack:
    """Write the units as they stand into the folder.

    Raises
    ------
    ExportError
        It is gone, its spikes or clusters changed since they were read, somebody else writes into it, or it
        cannot be written. Nothing is changed then.
    """
    try:
        folder = existing_path(given.path)
    except RecordingError as error:
        raise unreadable(error) from error
    with alone_in(folder, OTHERWISE):
        finish(folder)
        unchanged = _watch(folder)
        try:
            source = _read(folder, given)
        except RecordingError as error:
            raise unreadable(error) from error
        after = _clusters_after(source, given, project, decisions)
        change = _change(source, after, given, project, decisions)
        files = _tables(folder, source, change, complete=False)
        if not np.array_equal(after.clusters, source.now.clusters):
            files[CLUSTERS] = _as_before(source.now, after.clusters)
        if not files:
            return WrittenBack(folder, (), 0, None)
        files = {name: files[name] for name in files if name == CLUSTERS} | _tables(
            folder, source, change, complete=True
        )
        mark = Mark(
            reviewed=given.digest,
            written=digest_of(source.now.times, after.clusters),
            reviewed_highest=given.highest,
            highest=max((_highest(source, given), *after.of_unit.values())),
            clusters={**_known(source), **after.of_unit},
            words={column: dict(words.text) for column, words in change.words.items()},
        )
        backup = replace_together(
            folder, files, BACKUP, about={MARK: mark.as_bytes()}, aside=[CACHE], check=unchanged
        )
    n_moved = int((decisions.unit_of_spike != project.unit_of_spike).sum())
    return WrittenBack(folder, tuple(files), n_moved, backup, _note(after, change, source, decisions))


def _read(folder: Path, given: GivenSorting) -> _Folder:
    """The folder, if its spikes and clusters are those that were reviewed, or that we wrote of these."""
    phy = read_phy_folder(folder)
    now = digest_of(phy.times, phy.clusters)
    marks = marks_in(folder)
    of_review = (given.digest, given.highest)
    ours = {
        backup: mark for backup, mark in marks.items() if (mark.reviewed, mark.reviewed_highest) == of_review
    }
    if now != given.digest and now not in {mark.written for mark in ours.values()}:
        raise changed(folder, "spikes or clusters")
    reviewed = phy.clusters
    if now != given.digest:
        places = [backup / CLUSTERS for backup in ours] + [folder / TEMPLATES]
        arrays = (array(place).astype(np.int64) for place in places if place.is_file())
        found = next((one for one in arrays if digest_of(phy.times, one) == given.digest), None)
        if found is None:
            raise changed(folder, "spikes or clusters")
        reviewed = found
    return _Folder(phy, reviewed, tuple(ours.values()), tuple(marks.values()), tuple(ours))


def _highest(source: _Folder, given: GivenSorting) -> int:
    """The largest cluster that the folder ever had."""
    return max(given.highest, source.now.highest, int(source.reviewed.max(initial=-1)))


def _known(source: _Folder) -> dict[int, int]:
    """Clusters that units got in earlier write-backs of this review."""
    return source.marks[-1].clusters if source.marks else {}


def _clusters_after(
    source: _Folder, given: GivenSorting, project: Project, decisions: CuratedSorting
) -> _Clusters:
    units = np.where(decisions.unit_of_spike < 0, OUT, decisions.unit_of_spike)
    new = np.setdiff1d(units, project.unit_of_spike).tolist()
    of_unit = clusters_of_new(new, source.marks, source.every, _highest(source, given))
    values, code = np.unique(units, return_inverse=True)
    table = np.array([of_unit.get(unit, unit) for unit in values.tolist()], dtype=np.int64)
    clusters = with_strays(source.reviewed, given.rows, table[code])
    made = sorted(of_unit.values())
    return _Clusters(
        clusters,
        of_unit,
        frozenset(np.setdiff1d(clusters, clusters[given.rows]).tolist()),
        _largest_parts(clusters, source.now.clusters, made),
        _largest_parts(clusters, source.reviewed, made),
    )


def _largest_parts(clusters: NDArray[np.int64], before: NDArray[np.int64], made: list[int]) -> dict[int, int]:
    """For each of the clusters `made`, the one of `before` that most of its spikes were in."""
    result = {}
    for cluster in made:
        values, counts = np.unique(before[clusters == cluster], return_counts=True)
        if len(values):
            result[cluster] = int(values[counts.argmax()])
    return result


def _change(
    source: _Folder, after: _Clusters, given: GivenSorting, project: Project, decisions: CuratedSorting
) -> ClusterChange:
    now = source.now.clusters
    moved = after.clusters != now
    touched = np.union1d(after.clusters[moved], now[moved])
    ids, counts = np.unique(after.clusters, return_counts=True)
    made = after.of_unit.values()
    numbers = {
        cluster: {"n_spikes": str(n), "fr": f"{n / project.spikes.duration_s:.4f}"}
        for cluster, n in zip(ids.tolist(), counts.tolist(), strict=True)
        if cluster in touched
    }
    return ClusterChange(
        ids=after.ids,
        gone=frozenset(np.setdiff1d(now, ids).tolist()),
        parent=after.parent,
        first=after.first,
        names=called(made, {**given.names, **source.now.names}, given.highest),
        numbers=numbers,
        words={
            GROUP: _labels(source, after, given, decisions),
            **{kind: _words(kind, source, after, decisions) for kind in WORDS},
        },
    )


def _labels(source: _Folder, after: _Clusters, given: GivenSorting, decisions: CuratedSorting) -> Words:
    """Labels of clusters: as decided here, else as somebody made them there, else as they were given."""
    unit_of = {cluster: unit for unit, cluster in after.of_unit.items()}
    written = source.marks[-1].words.get(GROUP, {}) if source.marks else {}
    there = {**source.now.labels, **source.now.own_labels}
    text: dict[int, str] = {}
    decided, changed_there = set(), set()
    for cluster in after.ids:
        unit = unit_of.get(cluster, cluster)
        given_label = given.labels.get(unit, "unsorted")
        label = "noise" if unit == OUT else decisions.labels.get(unit, given_label)
        told = there.get(cluster, "unsorted")
        if cluster in after.unseen:
            text[cluster] = told
            continue
        if label != given_label:
            decided.add(cluster)
        if told != written.get(cluster, given_label):
            changed_there.add(cluster)
        own = _agreed(source.now, after.clusters == cluster) if cluster in unit_of else told
        if cluster in decided:
            text[cluster] = label
        elif cluster in changed_there and cluster in there:
            text[cluster] = told
        else:
            text[cluster] = own if own not in LABELS else label
    return Words(text, frozenset(decided), written, frozenset(changed_there))


def _agreed(phy: PhyFolder, spikes: NDArray[np.bool_]) -> str:
    """The label of one's own that all clusters of some spikes have, else 'unsorted'."""
    told = {phy.own_labels.get(cluster, "unsorted") for cluster in np.unique(phy.clusters[spikes]).tolist()}
    return told.pop() if len(told) == 1 else "unsorted"


def _words(kind: str, source: _Folder, after: _Clusters, decisions: CuratedSorting) -> Words:
    """Tags or notes that were given here, by cluster."""
    told = decisions.tags if kind == "tag" else decisions.notes
    text = {after.of_unit.get(unit, unit): words for unit, words in told.items()}
    text = {cluster: words for cluster, words in text.items() if cluster in after.ids}
    return Words(text, frozenset(text), source.marks[-1].words.get(kind, {}) if source.marks else {})


def _tables(folder: Path, source: _Folder, change: ClusterChange, *, complete: bool) -> dict[str, bytes]:
    """Name -> contents of the tables that change, that of groups first.

    complete : whether labels that nobody decided are written where there are none

    Raises
    ------
    ExportError
        A link leads to something that is no table.
    """
    files: dict[str, bytes] = {}
    told: set[str] = set()
    present = np.unique(source.now.clusters).tolist()
    for file in sorted(folder.glob("cluster_*.?sv"), key=lambda file: (file.name != GROUPS, file.name)):
        table = _table(file, present)
        if table is None:
            continue
        columns = {column for column in change.words if column_of_words(table, column) is not None}
        told |= columns - ({GROUP} if complete and file.name != GROUPS else set())
        rows = rows_after(table, source.original(file.name), change, complete=complete)
        if rows != table.rows:
            files[file.name] = table.as_bytes(rows)
    for column, words in change.words.items():
        if column in told or not (words.decided or (complete and column == GROUP)):
            continue
        name = f"cluster_{column}.tsv"
        if (folder / name).is_symlink():
            raise ExportError(
                f"{folder / name} is a link to {os.path.realpath(folder / name)}, which is not a table of "
                "clusters; remove the link, and write back again"
            )
        files[name] = new_table(column, change)
    return dict(sorted(files.items(), key=lambda item: item[0] != GROUPS))


def _table(file: Path, clusters: list[int]) -> ClusterTable | None:
    """A table of which it can be told which row is of which cluster."""
    try:
        table = read_cluster_table(file, clusters)
    except RecordingError:
        return None
    return None if table is None or table.id_column is None else table


def _as_before(phy: PhyFolder, clusters: NDArray[np.int64]) -> bytes:
    """The file of clusters, of the shape of the one that it replaces, whole numbers."""
    old = read_npy(phy.clusters_file)
    fits = old.dtype.kind in "iu" and clusters.max(initial=0) <= np.iinfo(old.dtype).max
    stream = io.BytesIO()
    np.save(stream, clusters.astype(old.dtype if fits else np.int32).reshape(old.shape))
    return stream.getvalue()


def _watch(folder: Path) -> Callable[[], None]:
    """What raises ExportError once a file of the folder that is read or replaced is not as it is now."""

    def stamps() -> dict[str, tuple[int, int, int]]:
        files = [*folder.glob("cluster_*"), *folder.glob("spike_*.npy")]
        found = [(file.name, file.stat()) for file in files if file.is_file()]
        return {name: (stat.st_ino, stat.st_size, stat.st_mtime_ns) for name, stat in found}

    before = stamps()

    def check() -> None:
        if stamps() != before:
            raise ExportError(
                f"{folder} was changed by another program just now, and nothing was written; close it there, "
                "and write back again"
            )

    return check


def _note(after: _Clusters, change: ClusterChange, source: _Folder, decisions: CuratedSorting) -> str:
    """Sentences about what a person may not expect."""
    notes = []
    if OUT in after.of_unit:
        n_out = int((decisions.unit_of_spike < 0).sum())
        notes.append(f"{n_out} spikes of no unit are cluster {after.of_unit[OUT]}, labelled noise")
    called = [f"{unit} is {cluster}" for unit, cluster in after.of_unit.items() if unit not in (OUT, cluster)]
    if called:
        notes.append(f"clusters have other numbers where theirs were used before: {some(called)}")
    words = change.words[GROUP]
    there = {**source.now.labels, **source.now.own_labels}
    over = [
        f"{cluster} ({there.get(cluster, 'unsorted')}, now {words.text[cluster]})"
        for cluster in sorted(words.decided & words.changed)
        if there.get(cluster, "unsorted") != words.text[cluster] and cluster not in change.parent
    ]
    if over:
        notes.append(f"labels that were changed there since are as decided here, of clusters {some(over)}")
    return "; ".join(notes)
