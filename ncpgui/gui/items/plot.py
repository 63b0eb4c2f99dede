"""A pyqtgraph plot in the look of the window: quiet axes, no buttons, colours of the theme."""

from __future__ import annotations

from html import escape

import pyqtgraph as pg
from PyQt5 import QtCore, QtGui, QtWidgets

from ncpgui.app.presenters.axes import axis_help
from ncpgui.gui.plain_text import plain
from ncpgui.gui.theme import LIGHT, Theme, font

AXIS_PX = 10
LABEL_PX = 13
NAME_MARGIN_PX = 4
LABELS_FROM_PX = (200, 80)
"""Width and height of a plot from which its axes are named: below, the room is for what is drawn."""


class Plot(pg.PlotWidget):  # type: ignore[misc]
    """A plot that is told its theme; `has_axes` False leaves the room to what is drawn."""

    def __init__(self, name: str, *, has_axes: bool = True) -> None:
        super().__init__(enableMenu=False)
        self.theme: Theme = LIGHT
        self._inked: Theme | None = None
        self._labels = {"left": "", "bottom": ""}
        self._written: tuple[object, ...] = ()
        self._left_px = 0
        self.setAccessibleName(name)
        self.setMinimumSize(120, 84)
        self.setFrameShape(self.NoFrame)
        self.setBackground(None)  # an opaque one leaves a line open on screens of fractional scale
        self.setStyleSheet("QGraphicsView { background: transparent }")  # tooltips would take it too
        self.hideButtons()
        self.getPlotItem().layout.setContentsMargins(0, 0, 0, 0)
        for side in ("left", "bottom", "right", "top"):
            self.getAxis(side).autoSIPrefix = False  # a hidden axis would write its name at each change too
        for side in ("left", "bottom"):
            if has_axes:
                axis = self.getAxis(side)
                axis.setTickFont(font(AXIS_PX))
                axis.setStyle(tickLength=-4, tickTextOffset=3, maxTickLevel=0)
            else:
                self.hideAxis(side)
        self.setFocusPolicy(pg.QtCore.Qt.NoFocus)

    def set_left_px(self, width_px: int) -> None:
        """Give the numbers of the left axis this room, so that plots below each other begin at one place."""
        self._left_px = width_px
        self._write_labels()

    def set_labels(self, *, left: str, bottom: str) -> None:
        """Name the axes, with their units; the names are there where there is room for them."""
        self._labels = {"left": left, "bottom": bottom}
        self._write_labels()

    def _write_labels(self) -> None:
        is_wide, is_high = self.width() >= LABELS_FROM_PX[0], self.height() >= LABELS_FROM_PX[1]
        left, bottom = self._labels["left"], self._labels["bottom"]
        room = self.height() - min(self.getAxis("bottom").maximumHeight(), self.height())
        fits = QtGui.QFontMetrics(font(AXIS_PX)).horizontalAdvance(left) + NAME_MARGIN_PX <= room
        shown = {"left": left if is_wide and fits else "", "bottom": bottom if is_wide and is_high else ""}
        wanted = (tuple(shown.items()), self.theme.name, self._left_px, is_wide)
        if wanted == self._written:
            return
        self._written = wanted
        style = {"color": self.theme.muted, "font-size": f"{AXIS_PX}px"}
        for side, text in shown.items():
            self.getAxis(side).setLabel(escape(text) or None, **style)
        if self._left_px:  # whether its name fits or not, so that plots below each other begin at one place
            self.getAxis("left").setWidth(self._left_px + (LABEL_PX if left and is_wide else 0))

    def settle(self) -> None:
        """Give axes and points their places now: in a painting it is too late, and all is painted again."""
        self.getPlotItem().layout.activate()
        self.scene().prepareForPaint()

    def tooltip_at(self, where: QtCore.QPointF) -> str:
        """Words about what is at a place of the scene: the axes, and in subclasses what is drawn."""
        if self.getViewBox().sceneBoundingRect().contains(where):
            return ""
        over = (side for side in self._labels if self.getAxis(side).sceneBoundingRect().contains(where))
        return next((axis_help(self._labels[side]) for side in over if self.getAxis(side).isVisible()), "")

    def viewportEvent(self, event: QtCore.QEvent) -> bool:
        """Explain what is under the pointer."""
        if isinstance(event, QtGui.QHelpEvent) and event.type() == QtCore.QEvent.ToolTip:
            words = self.tooltip_at(self.mapToScene(event.pos()))
            QtWidgets.QToolTip.showText(event.globalPos(), plain(words), self)
            return True
        return bool(super().viewportEvent(event))

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Name the axes if there is room."""
        super().resizeEvent(event)
        if hasattr(self, "_labels"):  # pyqtgraph resizes while it is made
            self._write_labels()

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.theme = theme
        if theme is not self._inked:  # an axis is laid out anew with each pen
            self._inked = theme
            for side in ("left", "bottom"):
                axis = self.getAxis(side)
                axis.setPen(theme.color("border"))
                axis.setTextPen(theme.color("muted"))
        self._write_labels()
