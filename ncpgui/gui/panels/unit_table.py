"""The unit table: columns of the registry that one sorts, hides and filters by, selected as everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.presenters.unit_columns import COLUMNS, LEFT_OUT_FIRST, as_csv, names_shown
from ncpgui.app.presenters.unit_filter import unit_filter
from ncpgui.app.presenters.unit_table import present_unit_table, unit_table_message
from ncpgui.app.words import count, sentence
from ncpgui.core.errors import InputError
from ncpgui.core.unit_table import Row
from ncpgui.gui.buttons import PassingMenu, add_choice
from ncpgui.gui.items.filter_edit import FilterEdit
from ncpgui.gui.items.unit_rows import (
    CELL_PAD,
    DOT,
    HEADER_PX,
    LOCK_WIDTH,
    NUMBERS,
    UnitDelegate,
    UnitHeader,
    UnitList,
    UnitTableModel,
    row_at,
)
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.plain_text import plain
from ncpgui.gui.theme import font

TITLE_PAD = 7
MOST_SPARE = 56
WIDEST = 200
LEAST_WIDTH = (396, 290, 180)
LEAST_IN_COLUMNS = (250, 225, 180)
"""Widths of the table alone, with one list beside it, and with two; the same where there are two columns of
panels too."""
LEAST_ROWS = 3
FILTER_WIDTH = (96, 190)
REMEMBERED = "unit_table"
FILTER_HELP = (
    "Lists only some units, as in phy: fr > 1 & p_neuron > .9, label == 'good', with and, or, not and\n"
    "brackets; or numbers and words to look for: 12 17, axon. The names are: {names}.\n"
    "Ctrl+F begins, Esc takes it off."
)
TO_CHOOSE = {"accepted": "accepted (padlock)"}
"""What the menu calls a column that has no title."""


class UnitTablePanel(Panel):
    """Table of the units in use: of the component on screen, or of the whole recording."""

    title = "Units"
    draws = ("quality metrics",)
    follows = ("units_changed",)

    def build(self) -> None:
        """Make the filter, the table and the message."""
        self.all_units = False
        self._listed = unit_filter("")
        self._problem = ""
        known = self.controller.preferences.get(REMEMBERED, {})
        shown, widths = known.get("shown"), known.get("widths")
        self._chosen: list[Any] | None = shown if isinstance(shown, list) else None
        self._widths: dict[str, int] = {
            name: width
            for name, width in (widths if isinstance(widths, dict) else {}).items()
            if name in NUMBERS and isinstance(width, int)
        }
        names = ", ".join(column.name for column in COLUMNS)
        self.filter = FilterEdit("Filter or find", FILTER_HELP.format(names=names))
        self.filter.setMinimumWidth(FILTER_WIDTH[0])
        self.filter.setMaximumWidth(FILTER_WIDTH[1])
        self.filter.textChanged.connect(self._filter_changed)
        self.filter.left.connect(self._tell_problem)
        self.header.addWidget(self.filter)
        self.model = UnitTableModel()
        self.table = UnitList(self.model, "Units", least_width=LEAST_WIDTH[0], least_rows=LEAST_ROWS)
        self.table.setItemDelegate(UnitDelegate(self, self))
        header = UnitHeader(self, self)
        header.setSortIndicator(-1, QtCore.Qt.AscendingOrder)
        self.table.setHorizontalHeader(header)
        self.table.setSortingEnabled(True)
        header.setContextMenuPolicy(QtCore.Qt.CustomContextMenu)
        header.customContextMenuRequested.connect(
            lambda place: self.columns_menu().popup(header.mapToGlobal(place))
        )
        header.sectionResized.connect(self._resized)
        header.released.connect(self._remember)
        self.table.chosen.connect(self._choose_units)
        self.model.modelReset.connect(self._show_selection)
        self.table.doubleClicked.connect(
            lambda index: self.workspace.select([self.model.rows[index.row()]["id"]])
        )
        self.note.setToolTip(
            "Number of units that are listed: those of the question on screen and those that are selected,\n"
            "or all units of the recording."
        )
        self.fill(self.table)
        self.body.setContentsMargins(12, 8, 6, 8)
        self.header.setContentsMargins(0, 0, self._bar_width(), 0)

    def _bar_width(self) -> int:
        """Room right of the columns, which the scroll bar takes where there is one."""
        return self.table.verticalScrollBar().sizeHint().width()

    def set_beside(self, *, n_lists: int, two_columns: bool) -> None:
        """Be content with less width, because other lists or two columns of panels are beside the table."""
        self.table.setMinimumWidth((LEAST_IN_COLUMNS if two_columns else LEAST_WIDTH)[n_lists])

    # -- which units ------------------------------------------------------------------------

    def set_all_units(self, all_units: bool) -> None:
        """List the units of the whole recording, or of the component on screen."""
        if all_units != self.all_units:
            self.all_units = all_units
            self.mark_dirty()

    def toggle_all_units(self) -> None:
        """Change between the units on screen and all units."""
        self.set_all_units(not self.all_units)

    @property
    def listed_units(self) -> tuple[int, ...]:
        """Units that are listed now, in order, whether the table is on screen or not."""
        if self._is_dirty:
            self.redraw_now()
        return tuple(row["id"] for row in self.model.rows if not row["made"])

    def all_in_order(self) -> tuple[int, ...]:
        """All units of the recording that the filter leaves, in the order in which the table is sorted."""
        rows = present_unit_table(self.workspace, all_units=True).rows()
        return tuple(row["id"] for row in self.model.in_order(filter(self._listed, rows)))

    def set_filter(self, text: str) -> None:
        """List only the units that an expression is true of; '' lists all.

        Raises
        ------
        InputError
            The expression is none; the filter stays as it was.
        """
        unit_filter(text)
        self.filter.setText(text)

    def sort_by(self, column: str, *, descending: bool) -> None:
        """Sort by the column whose title is, or begins with, `column`.

        Raises
        ------
        InputError
            There is no such column.
        """
        titles, wanted = [one.title.lower() for one in COLUMNS], column.lower()
        found = [number for number, title in enumerate(titles) if title.startswith(wanted)]
        if not found:
            raise InputError(f"there is no column '{column}'; there are {', '.join(filter(None, titles))}")
        number = titles.index(wanted) if wanted in titles else found[0]
        self.table.sortByColumn(number, QtCore.Qt.DescendingOrder if descending else QtCore.Qt.AscendingOrder)

    def _filter_changed(self, text: str) -> None:
        try:
            self._listed, self._problem = unit_filter(text), ""
        except InputError as error:
            self._problem = sentence(str(error))
        self.filter.mark(self._problem)
        self.mark_dirty()

    def _tell_problem(self) -> None:
        """Say what is wrong with the filter, once it is finished."""
        if self._problem:
            self.workspace.state.told.emit(self._problem)

    def redraw(self) -> None:
        """Show the rows and what is selected."""
        is_asked = any(column.is_metric and column.name in (self._chosen or ()) for column in COLUMNS)
        metrics = partial(self.controller.data.metrics, ask=is_asked and self.isVisible())
        rows = present_unit_table(self.workspace, all_units=self.all_units, metrics=metrics).rows()
        listed = [row for row in rows if self._listed(row)]
        self.model.set_rows(listed)
        self._fit_columns(rows)
        self._show_selection()
        self.tell("" if rows else unit_table_message(self.workspace))
        self.filter.setVisible(bool(rows) or bool(self.filter.text()))
        is_all = self.all_units or not self.workspace.state.components.ids
        where = "of the whole recording" if is_all else "on screen"
        where = "of the preview and in use" if any(row["made"] for row in rows) else where
        some = f"{len(listed)} of " if len(listed) < len(rows) else ""
        words = f"{some}{count(len(rows), 'unit')} {where}" if rows else ""
        self.note.setText(self._problem or words)

    # -- columns ----------------------------------------------------------------------------

    @property
    def shown_columns(self) -> tuple[str, ...]:
        """Names of the columns on screen."""
        return tuple(one.name for number, one in enumerate(COLUMNS) if not self.table.isColumnHidden(number))

    def _names(self, rows: Sequence[Row]) -> tuple[str, ...]:
        """Names of the columns to show of some rows, if there is room."""
        project = self.workspace.state.project
        has_traces = project is None or project.recording.has_traces
        return names_shown(rows, self._chosen, has_probabilities=has_traces)

    def show_column(self, name: str, shown: bool) -> None:
        """Show a column, or hide it; that is remembered."""
        now = self._names(self.model.rows)
        self._choose([one.name for one in COLUMNS if (shown if one.name == name else one.name in now)])

    def forget_columns(self) -> None:
        """Show the columns that are shown unless somebody chooses, as wide as they need."""
        self._widths = {}
        self._choose(None)

    def _choose(self, names: list[str] | None) -> None:
        self._chosen = None if names is None else list(names)
        self._remember()
        self.redraw_now()

    def _remember(self) -> None:
        self.controller.preferences.set(REMEMBERED, {"shown": self._chosen, "widths": dict(self._widths)})

    def columns_menu(self) -> QtWidgets.QMenu:
        """Menu of all columns, those on screen checked."""
        menu = PassingMenu(self)
        menu.setToolTipsVisible(True)
        shown = self._names(self.model.rows)
        for column in COLUMNS[1:]:
            title = TO_CHOOSE.get(column.name, column.title)
            text = title if title.replace(" ", "_") == column.name else f"{title}  ({column.name})"
            text, is_on = (title if column.name in TO_CHOOSE else text), column.name in shown
            entry = add_choice(menu, text, partial(self.show_column, column.name, not is_on), is_on=is_on)
            entry.setToolTip(plain(column.tooltip))
        menu.addSeparator()
        menu.addAction("Columns as at first", self.forget_columns)
        return menu

    def _resized(self, number: int, _before: int, width: int) -> None:
        if width:
            self._widths[COLUMNS[number].name] = width

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Share the width out again."""
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self, rows: list[Row] | None = None) -> None:
        """Columns as wide as their widest text; what is left over is shared out, or some are left out.

        Columns that somebody chose are never left out, and those that somebody dragged stay as wide.
        """
        shown = list(self._names(self.model.rows if rows is None else rows))
        widths = {name: self._widths.get(name) or self._width(name) for name in shown}
        room = self.table.width() - self._bar_width()
        for name in LEFT_OUT_FIRST if self._chosen is None else ():
            if sum(widths.values()) > room and name in widths:
                del widths[name]
        free = [name for name in widths if name != "accepted" and name not in self._widths]
        spare = min(max(room - sum(widths.values()), 0) // max(len(free), 1), MOST_SPARE)
        with QtCore.QSignalBlocker(self.table.horizontalHeader()):  # each would have the table painted later
            for name, number in NUMBERS.items():
                self.table.setColumnHidden(number, name not in widths)
                if name in widths:
                    self.table.setColumnWidth(number, widths[name] + (spare if name in free else 0))
        self.table.doItemsLayout()
        QtCore.QCoreApplication.sendPostedEvents(self.table, QtCore.QEvent.LayoutRequest)

    def _width(self, name: str) -> int:
        """Width that a column needs, in pixels."""
        if name == "accepted":
            return LOCK_WIDTH
        column, cell = COLUMNS[NUMBERS[name]], QtGui.QFontMetrics(font(bold=name == "id"))
        texts = {column.text(row) for row in self.model.rows}
        title = QtGui.QFontMetrics(font(HEADER_PX)).horizontalAdvance(column.title) + TITLE_PAD
        widest = max((cell.horizontalAdvance(text) for text in texts), default=0) + 2 * CELL_PAD
        return min(max(title, widest), WIDEST) + (DOT if name == "id" else 0)

    # -- copies -----------------------------------------------------------------------------

    def as_csv(self) -> str:
        """Rows of the selected units, or all where none is selected, with the columns on screen."""
        rows = [row for row in self.model.rows if not row["made"]]
        chosen = [row for row in rows if row["id"] in self.workspace.selected]
        return as_csv(chosen or rows, self.shown_columns)

    def copy(self) -> None:
        """Put these rows on the clipboard."""
        if self._is_dirty:
            self.redraw_now()
        text = self.as_csv()
        QtWidgets.QApplication.clipboard().setText(text)
        self.workspace.state.told.emit(f"Copied {count(text.count(chr(10)) - 1, 'unit')} as CSV")

    # -- selection --------------------------------------------------------------------------

    def _show_selection(self) -> None:
        """Select the rows of the selected units."""
        units = self.workspace.selected
        self.table.select_rows([place for place, row in enumerate(self.model.rows) if row["id"] in units])

    def _choose_units(self, rows: list[int]) -> None:
        """Select the units of rows, those chosen before first."""
        units = [self.model.rows[row]["id"] for row in rows]
        kept = [unit for unit in self.workspace.selected if unit in units]
        self.workspace.select([*kept, *(unit for unit in units if unit not in kept)])

    def point_out(self, place: QtCore.QPoint) -> bool:
        """Select the unit of the row at a place."""
        place_of_row = row_at(self.table, place)
        if place_of_row < 0 or self.model.rows[place_of_row]["made"]:
            return False
        return self.point_out_units(self.model.rows[place_of_row]["id"])
