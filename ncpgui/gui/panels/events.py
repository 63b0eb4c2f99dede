"""Events: one tile a unit, a raster of its spikes around each event and the mean rate (PSTH) below it."""

from __future__ import annotations

from functools import partial

import numpy as np
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.presenters.events import (
    AFTER_S,
    BEFORE_S,
    BINS_S,
    EventsView,
    EventTile,
    EventWindow,
    Response,
    present_events,
)
from ncpgui.gui.buttons import MenuButton, PassingMenu, add_choice
from ncpgui.gui.items.glyphs import LEFT, RIGHT, set_ink
from ncpgui.gui.items.tile_grid import TileGrid
from ncpgui.gui.panels.tiles import TilesPanel
from ncpgui.gui.plain_text import without_mnemonic

AXIS = 14
RASTER_SHARE = 0.56
GAP = 4
ALL = "all events"
REMEMBERED = "event window"


def raster_image(
    response: Response, width: int, height: int, color: QtGui.QColor, *, mark_px: int = 1
) -> QtGui.QImage:
    """Marks of spikes (transparent elsewhere): a row an event, the first on top, as high as there is room.

    Where there are more events than pixels, a row of pixels has several, and the more spikes, the less
    transparent is their mark.
    """
    first, last = float(response.edges_s[0]), float(response.edges_s[-1])
    n_rows = max(min(response.n_events, height), 1)
    column = ((response.offset_s - first) / (last - first) * width).astype(np.int64)
    row = response.event * n_rows // max(response.n_events, 1)
    counts = np.bincount(row * width + column.clip(0, width - 1), minlength=n_rows * width)
    counts = counts.reshape(n_rows, width).astype(np.float64)
    for _ in range(mark_px - 1):
        counts[:, 1:] = np.maximum(counts[:, 1:], counts[:, :-1])
    several = response.n_events / n_rows
    alpha = np.where(counts > 0, np.minimum(0.35 + 0.65 * counts / several, 1.0), 0.0)
    of_row = np.arange(height) * n_rows // height
    alpha = alpha[of_row]
    if height >= 4 * n_rows:  # a free line between rows
        alpha[np.append(of_row[1:] != of_row[:-1], True)] = 0.0
    rgba = np.empty((height, width, 4), np.uint8)
    rgba[..., :3] = color.getRgb()[:3]
    rgba[..., 3] = np.rint(alpha * 255)
    rows = np.ascontiguousarray(rgba)
    return QtGui.QImage(rows.tobytes(), width, height, 4 * width, QtGui.QImage.Format_RGBA8888).copy()


class EventsWidget(TileGrid):
    """Paints raster and rate of each unit, and the time axis below them where there is room."""

    extra = AXIS
    least_width = (96, 130)
    view: EventsView

    def __init__(self) -> None:
        super().__init__("Events")
        self.view = EventsView()

    def picture_height(self, width: float) -> float:
        """Nearly as high as wide."""
        return min(0.95 * (width - 16), 260.0)

    def raster_rect(self, index: int) -> QtCore.QRectF:
        """Place of the raster of a tile."""
        rect = self.picture_rect(index)
        return rect.adjusted(0, 0, 0, -(1 - RASTER_SHARE) * rect.height())

    def rate_rect(self, index: int) -> QtCore.QRectF:
        """Place of the rates of a tile."""
        rect = self.picture_rect(index)
        return rect.adjusted(0, RASTER_SHARE * rect.height() + GAP, 0, 0)

    def paint_picture(
        self, painter: QtGui.QPainter, row: int, place: QtCore.QRectF, extra: QtCore.QRectF | None
    ) -> None:
        """Paint raster, rates, the line of the event and the axis."""
        tile = self.view.tiles[row]
        if tile.response is None:
            self.paint_waiting(painter, place)
            return
        self._paint_raster(painter, tile, tile.response, self.raster_rect(row))
        self._paint_rates(painter, tile, tile.response, self.rate_rect(row))
        edges = tile.response.edges_s
        x = place.left() + place.width() * float(-edges[0] / (edges[-1] - edges[0]))
        painter.setPen(QtGui.QPen(self.theme.color("text"), 1))
        painter.drawLine(QtCore.QPointF(x, place.top()), QtCore.QPointF(x, place.bottom()))
        if extra is not None:
            self._paint_axis(painter, edges, extra)

    def _paint_raster(
        self, painter: QtGui.QPainter, tile: EventTile, response: Response, place: QtCore.QRectF
    ) -> None:
        scale = self.devicePixelRatioF()
        width, height = (max(int(px * scale), 1) for px in (place.width(), place.height()))
        color = self.theme.unit(tile.color)
        painter.drawImage(
            place, raster_image(response, width, height, color, mark_px=max(round(1.5 * scale), 1))
        )

    def _paint_rates(
        self, painter: QtGui.QPainter, tile: EventTile, response: Response, place: QtCore.QRectF
    ) -> None:
        rates = np.nan_to_num(response.rate_hz)
        highest = float(rates.max(initial=0.0))
        label = QtCore.QRectF(place.left(), place.top(), place.width(), 12)
        bars = place.adjusted(0, 12, 0, 0)
        heights = rates / highest * bars.height() if highest > 0 else rates
        x = np.linspace(bars.left(), bars.right(), len(rates) + 1)
        outline = QtGui.QPolygonF([bars.bottomLeft()])
        for left, right, height in zip(x[:-1], x[1:], heights, strict=True):
            top = bars.bottom() - float(height)
            outline.append(QtCore.QPointF(float(left), top))
            outline.append(QtCore.QPointF(float(right), top))
        outline.append(bars.bottomRight())
        painter.setPen(QtCore.Qt.NoPen)
        painter.setBrush(self.theme.unit(tile.color))
        painter.drawPolygon(outline)
        painter.setPen(QtGui.QPen(self.theme.color("border"), 1))
        painter.drawLine(bars.bottomLeft(), bars.bottomRight())
        set_ink(painter, self.theme.color("muted"), 10)
        painter.drawText(label, RIGHT, f"{highest:.3g}\u2009Hz")

    def _paint_axis(self, painter: QtGui.QPainter, edges: np.ndarray, line: QtCore.QRectF) -> None:
        set_ink(painter, self.theme.color("muted"), 10)
        low, high = f"{edges[0]:g}".replace("-", "−"), f"{edges[-1]:g}\u2009s"
        painter.drawText(line, LEFT, low)
        painter.drawText(line, RIGHT, high)

    def tooltip_at(self, where: QtCore.QPointF) -> str:
        """Words about the tile at a point, and the bin there."""
        row = self.unit_at(where)
        if row < 0:
            return ""
        tile, place = self.view.tiles[row], self.picture_rect(row)
        if tile.response is None or not place.contains(where):
            return tile.tooltip
        edges = tile.response.edges_s
        at_s = float(edges[0] + (where.x() - place.left()) / place.width() * (edges[-1] - edges[0]))
        return "\n".join(filter(None, (tile.bin_words(at_s), tile.tooltip)))


class EventsPanel(TilesPanel):
    """Responses of the sorting on screen to events; they are computed only while this is visible."""

    title = "Events"
    draws = ("responses to events",)
    follows = ("events_changed",)

    def build(self) -> None:
        """Make the grid of tiles, the message, and the choices of window and kind."""
        self.around = EventWindow.of(self.controller.preferences.get(REMEMBERED, None))
        self.kind: int | None = None
        self.grid: EventsWidget = EventsWidget()
        self.fill_with(self.grid)
        self.window_button = MenuButton(
            "Which events are shown, how far before and after them, and how wide the bins are",
            self.window_menu,
        )
        self.header.addWidget(self.window_button)
        self.note.setToolTip(
            "Spikes around events. Above: one row for each event, the first on top. Below: their mean rate\n"
            "(PSTH), the highest in the corner. Further down: units that other cards would make; a click\n"
            "shows the card. Same in: in which share of the draws the unit has these spikes\n"
            "(95\u2009% of those that either has), and so this response."
        )

    def follow(self) -> None:
        """Follow the sorting on screen, the selection and the events; of others, all kinds are shown."""
        for signal in (self.workspace.state.opened, self.workspace.state.events_changed):
            signal.connect(self._forget_kind)
        super().follow()

    def _forget_kind(self) -> None:
        self.kind = None

    def show_kind(self, kind: int | None) -> None:
        """Show responses to events of a kind, or (None) to all."""
        self.kind = kind
        self.mark_dirty()

    def look_around(self, window: EventWindow) -> None:
        """Look as far around events as a window says, now and in the next run."""
        self.around = window
        self.controller.preferences.set(REMEMBERED, [window.before_s, window.after_s, window.bin_s])
        self.mark_dirty()

    def redraw(self) -> None:
        """Show the tiles of the sorting on screen; what is missing of them is asked for."""
        known, problem = self.controller.data.responses(self.around, self.kind)
        view = present_events(self.workspace, known, kind=self.kind, problem=problem)
        self.grid.set_view(view, self.theme)
        self.tell(view.message, view.note)
        self.window_button.setText(self.around.words)
        self.window_button.setVisible(self.workspace.state.project is not None and bool(view.n_events))

    def window_menu(self) -> QtWidgets.QMenu:
        """Menu of kinds, windows and bins, those in force checked, those that do not fit disabled."""
        menu, now = PassingMenu(self), self.around
        kinds, shown = self.grid.view.kinds, self.grid.view.kind
        for kind, name in [(None, ALL), *enumerate(kinds)] if kinds else []:
            add_choice(menu, without_mnemonic(name), partial(self.show_kind, kind), is_on=kind == shown)
        menu.addSeparator()
        before = menu.addMenu("Before the event")
        for one in BEFORE_S:
            self._choice(before, f"{one:g} s", now.reaching(before_s=one), one == now.before_s)
        after = menu.addMenu("After the event")
        for one in AFTER_S:
            self._choice(after, f"{one:g} s", now.reaching(after_s=one), one == now.after_s)
        bins = menu.addMenu("Bins")
        for one in BINS_S:
            window = EventWindow(now.before_s, now.after_s, one)
            self._choice(bins, f"{one * 1000:g} ms", window, one == now.bin_s)
        return menu

    def _choice(self, menu: QtWidgets.QMenu, words: str, window: EventWindow, is_on: bool) -> None:
        do = partial(self.look_around, window)
        add_choice(menu, words, do, is_on=is_on, is_possible=window.is_possible)
