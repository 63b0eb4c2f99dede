"""The probe: where decisions are needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.questions import NOT_SAMPLED
from ncpgui.app.model.workspace import Workspace
from ncpgui.app.words import count, sentence, unit_names
from ncpgui.core.probe import DRAWN_PITCH_UM
from ncpgui.core.project import Project

WITH_UNITS = "units"
"""State of a contact with units of which no question is asked, as without a posterior."""
_MOST_TELLING = ("sampling", "failed", "waiting", "sampled", "sure", "curated")


LONG = 4.0
"""A probe is seen by depth if it is so many times as long as a shank is wide."""
OPEN = ("sampling", "failed", "waiting", "sampled")
"""States of a contact where a question is open."""


@dataclass(frozen=True, eq=False)
class WholeProbe:
    """A probe by depth, each array one value a contact.

    depth_um, axis : as `Probe.depth_um` and `Probe.depth_axis`; shank : 0, 1, ... from left to right, which
    are called `shank_names`
    rate_hz : spikes a second that are largest there, of units or not; n_units : units that are largest there
    is_open : whether a question there is open
    """

    depth_um: NDArray[np.float64]
    axis: int
    shank: NDArray[np.int64]
    shank_names: tuple[int, ...]
    rate_hz: NDArray[np.float64]
    n_units: NDArray[np.int64]
    is_open: NDArray[np.bool_]

    @property
    def n_shanks(self) -> int:
        """Number of shanks."""
        return len(self.shank_names)

    def words(self, shank: int, low_um: float, high_um: float) -> str:
        """What is between two depths of a shank."""
        here = (self.shank == shank) & (self.depth_um >= low_um) & (self.depth_um <= high_um)
        where = f"Depth {low_um:.0f} to {high_um:.0f} µm"
        where += f", shank {self.shank_names[shank]}" if self.n_shanks > 1 else ""
        if not here.any():
            return f"{where}: no contact"
        told = [
            f"{self.rate_hz[here].sum():.3g} spikes a second",
            count(int(self.n_units[here].sum()), "unit"),
            f"{count(int(self.is_open[here].sum()), 'contact')} with an open question",
        ]
        return f"{where}: {', '.join(told)}"


@dataclass(frozen=True, eq=False)
class ProbeMapView:
    """Contacts: places (n, 2) µm, shanks side by side; ambiguity (n,) 0 .. 1, nan without a posterior.

    states : of each contact, that of the component there which asks most, `WITH_UNITS` where only units of no
    component are, '' where there are no spikes;
    current : reference contact of what is on screen or None; neighbours : contacts of its waveforms;
    tooltips : one a contact;
    stands_for : component that each contact stands for, None where there is none.
    whole : the probe by depth
    """

    positions_um: NDArray[np.float64]
    ambiguity: NDArray[np.float64]
    states: tuple[str, ...]
    current: int | None
    neighbours: tuple[int, ...]
    tooltips: Sequence[str]
    pitch_um: float
    stands_for: tuple[int | None, ...] = ()
    whole: WholeProbe | None = None


EMPTY = ProbeMapView(np.zeros((0, 2)), np.zeros(0), (), None, (), (), 1.0)


def present_probe_map(workspace: Workspace) -> ProbeMapView:
    """Contacts coloured by what a decision there would settle."""
    if workspace.state.project is None:
        return EMPTY
    probe = workspace.state.project.probe
    standings, statuses = workspace.questions.standings(), workspace.questions.statuses()
    telling = {
        one: (_MOST_TELLING.index(statuses[one].state), -standing.n_gained)
        for one, standing in standings.items()
    }
    stands_for = tuple(_shown_at(workspace, contact, telling) for contact in range(probe.n_channels))
    n_wrong = {None: nan} | {
        one: nan if standing is NOT_SAMPLED else standing.n_wrong for one, standing in standings.items()
    }
    ambiguity = np.array([n_wrong[shown] for shown in stands_for])
    states = [
        statuses[shown].state
        if shown is not None
        else WITH_UNITS
        if workspace.state.units_at(contact)
        else ""
        for contact, shown in enumerate(stands_for)
    ]
    largest = np.nanmax(ambiguity) if np.isfinite(ambiguity).any() else 0.0
    component, current = workspace.component(), workspace.component_id
    chosen = workspace.selected[0] if current is None and workspace.selected else None
    if current is not None:
        here: int | None = workspace.state.components.contact(current)
    else:
        here = None if chosen is None else workspace.state.places.main_channel(chosen)
    return ProbeMapView(
        positions_um=probe.drawn_positions_um,
        ambiguity=ambiguity / largest if largest > 0 else ambiguity,
        states=tuple(states),
        current=here,
        neighbours=() if component is None else tuple(int(c) for c in component.contacts),
        tooltips=_Tooltips(workspace, probe.n_channels),
        pitch_um=probe.pitch_um or DRAWN_PITCH_UM,
        stands_for=stands_for,
        whole=_whole(workspace, states),
    )


class _Tooltips(Sequence[str]):
    """What is at each contact, put into words when somebody asks: one of hundreds is read."""

    def __init__(self, workspace: Workspace, n_contacts: int) -> None:
        self._workspace, self._n_contacts = workspace, n_contacts

    def __len__(self) -> int:
        return self._n_contacts

    def __getitem__(self, contact: Any) -> Any:
        workspace = self._workspace
        here = workspace.state.components.at_contact(contact)
        return _tooltip(contact, [_line(workspace, one) for one in here] or _units(workspace, contact))


def _whole(workspace: Workspace, states: list[str]) -> WholeProbe | None:
    """The probe by depth; None of an array that is about as wide as it is long."""
    project = workspace.state.project
    assert project is not None
    probe = project.probe
    assert probe.shank is not None
    names = probe.shanks
    if np.ptp(probe.depth_um) < LONG * max(probe.shank_width_um, 1.0):
        return None
    main = [
        workspace.state.places.main_channel(unit) for unit in workspace.state.clustering.unit_ids.tolist()
    ]
    return WholeProbe(
        depth_um=probe.depth_um,
        axis=probe.depth_axis,
        shank=np.array([names.index(one) for one in probe.shank.tolist()]),
        shank_names=names,
        rate_hz=_rates_hz(project),
        n_units=np.bincount(main, minlength=probe.n_channels) if main else np.zeros(probe.n_channels, int),
        is_open=np.isin(states, OPEN),
    )


def _rates_hz(project: Project) -> NDArray[np.float64]:
    """Spikes a second that are largest on each contact."""
    spikes = project.spikes
    seconds = max(spikes.n_samples / spikes.sampling_frequency_hz, 1e-9)
    n_spikes = np.zeros(project.probe.n_channels)
    n_spikes[: len(spikes.n_on_channel)] = spikes.n_on_channel
    return n_spikes / seconds


def _shown_at(workspace: Workspace, contact: int, telling: dict[int, tuple[int, float]]) -> int | None:
    """Component that a contact stands for: of those centred there, else of all, the one that asks most."""
    here = workspace.state.components.at_contact(contact)
    centred = [one for one in here if workspace.state.components.contact(one) == contact]
    return min(centred or here, key=telling.__getitem__, default=None)


def _tooltip(contact: int, lines: list[str]) -> str:
    """What is at a contact, a line a component, in the order in which clicks go through them."""
    if not lines:
        return f"Contact {contact}: no spikes"
    return "\n".join([f"Contact {contact}: {lines[0]}", *map(sentence, lines[1:])])


def _units(workspace: Workspace, contact: int) -> list[str]:
    """Units of no component that are largest on a contact, a line in all."""
    units = workspace.state.units_at(contact)
    return [unit_names([str(unit) for unit in units])] if units else []


def _line(workspace: Workspace, component_id: int) -> str:
    spikes = count(len(workspace.state.components.spike_ids(component_id)), "spike")
    units = workspace.state.units_of(component_id)
    return f"{units}{', ' if units else ''}{spikes}, {workspace.questions.status(component_id).words}"
