"""Activity over time and depth while a sorting goes on, and beside it the mean rate of each contact.

Painted by hand: an image that grows to the right as the recording is looked at, and bars.
"""

from __future__ import annotations

import numpy as np
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.sorting import ActivityImage
from ncpgui.app.words import duration
from ncpgui.gui.items.glyphs import set_ink
from ncpgui.gui.items.painted_widget import ExplainedWidget

BARS_PX = 64
GAP_PX = 8
DEPTHS_PX = 62
TIMES_PX = 20


class ActivityOverTime(ExplainedWidget):
    """Shows an `ActivityImage`."""

    is_smooth = False

    def __init__(self) -> None:
        super().__init__("Activity along the probe")
        self.image: ActivityImage | None = None
        self.setMinimumSize(260, 160)

    def show_image(self, image: ActivityImage | None) -> None:
        """Show another image."""
        self.image = image
        self.update()

    def plot_rect(self) -> QtCore.QRectF:
        """Where the image is."""
        return QtCore.QRectF(self.rect()).adjusted(DEPTHS_PX, 2, -BARS_PX - GAP_PX, -TIMES_PX)

    def paint(self, painter: QtGui.QPainter, _: QtCore.QRect) -> None:
        """Paint the image, the bars, and what the axes are."""
        if self.image is None:
            return
        rect = self.plot_rect()
        painter.fillRect(rect, self.theme.color("sunken"))
        painter.drawImage(rect, self._colored(self.image))
        self._paint_bars(painter, self.image, rect)
        set_ink(painter, self.theme.color("muted"), 11)
        depth, right = self.image.depth_um, int(QtCore.Qt.AlignRight)
        left = QtCore.QRectF(0, rect.top(), DEPTHS_PX - 6, rect.height())
        painter.drawText(left, right | QtCore.Qt.AlignTop, f"{depth[0]:.0f} µm")
        painter.drawText(left, right | QtCore.Qt.AlignBottom, f"{depth[-1]:.0f} µm")
        below = QtCore.QRectF(rect.left(), rect.bottom() + 3, rect.width(), TIMES_PX - 3)
        painter.drawText(below, QtCore.Qt.AlignLeft, "0 s")
        painter.drawText(below, QtCore.Qt.AlignRight, duration(self.image.of_seconds))
        beside = QtCore.QRectF(rect.right() + GAP_PX, rect.bottom() + 3, BARS_PX, TIMES_PX - 3)
        painter.drawText(beside, QtCore.Qt.AlignLeft, f"{self.image.rate_hz.max(initial=0.0):.3g} Hz")

    def _colored(self, image: ActivityImage) -> QtGui.QImage:
        """The shares as colours; what was not looked at yet is clear."""
        low, high = (np.array(self.theme.color(name).getRgb()[:3]) for name in ("panel", "accent"))
        shares = np.nan_to_num(image.shares)
        pixels = np.empty((*shares.shape, 4), np.uint8)
        pixels[:, :, 2::-1] = np.round(low + (high - low) * shares[:, :, None])  # blue first
        pixels[:, :, 3] = np.where(np.isnan(image.shares), 0, 255)
        height, width = shares.shape
        return QtGui.QImage(pixels.tobytes(), width, height, 4 * width, QtGui.QImage.Format_ARGB32).copy()

    def _paint_bars(self, painter: QtGui.QPainter, image: ActivityImage, rect: QtCore.QRectF) -> None:
        largest = float(image.rate_hz.max(initial=0.0)) or 1.0
        step = rect.height() / len(image.rate_hz)
        color = self.theme.color("accent", 150)
        for row, rate in enumerate(image.rate_hz.tolist()):
            top = rect.top() + row * step
            bar = QtCore.QRectF(
                rect.right() + GAP_PX, top, BARS_PX * rate / largest, max(step - (step > 3), 0.5)
            )
            painter.fillRect(bar, color)

    def tooltip_at(self, where: QtCore.QPointF) -> str:
        """Words about the contact and the time at a point."""
        if self.image is None:
            return ""
        rect = self.plot_rect()
        across = (where.x() - rect.left()) / max(rect.width(), 1.0)
        down = (where.y() - rect.top()) / max(rect.height(), 1.0)
        row = int(np.clip(down * len(self.image.contact), 0, len(self.image.contact) - 1))
        return self.image.words(row, min(max(across, 0.0), 1.0))
