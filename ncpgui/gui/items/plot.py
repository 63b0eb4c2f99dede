"""A pyqtgraph plot in the look of the window: quiet axes, no buttons, colours of the theme."""

from __future__ import annotations

import pyqtgraph as pg

from ncpgui.gui.theme import LIGHT, Theme, font

AXIS_PX = 10


class Plot(pg.PlotWidget):  # type: ignore[misc]
    """A plot that is told its theme; `has_axes` False leaves the room to what is drawn."""

    def __init__(self, name: str, *, has_axes: bool = True) -> None:
        super().__init__()
        self.theme: Theme = LIGHT
        self.setAccessibleName(name)
        self.setMinimumSize(120, 84)
        self.setFrameShape(self.NoFrame)
        self.setBackground(None)  # an opaque one leaves a line open on screens of fractional scale
        self.setStyleSheet("background: transparent")
        self.hideButtons()
        self.setMenuEnabled(False)
        self.getPlotItem().layout.setContentsMargins(0, 0, 0, 0)
        for side in ("left", "bottom"):
            if has_axes:
                axis = self.getAxis(side)
                axis.setTickFont(font(AXIS_PX))
                axis.setStyle(tickLength=-4, tickTextOffset=3, maxTickLevel=0)
                axis.enableAutoSIPrefix(False)
            else:
                self.hideAxis(side)
        self.setFocusPolicy(pg.QtCore.Qt.NoFocus)

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.theme = theme
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(theme.color("border"))
            axis.setTextPen(theme.color("muted"))
