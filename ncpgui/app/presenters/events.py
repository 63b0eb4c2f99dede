"""Spikes of the units on screen around events: a raster, and the rate (PSTH) below it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ncpgui.analysis.event_response import EventResponse
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.receptive_fields import (
    TilesView,
    UnitTile,
    sortings_with_fields,
    tiles_of,
)
from ncpgui.app.presenters.why_empty import NO_UNITS, OPEN_FIRST, why_nothing
from ncpgui.app.words import count

BEFORE_S = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
AFTER_S = (0.05, 0.1, 0.2, 0.5, 0.8, 1.0, 2.0, 5.0, 10.0)
BINS_S = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
MOST_BINS = 500
HOW_TO_LOAD = (
    "File > Load events… takes times of stimuli or behaviour: .npz with an array of seconds for each kind, "
    ".csv with a column time_s, or the trials of .nwb."
)


Response = EventResponse
"""What is shown of a unit around events."""


@dataclass(frozen=True)
class EventWindow:
    """How far around an event one looks, and how wide bins are."""

    before_s: float = 0.2
    after_s: float = 0.8
    bin_s: float = 0.02

    @property
    def words(self) -> str:
        """``−0.2 to 0.8 s / 20 ms``."""
        before = f"−{self.before_s:g}" if self.before_s else "0"
        return f"{before} to {self.after_s:g} s / {self.bin_s * 1000:g} ms"

    @property
    def is_possible(self) -> bool:
        """Whether bins fit into what is after the event, and are not too many to be seen."""
        return self.bin_s <= self.after_s and self.before_s + self.after_s <= MOST_BINS * self.bin_s

    def reaching(self, *, before_s: float | None = None, after_s: float | None = None) -> EventWindow:
        """Another window, with the possible bins that are most like those of this one."""
        before = self.before_s if before_s is None else before_s
        after = self.after_s if after_s is None else after_s
        possible = [one for one in BINS_S if EventWindow(before, after, one).is_possible]
        return EventWindow(before, after, min(possible, key=lambda one: abs(math.log(one / self.bin_s))))

    @staticmethod
    def of(remembered: object) -> EventWindow:
        """What was remembered, if it is one."""
        known = remembered if isinstance(remembered, list) and len(remembered) == 3 else [None] * 3
        before, after, width = known
        if before not in BEFORE_S or after not in AFTER_S or width not in BINS_S:
            return EventWindow()
        found = EventWindow(before, after, width)
        return found if found.is_possible else EventWindow()


@dataclass(frozen=True, eq=False)
class EventTile(UnitTile):
    """A unit with its response, None while that is computed."""

    response: Response | None = None

    @property
    def verdict(self) -> str:
        """Rates in words: before the event, and the highest after it."""
        if self.response is None:
            return "computing …"
        before, (peak, at) = self.response.before_hz, self.response.peak
        if math.isnan(peak):
            return "nothing recorded after events"
        words = f"peak {_hz(peak)} at {_time(at)}"
        return words if math.isnan(before) else f"{_hz(before)} before, {words}"

    @property
    def foot(self) -> tuple[str, ...]:
        """Words below the picture, the longest first, for as much room as there is."""
        if self.response is None or math.isnan(self.response.peak[0]):
            return (self.verdict,)
        before, (peak, at) = self.response.before_hz, self.response.peak
        change = _hz(peak) if math.isnan(before) else f"{_rate(before)} → {_hz(peak)}"
        words = [self.verdict, f"{change} at {_time(at)}", change]
        return (*(f"{one} · {self.same}" for one in words if self.same), *words)

    @property
    def tooltip(self) -> str:
        """The tile in full."""
        text = f"Unit {self.name}, {self.caption}: {self.verdict}"
        if self.response is not None:
            bin_ms = float(self.response.edges_s[1] - self.response.edges_s[0]) * 1000
            around = count(len(self.response.offset_s), "spike")
            text += (
                f"\n{around} around {count(self.response.n_events, 'event')}."
                "\nAbove: one row for each event, the first on top. "
                f"Below: the mean rate in bins of {bin_ms:g} ms.\nThe line is the event"
            )
        return text + self.same_in_full("response")

    def bin_words(self, at_s: float) -> str:
        """The bin at a time after the event in words; '' outside."""
        if self.response is None:
            return ""
        edges = self.response.edges_s
        place = int(np.searchsorted(edges, at_s, side="right")) - 1
        if not 0 <= place < len(edges) - 1:
            return ""
        low, high = edges[place : place + 2] * 1000
        rate = float(self.response.rate_hz[place])
        told = "not recorded" if math.isnan(rate) else _hz(rate)
        spikes = count(int(self.response.counts[place]), "spike")
        return f"{low:.4g} to {high:.4g} ms after the event: {told} ({spikes})".replace("-", "−")


@dataclass(frozen=True, eq=False)
class EventsView(TilesView[EventTile]):
    """Tiles with responses; kinds : names of the kinds of events, if there are several; n_events : shown."""

    kinds: tuple[str, ...] = ()
    kind: int | None = None
    n_events: int = 0

    @property
    def note(self) -> str:
        """Beside the title of the panel."""
        if not self.n_events:
            return ""
        n = count(self.n_events, "event")
        return n if self.kind is None else f"{self.kinds[self.kind]} · {n}"


def present_events(
    workspace: Workspace,
    known: Mapping[bytes, Response],
    *,
    kind: int | None = None,
    problem: str = "",
) -> EventsView:
    """Tiles with the responses that are known, by `spikes_key`; or the `problem` why there are none.

    kind : of the events, None for all
    """
    project = workspace.state.project
    if project is None:
        return EventsView(message=OPEN_FIRST)
    events = project.events
    if events is None:
        return EventsView(message=f"No events in this session.\n{HOW_TO_LOAD}")
    names = events.names if len(events.names) > 1 else ()
    n_events = len(events.times_of(kind))
    if problem:
        return EventsView(message=f"No responses to events: {problem}", kinds=names, kind=kind)
    shown = workspace.shown()
    if shown is None or not shown.units:
        why = why_nothing(workspace, "Events") if shown is None else NO_UNITS
        return EventsView(message=why, kinds=names, kind=kind, n_events=n_events)
    groups = sortings_with_fields(workspace, others=True)
    return EventsView(
        tiles=tuple(EventTile(**told, response=known.get(key)) for key, told in tiles_of(workspace, groups)),
        groups=tuple(groups),
        kinds=names,
        kind=kind,
        n_events=n_events,
    )


def _rate(hz: float) -> str:
    return f"{hz:.0f}" if hz >= 9.5 or hz == 0 else f"{hz:.1f}"


def _hz(hz: float) -> str:
    """``12 Hz``, ``0.4 Hz``."""
    return f"{_rate(hz)}\u2009Hz"


def _time(seconds: float) -> str:
    """``60 ms``, ``1.2 s``."""
    return f"{seconds * 1000:.3g}\u2009ms" if abs(seconds) < 0.9995 else f"{seconds:.3g}\u2009s"
