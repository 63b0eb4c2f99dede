"""Tables of clusters beside a sorting (``cluster_group.tsv`` and its like), read by the names of columns.

Phy, Kilosort, SpikeInterface, pandas, R and spreadsheets write them: with an index, with semicolons, in
UTF-16, with columns in any order. A column of clusters that has no name of its own is one only if every
cluster has a row in it; what cannot be told is not read, and `ClusterTable.problem` says why.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ncpgui.core.counted import some
from ncpgui.core.csv_text import Spelling, TextTable, plain, read_table
from ncpgui.core.errors import RecordingError
from ncpgui.ephys.reasons import way_out

IDS = ("cluster_id", "id", "clusterid", "cluster", "clu", "unit_id", "unit")
"""Names of the column of clusters, the likelier first."""
MOST_BYTES = 1 << 28
_WHOLE = re.compile(r"([0-9]+)(\.0*|,0{1,2})?", re.ASCII)
"""With a decimal comma, only where no comma could part thousands: 12,0 is 12, and 12,000 may be 12000."""
_FLOAT = re.compile(r"[0-9]+(\.[0-9]*)?[eE]\+?[0-9]+", re.ASCII)


@dataclass(frozen=True)
class ClusterTable:
    """A table with a row a cluster.

    header : the first row as it is spelt, none where the file has no header
    names : of the columns, one a cell of the rows, '' of those without one
    rows : all others, cells as they are spelt; spelling : how the file spells them
    id_column : in which the clusters are, None where that cannot be told; problem : why not, else ''
    """

    file: Path
    header: list[str]
    names: tuple[str, ...]
    rows: list[list[str]]
    spelling: Spelling
    id_column: int | None
    problem: str = ""

    @property
    def shown_names(self) -> str:
        """The first of its columns, for a message."""
        return _shown(self.names)

    def column(self, *names: str) -> int | None:
        """Place of the first of these columns that is there, as `plain` compares names."""
        own = [plain(name) for name in self.names]
        return next((own.index(plain(name)) for name in names if plain(name) in own), None)

    def cluster_of(self, row: Sequence[str]) -> int | None:
        """Cluster that a row is about, None of one that names none."""
        place = self.id_column
        return None if place is None or place >= len(row) else whole_number(row[place])

    def cells(self, column: int) -> dict[int, str]:
        """Cells of a column by cluster, stripped; of the last row where a cluster has several."""
        found = ((self.cluster_of(row), row) for row in self.rows)
        return {
            unit: row[column].strip() if column < len(row) else "" for unit, row in found if unit is not None
        }

    def unread(self, column: int) -> list[str]:
        """What stands for the cluster in rows that name none, and whose cell of a column is not empty."""
        place = self.id_column
        return [
            row[place].strip() if place < len(row) else ""
            for row in self.rows
            if place is not None
            and self.cluster_of(row) is None
            and column < len(row)
            and row[column].strip()
        ]

    def as_bytes(self, rows: Iterable[Sequence[str]]) -> bytes:
        """The file with these rows under its header, spelt as it is."""
        return self.spelling.as_bytes([*([self.header] if self.header else []), *rows])


def read_cluster_table(file: Path, clusters: Collection[int]) -> ClusterTable | None:
    """Read a table of the clusters of a sorting; None where there is no such file, or nothing in it.

    Raises
    ------
    RecordingError
        It cannot be read, or is no table.
    """
    if not file.is_file():
        return None
    try:
        if file.stat().st_size > MOST_BYTES:
            raise ValueError(f"it has {file.stat().st_size} bytes, more than {MOST_BYTES}")
        table = read_table(file.read_bytes(), IDS)
    except OSError as error:
        raise RecordingError(
            f"{file} cannot be read: {error.strerror or error}; {way_out(error, 'move it away')}"
        ) from error
    except ValueError as error:
        raise RecordingError(
            f"{file} is not a table of clusters: {error}; export the sorting again"
        ) from error
    return _of_clusters(file, table, clusters) if table.rows else None


def _of_clusters(file: Path, table: TextTable, clusters: Collection[int]) -> ClusterTable:
    header, rows = table.rows[0], table.rows[1:]
    if len(header) == 2 and whole_number(header[0]) is not None and whole_number(header[1]) is None:
        header, rows = [], table.rows
    names = [cell.strip(" \"'#\ufeff\t") for cell in header] or ["", ""]
    if rows and header and all(len(row) == len(names) + 1 and row[-1].strip() for row in rows):
        names.insert(0, "")  # R writes names of rows, and nothing above them
    own = [plain(name) for name in names]
    place = next((own.index(name) for name in IDS if name in own), None)
    problem = ""
    if place is None:
        places = [0] if own and not own[0] else range(2) if len(own) == 2 else []
        place = next((one for one in places if _has_all(rows, one, clusters)), None)
        if place is None:
            problem = f"no column is called cluster_id{_shown(names)}"
    return ClusterTable(file, header, tuple(names), rows, table.spelling, place, problem)


def _shown(names: Iterable[str]) -> str:
    own = [f"{name:.30}" for name in names if name]
    return f" (its columns: {some(own)})" if own else ""


def _has_all(rows: list[list[str]], column: int, clusters: Collection[int]) -> bool:
    """Whether a column holds whole numbers, each once, every cluster among them."""
    numbers = [whole_number(row[column]) if column < len(row) else None for row in rows]
    return None not in numbers and len(set(numbers)) == len(numbers) and set(clusters) <= set(numbers)


def whole_number(text: str) -> int | None:
    """The number that a cell holds, 0 or more; None where it is none (12.0, 12,0 and 1.2e1 are 12)."""
    cell = text.strip().strip("\"'").strip()
    match = _WHOLE.fullmatch(cell)
    if match:
        return int(match[1]) if len(match[1]) < 40 else None
    if not _FLOAT.fullmatch(cell) or not float(cell).is_integer():
        return None
    return int(float(cell))
