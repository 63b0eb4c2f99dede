"""Rows, header and cells of the unit table, in the theme's colours; words are of the registry of columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.presenters.unit_columns import COLUMNS
from ncpgui.core.unit_table import Row
from ncpgui.gui.items.glyphs import paint_dot, paint_lock, set_ink
from ncpgui.gui.items.rows_model import RowsModel
from ncpgui.gui.plain_text import plain
from ncpgui.gui.theme import Theme, font

ROW_HEIGHT = 24
CELL_PAD = 3
HEADER_PX = 11
LOCK_WIDTH = 20
DOT = 15
LABEL_COLORS = {"good": "good", "noise": "bad", "mua": "muted", "unsorted": "faint"}
NUMBERS = {column.name: number for number, column in enumerate(COLUMNS)}
"""Place of each column in the model, by its name."""


def alignment(column: Column) -> int:
    """Numbers stand on the right."""
    side = QtCore.Qt.AlignRight if column.is_number else QtCore.Qt.AlignLeft
    return int(side | QtCore.Qt.AlignVCenter)


class Column(Protocol):
    """A column of a table of units."""

    @property
    def is_number(self) -> bool:
        """Whether its cells are numbers."""


class Themed(Protocol):
    """What header and cells ask of the panel that they are in."""

    theme: Theme


class UnitTableModel(RowsModel):
    """Rows of the presenter, in the order that a click on a header asked for."""

    rows: list[Row]
    n_columns = len(COLUMNS)
    _column = -1
    _descending = False

    def key(self, row: Row) -> object:
        """The unit."""
        return row["id"]

    def set_rows(self, rows: Iterable[Row]) -> None:
        """Show other rows; the view keeps its place when only values changed."""
        super().set_rows(self.in_order(rows))

    def in_order(self, rows: Iterable[Row]) -> list[Row]:
        """Rows in the order that a click on a header asked for."""
        if self._column < 0:
            return list(rows)
        return sorted(rows, key=COLUMNS[self._column].sort_key, reverse=self._descending)

    def sort(self, column: int, order: QtCore.Qt.SortOrder = QtCore.Qt.AscendingOrder) -> None:
        """Sort by a column; -1 is the order of the presenter."""
        self._column, self._descending = column, order == QtCore.Qt.DescendingOrder
        self.beginResetModel()
        self.rows = self.in_order(self.rows)
        self.endResetModel()

    def data(self, index: QtCore.QModelIndex, role: int = QtCore.Qt.DisplayRole) -> Any:
        """Text, tooltip and alignment of a cell."""
        row, column = self.rows[index.row()], COLUMNS[index.column()]
        if role in (QtCore.Qt.DisplayRole, QtCore.Qt.AccessibleTextRole):
            return column.text(row)
        if role == QtCore.Qt.ToolTipRole:
            return plain(column.help_of(row))
        if role == QtCore.Qt.TextAlignmentRole:
            return alignment(column)
        return None

    def headerData(
        self, section: int, orientation: QtCore.Qt.Orientation, role: int = QtCore.Qt.DisplayRole
    ) -> Any:
        """Titles, and what they mean."""
        if orientation != QtCore.Qt.Horizontal:
            return None
        column = COLUMNS[section]
        if role == QtCore.Qt.DisplayRole:
            return column.title
        if role == QtCore.Qt.ToolTipRole:
            return plain(f"{column.help}\nIn filters: {column.name}\nClick to sort")
        return None


class UnitHeader(QtWidgets.QHeaderView):
    """Paints titles small and quiet, the column that sorts in full colour with an arrow.

    `released` : the mouse was; columns may have another width now.
    """

    released = QtCore.pyqtSignal()

    def __init__(self, panel: Themed, parent: QtWidgets.QWidget) -> None:
        super().__init__(QtCore.Qt.Horizontal, parent)
        self._panel = panel
        self.setFocusPolicy(QtCore.Qt.NoFocus)
        self.setSectionsClickable(True)
        self.setMinimumSectionSize(LOCK_WIDTH)
        self.setFixedHeight(ROW_HEIGHT)
        self.setSectionResizeMode(QtWidgets.QHeaderView.Interactive)
        self.setTextElideMode(QtCore.Qt.ElideRight)

    def mouseReleaseEvent(self, event: QtGui.QMouseEvent) -> None:
        """Tell that a drag is over, if there was one."""
        super().mouseReleaseEvent(event)
        self.released.emit()

    def paintSection(self, painter: QtGui.QPainter, rect: QtCore.QRect, section: int) -> None:
        """Paint one title."""
        theme, column = self._panel.theme, COLUMNS[section]
        sorts = self.sortIndicatorSection() == section
        painter.save()
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        painter.setPen(theme.color("border"))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        set_ink(painter, theme.color("text" if sorts else "muted"), HEADER_PX, medium=sorts)
        place = QtCore.QRectF(rect).adjusted(CELL_PAD, 0, -CELL_PAD, -2)
        painter.drawText(place, alignment(column), column.title)
        if sorts:
            up = self.sortIndicatorOrder() == QtCore.Qt.AscendingOrder
            _paint_arrow(painter, QtCore.QPointF(place.center().x(), rect.bottom() - 3.5), up=up)
        painter.restore()


def _paint_arrow(painter: QtGui.QPainter, centre: QtCore.QPointF, *, up: bool) -> None:
    tip = -2.5 if up else 2.5
    corners = [QtCore.QPointF(-4, -tip), QtCore.QPointF(4, -tip), QtCore.QPointF(0, tip)]
    painter.setBrush(painter.pen().color())
    painter.setPen(QtCore.Qt.NoPen)
    painter.drawPolygon(QtGui.QPolygonF([centre + corner for corner in corners]))


class UnitDelegate(QtWidgets.QStyledItemDelegate):
    """Paints cells: colour dots, padlocks, text in the theme's colours."""

    def __init__(self, panel: Themed, parent: QtWidgets.QWidget) -> None:
        super().__init__(parent)
        self._panel = panel

    def paint(
        self, painter: QtGui.QPainter, option: QtWidgets.QStyleOptionViewItem, index: QtCore.QModelIndex
    ) -> None:
        """Paint one cell."""
        column = COLUMNS[index.column()]
        row: Row = index.model().rows[index.row()]
        theme, rect = self._panel.theme, QtCore.QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        if option.state & QtWidgets.QStyle.State_Selected:
            painter.fillRect(rect, theme.color("accent_soft"))
        if column.name == "id":
            paint_dot(painter, QtCore.QPointF(rect.left() + 10, rect.center().y()), theme.unit(row["color"]))
            rect.adjust(DOT, 0, 0, 0)
        if column.name == "accepted":
            if row["accepted"]:
                glyph = QtCore.QRectF(rect.center().x() - 5, rect.center().y() - 6.5, 10, 12)
                paint_lock(painter, glyph, theme.color("good"))
        else:
            painter.setFont(font(bold=column.name == "id"))
            color = "text"
            if column.name == "label":
                color = LABEL_COLORS.get(row["label"], "text") if row["is_label_given"] else "faint"
            painter.setPen(theme.color(color))
            place = rect.adjusted(CELL_PAD, 0, -CELL_PAD, 0)
            width = int(place.width()) + 2
            text = painter.fontMetrics().elidedText(column.text(row), QtCore.Qt.ElideRight, width)
            painter.drawText(place, alignment(column), text)
        painter.restore()


def row_at(view: QtWidgets.QAbstractItemView, place: QtCore.QPoint) -> int:
    """Row at a place of the screen, -1 where none is."""
    viewport = view.viewport()
    index = view.indexAt(viewport.mapFromGlobal(place))
    return index.row() if viewport.rect().contains(viewport.mapFromGlobal(place)) else -1


class UnitList(QtWidgets.QTableView):
    """A table of units: rows that one selects, nothing that one edits, no grid.

    `chosen(rows)`: a person selected others.
    """

    chosen = QtCore.pyqtSignal(object)

    def __init__(
        self, model: QtCore.QAbstractItemModel, name: str, *, least_width: int, least_rows: int
    ) -> None:
        super().__init__()
        self._is_selecting = False
        self.setModel(model)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QtWidgets.QAbstractItemView.SelectRows)
        self.setSelectionMode(QtWidgets.QAbstractItemView.ExtendedSelection)
        self.setEditTriggers(QtWidgets.QAbstractItemView.NoEditTriggers)
        self.setVerticalScrollMode(QtWidgets.QAbstractItemView.ScrollPerPixel)
        self.setHorizontalScrollMode(QtWidgets.QAbstractItemView.ScrollPerPixel)
        self.setFocusPolicy(QtCore.Qt.NoFocus)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setMinimumSize(least_width, (1 + least_rows) * ROW_HEIGHT + 2)
        self.setCornerButtonEnabled(False)
        self.setCornerWidget(QtWidgets.QWidget())
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.selectionModel().selectionChanged.connect(self._selection_changed)

    @property
    def selected_rows(self) -> list[int]:
        """Rows that are selected, from top to bottom."""
        return sorted(index.row() for index in self.selectionModel().selectedRows())

    def select_rows(self, rows: list[int]) -> None:
        """Select rows, and tell nobody; the last of them is in view."""
        if rows == self.selected_rows:
            return
        wanted, last = QtCore.QItemSelection(), self.model().columnCount() - 1
        for row in rows:
            wanted.select(self.model().index(row, 0), self.model().index(row, last))
        self._is_selecting = True
        try:
            self.selectionModel().select(wanted, QtCore.QItemSelectionModel.ClearAndSelect)
        finally:
            self._is_selecting = False
        if rows:
            self.scrollTo(self.model().index(rows[-1], 0))

    def _selection_changed(self, *_: object) -> None:
        if not self._is_selecting:
            self.chosen.emit(self.selected_rows)
