"""The whole of a long probe, small, beside the slice that the map shows: what is where, by depth.

Painted by hand: a column a shank, in it the activity as bars, a grey dot a contact with units, an amber dot
one with an open question, and a frame around the slice.
"""

from __future__ import annotations

import numpy as np
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.probe_map import EMPTY, ProbeMapView, WholeProbe
from ncpgui.gui.items.glyphs import paint_dot, paint_plate, set_ink
from ncpgui.gui.items.painted_widget import ExplainedWidget

COLUMN_PX = (15, 38)
LABEL_PX = 14
ROW_PX = 2
REACH_PX = 6.0
"""How far from a contact a click is still on it."""


class ProbeOverview(ExplainedWidget):
    """`went(contact)`: the question or unit at a contact was clicked; `looked(contact)`: a place was."""

    went = QtCore.pyqtSignal(int)
    looked = QtCore.pyqtSignal(int)

    def __init__(self) -> None:
        super().__init__("Whole probe")
        self.view: ProbeMapView = EMPTY
        self._range_um = 0.0, 0.0
        self.seen_um = (0.0, 0.0)
        self.setMouseTracking(True)

    def set_view(self, view: ProbeMapView) -> None:
        """Show another probe."""
        self.view = view
        if view.whole is not None:
            self._range_um = float(view.whole.depth_um.min()), float(view.whole.depth_um.max())
            widest = COLUMN_PX[1] if view.whole.n_shanks == 1 else COLUMN_PX[0]
            self.setFixedWidth(max(view.whole.n_shanks * widest, COLUMN_PX[1]))
        self.update()

    def set_seen(self, low_um: float, high_um: float) -> None:
        """Frame the depths that the map shows."""
        if (low_um, high_um) != self.seen_um:
            self.seen_um = (low_um, high_um)
            self.update()

    # -- geometry ---------------------------------------------------------------------------

    def _body(self) -> QtCore.QRectF:
        return QtCore.QRectF(self.rect()).adjusted(0, LABEL_PX, 0, -LABEL_PX)

    def y_of(self, depth_um: float) -> float:
        """Pixel of a depth; the largest is at the top."""
        low, high = self._range_um
        body = self._body()
        return body.bottom() - (depth_um - low) / max(high - low, 1e-9) * body.height()

    def depth_at(self, y: float) -> float:
        """Depth of a pixel."""
        low, high = self._range_um
        body = self._body()
        return low + (body.bottom() - y) / max(body.height(), 1.0) * (high - low)

    def column(self, shank: int) -> QtCore.QRectF:
        """Place of a shank."""
        assert self.view.whole is not None
        width = self.width() / self.view.whole.n_shanks
        body = self._body()
        return QtCore.QRectF(shank * width, body.top(), width, body.height())

    def place_of(self, contact: int) -> QtCore.QPointF:
        """Where the dot of a contact is."""
        return QtCore.QPointF(*self._places()[contact])

    def _places(self) -> list[tuple[float, float]]:
        """Where the dots of all contacts are."""
        whole = self.view.whole
        assert whole is not None
        low, high = self._range_um
        body, width = self._body(), self.width() / whole.n_shanks
        x = (whole.shank + np.where(whole.is_open, 0.88, 0.7)) * width
        y = body.bottom() - (whole.depth_um - low) / max(high - low, 1e-9) * body.height()
        return list(zip(x.tolist(), y.tolist(), strict=True))

    def _contact_at(self, point: QtCore.QPointF) -> tuple[int, bool]:
        """Contact of a click, and whether something is there: an open question first, then units."""
        whole = self.view.whole
        assert whole is not None
        shank = int(np.clip(point.x() / self.width() * whole.n_shanks, 0, whole.n_shanks - 1))
        on_shank = np.flatnonzero(whole.shank == shank)
        places = self._places()
        away_px = np.abs(np.array([places[one][1] for one in on_shank]) - point.y())
        busy = np.array([bool(self.view.states[one]) for one in on_shank])
        for wanted in (whole.is_open[on_shank], busy):
            near = np.where(wanted, away_px, np.inf)
            if near.min(initial=np.inf) <= REACH_PX:
                return int(on_shank[near.argmin()]), True
        return int(on_shank[away_px.argmin()]), False

    # -- painting ---------------------------------------------------------------------------

    def paint(self, painter: QtGui.QPainter, _: QtCore.QRect) -> None:
        """Paint columns, dots, the frame and the depths at the ends."""
        whole, theme = self.view.whole, self.theme
        if whole is None:
            return
        for shank in range(whole.n_shanks):
            self._paint_activity(painter, whole, shank)
        self._paint_frame(painter)
        faint, accent = theme.color("faint"), theme.color("accent")
        places = self._places()
        for contact in np.flatnonzero((whole.n_units > 0) & ~whole.is_open).tolist():
            paint_dot(painter, QtCore.QPointF(*places[contact]), faint, 1.8)
        shades = np.nan_to_num(self.view.ambiguity).clip(0.4, 1).round(2).tolist()
        heats = {shade: theme.heat(shade) for shade in {*shades}}
        for contact in np.flatnonzero(whole.is_open).tolist():
            color = heats[shades[contact]] if self.view.states[contact] == "sampled" else accent
            paint_dot(painter, QtCore.QPointF(*places[contact]), color, 2.6)
        set_ink(painter, theme.color("muted"), 10)
        low, high = self._range_um
        top = QtCore.QRectF(0, 0, self.width(), LABEL_PX - 2)
        painter.drawText(top, QtCore.Qt.AlignCenter, f"{high:.0f}")
        bottom = QtCore.QRectF(0, self.height() - LABEL_PX + 2, self.width(), LABEL_PX - 2)
        painter.drawText(bottom, QtCore.Qt.AlignCenter, f"{low:.0f} µm")

    def _paint_activity(self, painter: QtGui.QPainter, whole: WholeProbe, shank: int) -> None:
        column, here = self.column(shank), whole.shank == shank
        painter.fillRect(column.adjusted(1, 0, -1, 0), self.theme.color("sunken"))
        n_rows = max(int(column.height() / ROW_PX), 1)
        low, high = self._range_um
        depth = whole.depth_um[here]
        row = ((high - depth) / max(high - low, 1e-9) * (n_rows - 1)).round().astype(np.int64)
        n_contacts = np.bincount(row, minlength=n_rows)
        rates = np.bincount(row, weights=whole.rate_hz[here], minlength=n_rows) / np.maximum(n_contacts, 1)
        largest = float(whole.rate_hz.max(initial=0.0)) or 1.0
        known = np.flatnonzero(n_contacts)
        filled = np.interp(np.arange(n_rows), known, np.sqrt(rates[known] / largest))
        width = 0.58 * column.width()
        left, top = column.left() + 2, column.top()
        painter.setPen(QtCore.Qt.NoPen)
        painter.setBrush(self.theme.color("faint", 150))
        painter.drawRects(
            [
                QtCore.QRectF(left, top + n * ROW_PX, share * width, ROW_PX)
                for n, share in enumerate(filled.tolist())
            ]
        )

    def _paint_frame(self, painter: QtGui.QPainter) -> None:
        low, high = self.seen_um
        if high <= low:
            return
        body = self._body()
        top, bottom = max(self.y_of(high), body.top() - 1), min(self.y_of(low), body.bottom() + 1)
        frame = QtCore.QRectF(0.8, top, self.width() - 1.6, max(bottom - top, 4.0))
        border = QtGui.QPen(self.theme.color("accent"), 1.4)
        paint_plate(painter, frame, self.theme.color("accent", 24), 3, border)

    # -- the mouse --------------------------------------------------------------------------

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        """Go to what is clicked, or look at the place."""
        if event.button() == QtCore.Qt.LeftButton and self.view.whole is not None:
            contact, is_busy = self._contact_at(event.localPos())
            (self.went if is_busy else self.looked).emit(contact)

    def mouseMoveEvent(self, event: QtGui.QMouseEvent) -> None:
        """Say what is at a depth; with the button down, move the slice."""
        whole = self.view.whole
        if whole is None:
            return
        if event.buttons() & QtCore.Qt.LeftButton:
            self.looked.emit(self._contact_at(event.localPos())[0])
        is_busy = self._contact_at(event.localPos())[1]
        self.setCursor(QtCore.Qt.PointingHandCursor if is_busy else QtCore.Qt.ArrowCursor)

    def tooltip_at(self, where: QtCore.QPointF) -> str:
        """Words about the shank and the depth at a point."""
        whole = self.view.whole
        if whole is None:
            return ""
        shank = int(np.clip(where.x() / self.width() * whole.n_shanks, 0, whole.n_shanks - 1))
        words = whole.words(shank, self.depth_at(where.y() + REACH_PX), self.depth_at(where.y() - REACH_PX))
        return f"{words}\nBars: spikes a second. Grey: units. Amber: open questions. A click goes there"
