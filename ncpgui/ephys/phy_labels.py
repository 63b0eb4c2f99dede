"""The labels of the clusters of a Phy or Kilosort folder: those of the first table that has any."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.counted import some
from ncpgui.core.csv_text import plain
from ncpgui.ephys.cluster_tables import ClusterTable, read_cluster_table
from ncpgui.ephys.reasons import no_file

LABELS = ("good", "mua", "noise", "unsorted")
NO_LABEL = ("", "nan", "na", "n/a", "none", "null", "unsorted")
"""Cells of labels that label nothing."""
_GROUPS = ("group", "label", "quality", "KSLabel")
_LABEL_COLUMNS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("cluster_group.tsv", "cluster_groups.tsv", "cluster_groups.csv", "cluster_group.csv"), _GROUPS),
    (("cluster_info.tsv", "cluster_info.csv"), ("group",)),
    (("cluster_quality.tsv", "cluster_quality.csv"), ("quality",)),
    (("cluster_KSLabel.tsv", "cluster_KSLabel.csv", "cluster_info.tsv", "cluster_info.csv"), ("KSLabel",)),
)
"""Files and columns with labels, those of a person first; the first that labels anything is read."""
_TABLE_NAMES = frozenset(plain(name.partition(".")[0]) for names, _ in _LABEL_COLUMNS for name in names) | {
    "cluster_label",
    "cluster_labels",
}
_TABLE_ENDINGS = frozenset(("tsv", "csv", "txt", "dat", "tab", "xls", "xlsx", "ods"))


def labels_in(
    folder: Path, clusters: NDArray[np.int64], notes: list[str]
) -> tuple[dict[int, str], dict[int, str]]:
    """Labels, and labels of one's own, of the first column that has any; clusters that it lacks have none."""
    present = set(np.unique(clusters).tolist())
    silent = _not_looked_at(folder)
    for files, columns in _LABEL_COLUMNS:
        for name in files:
            table = read_cluster_table(folder / name, present)
            if table is None:
                silent += [f"{name} labels nothing: it is empty"] if (folder / name).is_file() else []
                continue
            places = _label_columns(table, columns)
            if not places and columns is not _GROUPS:
                continue
            place = next((one for one in places if _told(table, one, present)), next(iter(places), None))
            cells = {} if place is None else table.cells(place)
            told = {} if place is None else _told(table, place, present)
            if not told:
                silent.append(f"{name} labels nothing: {_why_nothing(table, place, cells, present)}")
                continue
            notes += dict.fromkeys(silent)
            notes.append(f"labels are those of {name}" + _counted(told))
            lacking = sorted(present - set(cells))
            if lacking:
                notes.append(f"{name} lacks clusters {some(lacking)}: they are unsorted")
            notes += _of_two_minds(table, place)
            notes += _of_no_cluster(table, place)
            known = {unit: text.lower() for unit, text in cells.items() if text.lower() in LABELS}
            return known, {unit: text for unit, text in told.items() if text.lower() not in LABELS}
    notes += dict.fromkeys(silent)
    return {}, {}


def _told(table: ClusterTable, place: int, present: set[int]) -> dict[int, str]:
    """What a column says of clusters that have spikes."""
    cells = table.cells(place)
    return {unit: text for unit, text in cells.items() if unit in present and text.lower() not in NO_LABEL}


def label_column(table: ClusterTable) -> int | None:
    """Column of a table of groups into which labels go."""
    return next(iter(_label_columns(table, _GROUPS)), None)


def _label_columns(table: ClusterTable, names: tuple[str, ...]) -> list[int]:
    """Columns of `names`, else, of the tables of groups, the only one beside the clusters."""
    found = [place for name in names if (place := table.column(name)) is not None]
    if not found and names is _GROUPS and table.id_column is not None:
        others = [i for i, name in enumerate(table.names) if i != table.id_column and (name or i)]
        found = others if len(others) == 1 else []
    return found


def _why_nothing(table: ClusterTable, place: int | None, cells: dict[int, str], present: set[int]) -> str:
    if table.problem:
        return table.problem
    if place is None:
        return f"no column is called group{table.shown_names}"
    if not cells:
        if not table.rows:
            return "it has no rows"
        unread = table.unread(place)
        return "none of its rows names a cluster" + (f" but {_quoted(unread)}" if unread else "")
    if present.isdisjoint(cells):
        return f"none of its clusters ({some(sorted(cells))}) has a spike"
    return "its clusters are unsorted, or their cells empty"


def _counted(told: dict[int, str]) -> str:
    words = Counter(text.lower() if text.lower() in LABELS else text for text in told.values())
    return f" ({some([f'{word} {n}' for word, n in sorted(words.items())])})"


def _of_two_minds(table: ClusterTable, place: int | None) -> list[str]:
    """A sentence if clusters have several rows that differ."""
    said: dict[int, set[str]] = {}
    for row in table.rows:
        unit = table.cluster_of(row)
        if unit is not None and place is not None and place < len(row):
            said.setdefault(unit, set()).add(row[place].strip().lower())
    twice = sorted(unit for unit, words in said.items() if len(words) > 1)
    if not twice:
        return []
    return [f"{table.file.name} has different rows of clusters {some(twice)}: the last one counts"]


def _of_no_cluster(table: ClusterTable, place: int | None) -> list[str]:
    """A sentence if rows have a label and name no cluster."""
    unread = [] if place is None else table.unread(place)
    if not unread:
        return []
    return [
        f"{table.file.name} has labels of {_quoted(unread)}, which name no cluster: these labels "
        "are left out; write clusters as whole numbers"
    ]


def _quoted(cells: list[str]) -> str:
    return some([f"'{cell:.30}'" for cell in cells])


def _not_looked_at(folder: Path) -> list[str]:
    """Sentences about what is called like a table of labels, and is none that is read."""
    read = {name for names, _ in _LABEL_COLUMNS for name in names}
    found = []
    for file in sorted(folder.iterdir()):
        stem, *endings = file.name.lower().split(".")
        if plain(stem) not in _TABLE_NAMES or not _TABLE_ENDINGS.issuperset(endings):
            continue
        if file.name not in read:
            found.append(f"{file.name} is not read: call it cluster_group.tsv if its labels are to count")
        elif not file.is_file():
            found.append(f"{file.name} labels nothing: it is {no_file(file)}")
    return found
