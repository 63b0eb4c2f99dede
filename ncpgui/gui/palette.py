"""The command palette: a line to type in and what it finds, over the top of the window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.palette import Entry
from ncpgui.app.words import sentence
from ncpgui.gui.items.command_line import CommandLine
from ncpgui.gui.items.glyphs import LEFT, RIGHT, elided, paint_plate, set_ink
from ncpgui.gui.items.rows_model import RowDelegate, RowsModel
from ncpgui.gui.plain_text import Label
from ncpgui.gui.theme import LIGHT, Theme, font

WIDTH = 620
ROW_HEIGHT = 30
MOST_ROWS = 12
TOP = 64


class EntryModel(RowsModel):
    """Entries that were found."""

    rows: list[Entry]

    def data(self, index: QtCore.QModelIndex, role: int = QtCore.Qt.DisplayRole) -> Any:
        """Words for screen readers."""
        entry = self.rows[index.row()]
        if role == QtCore.Qt.DisplayRole:
            return entry.name
        if role == QtCore.Qt.AccessibleTextRole:
            return ", ".join(filter(None, (entry.name, entry.keys, entry.reason)))
        return None


class EntryDelegate(RowDelegate):
    """Paints an entry: its name, and its keys or why it is not allowed."""

    height = ROW_HEIGHT

    def paint_row(self, painter: QtGui.QPainter, rect: QtCore.QRectF, entry: Entry, state: Any) -> None:
        """Paint an entry."""
        theme: Theme = self.view.theme
        if state & QtWidgets.QStyle.State_Selected:
            paint_plate(painter, rect, theme.color("accent_soft"), 6)
        inner = rect.adjusted(10, 0, -10, 0)
        painter.setFont(font())
        keys_width = painter.fontMetrics().horizontalAdvance(entry.keys)
        name = elided(painter, entry.name, inner.width() - keys_width - 16)
        painter.setPen(theme.color("faint" if entry.reason else "text"))
        painter.drawText(inner, LEFT, name)
        painter.setPen(theme.color("faint" if entry.reason else "muted"))
        painter.drawText(inner, RIGHT, entry.keys)
        between = inner.adjusted(painter.fontMetrics().horizontalAdvance(name) + 14, 0, -keys_width - 14, 0)
        set_ink(painter, theme.color("faint"), 11)
        words = sentence(entry.reason) or entry.menu
        painter.drawText(between, LEFT, elided(painter, words, between.width()))


class Palette(QtWidgets.QFrame):
    """Lies over a window while it is open; `chosen(entry)` when one that is allowed was taken.

    window : what it lies over; find : entries of a query, the best first
    """

    chosen = QtCore.pyqtSignal(object)

    def __init__(self, window: QtWidgets.QWidget, find: Callable[[str], list[Entry]]) -> None:
        super().__init__(window)
        self.theme: Theme = LIGHT
        self._find = find
        self.setObjectName("palette")
        self.setAccessibleName("Command palette")
        self.line = CommandLine()
        self.line.setPlaceholderText("What to do, or the number of a unit")
        self.line.textChanged.connect(self._search)
        self.line.entered.connect(self._take)
        self.line.left.connect(self.leave)
        self.model = EntryModel()
        self.view = QtWidgets.QListView()
        self.view.setModel(self.model)
        self.view.setItemDelegate(EntryDelegate(self))
        self.view.setUniformItemSizes(True)
        self.view.setHorizontalScrollBarPolicy(QtCore.Qt.ScrollBarAlwaysOff)
        self.view.setFocusPolicy(QtCore.Qt.NoFocus)
        self.view.setAccessibleName("What was found")
        self.view.clicked.connect(lambda _: self._take())
        self.line.stepped.connect(lambda by: self._select(self.view.currentIndex().row() + by))
        self.note = Label("Nothing has that name.")
        self.note.setObjectName("message")
        column = QtWidgets.QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 10)
        column.setSpacing(6)
        column.addWidget(self.line)
        column.addWidget(self.note)
        column.addWidget(self.view)
        self.hide()

    def open(self, theme: Theme) -> None:
        """Lie over the window, empty."""
        self.theme = theme
        self.line.clear()
        self._search("")
        self.show()
        self.raise_()
        self.line.setFocus(QtCore.Qt.ShortcutFocusReason)

    def leave(self) -> None:
        """Close, with nothing done."""
        if not self.isHidden():
            self.hide()
            self.window().setFocus()

    def _search(self, query: str) -> None:
        self.model.set_rows(self._find(query))
        n = len(self.model.rows)
        self.note.setVisible(n == 0)
        self.view.setVisible(n > 0)
        self._select(0)
        room = self.parentWidget().rect()
        rows = min(max(n, 1), MOST_ROWS, max((room.height() - TOP - 80) // ROW_HEIGHT, 1))
        self.view.setFixedHeight(rows * ROW_HEIGHT + 4)
        width = min(WIDTH, room.width() - 40)
        self.setFixedWidth(width)
        self.move((room.width() - width) // 2, TOP)
        self.adjustSize()

    def _select(self, row: int) -> None:
        if self.model.rows:
            index = self.model.index(min(max(row, 0), len(self.model.rows) - 1))
            self.view.setCurrentIndex(index)
            self.view.scrollTo(index)

    def _take(self) -> None:
        """Choose the current entry; one that is not allowed stays, with its reason."""
        index = self.view.currentIndex()
        if not index.isValid():
            return
        entry = self.model.rows[index.row()]
        if not entry.reason:
            self.leave()
            self.chosen.emit(entry)
