"""Filtered traces around a spike, with the spikes of the sorting on screen, and which spike comes next."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import Color
from ncpgui.app.model.shown_sorting import ShownSorting
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.points import colors_of
from ncpgui.core.clock import Clock
from ncpgui.core.component import ComponentWaveforms
from ncpgui.core.percent import percent

HALF_MS = 50.0
BEFORE_MS, AFTER_MS = 0.5, 1.0
LARGE_SHARE = 0.3
"""A spike is coloured where the peak to peak of the mean of its unit has this share of the largest one."""


@dataclass(frozen=True, eq=False)
class TraceWindow:
    """Traces around a sample of a recording.

    center, start : samples, of what was asked for and of the first row
    contacts : (C,) rows of the probe
    traces : (T, C) float32, noise sd; shorter at the ends of the recording
    """

    center: int
    start: int
    contacts: NDArray[np.int64]
    traces: NDArray[np.float32]


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

    time_ms : (T,) from the spike that is looked at; traces : (C, T) noise sd, the uppermost contact first
    contacts : (C,) their rows of the probe; snippets : the spikes among them
    """

    time_ms: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    traces: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    contacts: tuple[int, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    note: str = ""
    message: str = ""


def walk(workspace: Workspace) -> NDArray[np.int64]:
    """Positions of the spikes that one goes through, in order of time: of the selected units, or of all."""
    shown = workspace.shown()
    if shown is None:
        return np.zeros(0, np.int64)
    chosen = [unit for unit in shown.units if unit.unit in workspace.selected] or list(shown.units)
    rows = [unit.positions for unit in chosen]
    return np.sort(np.concatenate(rows)) if rows else np.zeros(0, np.int64)


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
    workspace: Workspace, position: int | None, window: TraceWindow | None, *, problem: str = ""
) -> TracesView:
    """The traces around the spike at `position` of the component, once its `window` was read."""
    project, shown = workspace.project, workspace.shown()
    if project is None:
        return TracesView(message="Open a recording or a session to begin.")
    if shown is None:
        return TracesView(message=workspace.why_nothing("Traces"))
    if position is None:
        return TracesView(message="No units in this sorting.")
    if problem:
        return TracesView(message=f"No traces: {problem}")
    spike = shown.component.spike_ids[position]
    sample = int(project.spikes.sample_index[spike])
    contacts = shown.component.contacts
    if window is None or window.center != sample or not np.array_equal(window.contacts, contacts):
        return TracesView(message="Traces are being read …")
    axis = project.probe.depth_axis
    place = project.probe.positions_um[contacts]
    order = np.lexsort((place[:, 1 - axis], -place[:, axis]))  # by depth, the uppermost first
    per_ms = project.spikes.sampling_frequency_hz / 1000
    clock = project.recording.clock
    label = int(shown.labels[position])
    who = f"unit {shown.units[label].name}" if label >= 0 else "no unit"
    certainty = percent(float(shown.probability[position]))
    return TracesView(
        time_ms=(window.start + np.arange(len(window.traces)) - sample) / per_ms,
        traces=np.ascontiguousarray(window.traces.T[order]),
        contacts=tuple(contacts[order].tolist()),
        snippets=_snippets(workspace, shown, window, order, per_ms),
        note=f"{clock.seconds(sample):.3f} s · {who} · P(spike) {certainty}{_gaps(clock, window, sample)}",
    )


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
    order: NDArray[np.int64],
    per_ms: float,
) -> tuple[Snippet, ...]:
    project = workspace.project
    assert project is not None
    ids = shown.component.spike_ids
    stop = window.start + len(window.traces)
    first, last = np.searchsorted(project.spikes.sample_index[ids], [window.start, stop])
    large = large_contacts(shown, workspace.waveforms(shown.component.id))
    row_of = {int(contact): row for row, contact in enumerate(shown.component.contacts[order].tolist())}
    colors = colors_of(workspace, shown)
    found = []
    for position in range(int(first), int(last)):
        label = int(shown.labels[position])
        if label < 0:
            continue
        at = int(project.spikes.sample_index[ids[position]]) - window.start
        main = int(project.spikes.channel[ids[position]])
        contacts = {*(shown.component.contacts[large[label]].tolist() if large is not None else ()), main}
        found += [
            Snippet(
                colors[label],
                row_of[contact],
                max(0, at - round(BEFORE_MS * per_ms)),
                min(len(window.traces), at + round(AFTER_MS * per_ms) + 1),
            )
            for contact in sorted(contacts & row_of.keys())
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
