"""Embedding: each spike a point, near the spikes that look like it to the network."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PyQt5 import QtCore, QtGui

from ncpgui.app.model.picking import pick
from ncpgui.app.presenters.embedding import EmbeddingView, present_embedding
from ncpgui.app.presenters.lasso import embedding_axes, under_lasso
from ncpgui.app.words import percent
from ncpgui.gui.items.lasso_outline import FILL_ALPHA, lasso_pen, polygon
from ncpgui.gui.items.unit_canvas import UnitCanvas, keeps_shapes
from ncpgui.gui.panels.lasso import LASSO_HELP, LassoPanel
from ncpgui.gui.theme import Theme, font

MARGIN_PX = 16
NEAR_PX = 9.0
POINT_PX = (2.4, 5.0)
OPACITY_STEPS = 8
RING_PX = 1.6
DIMMED = 0.22
DRAG_PX = 4
SMALL_PX = 140
CORNER_PX = 3.0


class EmbeddingWidget(UnitCanvas):
    """Paints points; the wheel zooms, a drag moves, a double click shows all.

    `corner_set(x, y)`: a lasso gets a corner, in the coordinates of the points; `cleared`: it is taken away.
    """

    corner_set = QtCore.pyqtSignal(float, float)
    cleared = QtCore.pyqtSignal()

    def __init__(self) -> None:
        super().__init__("Embedding of the spikes")
        self.view: EmbeddingView | None = None
        self._picture: QtGui.QPixmap | None = None
        self._corners = np.zeros((0, 2))
        self._zoom = 1.0
        self._shift = np.zeros(2)
        self._pressed: QtCore.QPointF | None = None
        self._shift_at_press: NDArray[np.float64] | None = None
        self._is_dragging = False
        self.setMinimumSize(120, 84)

    def set_view(self, view: EmbeddingView, theme: Theme) -> None:
        """Show other points; another embedding is shown whole."""
        if self.view is None or self.view.points is not view.points:
            self.show_all()
        self.view, self.theme = view, theme
        self._picture = None
        self.update()

    def show_all(self) -> None:
        """Fit all points."""
        self._zoom, self._shift = 1.0, np.zeros(2)
        self._picture = None
        self.update()

    # -- geometry ---------------------------------------------------------------------------

    def _transform(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Pixels a unit of each coordinate (2,), and the pixel of the origin (2,)."""
        assert self.view is not None
        points = self.view.points.astype(np.float64) * [1, -1]
        low, high = points.min(axis=0), points.max(axis=0)
        free = np.array([self.width(), self.height()]) - 2 * MARGIN_PX
        scale = float((np.maximum(free, 1) / np.maximum(high - low, 1e-6)).min()) * self._zoom
        middle = np.array([self.width(), self.height()]) / 2
        return np.array([scale, -scale]), middle + self._shift - (low + high) / 2 * scale

    def places(self) -> NDArray[np.float64]:
        """Pixel of each point (m, 2); the same scale in both directions."""
        assert self.view is not None
        return self.places_of(self.view.points.astype(np.float64))

    def places_of(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Pixels (n, 2) of any points of the plane."""
        scale, origin = self._transform()
        return points * scale + origin

    def point_at(self, where: QtCore.QPointF) -> int:
        """Nearest point within a few pixels, -1 when there is none; a spike of a unit comes first."""
        if self.view is None or len(self.view.points) == 0:
            return -1
        distance = np.hypot(*(self.places() - [where.x(), where.y()]).T) + 3.0 * (self.view.labels < 0)
        nearest = int(distance.argmin())
        return nearest if distance[nearest] <= NEAR_PX else -1

    def unit_at(self, where: QtCore.QPointF) -> int:
        """Row of the unit whose point is under the pointer, -1 when there is none."""
        point = self.point_at(where)
        return -1 if point < 0 or self.view is None else int(self.view.labels[point])

    @property
    def radius(self) -> float:
        """Radius of a point in pixels: smaller when there are many for the room."""
        n = 1 if self.view is None else max(len(self.view.points), 1)
        free = self.width() * self.height() / n
        return float(np.clip(0.24 * np.sqrt(free), *POINT_PX)) * min(self._zoom, 2.0) ** 0.4

    # -- painting ---------------------------------------------------------------------------

    def paintEvent(self, _: QtGui.QPaintEvent) -> None:
        """Paint the picture; it is drawn again when view, place or size changed."""
        if self.view is None or len(self.view.points) == 0:
            return
        ratio = self.devicePixelRatioF()
        if self._picture is None or self._picture.size() != self.size() * ratio:
            self._picture = self._draw_picture(ratio)
        painter = QtGui.QPainter(self)
        if keeps_shapes(painter):
            self._draw(painter)
        else:
            painter.drawPixmap(0, 0, self._picture)
        if len(self._corners):
            self._paint_lasso(painter)
        painter.end()

    def _paint_lasso(self, painter: QtGui.QPainter) -> None:
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        places = self.places_of(self._corners)
        painter.setPen(lasso_pen(self.theme))
        painter.setBrush(self.theme.color("accent", FILL_ALPHA))
        painter.drawPolygon(polygon(places))
        painter.setPen(self.theme.color("panel"))
        painter.setBrush(self.theme.color("text"))
        for place in places:
            painter.drawEllipse(QtCore.QPointF(*place), CORNER_PX, CORNER_PX)

    def set_lasso(self, corners: NDArray[np.float64]) -> None:
        """Draw a polygon (V, 2) in the coordinates of the points."""
        self._corners = corners
        self.update()

    def _draw_picture(self, ratio: float) -> QtGui.QPixmap:
        picture = QtGui.QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(QtCore.Qt.transparent)
        painter = QtGui.QPainter(picture)
        self._draw(painter)
        painter.end()
        return picture

    def _draw(self, painter: QtGui.QPainter) -> None:
        view = self.view
        assert view is not None
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        places = self.places()
        chosen = view.selected.any()
        self._paint_points(painter, places, ~view.selected & (view.labels < 0), dimmed=bool(chosen))
        self._paint_points(painter, places, ~view.selected & (view.labels >= 0), dimmed=bool(chosen))
        self._paint_points(painter, places, view.selected, dimmed=False)
        self._paint_names(painter, places)

    def _paint_points(
        self, painter: QtGui.QPainter, places: NDArray[np.float64], which: NDArray[np.bool_], *, dimmed: bool
    ) -> None:
        """Paint some points, those of one colour and opacity at a time, in the order of spikes."""
        view = self.view
        assert view is not None
        steps = np.ceil(view.opacity * OPACITY_STEPS).astype(np.int64).clip(1, OPACITY_STEPS)
        inside = ((places > -10) & (places < [self.width() + 10, self.height() + 10])).all(axis=1)
        rows = np.flatnonzero(which & inside).tolist()
        r = self.radius
        brushes: dict[tuple[int, int], QtGui.QBrush] = {}
        for row in rows:
            label, step = int(view.labels[row]), int(steps[row])
            if (label, step) not in brushes:
                opacity = step / OPACITY_STEPS * (DIMMED if dimmed else 0.85)
                color = self.theme.color("faint") if label < 0 else self.theme.unit(view.colors[label])
                color.setAlphaF(opacity * (0.7 if label < 0 else 1.0))
                brushes[label, step] = QtGui.QBrush(color)
            ring = None if dimmed else self.ring(row)
            painter.setPen(QtCore.Qt.NoPen if ring is None else QtGui.QPen(ring, RING_PX))
            painter.setBrush(brushes[label, step])
            grown = r if ring is None else r + RING_PX / 2
            painter.drawEllipse(QtCore.QPointF(*places[row]), grown, grown)

    def ring(self, row: int) -> QtGui.QColor | None:
        """Colour of the unit that a spike would leave; None where it stays, or its colour does."""
        view = self.view
        assert view is not None
        if not view.moved[row]:
            return None
        before = int(view.before[row])
        if before < 0:
            return self.theme.color("faint")
        color = view.colors_before[before]
        return None if color == view.colors[view.labels[row]] else self.theme.unit(color)

    def _paint_names(self, painter: QtGui.QPainter, places: NDArray[np.float64]) -> None:
        """Write each unit's name at the median of its points, or as near as there is room."""
        view, theme = self.view, self.theme
        assert view is not None
        is_small = min(self.width(), self.height()) < SMALL_PX
        painter.setFont(font(10 if is_small else 12, bold=True))
        metrics = painter.fontMetrics()
        chosen = view.selected.any()
        taken: list[QtCore.QRectF] = []
        for label, name in enumerate(view.names):
            own = view.labels == label
            if not own.any():
                continue
            size = QtCore.QSizeF(
                metrics.horizontalAdvance(name) + (8 if is_small else 12), metrics.height() + 4
            )
            pill = free_place(np.median(places[own], axis=0), size, QtCore.QRectF(self.rect()), taken)
            taken.append(pill)
            faded = chosen and not view.selected[own].any()
            painter.setPen(QtGui.QPen(theme.unit(view.colors[label], 90 if faded else 255), 1.4))
            painter.setBrush(theme.color("panel", 215))
            painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
            painter.setPen(theme.color("faint" if faded else "text"))
            painter.drawText(pill, QtCore.Qt.AlignCenter, name)

    # -- mouse ------------------------------------------------------------------------------

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        """Begin a click or a drag; the right button clears the lasso."""
        if event.button() == QtCore.Qt.RightButton:
            self.cleared.emit()
        elif event.button() == QtCore.Qt.LeftButton:
            self._pressed, self._shift_at_press = event.localPos(), self._shift.copy()
            self._is_dragging = False

    def mouseMoveEvent(self, event: QtGui.QMouseEvent) -> None:
        """Move the picture, or say what is under the pointer."""
        if self._pressed is None:
            super().mouseMoveEvent(event)
            return
        step = event.localPos() - self._pressed
        if self._is_dragging or step.manhattanLength() > DRAG_PX:
            assert self._shift_at_press is not None
            self._is_dragging = True
            self._shift = self._shift_at_press + np.array([step.x(), step.y()])
            self._picture = None
            self.update()

    def mouseReleaseEvent(self, event: QtGui.QMouseEvent) -> None:
        """Select the unit of the point that is clicked, Shift adds it; with Ctrl, set a corner of a lasso."""
        if self._pressed is None or event.button() != QtCore.Qt.LeftButton:
            return
        self._pressed = None
        if self._is_dragging:
            return
        if event.modifiers() & QtCore.Qt.ControlModifier:
            self._set_corner(event.localPos())
        else:
            self.click(event)

    def mouseDoubleClickEvent(self, event: QtGui.QMouseEvent) -> None:
        """Show all points; while a lasso is drawn, two quick clicks are two corners."""
        if event.modifiers() & QtCore.Qt.ControlModifier:
            self._set_corner(event.localPos())
        else:
            self.show_all()

    def _set_corner(self, where: QtCore.QPointF) -> None:
        if self.view is not None and len(self.view.points):
            scale, origin = self._transform()
            self.corner_set.emit(*((np.array([where.x(), where.y()]) - origin) / scale).tolist())

    def wheelEvent(self, event: QtGui.QWheelEvent) -> None:
        """Zoom about the pointer."""
        before = self._zoom
        self._zoom = float(np.clip(before * 1.2 ** (event.angleDelta().y() / 120), 1.0, 30.0))
        about = np.array([event.position().x() - self.width() / 2, event.position().y() - self.height() / 2])
        factor = self._zoom / before
        self._shift = np.zeros(2) if self._zoom == 1.0 else about + (self._shift - about) * factor
        self._picture = None
        self.update()

    def tooltip_at(self, where: QtCore.QPointF) -> str:
        """Words about the spike at a place."""
        point, view = self.point_at(where), self.view
        if point < 0 or view is None:
            return ""
        if view.labels[point] < 0:
            return "A spike of no unit"
        name = view.names[view.labels[point]]
        return f"Spike of unit {name}, with probability {percent(float(view.certainty[point]))}"


def free_place(
    centre: NDArray[np.float64], size: QtCore.QSizeF, room: QtCore.QRectF, taken: list[QtCore.QRectF]
) -> QtCore.QRectF:
    """Place of a name near `centre` (x, y) that is inside `room` and on no other name, if there is one."""
    width, height = size.width(), size.height()
    at_home = QtCore.QRectF(centre[0] - width / 2, centre[1] - height / 2, width, height)
    if not room.contains(at_home.center()):
        return at_home  # zoomed out of view
    at_home.moveLeft(min(max(at_home.left(), room.left()), room.right() - width))
    at_home.moveTop(min(max(at_home.top(), room.top()), room.bottom() - height))
    steps = [(dx, dy) for dy in range(-5, 6) for dx in (0.0, -0.5, 0.5, -1.0, 1.0)]
    for dx, dy in sorted(steps, key=lambda step: np.hypot(step[0] * width, step[1] * height)):
        pill = at_home.translated(dx * (width + 1), dy * (height + 1))
        if room.contains(pill) and not any(pill.intersects(other) for other in taken):
            return pill
    return at_home


class EmbeddingPanel(LassoPanel):
    """The spikes that the network clustered, as points; a click selects a unit."""

    title = "Embedding"
    plane = "embedding"

    def build(self) -> None:
        """Make plot and message."""
        self.plot = EmbeddingWidget()
        self.plot.clicked.connect(self._clicked)
        self.watch(self.plot)
        self.fill(self.plot)
        self.note.setToolTip(
            "Spikes that look alike to the network lie close together. The fainter a point, the less\n"
            "certain its unit. A ring has the colour of the unit that the spike would leave.\n"
            f"Wheel zooms, drag moves, double click shows all. {LASSO_HELP}\n"
            "Spikes that are not drawn go with the drawn one that is most alike."
        )

    def follow(self) -> None:
        """Follow the sorting on screen, the selection and the t-SNE."""
        self.follow_sorting(self.controller.derived_changed)

    def redraw(self) -> None:
        """Show the points of the sorting on screen."""
        view = present_embedding(self.workspace, self._tsne())
        self.plot.set_view(view, self.theme)
        self.tell(view.message)
        self.note_text = view.note
        self.leave_plane()
        self.show_lasso()

    def axes(self) -> tuple[str, str]:
        """Of the method that is on screen."""
        return embedding_axes(self._tsne())

    def _tsne(self) -> NDArray[np.float32] | None:
        return under_lasso(self.workspace.lasso, self.controller.embedding())

    def _clicked(self, label: int, adds: bool) -> None:
        assert self.plot.view is not None
        pick(self.workspace, self.plot.view.units[label], adds=adds)
