"""The probe: contacts coloured by ambiguity, the component on screen ringed; a click goes there.

Painted by hand: a contact is the sign of its state, as in the queue, of a size in pixels between two bounds,
and a long probe follows the component on screen; axes would say nothing that the tooltip does not.
"""

from __future__ import annotations

import numpy as np
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.presenters.probe_map import EMPTY, WITH_UNITS, ProbeMapView, present_probe_map
from ncpgui.gui.items.glyphs import LEFT, RIGHT, paint_dot, paint_scale, paint_state, set_ink
from ncpgui.gui.items.painted_widget import PaintedWidget
from ncpgui.gui.items.probe_overview import ProbeOverview
from ncpgui.gui.items.unit_canvas import UnitCanvas
from ncpgui.gui.panels.base import Panel

SMALLEST_RADIUS = 4.0
LARGEST_RADIUS = 18.0
RING_PX = 4.0
"""Room for the ring around a contact, at either end of a slice."""


class ProbeMapWidget(UnitCanvas):
    """Paints contacts; follows the component on screen where the probe is too long to show whole."""

    moved = QtCore.pyqtSignal()

    def __init__(self) -> None:
        super().__init__("Contacts")
        self.view: ProbeMapView = EMPTY
        self._zoom = 1.0
        self._looks_at: int | None = None
        self.setMinimumSize(120, 110)

    def set_view(self, view: ProbeMapView) -> None:
        """Show other contacts."""
        if len(view.positions_um) != len(self.view.positions_um):
            self._zoom = 1.0
        if view.current != self.view.current or len(view.states) != len(self.view.states):
            self._looks_at = None
        self.view = view
        self._follow()

    def look_at(self, contact: int | None) -> None:
        """Show the slice around a contact, None: around what is on screen again."""
        self._looks_at = contact
        self._follow()

    def _follow(self) -> None:
        self.update()
        self.moved.emit()

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Another slice is seen."""
        super().resizeEvent(event)
        self.moved.emit()

    def _fit(self) -> float:
        """Pixels per µm at which the whole probe is seen."""
        span = np.ptp(self.view.positions_um, axis=0) + self.view.pitch_um
        return float(min((self.width() - 6) / span[0], (self.height() - 6) / span[1]))

    @property
    def is_slice(self) -> bool:
        """Whether there is room for a part of the probe only, however far one zooms out."""
        if len(self.view.positions_um) == 0:
            return False
        return SMALLEST_RADIUS / (0.36 * self.view.pitch_um) > self._fit() * 1.01

    def seen_um(self, axis: int) -> tuple[float, float]:
        """Lowest and highest place along an axis that is seen, in the coordinates of the probe."""
        scale, _, places = self._transform()
        sign, size = (1, self.width()) if axis == 0 else (-1, self.height())
        first = float(self.view.positions_um[0, axis])
        ends = [first + sign * (end - float(places[0, axis])) / scale for end in (0, size)]
        return min(ends), max(ends)

    def _transform(self) -> tuple[float, float, np.ndarray]:
        """Pixels per µm, radius in pixels, and place of each contact (n, 2) in pixels."""
        positions = self.view.positions_um * [1, -1]
        low, high = positions.min(axis=0), positions.max(axis=0)
        pitch = self.view.pitch_um
        fit = self._fit()
        scale = max(fit, SMALLEST_RADIUS / (0.36 * pitch)) * self._zoom
        middle = (low + high) / 2
        centre = self.view.current if self._looks_at is None else self._looks_at
        if scale > fit * 1.01 and centre is not None:
            here = positions[centre]
            half = np.array([self.width(), self.height()]) / (2 * scale)
            free = np.maximum((high - low + pitch) / 2 + RING_PX / scale - half, 0)
            middle = middle + np.clip(here - middle, -free, free)
        places = (positions - middle) * scale + [self.width() / 2, self.height() / 2]
        return scale, min(0.36 * pitch * scale, LARGEST_RADIUS), places

    def place_of(self, channel: int) -> QtCore.QPoint:
        """Pixel at which a contact is painted."""
        x, y = self._transform()[2][channel]
        return QtCore.QPoint(round(x), round(y))

    def paint(self, painter: QtGui.QPainter, seen: QtCore.QRect) -> None:
        """Paint links of the neighbourhood, then contacts that are seen, then the ring."""
        view, theme = self.view, self.theme
        if len(view.positions_um) == 0:
            return
        _, radius, places = self._transform()
        if view.current is not None:
            here = QtCore.QPointF(*places[view.current])
            painter.setPen(QtGui.QPen(theme.color("accent", 120), 1.4))
            for channel in view.neighbours:
                painter.drawLine(here, QtCore.QPointF(*places[channel]))
        reach = radius + RING_PX
        around = QtCore.QRectF(seen).adjusted(-reach, -reach, reach, reach)
        for channel, (x, y) in enumerate(places.tolist()):
            centre = QtCore.QPointF(x, y)
            if not around.contains(centre):
                continue
            paint_dot(painter, centre, theme.color("panel"), radius + 1)
            ambiguity = view.ambiguity[channel]
            paint_state(
                painter,
                centre,
                radius,
                state=view.states[channel],
                fraction=0.0,
                ambiguity=0.0 if np.isnan(ambiguity) else float(ambiguity),
                theme=theme,
            )
            if channel in (view.current, self._hover):
                painter.setBrush(QtCore.Qt.NoBrush)
                color = theme.color("text" if channel == view.current else "faint")
                painter.setPen(QtGui.QPen(color, 2.2))
                painter.drawEllipse(centre, radius + 2.6, radius + 2.6)

    def unit_at(self, point: QtCore.QPointF) -> int:
        """Contact at a point, -1 where there is none."""
        if len(self.view.positions_um) == 0:
            return -1
        _, radius, places = self._transform()
        distance = np.hypot(*(places - [point.x(), point.y()]).T)
        nearest = int(distance.argmin())
        return nearest if distance[nearest] <= radius + 4 else -1

    def can_click(self, channel: int) -> bool:
        """Whether a contact has units or questions."""
        return channel >= 0 and bool(self.view.states[channel])

    def tooltip_at(self, where: QtCore.QPointF) -> str:
        """Words about the contact at a point."""
        channel = self.unit_at(where)
        return self.view.tooltips[channel] if channel >= 0 else ""

    def wheelEvent(self, event: QtGui.QWheelEvent) -> None:
        """Zoom about the component on screen."""
        self._zoom = float(np.clip(self._zoom * 1.2 ** (event.angleDelta().y() / 120), 1.0, 12.0))
        self._follow()


class LegendBar(PaintedWidget):
    """What the colours of the probe mean."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(16)
        self.setToolTip(
            "Colour of a contact: how many of its spikes are expected in a wrong unit, beside the question\n"
            "with most of them; by the draws"
        )

    def paint(self, painter: QtGui.QPainter, _: QtCore.QRect) -> None:
        """Paint the scale from settled to ambiguous."""
        set_ink(painter, self.theme.color("faint"), 11)
        metrics = painter.fontMetrics()
        left, right = "clear", "ambiguous"
        a, b = metrics.horizontalAdvance(left) + 8, metrics.horizontalAdvance(right) + 8
        painter.drawText(self.rect(), LEFT, left)
        painter.drawText(self.rect(), RIGHT, right)
        bar = QtCore.QRectF(a, 5, max(self.width() - a - b, 10), 6)
        paint_scale(painter, bar, [self.theme.heat(stop) for stop in (0.0, 0.25, 0.5, 0.75, 1.0)])


class ProbeMapPanel(Panel):
    """Map of the probe."""

    title = "Probe"

    def build(self) -> None:
        """Make the map and its legend."""
        self.note.setToolTip("Number of contacts of the probe, as its file has them")
        self.map = ProbeMapWidget()
        self.legend = LegendBar()
        self.map.clicked.connect(lambda contact, _: self.workspace.show_contact(contact))
        self.whole = ProbeOverview()
        self.whole.went.connect(self._go_to)
        self.whole.looked.connect(self.map.look_at)
        self.map.moved.connect(self._frame_slice)
        row = QtWidgets.QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.map, 1)
        row.addWidget(self.whole)
        self.body.addLayout(row, 1)
        self.body.addWidget(self.legend)

    def follow(self) -> None:
        """Follow components and what is on screen."""
        state = self.workspace.state
        self.redraw_on(state.opened, state.components_changed, self.workspace.current_changed)
        self.workspace.selection_changed.connect(self._selection_changed)

    def _selection_changed(self) -> None:
        """Follow the selection where no question says where one is."""
        if self.workspace.component_id is None:
            self.mark_dirty()

    def _go_to(self, contact: int) -> None:
        """Show what a contact stands for."""
        component = self.map.view.stands_for[contact]
        if component is None:
            self.workspace.show_contact(contact)
        else:
            self.workspace.show_component(component)
        self.map.look_at(None)

    def _frame_slice(self) -> None:
        """Show the whole probe where the map shows a slice of a long one, and which."""
        whole = self.map.view.whole
        self.whole.setVisible(whole is not None and self.map.is_slice)
        if whole is not None:
            self.whole.set_seen(*self.map.seen_um(whole.axis))

    def redraw(self) -> None:
        """Show the contacts."""
        view = present_probe_map(self.workspace)
        self.whole.set_view(view)
        self.map.set_view(view)
        self.legend.setVisible(WITH_UNITS not in view.states)
        self.note.setText(f"{len(view.positions_um)} contacts" if len(view.positions_um) else "")

    def restyle(self) -> None:
        """Pass the theme on."""
        for widget in (self.map, self.legend, self.whole):
            widget.set_theme(self.theme)
