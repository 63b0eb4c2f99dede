"""Tables of clusters after clusters were merged, split and labelled: what nobody decided stays as it is.

A row of a cluster that is still there stays, whoever wrote it, spelt as it is. A new cluster gets the rows of
the one that most of its spikes come from, as phy has it; one that comes back gets those that it had.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ncpgui.core.csv_text import Spelling, plain
from ncpgui.core.given import number_of
from ncpgui.ephys.cluster_tables import ClusterTable, whole_number
from ncpgui.ephys.phy_folder import NAME_COLUMNS
from ncpgui.ephys.phy_labels import NO_LABEL, label_column

GROUPS, INFO = "cluster_group.tsv", "cluster_info.tsv"
GROUP = "group"


@dataclass(frozen=True)
class Words:
    """What a column says of clusters.

    text : cluster -> as it stands; decided : clusters of which it was decided here
    written : cluster -> what was written of it before; changed : clusters of which somebody changed it since
    """

    text: Mapping[int, str]
    decided: frozenset[int]
    written: Mapping[int, str] = field(default_factory=dict)
    changed: frozenset[int] = frozenset()


@dataclass(frozen=True)
class ClusterChange:
    """What becomes of clusters.

    ids : those that are there afterwards, increasing; gone : those that no spike is in any more
    parent : new cluster -> the one that most of its spikes come from; first : the same, as it was reviewed
    names : new cluster -> what SpikeInterface calls it; numbers : cluster -> column -> cell
    """

    ids: tuple[int, ...]
    gone: frozenset[int]
    parent: Mapping[int, int]
    first: Mapping[int, int]
    names: Mapping[int, int | str]
    numbers: Mapping[int, Mapping[str, str]]
    words: Mapping[str, Words]


def rows_after(
    table: ClusterTable, original: ClusterTable | None, change: ClusterChange, *, complete: bool
) -> list[list[str]]:
    """Rows of a table afterwards.

    original : the table as it was reviewed, where it was replaced since
    complete : whether what is known of clusters is written where the table says nothing
    """
    if original is not None and (original.names, original.id_column) != (table.names, table.id_column):
        original = None
    there, before = _by_cluster(table), {} if original is None else _by_cluster(original)
    rows = [[*row] for row in table.rows if table.cluster_of(row) not in change.gone]
    in_order = _is_increasing(table, rows)
    fresh = set()
    for unit in change.ids:
        if unit in there:
            continue
        found = before.get(unit)
        if found is None:
            fresh.add(unit)
            found = there.get(change.parent.get(unit, -1)) or before.get(change.first.get(unit, -1))
        if not found and not (complete and table.file.name == GROUPS):
            continue
        rows += [_row_of(table, row, unit, rows, change) for row in found or [[]]]
    _put_words(table, rows, before, fresh, change, complete=complete)
    _put_numbers(table, rows, change)
    return sorted(rows, key=lambda row: table.cluster_of(row) or 0) if in_order else rows


def new_table(column: str, change: ClusterChange) -> bytes:
    """A table of one column, with every cluster in it: SpikeInterface drops those that one lacks."""
    text = change.words[column].text
    rows = [["cluster_id", column], *([str(unit), text.get(unit, "")] for unit in change.ids)]
    return Spelling().as_bytes(rows)


def column_of_words(table: ClusterTable, column: str) -> int | None:
    """Place of the column `column` of a table; labels have other names in tables of groups."""
    if column == GROUP and table.file.name.startswith(Path(GROUPS).stem):
        return label_column(table)
    return table.column(column)


def _by_cluster(table: ClusterTable) -> dict[int, list[list[str]]]:
    found: dict[int, list[list[str]]] = {}
    for row in table.rows:
        unit = table.cluster_of(row)
        if unit is not None:
            found.setdefault(unit, []).append(row)
    return found


def _is_increasing(table: ClusterTable, rows: list[list[str]]) -> bool:
    units = [table.cluster_of(row) for row in rows]
    return None not in units and units == sorted(unit for unit in units if unit is not None)


def _row_of(
    table: ClusterTable, row: list[str], unit: int, rows: list[list[str]], change: ClusterChange
) -> list[str]:
    """The row of another cluster as that of `unit`, with an index and a name that no other has."""
    assert table.id_column is not None
    result = [*row, *[""] * (len(table.names) - len(row))]
    result[table.id_column] = str(unit)
    for place, name in enumerate(table.names):
        if place != table.id_column and (not name or plain(name).startswith("unnamed:")):
            numbers = [whole_number(other[place]) for other in rows if place < len(other)]
            result[place] = str(max((n for n in numbers if n is not None), default=-1) + 1)
    place_of_name = table.column(*NAME_COLUMNS)
    if place_of_name is not None and unit in change.names:
        others = [
            whole_number(other[place_of_name]) for other in rows + table.rows if place_of_name < len(other)
        ]
        above = max((n for n in others if n is not None), default=-1)
        number = number_of(change.names[unit])
        result[place_of_name] = str(change.names[unit] if number is None or number > above else above + 1)
    return result


def _put_words(
    table: ClusterTable,
    rows: list[list[str]],
    before: Mapping[int, list[list[str]]],
    fresh: set[int],
    change: ClusterChange,
    *,
    complete: bool,
) -> None:
    for column, words in change.words.items():
        place = column_of_words(table, column)
        if place is None:
            continue
        for row in rows:
            unit = table.cluster_of(row)
            if unit not in words.text and unit not in words.written:
                continue
            assert unit is not None
            now = row[place].strip() if place < len(row) else ""
            was = [old[place].strip() for old in before.get(unit, ()) if place < len(old)]
            told = _told(words, unit, now, was[0] if was else None, is_new=unit in fresh, complete=complete)
            if told.lower() in NO_LABEL and now.lower() in NO_LABEL and unit not in fresh:
                continue
            if told == "unsorted" and table.file.name.startswith(Path(INFO).stem):
                told = ""
            if told.lower() != now.lower():
                row += [""] * (place + 1 - len(row))
                row[place] = told


def _told(words: Words, unit: int, now: str, was: str | None, *, is_new: bool, complete: bool) -> str:
    """What a cell says afterwards; now : what it says, was : what it said as it was reviewed."""
    text = words.text.get(unit, "")
    if unit in words.decided or (is_new and text):
        return text
    ours = words.written.get(unit)
    if ours and now.lower() == ours.lower() and ours != text:  # decided before, and not any more
        return was if was and was.lower() not in NO_LABEL else text
    if now.lower() not in NO_LABEL or unit in words.changed or not complete:
        return now
    return text


def _put_numbers(table: ClusterTable, rows: list[list[str]], change: ClusterChange) -> None:
    if not table.file.name.startswith(Path(INFO).stem):
        return
    for row in rows:
        unit = table.cluster_of(row)
        for name, cell in change.numbers.get(-1 if unit is None else unit, {}).items():
            place = table.column(name)
            if place is not None and place < len(row):
                row[place] = cell
