"""What the colours of units mean, in one line. Painted by hand: it is words, dots and the bar of a scale."""

from __future__ import annotations

from PyQt5 import QtCore, QtGui

from ncpgui.app.model.coloring import Legend
from ncpgui.app.model.colors import Color
from ncpgui.gui.items.glyphs import LEFT, paint_dot, paint_scale
from ncpgui.gui.items.painted_widget import PaintedWidget
from ncpgui.gui.theme import Theme, font

HEIGHT_PX = 20
BAR_PX = 90
DOT_PX = 9
GAP_PX = 7
WORDS_PX = 11
STEPS = 8


class ColorLegend(PaintedWidget):
    """Shows a legend, and is not there without one."""

    def __init__(self) -> None:
        super().__init__()
        self.legend: Legend | None = None
        self.setFixedHeight(HEIGHT_PX)
        self.setToolTip("What the colours of units mean (View > Colour units by)")

    def show_legend(self, legend: Legend | None, theme: Theme) -> None:
        """Show another legend, or none."""
        self.legend, self.theme = legend, theme
        self.setFixedWidth(round(self._width()))
        words = "" if legend is None else ", ".join(text for text, _ in legend.entries)
        self.setAccessibleName("" if legend is None else f"Colours by {legend.title}: {words}")
        self.update()

    def _width(self) -> float:
        if self.legend is None:
            return 0.0
        metrics = QtGui.QFontMetricsF(font(WORDS_PX))
        words = [self.legend.title, *(text for text, _ in self.legend.entries)]
        marks = BAR_PX + GAP_PX if self.legend.is_scale else (DOT_PX + GAP_PX) * (len(words) - 1)
        return sum(metrics.horizontalAdvance(text) + GAP_PX + 1 for text in words) + marks + GAP_PX

    def paint(self, painter: QtGui.QPainter, _: QtCore.QRect) -> None:
        """Paint the title, then dots and words, or the scale between the words of its ends."""
        if self.legend is None:
            return
        painter.setFont(font(WORDS_PX))
        x = self._write(painter, self.legend.title, 0.0, "faint")
        for number, (text, color) in enumerate(self.legend.entries):
            if not self.legend.is_scale:
                centre = QtCore.QPointF(x + DOT_PX / 2, HEIGHT_PX / 2)
                paint_dot(painter, centre, self.theme.unit(color), DOT_PX / 2)
                x += DOT_PX + GAP_PX
            elif number:
                colors = [self.theme.unit(Color(-1, step / STEPS)) for step in range(STEPS + 1)]
                paint_scale(painter, QtCore.QRectF(x, HEIGHT_PX / 2 - 3, BAR_PX, 6), colors)
                x += BAR_PX + GAP_PX
            x = self._write(painter, text, x, "muted")

    def _write(self, painter: QtGui.QPainter, text: str, x: float, color: str) -> float:
        """Write words from `x` on; returns where they and a gap end."""
        width = painter.fontMetrics().horizontalAdvance(text) + 1.0
        painter.setPen(self.theme.color(color))
        place = QtCore.QRectF(x, 0, width, HEIGHT_PX)
        painter.drawText(place, LEFT, text)
        return x + width + GAP_PX
