"""CSV from outside: whatever is wrong with it is a ValueError."""

from __future__ import annotations

import csv


def parse_csv(text: str, delimiter: str = ",") -> list[list[str]]:
    """Rows of a table that hold anything.

    Raises
    ------
    ValueError
        A cell is longer than any table's, or has a character that no table has.
    """
    try:
        return [row for row in csv.reader(text.splitlines(), delimiter=delimiter) if row]
    except csv.Error as error:
        raise ValueError(str(error)) from error
