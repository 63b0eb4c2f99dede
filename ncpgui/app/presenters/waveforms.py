"""Waveforms of the sorting on screen: one column a unit, one row a contact."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import Color
from ncpgui.app.model.shown_sorting import ShownSorting
from ncpgui.app.model.unit_numbers import numbers_before, unit_numbers
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.presenters.alike import Ghost, most_alike, near_by_ghosts
from ncpgui.app.presenters.points import colors_of
from ncpgui.app.presenters.why_empty import NO_UNITS, why_no_waveforms, why_nothing
from ncpgui.app.words import count
from ncpgui.core.component import ComponentWaveforms
from ncpgui.core.percent import percent
from ncpgui.core.unit_table import Row
from ncpgui.core.waveform_format import N_SAMPLES, SAMPLING_FREQUENCY_HZ

MAX_SPIKES_PER_UNIT = 80
MAX_SPIKES_SHOWN = 240
GHOST_SHARE = 0.2
NOTE = "some spikes of each unit, and the mean of all"
TEMPLATES_NOTE = "templates of the sorter, scaled to its spikes: there is no raw data"
PREVIEW_NOTE = "framed: what would change · dashed: units in use"
SCALE_BAR_SD = 5.0
TIME_BAR_MS = 0.5
Support = tuple[float, float]
"""P(pure) and P(complete) of a unit, nan where nothing is known."""
UNKNOWN: Support = (float("nan"), float("nan"))


@dataclass(frozen=True, eq=False)
class WaveformColumn:
    """One unit: some of its spikes (k, 32, C), their mean over all sampled ones (32, C), noise sd.

    sampled, rows : waveforms (m, 32, C) of the component's sampled spikes, and which of them are the unit's;
    ghosts : of a unit that adopting the preview would make, the units it comes from;
    neighbour : the other unit whose mean is nearest, on screen or near by, None where there is none;
    before : P(pure) and P(complete) before any decision, nan where nothing was decided.
    """

    name: str
    color: Color
    unit: int | None
    n_spikes: int
    p_pure: float
    p_complete: float
    spikes: NDArray[np.float32]
    mean: NDArray[np.float32]
    is_selected: bool
    is_changed: bool
    sampled: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, N_SAMPLES, 1), np.float32))
    rows: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    ghosts: tuple[Ghost, ...] = ()
    neighbour: Ghost | None = None
    before: Support = UNKNOWN

    @property
    def known(self) -> NDArray[np.bool_]:
        """(C,) contacts on which its waveform is known: not those of other components alone."""
        return np.asarray(~np.isnan(self.mean).any(axis=0))

    @property
    def all_spikes(self) -> NDArray[np.float32]:
        """Waveforms of all its spikes that have one: (n, 32, C), a copy that nobody keeps."""
        return self.sampled[self.rows]

    @property
    def caption(self) -> str:
        """Second line of the header."""
        return count(self.n_spikes, "spike")

    @property
    def support(self) -> str:
        """Third line of the header."""
        return _support_words(self.p_pure, self.p_complete)

    @property
    def was(self) -> str:
        """The same before any decision; '' where nothing was decided, or it is the same."""
        told = "" if np.isnan(self.before).all() else _support_words(*self.before)
        return "" if told == self.support else told

    @property
    def tooltip(self) -> str:
        """The column in full."""
        lines = [
            f"Unit {self.name}: {self.caption}, {self.support}",
            *([f"before your decisions: {self.was}"] if self.was else []),
            "pure: probability that hardly a spike of another cell is in it",
            "compl.: probability that hardly a spike of its cell is elsewhere",
            f"{count(len(self.spikes), 'spike')} drawn, evenly through the recording; "
            f"{count(len(self.rows), 'spike')} in the density (W)",
        ]
        if self.ghosts:
            names = " and ".join(ghost.name for ghost in self.ghosts)
            lines.append(f"Dashed: {names}, in use now")
        if self.neighbour is not None:
            lines.append(f"Most alike: {self.neighbour.name} (grey with W)")
        is_made = self.unit is not None
        lines.append("Click to select, Ctrl+click to add" if is_made else "Adopting this sorting makes it")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class WaveformsView:
    """All columns.

    channels : (C,) contact of each row, the reference first; offsets_um : (C, 2) from it;
    lowest, highest : of the means, noise sd; message : what to show when there is nothing to draw.
    """

    columns: tuple[WaveformColumn, ...]
    channels: tuple[int, ...]
    offsets_um: NDArray[np.float64]
    lowest: float
    highest: float
    message: str = ""
    is_preview: bool = False
    from_templates: bool = False
    in_noise_sd: bool = True

    @property
    def note(self) -> str:
        """Beside the title of the panel."""
        if not self.columns:
            return ""
        if self.from_templates:
            return TEMPLATES_NOTE
        return PREVIEW_NOTE if self.is_preview else NOTE

    def channel_tooltip(self, row: int) -> str:
        """Where the contact of a row is."""
        if row == 0:
            return f"Contact {self.channels[0]}: the reference, where these spikes are shown on the probe"
        x, y = self.offsets_um[row]
        return f"Contact {self.channels[row]}: {x:+.0f} µm, {y:+.0f} µm from the reference"

    @property
    def scale_bar(self) -> tuple[float, str]:
        """Height of the scale bar in noise sd, and its label."""
        if not self.in_noise_sd:
            height = 10.0 ** np.floor(np.log10(max(self.highest - self.lowest, 1e-12)))
            return height, f"{height:g}, as the sorter counts"
        return SCALE_BAR_SD, f"{SCALE_BAR_SD:g} × noise sd"

    @property
    def scale_help(self) -> str:
        """What the scale bars and the names of contacts are."""
        unit = "in standard deviations of the noise" if self.in_noise_sd else "in units of the sorter"
        return (
            f"Heights {unit}: the bar is {self.scale_bar[1]} high and {self.time_bar[1]} long.\n"
            "From the filtered traces, or what the sorter kept of them, around spikes of each unit;\n"
            "ch is the number of a contact."
        )

    @property
    def time_bar(self) -> tuple[float, str]:
        """Length of the time bar in samples, and its label."""
        return TIME_BAR_MS * SAMPLING_FREQUENCY_HZ / 1000, f"{TIME_BAR_MS:g} ms"


def _nothing(message: str) -> WaveformsView:
    return WaveformsView((), (), np.zeros((0, 2)), -1.0, 1.0, message)


def present_waveforms(workspace: Workspace, *, looks_around: bool = False) -> WaveformsView:
    """Waveforms of the sorting on screen.

    looks_around : whether the most similar unit of each may be of another component, whose waveforms are read
    """
    shown = workspace.shown()
    if shown is None:
        return _nothing(why_nothing(workspace, "Waveforms"))
    waveforms = workspace.waveforms(shown.component.id)
    if waveforms is None:
        return _nothing(why_no_waveforms(workspace, "Waveforms"))
    if not shown.units:
        return _nothing(NO_UNITS)
    assert workspace.state.project is not None
    component = shown.component
    positions = workspace.state.project.probe.positions_um[component.contacts]
    drawn = workspace.state.remembered.get(
        ("waveform columns", component.id, shown.key, id(waveforms)),
        lambda: _columns(shown, waveforms),
    )
    current = workspace.current()
    colors, before = colors_of(workspace, shown), () if current is None else colors_of(workspace, current)
    ghosts = workspace.state.remembered.get(
        ("waveform ghosts", component.id, shown.key, id(waveforms), before),
        lambda: _ghosts(current, before, shown, waveforms),
    )
    own = [
        Ghost(unit.name, color, mean)
        for unit, color, (_, mean) in zip(shown.units, colors, drawn, strict=True)
    ]
    alike = most_alike(own, [*own, *(near_by_ghosts(workspace, shown) if looks_around else ())])
    support = _support(workspace, shown)
    columns = tuple(
        WaveformColumn(
            name=unit.name,
            color=colors[row],
            unit=unit.unit,
            n_spikes=unit.n_spikes,
            p_pure=support[row][0][0],
            p_complete=support[row][0][1],
            spikes=spikes,
            mean=mean,
            is_selected=unit.unit is not None and workspace.is_chosen(unit),
            is_changed=unit.is_changed,
            sampled=waveforms.waveforms,
            rows=np.flatnonzero(shown.sampled_labels == row),
            ghosts=ghosts[row],
            neighbour=alike[row],
            before=support[row][1],
        )
        for row, (unit, (spikes, mean)) in enumerate(zip(shown.units, drawn, strict=True))
    )
    means = [known for column in columns if (known := column.mean[~np.isnan(column.mean)]).size]
    return WaveformsView(
        columns=columns,
        channels=tuple(int(c) for c in component.contacts),
        offsets_um=positions - positions[0],
        lowest=min((float(mean.min()) for mean in means), default=-1.0),
        highest=max((float(mean.max()) for mean in means), default=1.0),
        is_preview=shown.is_preview,
        from_templates=not workspace.state.project.recording.has_traces,
        in_noise_sd=workspace.state.shapes is None or workspace.state.shapes.in_noise_sd,
    )


def _support_words(p_pure: float, p_complete: float) -> str:
    if np.isnan(p_pure) and np.isnan(p_complete):
        return "support unknown"
    return f"pure {percent(p_pure)}, compl. {percent(p_complete)}"


def _pure_and_complete(row: Row) -> Support:
    return row["p_pure"], row["p_complete"]


def _support(workspace: Workspace, shown: ShownSorting) -> list[tuple[Support, Support]]:
    """Of each unit, now and before any decision; of a preview, what this component says."""
    if not shown.is_preview:
        now, before = (of(workspace.state, shown.unit_ids) for of in (unit_numbers, numbers_before))
        return [
            (_pure_and_complete(one), _pure_and_complete(other))
            for one, other in zip(now.rows(), before.rows(), strict=True)
        ]
    made = []
    for row in range(len(shown.units)):
        origin = shown.origin(row)
        is_known = origin is not None and not np.isnan(origin[0].p_exists[origin[1]])
        own = (
            _pure_and_complete(origin[0].numbers.units.row(origin[1]))
            if origin is not None and is_known
            else UNKNOWN
        )
        made.append((own, UNKNOWN))
    return made


def _columns(
    shown: ShownSorting, waveforms: ComponentWaveforms
) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Spikes drawn, evenly through the recording, and mean, of each unit."""
    limit = min(MAX_SPIKES_PER_UNIT, max(12, MAX_SPIKES_SHOWN // max(len(shown.units), 1)))
    result = []
    for row in range(len(shown.units)):
        own = np.flatnonzero(shown.sampled_labels == row)
        if len(own) == 0:
            empty = np.zeros((0, *waveforms.waveforms.shape[1:]), dtype=np.float32)
            result.append((empty, np.zeros(waveforms.waveforms.shape[1:], dtype=np.float32)))
            continue
        own = own[_on_common_contacts(waveforms.waveforms[own])]
        some = own[np.unique(np.linspace(0, len(own) - 1, min(limit, len(own))).astype(np.int64))]
        result.append((waveforms.waveforms[some], waveforms.waveforms[own].mean(axis=0)))
    return result


def _on_common_contacts(waveforms: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Waveforms (k, 32, C) of a unit that have a contact in common: all of them, or those of the most."""
    known = ~np.isnan(waveforms[:, 0])
    most = known[:, known.sum(axis=0).argmax()]
    return np.asarray(known.all(axis=0).any() | most)


def _ghosts(
    current: ShownSorting | None,
    colors: tuple[Color, ...],
    shown: ShownSorting,
    waveforms: ComponentWaveforms,
) -> list[tuple[Ghost, ...]]:
    """For each changed unit, the current ones with a fifth of its spikes, or a fifth of theirs in it.

    colors : of the current units
    """
    if current is None or not shown.is_preview or current.component is not shown.component:
        return [()] * len(shown.units)
    means = [mean for _, mean in _columns(current, waveforms)]
    result = []
    for row, unit in enumerate(shown.units):
        inside = shown.labels == row
        shared = [int((inside & (current.labels == k)).sum()) for k in range(len(current.units))]
        result.append(
            tuple(
                Ghost(old.name, colors[k], means[k])
                for k, old in enumerate(current.units)
                if unit.is_changed
                and shared[k] >= GHOST_SHARE * min(unit.n_spikes, old.n_spikes)
                and means[k].any()
            )
        )
    return result
