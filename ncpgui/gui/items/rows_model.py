"""What models and painters of lists have in common: rows of a presenter, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PyQt5 import QtCore, QtGui, QtWidgets

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


class RowDelegate(QtWidgets.QStyledItemDelegate):
    """Paints the rows of a `RowsModel` by hand, all of one height; `view` has the theme."""

    height = 0

    def __init__(self, view: Any) -> None:
        super().__init__(view)
        self.view = view

    def sizeHint(self, option: Any, index: Any) -> QtCore.QSize:
        """Rows are all of one height."""
        return QtCore.QSize(160, self.height)

    def paint(
        self, painter: QtGui.QPainter, option: QtWidgets.QStyleOptionViewItem, index: QtCore.QModelIndex
    ) -> None:
        """Paint one row."""
        painter.save()
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        rect = QtCore.QRectF(option.rect).adjusted(0, 1, -2, -1)
        self.paint_row(painter, rect, index.model().rows[index.row()], option.state)
        painter.restore()

    def paint_row(self, painter: QtGui.QPainter, rect: QtCore.QRectF, row: Any, state: Any) -> None:
        """Paint a row of the model; `state` : of `QStyle`."""
        raise NotImplementedError
