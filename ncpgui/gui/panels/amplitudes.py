"""Amplitude or depth of the spikes over time, and below it how often each unit fires."""

from __future__ import annotations

from typing import cast

import numpy as np
import pyqtgraph as pg
from PyQt5 import QtGui, QtWidgets

from ncpgui.app.presenters.amplitudes import HEIGHTS, AmplitudesView, Height, present_amplitudes
from ncpgui.gui.items.drop_down import DropDown
from ncpgui.gui.items.plot import Plot
from ncpgui.gui.items.spike_scatter import SpikeScatter
from ncpgui.gui.panels.lasso import LASSO_HELP, LassoPanel

AXIS_PX = 30
TIME = "time (s)"
RATES_FROM_PX = 110


class _Column(QtWidgets.QWidget):
    """Two plots below each other; hides the rates where both would lie on each other."""

    def __init__(self, scatter: Plot, rates: Plot) -> None:
        super().__init__()
        self._scatter, self._rates = scatter, rates
        self._height = ""

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Keep the rates where there is room."""
        super().resizeEvent(event)
        both = self.height() >= RATES_FROM_PX
        self._rates.setVisible(both)
        self._scatter.getAxis("bottom").setStyle(showValues=not both)
        self.name_axes(self._height)

    def name_axes(self, height: str) -> None:
        """Name what is upwards above, the rate below, and time under the lower plot."""
        self._height = height
        self._scatter.set_labels(left=height, bottom=TIME if self._rates.isHidden() else "")
        self._rates.set_labels(left="Hz", bottom=TIME)


class AmplitudesPanel(LassoPanel):
    """The spikes of the sorting on screen over the whole recording."""

    title = "Over time"
    plane = "over time"

    def build(self) -> None:
        """Make both plots, the message and the switch."""
        self.height_shown: Height = "amplitude"
        self.view = AmplitudesView()
        self.scatter = SpikeScatter("Amplitudes over time")
        self.rates = Plot("Firing rates over time")
        self.rates.setMinimumSize(120, 40)
        self.watch(self.scatter)
        self.rates.setXLink(self.scatter)
        for plot in (self.scatter, self.rates):
            plot.set_left_px(AXIS_PX)
            plot.setMouseEnabled(x=True, y=False)
        self.scatter.setMinimumSize(120, 44)
        both = self._column = _Column(self.scatter, self.rates)
        column = QtWidgets.QVBoxLayout(both)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.scatter, 2)
        column.addWidget(self.rates, 1)
        self.fill(both)
        self.choice = DropDown("Quantity on the vertical axis")
        self.choice.setToolTip(
            "Amplitude of all spikes, depth of the sampled ones along the longer axis of the probe, or a\n"
            "row for each unit  (A)"
        )
        self.choice.addItems(HEIGHTS)
        self.choice.currentTextChanged.connect(self._chosen)
        self.header.addWidget(self.choice)
        self.note.setToolTip(
            "Above: one point for each spike, at most 2500 of each unit; in a raster, one row for\n"
            "each unit. Below: spikes a second of each unit.\n"
            "With depth, the line is where the tissue came to lie, as far as the motion is known.\n"
            f"The wheel zooms in time, a double click shows all, a click selects the unit. {LASSO_HELP}\n"
            "A lasso around a stretch of time splits by time."
        )

    def toggle_height(self) -> None:
        """Go on from amplitude to depth, to a raster, and back to amplitude."""
        self.choice.setCurrentIndex((self.choice.currentIndex() + 1) % len(HEIGHTS))

    def _chosen(self, height: str) -> None:
        self.height_shown = cast("Height", height)
        self.mark_dirty()

    def redraw(self) -> None:
        """Show the spikes of the sorting on screen."""
        self.controller.data.ask_shapes()
        view = self.view = present_amplitudes(self.workspace, self.height_shown)
        self._column.name_axes(view.axis)
        self.show_points(view)
        self.rates.set_theme(self.theme)
        self.rates.clear()
        if view.message:
            return
        if len(view.motion_s):
            line = pg.mkPen(self.theme.color("text"), width=1.5)
            self.scatter.addItem(pg.PlotCurveItem(view.motion_s, view.motion_um, pen=line))
        chosen = any(view.points.is_selected)
        for row, rate in enumerate(view.rates_hz):
            faded = chosen and not view.points.is_selected[row]
            pen = pg.mkPen(self.theme.unit(view.points.colors[row], 70 if faded else 255), width=1.2)
            self.rates.addItem(pg.PlotCurveItem(view.rate_edges_s, rate, stepMode="center", pen=pen))
        if self.is_other_frame(self.workspace.on_screen, view.height, view.range_s):
            start_s, end_s = view.range_s
            room_s = 0.02 * (end_s - start_s)
            self.scatter.setLimits(xMin=start_s - room_s, xMax=end_s + room_s)
            self.scatter.setXRange(start_s, end_s, padding=0.01)
        self._fit_heights(view)
        self.scatter.settle()
        self.rates.settle()

    def _fit_heights(self, view: AmplitudesView) -> None:
        left = self.scatter.getAxis("left")
        if view.height == "raster":
            names = view.points.names
            left.setTicks([[(-row, name) for row, name in enumerate(names)]])
            self.scatter.setYRange(-len(names) + 0.5 - view.has_unassigned, 0.5, padding=0)
        else:
            left.setTicks(None)
        if view.height != "raster" and len(view.points):
            together = np.concatenate([view.points.y, view.motion_um])
            low = 0.0 if view.height == "amplitude" else float(together.min())
            room = 0.04 * max(float(together.max()) - low, 1.0)
            self.scatter.setYRange(low - room, float(together.max()) + room, padding=0)
        top = float(view.rates_hz.max(initial=0.0)) or 1.0
        self.rates.setYRange(-0.08 * top, 1.1 * top, padding=0)
        decade = 10.0 ** np.floor(np.log10(top))
        tick = float(np.floor(top / decade) * decade)
        self.rates.getAxis("left").setTicks([[(0.0, "0"), (tick, f"{tick:g}")]])

    def axes(self) -> tuple[str, str]:
        """Time, and what is upwards."""
        return "time", self.height_shown
