"""The queue: components in the order in which decisions settle most.

Rows are painted by hand, as a delegate of Qt's list: each is a sign, words and a bar of shares in two lines.
"""

from __future__ import annotations

from typing import Any

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.presenters.queue import QueueRow, present_queue, present_queue_message, settled_words
from ncpgui.gui.buttons import Button
from ncpgui.gui.items.glyphs import LEFT, RIGHT, elided, paint_plate, paint_shares, paint_state
from ncpgui.gui.items.message import Message
from ncpgui.gui.items.rows_model import RowDelegate, RowsModel
from ncpgui.gui.items.unit_rows import row_at
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.plain_text import plain
from ncpgui.gui.theme import Theme, font

ROW_HEIGHT = 46
NAME_GAP = 8
CAPTION_PX = 30


class QueueModel(RowsModel):
    """Components of the queue."""

    rows: tuple[QueueRow, ...]

    def key(self, row: QueueRow) -> object:
        """The component."""
        return row.component_id

    def data(self, index: QtCore.QModelIndex, role: int = QtCore.Qt.DisplayRole) -> Any:
        """Words for screen readers and tooltips."""
        row = self.rows[index.row()]
        if role == QtCore.Qt.DisplayRole:
            return row.name
        if role == QtCore.Qt.ToolTipRole:
            return plain(row.tooltip)
        return None


class QueueDelegate(RowDelegate):
    """Paints a component: state, units, contact, spikes, P(number of units)."""

    height = ROW_HEIGHT

    def paint_row(self, painter: QtGui.QPainter, rect: QtCore.QRectF, row: QueueRow, state: Any) -> None:
        """Paint a component."""
        theme: Theme = self.view.theme
        if row.is_current or state & QtWidgets.QStyle.State_MouseOver:
            paint_plate(painter, rect, theme.color("accent_soft" if row.is_current else "hover"), 7)
        paint_state(
            painter,
            QtCore.QPointF(rect.left() + 15, rect.top() + 14.5),
            6.0,
            state=row.status.state,
            fraction=row.status.fraction,
            ambiguity=row.ambiguity,
            theme=theme,
        )
        inner = rect.adjusted(29, 5, -9, -5)
        top = QtCore.QRectF(inner.left(), inner.top(), inner.width(), 19)
        painter.setFont(font(13, medium=True))
        dim = row.status.state in ("waiting", "failed")
        painter.setPen(theme.color("muted" if dim else "text"))
        advance = painter.fontMetrics().horizontalAdvance
        room = top.width() - NAME_GAP
        beside = room - QtGui.QFontMetricsF(font(11)).horizontalAdvance(row.captions[0])
        rooms = [beside] * len(row.names[:2]) + [room - CAPTION_PX] * len(row.names)
        wanted = zip((*row.names[:2], *row.names), rooms, strict=True)
        name = next((name for name, px in wanted if advance(name) <= px), row.names[-1])
        painter.drawText(top, LEFT, elided(painter, name, top.width()))
        top.setLeft(min(top.left() + advance(name) + NAME_GAP, top.right()))
        painter.setFont(font(11))
        painter.setPen(theme.color("bad" if row.status.state == "failed" else "muted"))
        width = painter.fontMetrics().horizontalAdvance
        caption = next((words for words in row.captions if width(words) <= top.width()), "")
        painter.drawText(top, RIGHT, caption)
        bottom = QtCore.QRectF(inner.left(), inner.bottom() - 13, inner.width(), 13)
        painter.setPen(theme.color("faint"))
        width = painter.fontMetrics().horizontalAdvance(row.place)
        painter.drawText(bottom, RIGHT, row.place)
        bar = QtCore.QRectF(bottom.left(), bottom.center().y() - 3, max(bottom.width() - width - 10, 20), 6)
        if row.status.state == "sampling":
            paint_progress(painter, bar, row.status.fraction, theme)
        elif row.p_units:
            paint_shares(painter, bar, row.p_units, theme)


def paint_progress(painter: QtGui.QPainter, bar: QtCore.QRectF, fraction: float, theme: Theme) -> None:
    """Paint a thin progress bar."""
    paint_plate(painter, bar, theme.color("border"), 3)
    done = QtCore.QRectF(bar.left(), bar.top(), bar.width() * fraction, bar.height())
    paint_plate(painter, done, theme.color("accent"), 3)


class QueueList(QtWidgets.QListView):
    """Rows of components; a click puts one on screen."""

    chosen = QtCore.pyqtSignal(int)

    def __init__(self, panel: QueuePanel) -> None:
        super().__init__()
        self.rows = QueueModel()
        self.setModel(self.rows)
        self.setItemDelegate(QueueDelegate(panel))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setSelectionMode(QtWidgets.QAbstractItemView.NoSelection)
        self.setVerticalScrollMode(QtWidgets.QAbstractItemView.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(QtCore.Qt.ScrollBarAlwaysOff)
        self.setFocusPolicy(QtCore.Qt.NoFocus)
        self.clicked.connect(lambda index: self.chosen.emit(self.rows.rows[index.row()].component_id))

    def show_rows(self, rows: tuple[QueueRow, ...]) -> None:
        """Show rows, and keep the current one in view."""
        self.rows.set_rows(rows)
        for number, row in enumerate(rows):
            if row.is_current:
                self.scrollTo(self.rows.index(number))


class QueuePanel(Panel):
    """List of questions, and apart from it what is settled; a click puts a component on screen."""

    title = "Queue"
    context = "question"

    def build(self) -> None:
        """Make the lists."""
        self.view, self.settled = QueueList(self), QueueList(self)
        self.view.setAccessibleName("Questions")
        self.settled.setAccessibleName("Settled")
        self.model = self.view.rows
        for view in (self.view, self.settled):
            view.chosen.connect(self.workspace.show_component)
        self.note.setToolTip(
            "Number of questions that are settled, by you or by the draws, and of all that can be.\n"
            "The one whose answer puts most spikes right comes first"
        )
        self.toggle = Button("", "Number of questions that somebody decided, or that the draws settle")
        self.toggle.setCheckable(True)
        self.toggle.toggled.connect(self._open_settled)
        self.message = Message()
        self.body.addWidget(self.message, 3)
        self.body.addWidget(self.view, 3)
        self.body.addWidget(self.toggle)
        self.body.addWidget(self.settled, 2)
        self.body.setContentsMargins(12, 8, 6, 8)
        self.settled.hide()

    def follow(self) -> None:
        """Follow components and what is on screen."""
        state = self.workspace.state
        self.redraw_on(
            state.opened, state.components_changed, state.progressed, self.workspace.current_changed
        )

    def redraw(self) -> None:
        """Show the rows and keep the current one in view."""
        rows = present_queue(self.workspace)
        settled = tuple(row for row in rows if row.status.is_settled)
        self.view.show_rows(tuple(row for row in rows if not row.status.is_settled))
        self.settled.show_rows(settled)
        self.note.setText(settled_words(rows))
        message = present_queue_message(self.workspace)
        self.message.setText(message)
        self.message.setVisible(bool(message))
        self.view.setVisible(not message)
        self.toggle.setVisible(bool(settled))
        self._open_settled(self.toggle.isChecked())

    def point_out(self, place: QtCore.QPoint) -> bool:
        """Put the question of the row at a place on screen."""
        for view in (self.view, self.settled):
            row = row_at(view, place) if view.isVisible() else -1
            if row >= 0:
                self.workspace.show_component(view.rows.rows[row].component_id)
                return True
        return False

    def _open_settled(self, is_open: bool) -> None:
        n = len(self.settled.rows.rows)
        self.toggle.setText(f"{'▾' if is_open else '▸'}  Settled: {n}")
        self.settled.setVisible(is_open and n > 0)
