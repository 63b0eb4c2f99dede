"""The queue: components in the order in which decisions settle most."""

from __future__ import annotations

from typing import Any

from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.presenters.queue import QueueRow, present_queue
from ncpgui.gui.items.glyphs import elided, fitting, paint_shares, paint_state
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.theme import Theme, font

ROW_HEIGHT = 46
NAME_GAP = 8
CAPTION_PX = 30
ROW_ROLE = QtCore.Qt.UserRole + 1


class QueueModel(QtCore.QAbstractListModel):
    """Rows of the presenter as a list model."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[QueueRow, ...] = ()

    def set_rows(self, rows: tuple[QueueRow, ...]) -> None:
        """Show other rows; the list keeps its place when only values changed."""
        if [row.component_id for row in rows] == [row.component_id for row in self.rows]:
            self.rows = rows
            if rows:
                self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: QtCore.QModelIndex = QtCore.QModelIndex()) -> int:  # noqa: B008
        """Count the components."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: QtCore.QModelIndex, role: int = QtCore.Qt.DisplayRole) -> Any:
        """Row for the delegate, words for screen readers and tooltips."""
        row = self.rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role == QtCore.Qt.DisplayRole:
            return row.name
        if role == QtCore.Qt.ToolTipRole:
            return row.tooltip
        return None


class QueueDelegate(QtWidgets.QStyledItemDelegate):
    """Paints a component: state, units, contact, spikes, P(number of units)."""

    def __init__(self, panel: QueuePanel) -> None:
        super().__init__(panel)
        self._panel = panel

    def sizeHint(self, option: Any, index: Any) -> QtCore.QSize:
        """Rows are all of one height."""
        return QtCore.QSize(160, ROW_HEIGHT)

    def paint(
        self, painter: QtGui.QPainter, option: QtWidgets.QStyleOptionViewItem, index: QtCore.QModelIndex
    ) -> None:
        """Paint one row."""
        row: QueueRow = index.data(ROW_ROLE)
        theme: Theme = self._panel.theme
        painter.save()
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        rect = QtCore.QRectF(option.rect).adjusted(0, 1, -2, -1)
        hovered = bool(option.state & QtWidgets.QStyle.State_MouseOver)
        if row.is_current or hovered:
            painter.setPen(QtCore.Qt.NoPen)
            painter.setBrush(theme.color("accent_soft" if row.is_current else "hover"))
            painter.drawRoundedRect(rect, 7, 7)
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
        room = top.width() - NAME_GAP - CAPTION_PX
        name = next((name for name in row.names if advance(name) <= room), row.names[-1])
        painter.drawText(
            top, QtCore.Qt.AlignLeft | QtCore.Qt.AlignVCenter, elided(painter, name, top.width())
        )
        top.setLeft(min(top.left() + advance(name) + NAME_GAP, top.right()))
        painter.setFont(font(11))
        painter.setPen(theme.color("bad" if row.status.state == "failed" else "muted"))
        caption = fitting(painter, row.caption, top.width())
        painter.drawText(top, QtCore.Qt.AlignRight | QtCore.Qt.AlignVCenter, caption)
        bottom = QtCore.QRectF(inner.left(), inner.bottom() - 13, inner.width(), 13)
        painter.setPen(theme.color("faint"))
        width = painter.fontMetrics().horizontalAdvance(row.place)
        painter.drawText(bottom, QtCore.Qt.AlignRight | QtCore.Qt.AlignVCenter, row.place)
        bar = QtCore.QRectF(bottom.left(), bottom.center().y() - 3, max(bottom.width() - width - 10, 20), 6)
        if row.status.state == "sampling":
            paint_progress(painter, bar, row.status.fraction, theme)
        elif row.p_units:
            paint_shares(painter, bar, row.p_units, theme)
        painter.restore()


def paint_progress(painter: QtGui.QPainter, bar: QtCore.QRectF, fraction: float, theme: Theme) -> None:
    """Paint a thin progress bar."""
    painter.setPen(QtCore.Qt.NoPen)
    painter.setBrush(theme.color("border"))
    painter.drawRoundedRect(bar, 3, 3)
    painter.setBrush(theme.color("accent"))
    painter.drawRoundedRect(QtCore.QRectF(bar.left(), bar.top(), bar.width() * fraction, bar.height()), 3, 3)


class QueuePanel(Panel):
    """List of components; a click puts one on screen."""

    title = "Queue"

    def build(self) -> None:
        """Make the list."""
        self.model = QueueModel()
        self.view = QtWidgets.QListView()
        self.view.setModel(self.model)
        self.view.setItemDelegate(QueueDelegate(self))
        self.view.setUniformItemSizes(True)
        self.view.setMouseTracking(True)
        self.view.setSelectionMode(QtWidgets.QAbstractItemView.NoSelection)
        self.view.setVerticalScrollMode(QtWidgets.QAbstractItemView.ScrollPerPixel)
        self.view.setHorizontalScrollBarPolicy(QtCore.Qt.ScrollBarAlwaysOff)
        self.view.setFocusPolicy(QtCore.Qt.NoFocus)
        self.view.clicked.connect(self._clicked)
        self.note.setToolTip("Ordered by spikes × entropy: how much a decision would settle")
        self.body.addWidget(self.view, 1)
        self.body.setContentsMargins(12, 8, 6, 8)

    def follow(self) -> None:
        """Follow components and what is on screen."""
        for signal in (
            self.workspace.opened,
            self.workspace.components_changed,
            self.workspace.current_changed,
        ):
            signal.connect(self.mark_dirty)

    def redraw(self) -> None:
        """Show the rows and keep the current one in view."""
        rows = present_queue(self.workspace)
        self.model.set_rows(rows)
        settled = sum(row.status.state == "curated" for row in rows)
        self.note.setText(f"{settled} of {len(rows)} settled" if rows else "")
        for number, row in enumerate(rows):
            if row.is_current:
                self.view.scrollTo(self.model.index(number))

    def _clicked(self, index: QtCore.QModelIndex) -> None:
        self.workspace.show_component(self.model.rows[index.row()].component_id)
