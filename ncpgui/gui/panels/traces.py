"""Filtered traces around a spike, the spikes of each unit in its colour."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt5 import QtWidgets

from ncpgui.app.presenters.traces import (
    HALF_MS,
    TracesView,
    next_ambiguous,
    next_spike,
    present_traces,
    walk,
)
from ncpgui.gui.items.plot import Plot
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.plain_text import plain
from ncpgui.gui.theme import Theme

LEAST_SPACING_SD = 8.0
FILL = 0.6
"""Distance of two contacts, as a share of the largest deflection on screen."""
AXIS_PX = 44
GAP = np.array([np.nan])
NONE = np.zeros(0, np.int64)


class TracesPlot(Plot):
    """Contacts under each other, each around a height of minus its row."""

    def __init__(self) -> None:
        super().__init__("Filtered traces")
        self.view = TracesView()
        self.spacing_sd = LEAST_SPACING_SD
        self.setMouseEnabled(x=True, y=False)
        self.getAxis("left").setWidth(AXIS_PX)
        self.set_labels(left="", bottom="time from the spike (ms)")

    def set_view(self, view: TracesView, theme: Theme) -> None:
        """Show other traces."""
        self.view = view
        self.set_theme(theme)
        self.clear()
        n, length = view.traces.shape
        if length == 0:
            return
        self.spacing_sd = max(LEAST_SPACING_SD, FILL * float(np.abs(view.traces).max()))
        heights = view.traces / self.spacing_sd - np.arange(n)[:, None]
        now = pg.InfiniteLine(0, pen=pg.mkPen(theme.color("accent", 110), width=1))
        self.addItem(now)
        ends = np.ones((n, length), bool)
        ends[:, -1] = False
        times = np.tile(view.time_ms, n)
        self.addItem(
            pg.PlotCurveItem(times, heights.ravel(), connect=ends.ravel(), pen=pg.mkPen(theme.color("faint")))
        )
        for color in dict.fromkeys(snippet.color for snippet in view.snippets):
            x: list[NDArray[np.floating]] = []
            y: list[NDArray[np.floating]] = []
            for snippet in view.snippets:
                if snippet.color == color:
                    part = slice(snippet.start, snippet.stop)
                    x += [view.time_ms[part], GAP]
                    y += [heights[snippet.row, part], GAP]
            pen = pg.mkPen(theme.unit(color), width=1.6)
            self.addItem(pg.PlotCurveItem(np.concatenate(x), np.concatenate(y), connect="finite", pen=pen))
        self.getAxis("left").setTicks(
            [[(-row, f"ch {contact}") for row, contact in enumerate(view.contacts)]]
        )
        low, high = float(heights.min()), float(heights.max())
        self.setYRange(min(low, -n + 0.5), max(high, 0.5), padding=0.02)

    def show_all(self) -> None:
        """Show the whole window."""
        self.setXRange(-HALF_MS, HALF_MS, padding=0)


class TracesPanel(Panel):
    """The traces around one spike of the sorting on screen; they are read only while this is visible."""

    title = "Traces"
    draws = ("traces",)

    def build(self) -> None:
        """Make plot, message and buttons."""
        self.position: int | None = None
        self._spike_ids = NONE
        self._goes_by_doubt = False
        self.plot = TracesPlot()
        self.plot.show_all()
        self.plot.setLimits(xMin=-HALF_MS, xMax=HALF_MS)
        self.fill(self.plot)
        self.note.setToolTip(
            "The contacts of this component, filtered, 50 ms to either side of a spike. Spikes of each unit\n"
            "have its colour where they are large. The wheel zooms in time."
        )
        for words, what, tip in (
            ("‹", lambda: self.step(-1), "The spike before  (Alt+PgUp)"),
            ("›", lambda: self.step(1), "The next spike  (Alt+PgDown)"),
            ("?", self.step_ambiguous, "The next spike by how uncertain its unit is  (Alt+Shift+PgDown)"),
        ):
            button = QtWidgets.QPushButton(words)
            button.setProperty("quiet", True)
            button.setFocusPolicy(pg.QtCore.Qt.NoFocus)
            button.setToolTip(plain(tip))
            button.setAccessibleName(tip.split("  ")[0])
            button.clicked.connect(lambda _, what=what: what())
            self.header.addWidget(button)

    def follow(self) -> None:
        """Follow the sorting on screen, the selection and the traces that were read."""
        self.follow_sorting()

    def step(self, by: int) -> None:
        """Go to the next spike in time of the selected units, or to the one before."""
        self._keep_position()
        self._go(next_spike(self.workspace, self.position, by))

    def step_ambiguous(self) -> None:
        """Go to the spike whose unit is least certain; again, to the next one in that order."""
        self._keep_position()
        before = self.position if self._goes_by_doubt else None
        self._go(next_ambiguous(self.workspace, before), by_doubt=True)

    def _go(self, position: int | None, *, by_doubt: bool = False) -> None:
        self.position, self._goes_by_doubt = position, by_doubt
        self.mark_dirty()

    def _keep_position(self) -> None:
        """Begin at the first spike of another component; another selection goes on from where it was."""
        spikes = walk(self.workspace)
        shown = self.workspace.shown()
        now = NONE if shown is None else shown.component.spike_ids
        if now is not self._spike_ids:  # a decision weighs a component anew, and its spikes stay
            before, self._spike_ids = self._spike_ids, now
            at = None if self.position is None else int(np.searchsorted(now, before[self.position]))
            stays = at is not None and at < len(now) and now[at] == before[self.position]
            self.position = at if stays else None
        if len(spikes) == 0:
            self.position = None
        elif self.position is None or self.position not in spikes:
            at = 0 if self.position is None else int(np.abs(spikes - self.position).argmin())
            self.position = int(spikes[at])

    def redraw(self) -> None:
        """Show the traces around the spike, or ask for them."""
        self._keep_position()
        data = self.controller.data
        data.ask_shapes()
        window = None if self.position is None else data.traces(self.position)
        view = present_traces(self.workspace, self.position, window, problem=data.traces_problem)
        self.plot.set_view(view, self.theme)
        self.tell(view.message)
        self.note.setText(view.note)
