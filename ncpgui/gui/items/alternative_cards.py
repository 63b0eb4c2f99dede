"""Cards of the alternatives: one for each plausible sorting, and one for what they leave over.

Painted by hand: a card is words that wrap and a row of small curves without axes, and is one thing to click.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.card import Card
from ncpgui.app.presenters.correlograms import Trains
from ncpgui.core.percent import percent
from ncpgui.core.posterior import Sampler
from ncpgui.gui.items.card_pictures import GAP_PX, LEAST_PX, has_room, paint_correlogram, paint_shapes
from ncpgui.gui.items.glyphs import LEFT, elided, paint_curve, paint_plate, set_ink, whole_parts
from ncpgui.gui.items.painted_widget import PaintedWidget
from ncpgui.gui.plain_text import plain
from ncpgui.gui.theme import Theme, blend, font

CARD_HEIGHT = (128, 340)
CARD_WIDTH = (158, 264)
WIDEST_CARD = 1.7
TILE_WIDTH = 58
LINE_PX = 17
TILES_PX = 32
TILE_GAP = 5
FOOT_PX = 18
MAX_LINES = 3
PICTURE_GAP_PX = 10
PICTURES_FROM_PX = 190
"""Height of a card from which its words leave room for pictures."""
SHAPES_HELP = "Waveforms: means of the sampled spikes of each unit where its contacts are, in noise sd"
PILL_WIDTH = 58


class CardWidget(PaintedWidget):
    """Paints one card; a click shows the sorting, a double click uses it."""

    clicked = QtCore.pyqtSignal(object)
    double_clicked = QtCore.pyqtSignal(object)

    def __init__(self, card: Card, largest_amplitude: float, theme: Theme) -> None:
        super().__init__()
        self.setAttribute(QtCore.Qt.WA_Hover)  # painted anew when the pointer comes or goes
        self.positions_um: NDArray[np.float64] | None = None
        self.found: Trains | None = None
        self.setMinimumSize(CARD_WIDTH[0], CARD_HEIGHT[0])
        self.setMaximumHeight(CARD_HEIGHT[1])
        self.setCursor(QtCore.Qt.PointingHandCursor)
        self.set_card(card, largest_amplitude, theme)

    def set_card(self, card: Card, largest_amplitude: float, theme: Theme) -> None:
        """Show another card."""
        self.card, self._largest, self.theme = card, largest_amplitude, theme
        self._explain()
        self.update()

    def set_pictures(self, positions_um: NDArray[np.float64] | None, found: Trains | None) -> None:
        """Show units where the contacts (C, 2) are, and the correlogram of the change, if there is room."""
        self.positions_um, self.found = positions_um, found
        self._explain()
        self.update()

    def _explain(self) -> None:
        card = self.card
        pictures = f"{SHAPES_HELP}\n" if self.positions_um is not None else ""
        if card.change is not None:
            pictures += f"{card.change.words(self.found)}\n"
        condition = f", {card.given}" if card.given else ""
        evidence = f"{card.evidence_help}\n" if card.evidence_help else ""
        self.setToolTip(
            plain(
                f"{card.of_what}{condition}\n{evidence}"
                f"{card.words}\n{card.counts}\n{pictures}"
                "Click to see it in all panels, double click or Enter to use it"
            )
        )
        self.setAccessibleName(
            f"Alternative {card.key}: {card.percent}{' of the beam' if card.sampler == 'beam' else ''}"
            f"{condition}, {card.title}, {card.words}"
        )

    def sizeHint(self) -> QtCore.QSize:
        """Preferred size."""
        return QtCore.QSize(230, CARD_HEIGHT[1])

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Keep the shape of a card: as wide as its height allows, and not narrower than on a small screen."""
        super().resizeEvent(event)
        self.setMaximumWidth(max(CARD_WIDTH[1], round(WIDEST_CARD * self.height())))

    def paint(self, painter: QtGui.QPainter, _: QtCore.QRect) -> None:
        """Paint probability, words and units."""
        card, theme = self.card, self.theme
        rect = QtCore.QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        border, fill = ("faint", "hover") if self.underMouse() else ("border", "sunken")
        if card.is_shown:
            border, fill = "accent", "accent_soft"
        pen = QtGui.QPen(theme.color(border), 2 if card.is_shown else 1)
        paint_plate(painter, rect, theme.color(fill), 9, pen)
        inner = rect.adjusted(12, 6, -11, -6)
        self._paint_probability(painter, inner)
        top = self._paint_words(painter, inner) + 4
        self._paint_units(painter, inner.adjusted(0, top - inner.top(), 0, 0))

    def _paint_probability(self, painter: QtGui.QPainter, inner: QtCore.QRectF) -> None:
        card, theme = self.card, self.theme
        set_ink(painter, theme.color("accent" if card.is_shown else "text"), 27, bold=True)
        line = QtCore.QRectF(inner.left() - 1, inner.top() - 2, inner.width(), 34)
        painter.drawText(line, LEFT, card.percent)
        x = inner.left() + painter.fontMetrics().horizontalAdvance(card.percent) + 6
        set_ink(painter, theme.color("muted"), 11)
        room = inner.right() - (22 if card.key else 0) - x
        advance = painter.fontMetrics().horizontalAdvance
        beside = next((words for words in card.beside if advance(words) <= room), "")
        painter.drawText(QtCore.QRectF(x, line.top() + 11, room, 18), LEFT, beside)
        if card.key:
            badge = QtCore.QRectF(inner.right() - 18, inner.top() + 1, 20, 20)
            border = QtGui.QPen(theme.color("accent" if card.is_shown else "border"), 1)
            paint_plate(painter, badge, theme.color("panel"), 5, border)
            painter.setPen(theme.color("accent" if card.is_shown else "muted"))
            painter.drawText(badge, QtCore.Qt.AlignCenter, card.key)
        if card.is_in_use:
            self._paint_pill(painter, inner, "in use")

    def _paint_pill(self, painter: QtGui.QPainter, inner: QtCore.QRectF, text: str) -> None:
        theme = self.theme
        painter.setFont(font(11, medium=True))
        width = painter.fontMetrics().horizontalAdvance(text) + 14
        pill = QtCore.QRectF(inner.right() + 2 - width, inner.top() + 29, width, 20)
        paint_plate(painter, pill, blend(theme.color("panel"), theme.color("good"), 0.16), 10)
        painter.setPen(theme.color("good"))
        painter.drawText(pill, QtCore.Qt.AlignCenter, text)

    def _paint_words(self, painter: QtGui.QPainter, inner: QtCore.QRectF) -> float:
        """Paint number of units and difference, in the lines that there is room for; returns their bottom."""
        card, theme = self.card, self.theme
        line = QtCore.QRectF(inner.left(), inner.top() + 30, inner.width(), LINE_PX)
        set_ink(painter, theme.color("text"), 13, medium=True)
        titled = line.adjusted(0, 0, -PILL_WIDTH if card.is_in_use else 0, 0)
        title = elided(painter, card.title, titled.width())
        painter.drawText(titled, LEFT, title)
        title_width = painter.fontMetrics().horizontalAdvance(title)
        set_ink(painter, theme.color("muted"), 12)
        beside = titled.adjusted(title_width + 8, 0, 0, 0)
        advance = painter.fontMetrics().horizontalAdvance
        fits = (words for words in card.conditions if advance(words) <= beside.width())
        painter.drawText(beside, LEFT, next(fits, ""))
        why = next((words for words in card.why if advance(words) <= line.width()), "")
        if why:
            line.translate(0, LINE_PX)
            painter.drawText(line, LEFT, why)
        is_large = self.positions_um is not None and inner.height() >= PICTURES_FROM_PX
        below_px = LEAST_PX[1] + FOOT_PX + PICTURE_GAP_PX if is_large else TILES_PX
        free = int((inner.bottom() - below_px - line.bottom()) / LINE_PX)
        for text in whole_parts(painter, card.line, inner.width(), n_lines=max(1, min(free, MAX_LINES))):
            line.translate(0, LINE_PX)
            painter.drawText(line, LEFT, text)
        return line.bottom()

    def _paint_units(self, painter: QtGui.QPainter, rect: QtCore.QRectF) -> None:
        """Mean waveform on the main channel and share of the spikes, one small tile a unit."""
        units = self.card.units
        if not units:
            return
        pictures = rect.adjusted(0, 2, 0, 2 - FOOT_PX - PICTURE_GAP_PX)
        has_pictures = self.positions_um is not None and has_room(pictures)
        if has_pictures:
            self._paint_pictures(painter, pictures)
        width = min(rect.width() / len(units), max(TILE_WIDTH, rect.height()))
        for number, unit in enumerate(units):
            tile = QtCore.QRectF(rect.left() + number * width, rect.top(), width - TILE_GAP, rect.height())
            color = self.theme.unit(unit.color)
            track = QtCore.QRectF(tile.left(), tile.bottom() - FOOT_PX + 2, tile.width(), 3)
            paint_plate(painter, track, self.theme.color("border"), 1.5)
            track.setWidth(max(track.width() * unit.share, 3))
            paint_plate(painter, track, color, 1.5)
            word = self.theme.color("text" if unit.is_changed else "muted")
            set_ink(painter, word, 10, bold=unit.is_changed)
            name = QtCore.QRectF(tile.left(), tile.bottom() - 13, tile.width(), 13)
            painter.drawText(name, LEFT, elided(painter, unit.name, tile.width()))
            if unit.waveform is not None and not has_pictures:
                self._paint_waveform(painter, tile.adjusted(0, 0, 0, -FOOT_PX - 1), unit.waveform, color)

    def _paint_pictures(self, painter: QtGui.QPainter, place: QtCore.QRectF) -> None:
        """Waveforms at the left and the correlogram of the change at the right, if there is one."""
        assert self.positions_um is not None
        card, half = self.card, (place.width() - GAP_PX) / 2
        left, right = QtCore.QRectF(place), QtCore.QRectF(place)
        if card.change is not None:
            left.setWidth(half)
            right.setLeft(right.right() - half)
            paint_correlogram(painter, right, card.change, self.found, self.theme)
        paint_shapes(painter, left, card.units, self.positions_um, self.theme)

    def _paint_waveform(
        self, painter: QtGui.QPainter, tile: QtCore.QRectF, waveform: np.ndarray, color: QtGui.QColor
    ) -> None:
        x = np.linspace(tile.left(), tile.right(), len(waveform))
        zero = tile.top() + 0.34 * tile.height()
        y = np.clip(zero - waveform / self._largest * 0.68 * tile.height(), tile.top(), tile.bottom())
        paint_curve(painter, x, y, color)

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        """Show the sorting."""
        if event.button() == QtCore.Qt.LeftButton:
            self.clicked.emit(self.card.index)

    def mouseDoubleClickEvent(self, event: QtGui.QMouseEvent) -> None:
        """Use the sorting."""
        if event.button() == QtCore.Qt.LeftButton:
            self.double_clicked.emit(self.card.index)


class OtherCard(PaintedWidget):
    """What the cards leave over: the probability of all rarer sortings together; a click opens them."""

    clicked = QtCore.pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self._mass = 0.0
        self.setFixedWidth(78)
        self.setMinimumHeight(CARD_HEIGHT[0])
        self.setMaximumHeight(CARD_HEIGHT[1])
        self._is_open = False
        self.setCursor(QtCore.Qt.PointingHandCursor)

    def set_mass(self, mass: float, *, is_open: bool = False, sampler: Sampler = "draws") -> None:
        """Show another probability; is_open : whether the rarer sortings have cards; sampler : it is of."""
        self._mass, self._is_open = mass, is_open
        self.setVisible(mass >= 0.005 or is_open)
        what = "beam" if sampler == "beam" else "posterior"
        self.setToolTip(
            plain(
                f"{percent(mass)} of the {what} belongs to rarer sortings, or to none; "
                f"click or 0 {'puts their cards away' if is_open else 'shows the most probable of them'}"
            )
        )
        self.update()

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        """Open the rarer sortings, or put them away."""
        if event.button() == QtCore.Qt.LeftButton:
            self.clicked.emit()

    def paint(self, painter: QtGui.QPainter, _: QtCore.QRect) -> None:
        """Paint it."""
        border = QtGui.QPen(self.theme.color("border"), 1.2, QtCore.Qt.DashLine)
        rect = QtCore.QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        paint_plate(painter, rect, QtCore.Qt.NoBrush, 9, border)
        set_ink(painter, self.theme.color("muted"), 20, bold=True)
        middle = self.height() / 2
        number = QtCore.QRectF(0, middle - 26, self.width(), 28)
        painter.drawText(number, QtCore.Qt.AlignCenter, percent(self._mass))
        painter.setFont(font(12))
        painter.drawText(QtCore.QRectF(0, middle + 4, self.width(), 18), QtCore.Qt.AlignCenter, "other")
        set_ink(painter, self.theme.color("accent"), 11)
        words = "close" if self._is_open else "open"
        painter.drawText(QtCore.QRectF(0, middle + 22, self.width(), 16), QtCore.Qt.AlignCenter, words)
