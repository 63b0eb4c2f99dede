"""Receptive fields: one tile a unit, the map of what drives it and the course in time."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.receptive_fields import (
    FieldTile,
    ReceptiveFieldsView,
    TilesView,
    present_receptive_fields,
)
from ncpgui.gui.items.glyphs import paint_curve
from ncpgui.gui.items.tile_grid import TileGrid
from ncpgui.gui.panels.tiles import TilesPanel
from ncpgui.gui.theme import Theme

if TYPE_CHECKING:
    from ncpgui.analysis.receptive_field import ReceptiveField

COURSE = 34
REMEMBERED = "fields_of_other_cards"
SMALLEST_RANGE_Z = 6.0
ELLIPSE_SD = 1.5
DIVERGING_LIGHT = ("#1D4FA3", "#6F9FD8", "#F4F5F8", "#E58A6B", "#A9202C")
DIVERGING_DARK = ("#8FC1FF", "#3B6FB8", "#22262F", "#B8493C", "#FFB39C")


@cache
def diverging_table(theme: Theme) -> list[int]:
    """256 colours from OFF (blue) over none, which recedes into the panel, to ON (red)."""
    stops = np.array(
        [QtGui.QColor(c).getRgb()[:3] for c in (DIVERGING_DARK if theme.is_dark else DIVERGING_LIGHT)], float
    )
    at = np.linspace(0, len(stops) - 1, 256)
    rgb = np.stack([np.interp(at, np.arange(len(stops)), stops[:, k]) for k in range(3)], axis=1)
    return [QtGui.qRgb(*(int(v) for v in row.round())) for row in rgb]


def map_image(spatial: NDArray[np.floating], theme: Theme) -> QtGui.QImage:
    """Image of a map (height, width) in noise sd: zero in the middle of the colours, both signs alike."""
    largest = max(float(np.abs(spatial).max(initial=0.0)), SMALLEST_RANGE_Z)
    index = np.clip(np.rint(127.5 + 127.5 * spatial / largest), 0, 255).astype(np.uint8)
    height, width = index.shape
    rows = np.ascontiguousarray(index)
    image = QtGui.QImage(rows.tobytes(), width, height, width, QtGui.QImage.Format_Indexed8)
    image.setColorTable(diverging_table(theme))
    return image.convertToFormat(QtGui.QImage.Format_RGB32)  # a copy: Qt does not own the bytes above


class FieldsWidget(TileGrid):
    """Paints a map a unit, and its course in time below it where there is room."""

    extra = COURSE
    view: ReceptiveFieldsView

    def __init__(self) -> None:
        self._images: list[QtGui.QImage | None] = []
        super().__init__("Receptive fields")

    def set_view(self, view: TilesView[Any], theme: Theme) -> None:
        """Show other tiles."""
        self._images = [
            None if tile.field is None else map_image(tile.field.spatial, theme) for tile in view.tiles
        ]
        super().set_view(view, theme)

    def picture_height(self, width: float) -> float:
        """By the aspect of the maps."""
        shapes = [tile.field.spatial.shape for tile in self.view.tiles if tile.field is not None]
        aspect = shapes[0][0] / shapes[0][1] if shapes else 0.75
        return float(np.clip(aspect, 0.4, 1.4)) * (width - 16)

    def map_rect(self, index: int) -> QtCore.QRectF:
        """Place of the map of a tile; the whole map, at its own aspect."""
        rect, tile = self.picture_rect(index), self.view.tiles[index]
        if tile.field is not None:
            height, width = tile.field.spatial.shape
            scale = min(rect.width() / width, rect.height() / height)
            middle = rect.center()
            rect.setSize(QtCore.QSizeF(width * scale, height * scale))
            rect.moveCenter(middle)
        return rect

    def paint_picture(
        self, painter: QtGui.QPainter, row: int, place: QtCore.QRectF, extra: QtCore.QRectF | None
    ) -> None:
        """Paint map, ellipse and course."""
        tile, image, place = self.view.tiles[row], self._images[row], self.map_rect(row)
        if tile.field is None or image is None:
            self.paint_waiting(painter, place)
            return
        painter.setRenderHint(QtGui.QPainter.SmoothPixmapTransform, False)
        painter.drawImage(place, image)
        self._paint_ellipse(painter, tile.field, place)
        if extra is not None:
            self._paint_course(painter, tile, tile.field, extra.adjusted(0, 4, 0, -4))

    def _paint_ellipse(self, painter: QtGui.QPainter, field: ReceptiveField, place: QtCore.QRectF) -> None:
        """Paint the Gaussian of a clear field; pixel (0, 0) has its middle half a pixel in."""
        if not field.is_clear:
            return
        scale = place.width() / field.spatial.shape[1]
        rx, ry, angle = field.ellipse
        painter.save()
        painter.setClipRect(place)
        painter.translate(
            place.left() + (field.center_px[0] + 0.5) * scale,
            place.top() + (field.center_px[1] + 0.5) * scale,
        )
        painter.rotate(float(np.degrees(angle)))
        painter.setBrush(QtCore.Qt.NoBrush)
        painter.setPen(QtGui.QPen(self.theme.color("text"), 1.5))
        painter.drawEllipse(QtCore.QPointF(0, 0), ELLIPSE_SD * rx * scale, ELLIPSE_SD * ry * scale)
        painter.restore()

    def _paint_course(
        self, painter: QtGui.QPainter, tile: FieldTile, field: ReceptiveField, rect: QtCore.QRectF
    ) -> None:
        """Paint the course in time, the spike at the right end."""
        course = field.time_course[::-1]
        largest = float(np.abs(course).max(initial=0.0)) or 1.0
        middle = rect.center().y()
        painter.setPen(QtGui.QPen(self.theme.color("border"), 1))
        painter.drawLine(QtCore.QPointF(rect.left(), middle), QtCore.QPointF(rect.right(), middle))
        painter.drawLine(rect.topRight(), rect.bottomRight())
        x = np.linspace(rect.left(), rect.right(), len(course))
        y = middle - course / largest * rect.height() / 2
        paint_curve(painter, x, y, self.theme.unit(tile.color, 255 if field.is_clear else 130))


class ReceptiveFieldsPanel(TilesPanel):
    """Receptive fields of the sorting on screen; they are computed only while this is visible."""

    title = "Receptive fields"
    draws = ("receptive fields",)

    def build(self) -> None:
        """Make the grid of tiles and the message."""
        self.grid: FieldsWidget = FieldsWidget()
        self.fill_with(self.grid)
        self.shows_others = bool(self.controller.preferences.get(REMEMBERED, True))
        self.note.setToolTip(
            "Mean of the stimulus before a spike: red where light drives the unit (ON), blue where dark\n"
            f"does (OFF). Ellipse: the Gaussian that fits, at {ELLIPSE_SD:g} sd. Below: its course in time,\n"
            "the spike at the right end. Further down: fields of units that other cards would make; a click\n"
            "shows the card. Same in: in which share of the draws the unit has these spikes\n"
            "(95\u2009% of those that either has), and so this field."
        )

    def toggle_others(self) -> None:
        """Show the fields of what other cards would make, or leave them out; that is remembered."""
        self.shows_others = not self.shows_others
        self.controller.preferences.set(REMEMBERED, self.shows_others)
        self.mark_dirty()

    def redraw(self) -> None:
        """Show the tiles of the sorting on screen."""
        known, problem = self.controller.data.fields(others=self.shows_others)
        view = present_receptive_fields(self.workspace, known, problem=problem, others=self.shows_others)
        self.grid.set_view(view, self.theme)
        self.tell(view.message, view.note)
