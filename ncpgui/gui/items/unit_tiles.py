"""Units found so far, a small tile each: the mean waveform where it is largest.

Painted by hand: there are dozens of them, and they change while a sorting goes on.
"""

from __future__ import annotations

import numpy as np
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.sorting import UnitTile
from ncpgui.gui.items.glyphs import paint_plate, set_ink
from ncpgui.gui.items.painted_widget import ExplainedWidget
from ncpgui.gui.items.waveform import waveform_path
from ncpgui.gui.items.waveform_layout import WaveformLayout

TILE_PX = (104, 92)
GAP_PX = 8
CAPTION_PX = 18
MARGIN_PX = 8


class UnitTiles(ExplainedWidget):
    """Shows `UnitTile`s, as many as there is room for; all waveforms have one scale."""

    def __init__(self) -> None:
        super().__init__("Units found so far")
        self.tiles: tuple[UnitTile, ...] = ()
        self.setMinimumSize(2 * TILE_PX[0] + GAP_PX, TILE_PX[1])

    def show_tiles(self, tiles: tuple[UnitTile, ...]) -> None:
        """Show other tiles."""
        self.tiles = tiles
        self.update()

    def tile_rects(self) -> list[QtCore.QRectF]:
        """Places of the tiles that there is room for, row after row."""
        n_columns = max(int((self.width() + GAP_PX) // (TILE_PX[0] + GAP_PX)), 1)
        n_rows = max(int((self.height() + GAP_PX) // (TILE_PX[1] + GAP_PX)), 1)
        width = (self.width() + GAP_PX) / n_columns - GAP_PX
        height = (self.height() + GAP_PX) / n_rows - GAP_PX
        height = min(height, 1.3 * TILE_PX[1])
        places = [divmod(number, n_columns) for number in range(min(len(self.tiles), n_columns * n_rows))]
        return [
            QtCore.QRectF(column * (width + GAP_PX), row * (height + GAP_PX), width, height)
            for row, column in places
        ]

    def paint(self, painter: QtGui.QPainter, _: QtCore.QRect) -> None:
        """Paint the tiles."""
        rects = self.tile_rects()
        shown = self.tiles[: len(rects)]
        high = max((float(one.waveform.max(initial=0.0)) for one in shown), default=0.0)
        low = min((float(one.waveform.min(initial=0.0)) for one in shown), default=0.0)
        for tile, rect in zip(shown, rects, strict=True):
            paint_plate(painter, rect, self.theme.color("sunken"), 6)
            body = rect.adjusted(MARGIN_PX, MARGIN_PX, -MARGIN_PX, -CAPTION_PX)
            sd_px = body.height() / max(high - low, 1e-9)
            zero, sample_px = body.top() + high * sd_px, body.width() / max(len(tile.waveform) - 1, 1)
            layout = WaveformLayout(np.array([body.left()]), np.array([zero]), sample_px, sd_px)
            painter.setPen(QtGui.QPen(self.theme.color("accent"), 1.6))
            painter.setBrush(QtCore.Qt.NoBrush)
            painter.drawPath(waveform_path(tile.waveform[None, :, None], layout))
            set_ink(painter, self.theme.color("muted"), 11)
            caption = QtCore.QRectF(rect.left(), rect.bottom() - CAPTION_PX, rect.width(), CAPTION_PX - 3)
            painter.drawText(caption, QtCore.Qt.AlignCenter, tile.caption)

    def tooltip_at(self, where: QtCore.QPointF) -> str:
        """Words about the unit at a point."""
        pairs = zip(self.tiles, self.tile_rects(), strict=False)
        return next((tile.tooltip for tile, rect in pairs if rect.contains(where)), "")
