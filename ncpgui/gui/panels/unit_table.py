"""The unit table: what is measured of each unit, sorted by any column, selected as everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.presenters.unit_table import UnitRow, present_unit_table, unit_table_message
from ncpgui.app.words import count, percent, thousands
from ncpgui.gui.items.glyphs import paint_lock
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.theme import font

ROW_ROLE = QtCore.Qt.UserRole + 1
ROW_HEIGHT = 24
CELL_PAD = 3
HEADER_PX = 11
TITLE_PAD = 7
DOT = 15
LOCK_WIDTH = 20
MOST_SPARE = 56
LEAST_WIDTH = 396
LEAST_ROWS = 3
LABEL_COLORS = {"good": "good", "noise": "bad", "mua": "muted", "unsorted": "faint"}


@dataclass(frozen=True)
class TableColumn:
    """A column: its header, what it shows, and what it is sorted by."""

    title: str
    tooltip: str
    text: Callable[[UnitRow], str]
    key: Callable[[UnitRow], Any]
    is_number: bool = True


def _in_percent(share: float) -> str:
    """``55``, ``>99``, or a dash for what is unknown: the header says that it is in percent."""
    return "–" if math.isnan(share) else percent(share).removesuffix("\u2009%")


def _known(probability: float) -> float:
    """For sorting: unknown comes before all others."""
    return -1.0 if math.isnan(probability) else probability


COLUMNS = (
    TableColumn("unit", "Number and colour of the unit", lambda r: str(r.unit), lambda r: r.unit, False),
    TableColumn("", "Accepted units: resampling and other sortings leave them as they are",
                lambda r: "accepted" if r.is_locked else "", lambda r: not r.is_locked, False),
    TableColumn("label", "Good, mua or noise; faint where it is by P(neuron), not by you",
                lambda r: "–" if r.label == "unsorted" else r.label, lambda r: r.label, False),
    TableColumn("ch", "Channel on which most of its spikes are largest",
                lambda r: str(r.channel), lambda r: r.channel),
    TableColumn("spikes", "Number of spikes", lambda r: thousands(r.n_spikes), lambda r: r.n_spikes),
    TableColumn("Hz", "Spikes a second over the whole recording",
                lambda r: f"{r.rate_hz:.1f}", lambda r: r.rate_hz),
    TableColumn("SNR", "Mean depth of the trough in noise sd",
                lambda r: f"{r.amplitude:.1f}", lambda r: r.amplitude),
    TableColumn("ISI", "Refractory violations: share of the intervals under 1.5 ms; one neuron has none",
                lambda r: f"{100 * r.violations:.1f}\u2009%", lambda r: r.violations),
    TableColumn("neuron", "P(neuron), %: it is one or more cells, and not noise or what is left of others",
                lambda r: _in_percent(r.numbers.p_neuron), lambda r: _known(r.numbers.p_neuron)),
    TableColumn("pure", "P(pure), %: hardly a spike of it, at most one in ten, is of another cell;\n"
                "unknown (–) where you joined what was never sampled together",
                lambda r: _in_percent(r.numbers.p_pure), lambda r: _known(r.numbers.p_pure)),
    TableColumn("compl.", "P(complete), %: hardly a spike of its cell, at most one in ten, is in\n"
                "another unit or in none",
                lambda r: _in_percent(r.numbers.p_complete), lambda r: _known(r.numbers.p_complete)),
    TableColumn("false", "Expected false positives, %: share of its spikes that are of another cell",
                lambda r: _in_percent(r.numbers.false_positives),
                lambda r: _known(r.numbers.false_positives)),
    TableColumn("miss", "Expected misses, %: share of its cell's spikes that are in other units or in none;\n"
                "spikes that were never found are not counted",
                lambda r: _in_percent(r.numbers.misses), lambda r: _known(r.numbers.misses)),
)  # fmt: skip
LEFT_OUT_FIRST = ("miss", "false", "Hz")
"""Columns that a table which is too narrow for all leaves out, in this order."""
LOCK_COLUMN = 1
LABEL_COLUMN = 2


class UnitTableModel(QtCore.QAbstractTableModel):
    """Rows of the presenter, in the order that a click on a header asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[UnitRow] = []
        self._column = -1
        self._descending = False

    def set_rows(self, rows: tuple[UnitRow, ...]) -> None:
        """Show other rows; the view keeps its place when only values changed."""
        ordered = self._sorted(rows)
        if [row.unit for row in ordered] == [row.unit for row in self.rows]:
            self.rows = ordered
            if ordered:
                self.dataChanged.emit(self.index(0, 0), self.index(len(ordered) - 1, len(COLUMNS) - 1))
            return
        self.beginResetModel()
        self.rows = ordered
        self.endResetModel()

    def _sorted(self, rows: tuple[UnitRow, ...] | list[UnitRow]) -> list[UnitRow]:
        if self._column < 0:
            return list(rows)
        return sorted(rows, key=COLUMNS[self._column].key, reverse=self._descending)

    def sort(self, column: int, order: QtCore.Qt.SortOrder = QtCore.Qt.AscendingOrder) -> None:
        """Sort by a column; -1 is the order of the presenter."""
        self._column, self._descending = column, order == QtCore.Qt.DescendingOrder
        self.beginResetModel()
        self.rows = self._sorted(self.rows)
        self.endResetModel()

    def rowCount(self, parent: QtCore.QModelIndex = QtCore.QModelIndex()) -> int:  # noqa: B008
        """Count the units."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: QtCore.QModelIndex = QtCore.QModelIndex()) -> int:  # noqa: B008
        """Count the columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: QtCore.QModelIndex, role: int = QtCore.Qt.DisplayRole) -> Any:
        """Row for the delegate, its text and alignment."""
        row, column = self.rows[index.row()], COLUMNS[index.column()]
        if role == ROW_ROLE:
            return row
        if role in (QtCore.Qt.DisplayRole, QtCore.Qt.AccessibleTextRole):
            return column.text(row)
        if role == QtCore.Qt.TextAlignmentRole:
            side = QtCore.Qt.AlignRight if column.is_number else QtCore.Qt.AlignLeft
            return int(side | QtCore.Qt.AlignVCenter)
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
            return f"{column.tooltip}\nClick to sort"
        return None


class UnitHeader(QtWidgets.QHeaderView):
    """Paints titles small and quiet, the column that sorts in full colour with an arrow."""

    def __init__(self, panel: UnitTablePanel) -> None:
        super().__init__(QtCore.Qt.Horizontal, panel)
        self._panel = panel
        self.setFocusPolicy(QtCore.Qt.NoFocus)
        self.setSectionsClickable(True)
        self.setMinimumSectionSize(LOCK_WIDTH)
        self.setFixedHeight(ROW_HEIGHT)
        self.setSectionResizeMode(QtWidgets.QHeaderView.Fixed)

    def paintSection(self, painter: QtGui.QPainter, rect: QtCore.QRect, section: int) -> None:
        """Paint one title."""
        theme, column = self._panel.theme, COLUMNS[section]
        sorts = self.sortIndicatorSection() == section
        painter.save()
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        painter.setPen(theme.color("border"))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        painter.setFont(font(HEADER_PX, medium=sorts))
        painter.setPen(theme.color("text" if sorts else "muted"))
        side = QtCore.Qt.AlignRight if column.is_number else QtCore.Qt.AlignLeft
        place = QtCore.QRectF(rect).adjusted(CELL_PAD, 0, -CELL_PAD, -2)
        painter.drawText(place, int(side | QtCore.Qt.AlignVCenter), column.title)
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

    def __init__(self, panel: UnitTablePanel) -> None:
        super().__init__(panel)
        self._panel = panel

    def paint(
        self, painter: QtGui.QPainter, option: QtWidgets.QStyleOptionViewItem, index: QtCore.QModelIndex
    ) -> None:
        """Paint one cell."""
        row: UnitRow = index.data(ROW_ROLE)
        theme, rect = self._panel.theme, QtCore.QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        if option.state & QtWidgets.QStyle.State_Selected:
            painter.fillRect(rect, theme.color("accent_soft"))
        if index.column() == 0:
            painter.setPen(QtCore.Qt.NoPen)
            painter.setBrush(theme.unit(row.color))
            painter.drawEllipse(QtCore.QPointF(rect.left() + 10, rect.center().y()), 4.5, 4.5)
            rect.adjust(DOT, 0, 0, 0)
        if index.column() == LOCK_COLUMN:
            if row.is_locked:
                glyph = QtCore.QRectF(rect.center().x() - 5, rect.center().y() - 6.5, 10, 12)
                paint_lock(painter, glyph, theme.color("good"))
        else:
            painter.setFont(font(bold=index.column() == 0))
            color = "text"
            if index.column() == LABEL_COLUMN:
                color = LABEL_COLORS.get(row.label, "text") if row.is_label_given else "faint"
            painter.setPen(theme.color(color))
            place = rect.adjusted(CELL_PAD, 0, -CELL_PAD, 0)
            painter.drawText(place, index.data(QtCore.Qt.TextAlignmentRole), index.data())
        painter.restore()


class UnitTablePanel(Panel):
    """Table of the units in use: of the component on screen, or of the whole recording."""

    title = "Units"

    def build(self) -> None:
        """Make the table and the message."""
        self._all_units = False
        self._is_selecting = False
        self.model = UnitTableModel()
        self.table = QtWidgets.QTableView()
        self.table.setModel(self.model)
        self.table.setItemDelegate(UnitDelegate(self))
        self.table.setSelectionBehavior(QtWidgets.QAbstractItemView.SelectRows)
        self.table.setSelectionMode(QtWidgets.QAbstractItemView.ExtendedSelection)
        self.table.setEditTriggers(QtWidgets.QAbstractItemView.NoEditTriggers)
        self.table.setVerticalScrollMode(QtWidgets.QAbstractItemView.ScrollPerPixel)
        self.table.setHorizontalScrollMode(QtWidgets.QAbstractItemView.ScrollPerPixel)
        self.table.setFocusPolicy(QtCore.Qt.NoFocus)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setMinimumSize(LEAST_WIDTH, (1 + LEAST_ROWS) * ROW_HEIGHT + 2)
        self.table.setAccessibleName("Units")
        self.table.setCornerButtonEnabled(False)
        self.table.setCornerWidget(QtWidgets.QWidget())
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        header = UnitHeader(self)
        header.setSortIndicator(-1, QtCore.Qt.AscendingOrder)
        self.table.setHorizontalHeader(header)
        self.table.setSortingEnabled(True)
        self.table.selectionModel().selectionChanged.connect(self._selection_changed)
        self.model.modelReset.connect(self._show_selection)
        self.table.doubleClicked.connect(self._go_to)
        self.fill(self.table)
        self.body.setContentsMargins(12, 8, 6, 8)

    def follow(self) -> None:
        """Follow the units, their labels, the component on screen and the selection."""
        self.follow_sorting(self.workspace.units_changed)

    @property
    def all_units(self) -> bool:
        """Whether the units of the whole recording are listed."""
        return self._all_units

    def set_all_units(self, all_units: bool) -> None:
        """List the units of the whole recording, or of the component on screen."""
        if all_units != self._all_units:
            self._all_units = all_units
            self.mark_dirty()

    def redraw(self) -> None:
        """Show the rows and what is selected."""
        rows = present_unit_table(self.workspace, all_units=self._all_units)
        self.model.set_rows(rows)
        self._fit_columns()
        self._show_selection()
        self.tell("" if rows else unit_table_message(self.workspace))
        where = "of the whole recording" if self._all_units else "on screen"
        self.note.setText(f"{count(len(rows), 'unit')} {where}" if rows else "")

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Share the width out again."""
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Columns as wide as their widest text; what is left over is shared out, or some are left out."""
        cell, title = QtGui.QFontMetrics(font()), QtGui.QFontMetrics(font(HEADER_PX))
        widths = []
        for column in COLUMNS:
            texts = [cell.horizontalAdvance(column.text(row)) + 2 * CELL_PAD for row in self.model.rows]
            widths.append(max([title.horizontalAdvance(column.title) + TITLE_PAD, *texts]))
        widths[0] += DOT
        widths[LOCK_COLUMN] = LOCK_WIDTH
        free = self.table.width() - self.table.verticalScrollBar().sizeHint().width() - sum(widths)
        titles = [column.title for column in COLUMNS]
        for title in LEFT_OUT_FIRST:
            number = titles.index(title)
            self.table.setColumnHidden(number, free < 0)
            free += widths[number] if free < 0 else 0
        spare = min(max(free, 0) // (len(COLUMNS) - 1), MOST_SPARE)
        for number, width in enumerate(widths):
            self.table.setColumnWidth(number, width + (0 if number == LOCK_COLUMN else spare))

    def _show_selection(self) -> None:
        """Select the rows of the selected units, without telling the workspace."""
        model = self.table.selectionModel()
        wanted = QtCore.QItemSelection()
        last = len(COLUMNS) - 1
        shown = []
        for number, row in enumerate(self.model.rows):
            if row.unit in self.workspace.selected:
                wanted.select(self.model.index(number, 0), self.model.index(number, last))
                shown.append(number)
        if shown == sorted(index.row() for index in model.selectedRows()):
            return
        self._is_selecting = True
        try:
            model.select(wanted, QtCore.QItemSelectionModel.ClearAndSelect)
        finally:
            self._is_selecting = False
        if shown:
            self.table.scrollTo(self.model.index(shown[-1], 0))

    def _selection_changed(self, *_: object) -> None:
        """Tell the workspace, those chosen before first."""
        if self._is_selecting:
            return
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        units = [self.model.rows[row].unit for row in rows]
        kept = [unit for unit in self.workspace.selected if unit in units]
        self.workspace.select([*kept, *(unit for unit in units if unit not in kept)])

    def _go_to(self, index: QtCore.QModelIndex) -> None:
        """Put the component of a unit on screen."""
        row = self.model.rows[index.row()]
        if row.component_id is not None:
            self.workspace.show_component(row.component_id)
        self.workspace.select([row.unit])
