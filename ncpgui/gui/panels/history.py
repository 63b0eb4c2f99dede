"""The history: a line an edit; a click goes there by undo or redo."""

from __future__ import annotations

from PyQt5 import QtCore, QtWidgets

from ncpgui.app.presenters.history import HistoryRow, present_history, step_to
from ncpgui.app.presenters.why_empty import OPEN_FIRST
from ncpgui.app.words import count
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.plain_text import plain
from ncpgui.gui.theme import font


class HistoryPanel(Panel):
    """What was done, oldest first, where one stands in bold, what was taken back faint below it."""

    title = "History"

    def build(self) -> None:
        """Make the list and the message."""
        self.rows: tuple[HistoryRow, ...] = ()
        self.note.setToolTip("Number of edits in force, by you, since it was sorted")
        self.view = QtWidgets.QListWidget()
        self.view.setFocusPolicy(QtCore.Qt.NoFocus)
        self.view.setSelectionMode(QtWidgets.QAbstractItemView.NoSelection)
        self.view.setVerticalScrollMode(QtWidgets.QAbstractItemView.ScrollPerPixel)
        self.view.setHorizontalScrollBarPolicy(QtCore.Qt.ScrollBarAlwaysOff)
        self.view.setTextElideMode(QtCore.Qt.ElideRight)
        self.view.setAccessibleName("History")
        self.view.itemClicked.connect(
            lambda item: step_to(self.workspace, self.rows[self.view.row(item)].n_done)
        )
        self.fill(self.view)
        self.body.setContentsMargins(12, 8, 6, 8)

    def follow(self) -> None:
        """Follow the edits."""
        state = self.workspace.state
        self.redraw_on(state.opened, state.units_changed, state.components_changed)

    def redraw(self) -> None:
        """Show the edits and where one stands."""
        rows = present_history(self.workspace)
        texts = [row.words for row in rows]
        if texts != [row.words for row in self.rows]:
            self.view.clear()
            self.view.addItems(texts)
        self.rows = rows
        for number, row in enumerate(rows):
            item = self.view.item(number)
            item.setFont(font(bold=row.is_present))
            item.setForeground(self.theme.color("text" if row.is_done else "faint"))
            item.setToolTip(plain(f"{row.words}\n{_help(row)}"))
        n_done = sum(row.is_done for row in rows) - 1
        self.note.setText(f"{count(n_done, 'edit')}" if rows else "")
        self.tell("" if rows else OPEN_FIRST)
        QtCore.QTimer.singleShot(0, self._show_present)  # once there is room

    def _show_present(self) -> None:
        for number, row in enumerate(self.rows):
            if row.is_present:
                self.view.scrollToItem(self.view.item(number))


def _help(row: HistoryRow) -> str:
    """What a click does."""
    if row.is_present:
        return "You are here"
    return "A click takes back what came after" if row.is_done else "A click does it again"
