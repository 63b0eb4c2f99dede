"""What the models of lists and tables have in common: rows of a presenter, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PyQt5 import QtCore

NO_PARENT = QtCore.QModelIndex()


class RowsModel(QtCore.QAbstractTableModel):
    """Rows and columns; a subclass says what a cell shows (`data`) and which rows are the same (`key`)."""

    n_columns = 1

    def __init__(self, parent: QtCore.QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: Sequence[Any] = ()

    def index(self, row: int, column: int = 0, parent: QtCore.QModelIndex = NO_PARENT) -> QtCore.QModelIndex:
        """Place of a cell; of a list, its row is enough."""
        return super().index(row, column, parent)

    def key(self, row: Any) -> object:
        """What a row is of: while these are the same, only values changed."""
        return id(row)

    def set_rows(self, rows: Sequence[Any]) -> None:
        """Show other rows; the view keeps its place when only values changed."""
        if [self.key(row) for row in rows] == [self.key(row) for row in self.rows]:
            self.rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, self.n_columns - 1))
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: QtCore.QModelIndex = NO_PARENT) -> int:
        """Count the rows."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: QtCore.QModelIndex = NO_PARENT) -> int:
        """Count the columns."""
        return 0 if parent.isValid() else self.n_columns
