"""Spikes around events: which fell where (raster), and how fast the unit fired (PSTH).

A bin has the spikes that came at least its left edge and less than its right edge after an event. Its rate is
their number by the time that was recorded in it, over all events: what lies before the recording begins,
after it ends or across a gap was not recorded, and is neither a spike nor a silence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.arguments import array, number
from ncpgui.core.clock import Clock
from ncpgui.core.errors import InputError

ON_EDGE = 1e-6
"""Of a bin: a spike so little before an edge is on it. Seconds are floats, samples and bins are not."""


@dataclass(frozen=True, eq=False)
class EventResponse:
    """Spikes of one unit around events.

    n_events : number of events
    event : (m,) int64, row of the event of each spike around one; offset_s : (m,) float64, seconds after it
    edges_s : (n_bins + 1,) float64, of the bins, 0 = the event
    counts : (n_bins,) int64 spikes; recorded_s : (n_bins,) float64, recorded in each bin over all events
    """

    n_events: int
    event: NDArray[np.int64]
    offset_s: NDArray[np.float64]
    edges_s: NDArray[np.float64]
    counts: NDArray[np.int64]
    recorded_s: NDArray[np.float64]

    @property
    def rate_hz(self) -> NDArray[np.float64]:
        """(n_bins,) spikes a second; nan where nothing was recorded."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.recorded_s > 0, self.counts / self.recorded_s, np.nan)

    @property
    def before_hz(self) -> float:
        """Mean rate of the bins before the event; nan where there is none."""
        before = self.edges_s[1:] <= 0
        recorded = float(self.recorded_s[before].sum())
        return float(self.counts[before].sum()) / recorded if recorded > 0 else float("nan")

    @property
    def peak(self) -> tuple[float, float]:
        """Highest rate of a bin after the event, and the middle of that bin: Hz, s; nan without one."""
        after = np.flatnonzero((self.edges_s[:-1] >= 0) & (self.recorded_s > 0))
        if len(after) == 0:
            return float("nan"), float("nan")
        best = after[int(self.rate_hz[after].argmax())]
        return float(self.rate_hz[best]), float(self.edges_s[best : best + 2].mean())


def bin_edges(before_s: float, after_s: float, bin_s: float) -> NDArray[np.float64]:
    """Edges of the bins of a window, with one at 0: (n_bins + 1,) s. It is at least as wide as asked for.

    Raises
    ------
    InputError
        A window without width, or bins that are wider than it.
    """
    before, after, width = (
        number(value, name)
        for value, name in ((before_s, "before_s"), (after_s, "after_s"), (bin_s, "bin_s"))
    )
    if not (before >= 0 and after >= 0 and 0 < width <= before + after < np.inf):
        raise InputError(
            "a window around events needs seconds before and after it, and bins that fit, got "
            f"before_s={before:g}, after_s={after:g}, bin_s={width:g}"
        )
    first, last = np.ceil(np.array([before, after]) / width - ON_EDGE).astype(np.int64).tolist()
    return np.arange(-first, last + 1) * width


def event_response(
    spike_samples: NDArray[np.integer],
    events_s: NDArray[np.floating],
    *,
    clock: Clock,
    n_samples: int,
    before_s: float,
    after_s: float,
    bin_s: float,
) -> EventResponse:
    """Spikes around events of a recording of `n_samples`, by its clock.

    spike_samples : (n,) sample indices, in any order; events_s : (n_events,) s of the clock

    Raises
    ------
    InputError
        An event that was not recorded (see `Clock.stretch_at`), or a window without width.
    """
    spikes = np.sort(array(spike_samples, "spike_samples")).astype(np.int64)
    events = array(events_s, "events_s").astype(np.float64)
    edges = bin_edges(before_s, after_s, bin_s)
    of_stretch = clock.stretch_at(events, n_samples)
    if (of_stretch < 0).any():
        raise InputError(f"the event at {events[of_stretch < 0][0]:g} s was not recorded; leave it out")
    stretches = clock.stretches_s(n_samples)
    first_sample = np.append(np.append(0, clock.gaps(n_samples)), n_samples)
    rows, offsets = [], []
    for stretch in np.unique(of_stretch).tolist():
        here = np.flatnonzero(of_stretch == stretch)
        low, high = np.searchsorted(spikes, first_sample[stretch : stretch + 2])
        row, offset = _around(clock.seconds(spikes[low:high]), events[here], edges)
        rows.append(here[row])
        offsets.append(offset)
    event, offset_s = (np.concatenate(parts) if parts else np.zeros(0) for parts in (rows, offsets))
    width = float(edges[1] - edges[0])
    n_bins, n_before = len(edges) - 1, round(-float(edges[0]) / width)
    bins = (np.floor(offset_s / width + ON_EDGE)).astype(np.int64) + n_before
    inside = (bins >= 0) & (bins < n_bins)
    return EventResponse(
        n_events=len(events),
        event=event[inside].astype(np.int64),
        offset_s=offset_s[inside],
        edges_s=edges,
        counts=np.bincount(bins[inside], minlength=n_bins).astype(np.int64),
        recorded_s=_recorded(stretches[of_stretch] - events[:, None], edges),
    )


def _around(
    spikes_s: NDArray[np.float64], events_s: NDArray[np.float64], edges_s: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Row of the event, and seconds after it, of each spike around one; a little more than the window."""
    margin = float(edges_s[1] - edges_s[0])
    low = np.searchsorted(spikes_s, events_s + edges_s[0] - margin)
    high = np.searchsorted(spikes_s, events_s + edges_s[-1] + margin)
    n = high - low
    row = np.repeat(np.arange(len(events_s)), n)
    place = np.arange(int(n.sum())) - np.repeat(np.cumsum(n) - n, n) + np.repeat(low, n)
    return row, spikes_s[place] - events_s[row]


def _recorded(stretch_s: NDArray[np.float64], edges_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Recorded seconds of each bin, over all events: (n_bins,).

    stretch_s : (n_events, 2) begin and end, seconds after each event, of what was recorded around it
    """
    whole = (stretch_s[:, 0] <= edges_s[0]) & (stretch_s[:, 1] >= edges_s[-1])
    found = int(whole.sum()) * np.diff(edges_s)
    for begin, end in stretch_s[~whole].tolist():
        found += np.diff(np.clip(edges_s, begin, end))
    return found
