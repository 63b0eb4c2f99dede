"""The alternatives: one card for each plausible way to sort the group, with its probability."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.actions import action
from ncpgui.app.presenters.alternatives import (
    AlternativesView,
    Card,
    TrustBadge,
    present_alternatives,
    step_alternative,
)
from ncpgui.app.presenters.words import percent
from ncpgui.core.order_agreement import Trust
from ncpgui.gui.items.glyphs import elided
from ncpgui.gui.panels.base import Panel, message_label
from ncpgui.gui.theme import LIGHT, Theme, blend, font

CARD_HEIGHT = 152
CARD_WIDTH = (196, 264)


class CardWidget(QtWidgets.QWidget):
    """Paints one card; a click shows the sorting, a double click uses it."""

    clicked = QtCore.pyqtSignal(object)
    double_clicked = QtCore.pyqtSignal(object)

    def __init__(self, card: Card, largest_amplitude: float, theme: Theme) -> None:
        super().__init__()
        self.card = card
        self.theme = theme
        self._largest = largest_amplitude
        self._hovered = False
        self.setFixedHeight(CARD_HEIGHT)
        self.setMinimumWidth(CARD_WIDTH[0])
        self.setMaximumWidth(CARD_WIDTH[1])
        self.setCursor(QtCore.Qt.PointingHandCursor)
        self.setToolTip(
            f"{card.percent} of the posterior ({card.error} % Monte Carlo error)\n{card.words}\n"
            "Click to see it in all panels, double click or Enter to use it"
        )
        self.setAccessibleName(f"Alternative {card.key}: {card.percent}, {card.title}, {card.words}")

    def set_card(self, card: Card, largest_amplitude: float, theme: Theme) -> None:
        """Show another card."""
        self.card, self._largest, self.theme = card, largest_amplitude, theme
        self.update()

    def sizeHint(self) -> QtCore.QSize:
        """Preferred size."""
        return QtCore.QSize(230, CARD_HEIGHT)

    def paintEvent(self, _: QtGui.QPaintEvent) -> None:
        """Paint probability, words and units."""
        card, theme = self.card, self.theme
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        rect = QtCore.QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        if card.is_shown:
            painter.setPen(QtGui.QPen(theme.color("accent"), 2))
            painter.setBrush(theme.color("accent_soft"))
        else:
            painter.setPen(QtGui.QPen(theme.color("faint" if self._hovered else "border"), 1))
            painter.setBrush(theme.color("hover" if self._hovered else "sunken"))
        painter.drawRoundedRect(rect, 9, 9)
        inner = rect.adjusted(13, 8, -12, -8)
        self._paint_probability(painter, inner)
        self._paint_words(painter, inner)
        self._paint_units(painter, QtCore.QRectF(inner.left(), inner.bottom() - 58, inner.width(), 58))
        painter.end()

    def _paint_probability(self, painter: QtGui.QPainter, inner: QtCore.QRectF) -> None:
        card, theme = self.card, self.theme
        painter.setFont(font(27, bold=True))
        painter.setPen(theme.color("accent" if card.is_shown else "text"))
        line = QtCore.QRectF(inner.left() - 1, inner.top() - 2, inner.width(), 34)
        painter.drawText(line, QtCore.Qt.AlignLeft | QtCore.Qt.AlignVCenter, card.percent)
        x = inner.left() + painter.fontMetrics().horizontalAdvance(card.percent) + 6
        painter.setFont(font(11))
        painter.setPen(theme.color("muted"))
        painter.drawText(
            QtCore.QRectF(x, line.top() + 11, 60, 18),
            QtCore.Qt.AlignLeft | QtCore.Qt.AlignVCenter,
            card.error,
        )
        if card.key:
            badge = QtCore.QRectF(inner.right() - 18, inner.top() + 1, 20, 20)
            painter.setPen(QtGui.QPen(theme.color("accent" if card.is_shown else "border"), 1))
            painter.setBrush(theme.color("panel"))
            painter.drawRoundedRect(badge, 5, 5)
            painter.setPen(theme.color("accent" if card.is_shown else "muted"))
            painter.drawText(badge, QtCore.Qt.AlignCenter, card.key)
        if card.is_in_use:
            self._paint_pill(painter, inner, "in use")

    def _paint_pill(self, painter: QtGui.QPainter, inner: QtCore.QRectF, text: str) -> None:
        theme = self.theme
        painter.setFont(font(11, medium=True))
        width = painter.fontMetrics().horizontalAdvance(text) + 14
        pill = QtCore.QRectF(inner.right() + 2 - width, inner.top() + 32, width, 20)
        painter.setPen(QtCore.Qt.NoPen)
        painter.setBrush(blend(theme.color("panel"), theme.color("good"), 0.16))
        painter.drawRoundedRect(pill, 10, 10)
        painter.setPen(theme.color("good"))
        painter.drawText(pill, QtCore.Qt.AlignCenter, text)

    def _paint_words(self, painter: QtGui.QPainter, inner: QtCore.QRectF) -> None:
        card, theme = self.card, self.theme
        line = QtCore.QRectF(inner.left(), inner.top() + 33, inner.width(), 18)
        painter.setFont(font(13, medium=True))
        painter.setPen(theme.color("text"))
        painter.drawText(line, QtCore.Qt.AlignLeft | QtCore.Qt.AlignVCenter, card.title)
        painter.setFont(font(12))
        painter.setPen(theme.color("muted"))
        words = "as the units are now" if card.is_in_use else card.words
        below = QtCore.QRectF(inner.left(), line.bottom() + 1, inner.width(), 18)
        painter.drawText(
            below, QtCore.Qt.AlignLeft | QtCore.Qt.AlignVCenter, elided(painter, words, below.width())
        )

    def _paint_units(self, painter: QtGui.QPainter, rect: QtCore.QRectF) -> None:
        """Mean waveform on the main channel and share of the spikes, one small tile a unit."""
        units = self.card.units
        if not units:
            return
        width = min(rect.width() / len(units), 58.0)
        for number, unit in enumerate(units):
            tile = QtCore.QRectF(rect.left() + number * width, rect.top(), width - 5, rect.height())
            color = self.theme.unit(unit.color)
            track = QtCore.QRectF(tile.left(), tile.bottom() - 16, tile.width(), 3)
            painter.setPen(QtCore.Qt.NoPen)
            painter.setBrush(self.theme.color("border"))
            painter.drawRoundedRect(track, 1.5, 1.5)
            painter.setBrush(color)
            painter.drawRoundedRect(
                QtCore.QRectF(track.left(), track.top(), max(track.width() * unit.share, 3), 3), 1.5, 1.5
            )
            painter.setFont(font(10, bold=unit.is_changed))
            painter.setPen(self.theme.color("text" if unit.is_changed else "muted"))
            name = QtCore.QRectF(tile.left(), tile.bottom() - 13, tile.width(), 13)
            painter.drawText(
                name, QtCore.Qt.AlignLeft | QtCore.Qt.AlignVCenter, elided(painter, unit.name, tile.width())
            )
            if unit.waveform is not None:
                self._paint_waveform(painter, tile.adjusted(0, 0, 0, -18), unit.waveform, color)

    def _paint_waveform(
        self, painter: QtGui.QPainter, tile: QtCore.QRectF, waveform: np.ndarray, color: QtGui.QColor
    ) -> None:
        x = np.linspace(tile.left(), tile.right(), len(waveform))
        zero = tile.top() + 0.34 * tile.height()
        y = np.clip(zero - waveform / self._largest * 0.68 * tile.height(), tile.top(), tile.bottom())
        line = QtGui.QPolygonF([QtCore.QPointF(float(a), float(b)) for a, b in zip(x, y, strict=True)])
        pen = QtGui.QPen(color, 1.8)
        pen.setJoinStyle(QtCore.Qt.RoundJoin)
        pen.setCapStyle(QtCore.Qt.RoundCap)
        painter.setPen(pen)
        painter.setBrush(QtCore.Qt.NoBrush)
        painter.drawPolyline(line)

    def enterEvent(self, _: QtCore.QEvent) -> None:
        """Light up under the pointer."""
        self._hovered = True
        self.update()

    def leaveEvent(self, _: QtCore.QEvent) -> None:
        """Back to normal."""
        self._hovered = False
        self.update()

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        """Show the sorting."""
        if event.button() == QtCore.Qt.LeftButton:
            self.clicked.emit(self.card.index)

    def mouseDoubleClickEvent(self, event: QtGui.QMouseEvent) -> None:
        """Use the sorting."""
        if event.button() == QtCore.Qt.LeftButton:
            self.double_clicked.emit(self.card.index)


class MassBar(QtWidgets.QWidget):
    """All probability as one bar: a piece for each card, the rest hatched."""

    clicked = QtCore.pyqtSignal(object)

    def __init__(self) -> None:
        super().__init__()
        self.theme: Theme = LIGHT
        self._pieces: list[tuple[float, int | None, bool]] = []
        self._other = 0.0
        self.setFixedHeight(8)
        self.setCursor(QtCore.Qt.PointingHandCursor)

    def set_view(self, view: AlternativesView) -> None:
        """Show the masses of a view."""
        self._pieces = [
            (card.mass, card.index, card.is_shown) for card in view.cards if card.index is not None
        ]
        self._other = view.other_mass
        self.setVisible(bool(self._pieces))
        self.update()

    def paintEvent(self, _: QtGui.QPaintEvent) -> None:
        """Paint the pieces."""
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        rect = QtCore.QRectF(self.rect())
        clip = QtGui.QPainterPath()
        clip.addRoundedRect(rect, 4, 4)
        painter.setClipPath(clip)
        painter.fillRect(rect, self.theme.color("border"))
        x = 0.0
        soft = blend(self.theme.color("panel"), self.theme.color("accent"), 0.38)
        for mass, _, shown in self._pieces:
            width = mass * rect.width()
            color = self.theme.color("accent") if shown else soft
            painter.fillRect(QtCore.QRectF(x, 0, max(width - 2, 1), rect.height()), color)
            x += width
        if self._other > 0:
            hatch = QtGui.QBrush(self.theme.color("faint"), QtCore.Qt.BDiagPattern)
            painter.fillRect(QtCore.QRectF(x, 0, rect.width() - x, rect.height()), hatch)
        painter.end()

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        """Show the sorting of the piece that is clicked."""
        share, total = event.localPos().x() / max(self.width(), 1), 0.0
        for mass, index, _ in self._pieces:
            total += mass
            if share <= total:
                self.clicked.emit(index)
                return


class OtherCard(QtWidgets.QWidget):
    """What the cards leave over: the probability of all rarer sortings together."""

    def __init__(self) -> None:
        super().__init__()
        self.theme: Theme = LIGHT
        self._mass = 0.0
        self.setFixedSize(92, CARD_HEIGHT)
        self.setToolTip("Probability of all rarer sortings together")

    def set_mass(self, mass: float) -> None:
        """Show another probability."""
        self._mass = mass
        self.setVisible(mass >= 0.005)
        self.update()

    def paintEvent(self, _: QtGui.QPaintEvent) -> None:
        """Paint it."""
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        pen = QtGui.QPen(self.theme.color("border"), 1.2, QtCore.Qt.DashLine)
        painter.setPen(pen)
        painter.drawRoundedRect(QtCore.QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5), 9, 9)
        painter.setPen(self.theme.color("muted"))
        painter.setFont(font(20, bold=True))
        painter.drawText(QtCore.QRectF(0, 44, self.width(), 28), QtCore.Qt.AlignCenter, percent(self._mass))
        painter.setFont(font(12))
        painter.drawText(QtCore.QRectF(0, 74, self.width(), 18), QtCore.Qt.AlignCenter, "other")
        painter.end()


class TrustLabel(QtWidgets.QWidget):
    """A dot and a word: how far the probabilities of the group can be trusted."""

    ROLES: ClassVar[dict[Trust, str]] = {"steady": "good", "unsteady": "amber", "shaky": "bad"}

    def __init__(self) -> None:
        super().__init__()
        self.theme: Theme = LIGHT
        self.badge: TrustBadge | None = None
        self.setFixedHeight(22)

    def set_badge(self, badge: TrustBadge | None) -> None:
        """Show another badge, or none."""
        self.badge = badge
        self.setVisible(badge is not None)
        if badge is not None:
            self.setToolTip(badge.help)
            self.setAccessibleName(f"Probabilities: {badge.text}")
            self.setFixedWidth(QtGui.QFontMetrics(font(12)).horizontalAdvance(badge.text) + 30)
        self.update()

    def paintEvent(self, _: QtGui.QPaintEvent) -> None:
        """Paint dot and word on a tint of the dot's colour."""
        if self.badge is None:
            return
        color = self.theme.color(self.ROLES[self.badge.trust])
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        rect = QtCore.QRectF(self.rect()).adjusted(0, 1, 0, -1)
        painter.setPen(QtCore.Qt.NoPen)
        painter.setBrush(blend(self.theme.color("panel"), color, 0.13))
        painter.drawRoundedRect(rect, 10, 10)
        painter.setBrush(color)
        painter.drawEllipse(QtCore.QPointF(rect.left() + 11, rect.center().y()), 3.5, 3.5)
        painter.setPen(self.theme.color("text"))
        painter.setFont(font(12))
        painter.drawText(
            rect.adjusted(20, 0, 0, 0), QtCore.Qt.AlignLeft | QtCore.Qt.AlignVCenter, self.badge.text
        )
        painter.end()


class AlternativesPanel(Panel):
    """Headline of the group, the mass bar, the cards and what can be done with them."""

    def build(self) -> None:
        """Make headline, buttons, bar and strip of cards."""
        top = QtWidgets.QHBoxLayout()
        top.setSpacing(8)
        self.headline = QtWidgets.QLabel()
        self.headline.setObjectName("headline")
        self.subtitle = QtWidgets.QLabel()
        self.subtitle.setObjectName("subtitle")
        top.addWidget(self.headline)
        self.badge = TrustLabel()
        top.addWidget(self.subtitle)
        top.addWidget(self.badge)
        top.addStretch(1)
        self.previous = self._button("‹", "Previous alternative  [")
        self.next = self._button("›", "Next alternative  ]")
        self.previous.clicked.connect(lambda: step_alternative(self.workspace, -1))
        self.next.clicked.connect(lambda: step_alternative(self.workspace, 1))
        self.adopt = QtWidgets.QPushButton("Use this sorting")
        self.adopt.setProperty("primary", True)
        self.adopt.setFocusPolicy(QtCore.Qt.NoFocus)
        self.adopt.setMinimumWidth(150)
        self.adopt.setToolTip(f"{action('adopt').help}  (Enter)")
        top.addWidget(self.previous)
        top.addWidget(self.next)
        top.addSpacing(4)
        top.addWidget(self.adopt)
        self.body.addLayout(top)
        self.bar = MassBar()
        self.bar.clicked.connect(self.workspace.show_alternative)
        self.body.addWidget(self.bar)
        self.message = message_label()
        self.body.addWidget(self.message, 1)
        self.strip = QtWidgets.QWidget()
        self.row = QtWidgets.QHBoxLayout(self.strip)
        self.row.setContentsMargins(0, 2, 0, 0)
        self.row.setSpacing(10)
        self.other = OtherCard()
        self.row.addWidget(self.other)
        self.row.addStretch(1)
        self.scroll = QtWidgets.QScrollArea()
        self.scroll.setWidget(self.strip)
        self.scroll.setWidgetResizable(True)
        self.scroll.setVerticalScrollBarPolicy(QtCore.Qt.ScrollBarAlwaysOff)
        self.scroll.setFocusPolicy(QtCore.Qt.NoFocus)
        self.scroll.viewport().setAutoFillBackground(False)
        self.strip.setAutoFillBackground(False)
        self.body.addWidget(self.scroll, 1)
        self.body.setContentsMargins(16, 11, 16, 6)
        self.body.setSpacing(8)
        self.cards: list[CardWidget] = []

    def _button(self, text: str, tip: str) -> QtWidgets.QPushButton:
        button = QtWidgets.QPushButton(text)
        button.setProperty("quiet", True)
        button.setFont(font(18))
        button.setFixedSize(32, 30)
        button.setToolTip(tip)
        button.setFocusPolicy(QtCore.Qt.NoFocus)
        return button

    def follow(self) -> None:
        """Follow the group on screen, its posterior and the sorting shown."""
        workspace = self.workspace
        for signal in (workspace.opened, workspace.current_changed, workspace.shown_changed):
            signal.connect(self.mark_dirty)
        workspace.groups_changed.connect(self._groups_changed)

    def _groups_changed(self, channels: tuple[int, ...]) -> None:
        if self.workspace.channel in channels:
            self.mark_dirty()

    def redraw(self) -> None:
        """Show the cards of the group on screen."""
        view = present_alternatives(self.workspace)
        self.headline.setText(view.title)
        self.subtitle.setText(view.subtitle)
        self.badge.set_badge(view.badge)
        self.bar.set_view(view)
        self.adopt.setText(view.adopt_text)
        self.adopt.setEnabled(view.can_adopt)
        for button in (self.previous, self.next):
            button.setEnabled(len(view.cards) > 1)
            button.setVisible(bool(view.cards))
        self.adopt.setVisible(bool(view.cards))
        self.message.setText(view.message)
        self.message.setVisible(bool(view.message))
        self.scroll.setVisible(not view.message)
        self._show_cards(view)
        self.other.set_mass(view.other_mass if view.cards else 0.0)

    def _show_cards(self, view: AlternativesView) -> None:
        while len(self.cards) > len(view.cards):
            widget = self.cards.pop()
            self.row.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        for number, card in enumerate(view.cards):
            if number < len(self.cards):
                self.cards[number].set_card(card, view.largest_amplitude, self.theme)
                continue
            widget = CardWidget(card, view.largest_amplitude, self.theme)
            widget.clicked.connect(self.workspace.show_alternative)
            widget.double_clicked.connect(lambda _: self.adopt.click())
            self.row.insertWidget(number, widget, 3)
            self.cards.append(widget)
        for widget in self.cards:
            if widget.card.is_shown:
                QtCore.QTimer.singleShot(0, lambda w=widget: self._keep_in_view(w))

    def _keep_in_view(self, widget: CardWidget) -> None:
        if widget in self.cards:
            self.scroll.ensureWidgetVisible(widget, 12, 0)

    def restyle(self) -> None:
        """Pass the theme on."""
        self.bar.theme = self.other.theme = self.badge.theme = self.theme
        self.badge.update()
        self.bar.update()
        self.other.update()
