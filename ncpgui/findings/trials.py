"""Trials of an experiment from a table: when each began, and what was shown."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.csv_text import plain, read_table
from ncpgui.core.errors import InputError
from ncpgui.core.regular_files import regular

START, VALUE = "start_s", "value"


@dataclass(frozen=True, eq=False)
class Trials:
    """starts_s : (n,) s of the recording; values : (n,) of the stimulus."""

    starts_s: NDArray[np.float64]
    values: NDArray[np.float64]


def read_trials(path: Path) -> Trials:
    """Read a table (CSV, TSV) with the columns start_s and value.

    Raises
    ------
    InputError
        It cannot be read, lacks a column, has no row, or a cell that is no number.
    """
    try:
        rows = read_table(regular(path).read_bytes(), (START, VALUE)).rows
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read trials from {path}: {reason}") from error
    names = [plain(cell) for cell in rows[0]] if rows else []
    missing = [name for name in (START, VALUE) if name not in names]
    if missing:
        raise InputError(
            f"{path} has no column {missing[0]}; trials are a table with the columns {START} (s of the "
            f"recording) and {VALUE} (of the stimulus)"
        )
    if len(rows) < 2:
        raise InputError(f"{path} has no trial below its header; give one a line")
    columns = [names.index(name) for name in (START, VALUE)]
    found = np.array(
        [[_number(path, k, row, column) for column in columns] for k, row in enumerate(rows[1:])]
    )
    return Trials(found[:, 0], found[:, 1])


def _number(path: Path, k: int, row: list[str], column: int) -> float:
    cell = row[column].strip() if column < len(row) else ""
    try:
        value = float(cell)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise InputError(f"trial {k + 1} of {path} has '{cell}' where a number must be; correct this line")
    return value
