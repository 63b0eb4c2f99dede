"""Filtered traces around a spike, with the spikes of the sorting on screen, and which spike comes next."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import Color
from ncpgui.app.model.shown_sorting import ShownSorting
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.points import colors_of
from ncpgui.app.presenters.why_empty import NO_UNITS, why_nothing
from ncpgui.core.clock import Clock
from ncpgui.core.component import ComponentWaveforms
from ncpgui.core.percent import percent
from ncpgui.core.spikes import SpikeEvents

HALF_MS = 50.0
MOST_MS = 1000.0
"""Widest stretch of time that is seen at once."""
READING = "Traces are being read …"
BEFORE_MS, AFTER_MS = 0.5, 1.0
LARGE_SHARE = 0.3
"""A spike is coloured where the peak to peak of the mean of its unit has this share of the largest one."""


@dataclass(frozen=True, eq=False)
class TraceWindow:
    """Traces around a sample of a recording.

    center, start : samples, of what was asked for and of the first row
    half_ms : how far was asked for to either side
    contacts : (C,) rows of the probe
    traces : (T, C) float32, noise sd; shorter at the ends of the recording
    """

    center: int
    start: int
    contacts: NDArray[np.int64]
    traces: NDArray[np.float32]
    half_ms: float = HALF_MS


@dataclass(frozen=True, eq=False)
class Look:
    """What is looked at: `half_ms` to either side of the sample `center`, on some contacts.

    origin : sample that times are told from; position : of the spike there, None where there is none
    """

    center: int
    half_ms: float
    contacts: NDArray[np.int64]
    origin: int
    position: int | None

    def inside(self, spikes: SpikeEvents) -> Look:
        """The same moved into the recording, as what is seen is: there is nothing beyond its ends."""
        half, last = round(self.half_ms * spikes.sampling_frequency_hz / 1000), spikes.n_samples - 1
        middle = min(max(self.center, half), last - half) if 2 * half <= last else last // 2
        return replace(self, center=middle)

    def is_of(self, window: TraceWindow | None) -> bool:
        """Whether these are the traces."""
        return (
            window is not None
            and (window.center, window.half_ms) == (self.center, self.half_ms)
            and np.array_equal(window.contacts, self.contacts)
        )


@dataclass(frozen=True, eq=False)
class Snippet:
    """One spike in the traces: samples `start` to `stop` of row `row`, in the colour of its unit."""

    color: Color
    row: int
    start: int
    stop: int


@dataclass(frozen=True, eq=False)
class TracesView:
    """Traces on screen.

    time_ms : (T,) from the spike or the moment that is looked at, which `axis` names
    traces : (C, T) noise sd, the uppermost contact first; limits_ms : first and last time there is
    contacts : (C,) their rows of the probe; snippets : the spikes among them
    """

    time_ms: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    traces: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    contacts: tuple[int, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    note: str = ""
    message: str = ""
    axis: str = "time from the spike (ms)"
    limits_ms: tuple[float, float] = (-HALF_MS, HALF_MS)


def looked_at(
    workspace: Workspace,
    position: int | None,
    *,
    origin: int | None = None,
    center: int | None = None,
    half_ms: float = HALF_MS,
    all_contacts: bool = False,
) -> Look | None:
    """What to read for the spike at `position` of what is shown, or (origin) for a sample of the recording.

    center : of what is seen, where that is not the spike; all_contacts : of the probe, not of the units alone
    """
    project, shown = workspace.state.project, workspace.shown()
    if project is None or shown is None or (position is None and origin is None):
        return None
    if origin is None:
        assert position is not None
        origin = int(project.spikes.sample_index[shown.component.spike_ids[position]])
    else:
        position = None
    contacts = np.arange(project.probe.n_channels) if all_contacts else shown.component.contacts
    center = origin if center is None else min(max(center, 0), project.spikes.n_samples - 1)
    return Look(center, half_ms, contacts, origin, position)


def walk(workspace: Workspace) -> NDArray[np.int64]:
    """Positions of the spikes that one goes through, in order of time: of the selected units, or of all."""
    shown = workspace.shown()
    if shown is None:
        return np.zeros(0, np.int64)
    is_selected = [unit.unit in workspace.selected for unit in shown.units]
    is_walked = is_selected if any(is_selected) else [True] * len(is_selected)
    return np.flatnonzero(np.array([*is_walked, False])[shown.labels])


def next_spike(workspace: Workspace, position: int | None, step: int) -> int | None:
    """Position of the next spike in time, or the one before (`step` -1); at the ends it stays."""
    spikes = walk(workspace)
    if len(spikes) == 0:
        return None
    if position is None:
        return int(spikes[0])
    if step > 0:
        after = spikes[spikes > position]
        return int(after[0]) if len(after) else int(spikes[-1])
    before = spikes[spikes < position]
    return int(before[-1]) if len(before) else int(spikes[0])


def next_ambiguous(workspace: Workspace, position: int | None) -> int | None:
    """Position of the next spike in order of P(spike), the least certain first; after the last, the first."""
    shown, spikes = workspace.shown(), walk(workspace)
    if shown is None:
        return None
    probability = shown.probability[spikes]
    spikes = spikes[~np.isnan(probability)]
    order = spikes[np.argsort(shown.probability[spikes], kind="stable")]
    if len(order) == 0:
        return None
    at = np.flatnonzero(order == position)
    return int(order[(int(at[0]) + 1) % len(order)]) if len(at) else int(order[0])


def present_traces(
    workspace: Workspace, look: Look | None, window: TraceWindow | None, *, problem: str = ""
) -> TracesView:
    """The traces that one looks at, once their `window` was read."""
    project, shown = workspace.state.project, workspace.shown()
    if project is None or shown is None:
        return TracesView(message=why_nothing(workspace, "Traces"))
    if look is None:
        return TracesView(message=NO_UNITS)
    if problem:
        return TracesView(message=f"No traces: {problem}")
    if window is None or not look.is_of(window):
        return TracesView(message=READING)
    axis, contacts = project.probe.depth_axis, look.contacts
    place = project.probe.positions_um[contacts]
    shank = np.zeros(len(contacts)) if project.probe.shank is None else project.probe.shank[contacts]
    order = np.lexsort((place[:, 1 - axis], -place[:, axis], shank))  # by depth, the uppermost first
    per_ms = project.spikes.sampling_frequency_hz / 1000
    clock = project.recording.clock
    seconds = f"{clock.seconds(look.origin):.3f} s"
    said = ""
    if look.position is not None:
        label = int(shown.labels[look.position])
        who = f"unit {shown.units[label].name}" if label >= 0 else "no unit"
        said = f" · {who} · P(spike) {percent(float(shown.probability[look.position]))}"
    return TracesView(
        time_ms=(window.start + np.arange(len(window.traces)) - look.origin) / per_ms,
        traces=np.ascontiguousarray(window.traces.T[order]),
        contacts=tuple(contacts[order].tolist()),
        snippets=_snippets(workspace, shown, window, contacts[order], per_ms),
        note=f"{seconds}{said}{_gaps(clock, window, look.origin)}",
        axis=f"time from {'the spike' if look.position is not None else seconds} (ms)",
        limits_ms=(-look.origin / per_ms, (project.spikes.n_samples - look.origin) / per_ms),
    )


def thinned(
    time_ms: NDArray[np.float64], heights: NDArray[np.floating], most: int
) -> tuple[NDArray[np.float64], NDArray[np.floating]]:
    """Times and heights (C, T) with at most about `most` columns: the lowest and highest of every few."""
    step = -(-2 * len(time_ms) // most)
    if step <= 2:
        return time_ms, heights
    n = len(time_ms) // step
    parts = heights[:, : n * step].reshape(len(heights), n, step)
    both = np.stack([parts.min(axis=2), parts.max(axis=2)], axis=2).reshape(len(heights), 2 * n)
    return np.repeat(time_ms[: n * step : step], 2), both


def _gaps(clock: Clock, window: TraceWindow, sample: int) -> str:
    """`` · not recorded just before -12 ms``, where something is missing among the traces; else ''."""
    stop = window.start + len(window.traces)
    found = [first for first in clock.gaps(stop).tolist() if first > window.start]
    places = ", ".join(f"{1000 * (first - sample) / clock.sampling_frequency_hz:.0f} ms" for first in found)
    return f" · not recorded just before {places}" if found else ""


def _snippets(
    workspace: Workspace,
    shown: ShownSorting,
    window: TraceWindow,
    contacts: NDArray[np.int64],
    per_ms: float,
) -> tuple[Snippet, ...]:
    project = workspace.state.project
    assert project is not None
    ids = shown.component.spike_ids
    stop = window.start + len(window.traces)
    first, last = np.searchsorted(project.spikes.sample_index[ids], [window.start, stop])
    large = large_contacts(shown, workspace.waveforms(shown.component.id))
    row_of = {contact: row for row, contact in enumerate(contacts.tolist())}
    colors = colors_of(workspace, shown)
    found = []
    for position in range(int(first), int(last)):
        label = int(shown.labels[position])
        if label < 0:
            continue
        at = int(project.spikes.sample_index[ids[position]]) - window.start
        main = int(project.spikes.channel[ids[position]])
        seen_on = {*(shown.component.contacts[large[label]].tolist() if large is not None else ()), main}
        found += [
            Snippet(
                colors[label],
                row_of[contact],
                max(0, at - round(BEFORE_MS * per_ms)),
                min(len(window.traces), at + round(AFTER_MS * per_ms) + 1),
            )
            for contact in sorted(seen_on & row_of.keys())
        ]
    return tuple(found)


def large_contacts(shown: ShownSorting, waveforms: ComponentWaveforms | None) -> NDArray[np.bool_] | None:
    """Contacts (n_units, C) on which the mean of a unit is large; None without waveforms."""
    if waveforms is None:
        return None
    labels = shown.sampled_labels
    large = np.zeros((len(shown.units), waveforms.waveforms.shape[2]), bool)
    for row in range(len(shown.units)):
        own = waveforms.waveforms[labels == row]
        if len(own):
            height = np.nan_to_num(np.ptp(own.mean(axis=0), axis=0))
            large[row] = height >= LARGE_SHARE * height.max()
    return large
