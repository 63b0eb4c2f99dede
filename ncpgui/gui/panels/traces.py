"""Filtered traces around a spike or at any time, the spikes of each unit in its colour."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt5 import QtCore, QtGui

from ncpgui.app.presenters.axes import axis_help
from ncpgui.app.presenters.traces import (
    HALF_MS,
    MOST_MS,
    READING,
    Look,
    TracesView,
    looked_at,
    next_ambiguous,
    next_spike,
    present_traces,
    thinned,
    walk,
)
from ncpgui.gui.buttons import Button
from ncpgui.gui.items.plot import Plot
from ncpgui.gui.panels.base import Panel
from ncpgui.gui.soon import Soon
from ncpgui.gui.theme import Theme

LEAST_SPACING_SD = 8.0
FILL = 0.6
"""Distance of two contacts, as a share of the largest deflection on screen."""
AXIS_PX = 44
LABEL_PX = 13
"""Height of the name of a contact."""
MOST_COLUMNS = 4000
"""Points of a contact that are painted: more than a screen has pixels."""
MOST_VALUES = 80_000.0
"""Milliseconds times contacts that are seen at once."""
ANY_MS = 1e307
"""As far as a plot of pyqtgraph goes that has no limits."""
GAINS = (0.1, 20.0)
READ_AFTER_MS = 120
"""So long after the last move what came into view is read."""
GAP = np.array([np.nan])
NONE = np.zeros(0, np.int64)


class TracesPlot(Plot):
    """Contacts under each other, each around a height of minus its row.

    `moved`: another stretch of time is seen. The wheel zooms, a drag moves, Ctrl+wheel scales.
    """

    moved = QtCore.pyqtSignal()

    def __init__(self) -> None:
        super().__init__("Filtered traces")
        self.view = TracesView()
        self.spacing_sd = LEAST_SPACING_SD
        self.gain = 1.0
        self._scaled: object = None
        self.setMouseEnabled(x=True, y=False)
        self.getAxis("left").setWidth(AXIS_PX)
        self.set_labels(left="", bottom=self.view.axis)
        self.getViewBox().sigXRangeChanged.connect(lambda *_: self.moved.emit())

    def set_view(self, view: TracesView, theme: Theme, *, scaled_for: object = None) -> None:
        """Show other traces; scaled_for : as long as it is the same, so is the distance of the contacts."""
        self.view = view
        self.set_theme(theme)
        if view.traces.size and (scaled_for is None or scaled_for != self._scaled):
            self._scaled = scaled_for
            self.spacing_sd = max(LEAST_SPACING_SD, FILL * float(np.abs(view.traces).max()))
        self.set_labels(left="", bottom=view.axis)
        low, high = view.limits_ms
        self.setLimits(xMin=low, xMax=high, minXRange=1.0, maxXRange=self.most_ms)
        self._draw()

    def _draw(self) -> None:
        self.clear()
        view, theme = self.view, self.theme
        n, length = view.traces.shape
        if length == 0:
            return
        heights = view.traces * (self.gain / self.spacing_sd) - np.arange(n)[:, None]
        now = pg.InfiniteLine(0, pen=pg.mkPen(theme.color("accent", 110), width=1))
        self.addItem(now)
        time_ms, few = thinned(view.time_ms, heights, MOST_COLUMNS)
        ends = np.ones(few.shape, bool)
        ends[:, -1] = False
        self.addItem(
            pg.PlotCurveItem(
                np.tile(time_ms, n), few.ravel(), connect=ends.ravel(), pen=pg.mkPen(theme.color("faint"))
            )
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
        self._name_contacts()
        reach = float(np.abs(view.traces[[0, -1]]).max()) / self.spacing_sd
        room = max(reach, 0.5, 0.5 * LABEL_PX * n / self._height_px)  # names at the ends are whole
        self.setYRange(-n + 1 - room, room, padding=0.02)

    def _name_contacts(self) -> None:
        """Name as many contacts as there is room for, evenly."""
        n = len(self.view.contacts)
        step = max(1, -int(-n * LABEL_PX // self._height_px))
        named = [(-row, f"ch {self.view.contacts[row]}") for row in range(0, n, step)]
        self.getAxis("left").setTicks([named])

    @property
    def _height_px(self) -> int:
        """Pixels that the contacts have together, about."""
        return max(self.height() - 30, LABEL_PX)

    @property
    def most_ms(self) -> float:
        """Longest stretch that is seen at once: shorter of many contacts, which take long to read."""
        return float(np.clip(MOST_VALUES / max(len(self.view.contacts), 1), 2 * HALF_MS, MOST_MS))

    @property
    def seen_ms(self) -> tuple[float, float]:
        """First and last time that is seen."""
        low, high = self.getViewBox().viewRange()[0]
        return float(low), float(high)

    def show_around(self, middle_ms: float = 0.0, half_ms: float = HALF_MS) -> None:
        """Show a stretch of time."""
        self.setXRange(middle_ms - half_ms, middle_ms + half_ms, padding=0)

    def show_anew(self) -> None:
        """Show what is around another spike: how far one sees from it comes with its traces."""
        self.setLimits(xMin=-ANY_MS, xMax=ANY_MS)
        self.show_around()

    def zoom(self, factor: float) -> None:
        """See a longer (more than 1) or shorter stretch about the same middle."""
        low, high = self.seen_ms
        self.show_around((low + high) / 2, min(factor * (high - low), self.most_ms) / 2)

    def move(self, share: float) -> None:
        """Move on by a share of what is seen."""
        low, high = self.seen_ms
        self.show_around((low + high) / 2 + share * (high - low), (high - low) / 2)

    def set_gain(self, gain: float) -> None:
        """Scale the traces, 1 is as at first."""
        self.gain = float(np.clip(gain, *GAINS))
        self._draw()

    def scale(self, factor: float) -> None:
        """Scale the traces more, or less."""
        self.set_gain(self.gain * factor)

    def tooltip_at(self, where: QtCore.QPointF) -> str:
        """What the axes are; that of the contacts has no name."""
        is_left = self.getAxis("left").sceneBoundingRect().contains(where)
        return axis_help("contact") if is_left else super().tooltip_at(where)

    def wheelEvent(self, event: QtGui.QWheelEvent) -> None:
        """Zoom in time; with Ctrl, scale."""
        if event.modifiers() & QtCore.Qt.ControlModifier:
            self.scale(1.2 ** (event.angleDelta().y() / 120))
            event.accept()
        else:
            super().wheelEvent(event)

    def mouseDoubleClickEvent(self, _: QtGui.QMouseEvent) -> None:
        """Back to the spike, as at first."""
        self.set_gain(1.0)
        self.show_around()

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Name the contacts that there is room for."""
        super().resizeEvent(event)
        if hasattr(self, "gain"):
            self._name_contacts()


class TracesPanel(Panel):
    """The traces around one spike of the sorting on screen; they are read only while this is visible."""

    title = "Traces"
    draws = ("traces",)

    def build(self) -> None:
        """Make plot, message and buttons."""
        self.position: int | None = None
        self.origin: int | None = None
        self._center: int | None = None
        self._half_ms = HALF_MS
        self._spike_ids = NONE
        self._chosen: tuple[int, tuple[int, ...]] | None = None
        self._wanted: int | None = None
        self._goes_by_doubt = False
        self.plot = TracesPlot()
        self.plot.show_around()
        self._soon = Soon(self, self.read_what_is_seen, after_ms=READ_AFTER_MS)
        self.plot.moved.connect(self._soon.ask)
        self.fill(self.plot)
        self.note.setToolTip(
            "Filtered traces, 50 ms to either side of a spike at first. The spikes of each unit have its\n"
            "colour where they are large. The wheel zooms in time, a drag moves, Ctrl+wheel scales, a\n"
            "double click goes back. A click on a spike in another panel shows it here, Alt+T any time."
        )
        doubtful = "Next uncertain spike, the least certain first  (Alt+Shift+PgDown)"
        self._button("‹", "The previous spike  (Alt+PgUp)").clicked.connect(lambda: self.step(-1))
        self._button("›", "The next spike  (Alt+PgDown)").clicked.connect(lambda: self.step(1))
        self._button("uncertain ›", doubtful).clicked.connect(lambda: self.step_ambiguous())
        self.all_contacts = self._button("all", "All contacts of the probe, or those of these units  (Alt+A)")
        self.all_contacts.setCheckable(True)
        self.all_contacts.toggled.connect(self.mark_dirty)

    def _button(self, words: str, tip: str) -> Button:
        button = Button(words, tip)
        button.setAccessibleName(tip.split("  ")[0])
        self.header.addWidget(button)
        return button

    def follow(self) -> None:
        """Follow the sorting on screen, the selection, chosen spikes and the traces that were read."""
        super().follow()
        self.workspace.spike_chosen.connect(self._choose)

    def step(self, by: int) -> None:
        """Go to the next spike in time of the selected units, or to the one before."""
        self._keep_position()
        self._go(next_spike(self.workspace, self.position, by))

    def step_ambiguous(self) -> None:
        """Go to the spike whose unit is least certain; again, to the next one in that order."""
        self._keep_position()
        before = self.position if self._goes_by_doubt else None
        self._go(next_ambiguous(self.workspace, before), by_doubt=True)

    def show_second(self, second: float) -> None:
        """Show the traces at a second of the recording's clock."""
        self._keep_position()
        project = self.workspace.state.project
        if project is not None:
            sample = int(project.recording.clock.samples(second))
            self._look_at(min(max(sample, 0), project.spikes.n_samples - 1))
            self.mark_dirty()

    @property
    def second(self) -> float:
        """Second of the spike or the moment that is looked at; 0 without one."""
        look = self._look()
        project = self.workspace.state.project
        return 0.0 if look is None or project is None else float(project.recording.clock.seconds(look.origin))

    @property
    def second_words(self) -> str:
        """The same as a person writes it."""
        return f"{self.second:.3f}"

    def read_what_is_seen(self) -> None:
        """Read around what is seen, where a part of it is not there."""
        look, project = self._look(), self.workspace.state.project
        if look is None or project is None or self.plot.view.message or not self.isVisible():
            return
        per_ms = project.spikes.sampling_frequency_hz / 1000
        low, high = np.clip(self.plot.seen_ms, *self.plot.view.limits_ms).tolist()
        first, last = (look.origin + end * per_ms for end in (low, high))
        half = look.half_ms * per_ms
        if first >= look.center - half - 1 and last <= look.center + half + 1:
            return
        self._center = round((first + last) / 2)
        self._half_ms = max(HALF_MS, min(high - low, self.plot.most_ms))
        self.mark_dirty()

    def _look_at(self, origin: int | None) -> None:
        """Begin anew around a spike (None), or a sample."""
        self.origin, self._center, self._half_ms = origin, None, HALF_MS
        self.plot.show_anew()

    def _choose(self, spike: int) -> None:
        self._wanted = spike
        self.mark_dirty()

    def _go(self, position: int | None, *, by_doubt: bool = False) -> None:
        self.position, self._goes_by_doubt = position, by_doubt
        self._chosen = None
        self._look_at(None)
        self.mark_dirty()

    def _keep_position(self) -> None:
        """Begin at the first spike of another component; another selection goes on from where it was.

        A spike that was clicked stays as long as the selection that its click made.
        """
        spikes = walk(self.workspace)
        shown = self.workspace.shown()
        now = NONE if shown is None else shown.component.spike_ids
        if now is not self._spike_ids:  # a decision weighs a component anew, and its spikes stay
            before, self._spike_ids = self._spike_ids, now
            self.position = None if self.position is None else _place(now, int(before[self.position]))
            if self.position is None:
                self._look_at(None)
        wanted, self._wanted = self._wanted, None
        place = None if wanted is None else _place(now, wanted)
        if wanted is not None and place is not None:
            self._go(place)
            self._chosen = (wanted, self.workspace.selected)
        if self.position is not None and self._chosen == (int(now[self.position]), self.workspace.selected):
            return
        before_it = self.position
        if len(spikes) == 0:
            self.position = None
        elif self.position is None or self.position not in spikes:
            at = 0 if self.position is None else int(np.abs(spikes - self.position).argmin())
            self.position = int(spikes[at])
        if before_it is not None and self.position != before_it:
            self._look_at(None)

    def _look(self) -> Look | None:
        look = looked_at(
            self.workspace,
            self.position,
            origin=self.origin,
            center=self._center,
            half_ms=self._half_ms,
            all_contacts=self.all_contacts.isChecked(),
        )
        project = self.workspace.state.project
        if look is None or project is None or self._center is not None:
            return look
        return look.inside(project.spikes)

    def redraw(self) -> None:
        """Show the traces that one looks at, or ask for them; what is there stays while one moves on."""
        self._keep_position()
        look = self._look()
        data = self.controller.data
        data.ask_shapes()
        window = None if look is None else data.traces(look)
        view = present_traces(self.workspace, look, window, problem=data.traces_problem)
        if view.message == READING and self._center is not None and not self.plot.view.message:
            return
        scaled_for = None if look is None else (look.origin, look.contacts.tobytes())
        self.plot.set_view(view, self.theme, scaled_for=scaled_for)
        self.tell(view.message, view.note)


def _place(spike_ids: NDArray[np.int64], spike: int) -> int | None:
    """Where a spike is among the increasing ids of others, None where it is not."""
    at = int(np.searchsorted(spike_ids, spike))
    return at if at < len(spike_ids) and int(spike_ids[at]) == spike else None
