"""The probe: where decisions are needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.workspace import Workspace
from ncpgui.app.words import count, sentence, unit_names
from ncpgui.core.probe import DRAWN_PITCH_UM

WITH_UNITS = "units"
"""State of a contact with units of which no question is asked, as without a posterior."""
_MOST_TELLING = ("sampling", "failed", "waiting", "sampled", "sure", "curated")


@dataclass(frozen=True, eq=False)
class ProbeMapView:
    """Contacts: places (n, 2) µm, shanks side by side; ambiguity (n,) 0 .. 1, nan without a posterior.

    states : of each contact, that of the component there which asks most, `WITH_UNITS` where only units of no
    component are, '' where there are no spikes;
    current : reference contact of what is on screen or None; neighbours : contacts of its waveforms;
    tooltips : one a contact.
    """

    positions_um: NDArray[np.float64]
    ambiguity: NDArray[np.float64]
    states: tuple[str, ...]
    current: int | None
    neighbours: tuple[int, ...]
    tooltips: tuple[str, ...]
    pitch_um: float


EMPTY = ProbeMapView(np.zeros((0, 2)), np.zeros(0), (), None, (), (), 1.0)


def present_probe_map(workspace: Workspace) -> ProbeMapView:
    """Contacts coloured by what a decision there would settle."""
    if workspace.project is None:
        return EMPTY
    probe = workspace.project.probe
    ambiguity = np.full(probe.n_channels, np.nan)
    telling = {one: _telling(workspace, one) for one in workspace.component_ids}
    lines = {one: _line(workspace, one) for one in workspace.component_ids}
    states = []
    for contact in range(probe.n_channels):
        shown = _shown_at(workspace, contact, telling)
        state = WITH_UNITS if workspace.units_at(contact) else ""
        state = state if shown is None else workspace.status(shown).state
        component = workspace.component(shown) if shown is not None else None
        if shown is not None and component is not None:
            ambiguity[contact] = workspace.expected_wrong(shown)
        states.append(state)
    largest = np.nanmax(ambiguity) if np.isfinite(ambiguity).any() else 0.0
    component, current = workspace.component(), workspace.component_id
    chosen = workspace.selected[0] if current is None and workspace.selected else None
    if current is not None:
        here: int | None = workspace.contact(current)
    else:
        here = None if chosen is None else workspace.main_channel(chosen)
    return ProbeMapView(
        positions_um=probe.drawn_positions_um,
        ambiguity=ambiguity / largest if largest > 0 else ambiguity,
        states=tuple(states),
        current=here,
        neighbours=() if component is None else tuple(int(c) for c in component.contacts),
        tooltips=tuple(
            _tooltip(
                contact, [lines[one] for one in workspace.at_contact(contact)] or _units(workspace, contact)
            )
            for contact in range(probe.n_channels)
        ),
        pitch_um=probe.pitch_um or DRAWN_PITCH_UM,
    )


def _telling(workspace: Workspace, component_id: int) -> tuple[int, float]:
    """Place of a component among those of a contact: the one that asks most comes first."""
    order = _MOST_TELLING.index(workspace.status(component_id).state)
    return order, -workspace.expected_gain(component_id)


def _shown_at(workspace: Workspace, contact: int, telling: dict[int, tuple[int, float]]) -> int | None:
    """Component that a contact stands for: of those centred there, else of all, the one that asks most."""
    here = workspace.at_contact(contact)
    centred = [one for one in here if workspace.contact(one) == contact]
    return min(centred or here, key=telling.__getitem__, default=None)


def _tooltip(contact: int, lines: list[str]) -> str:
    """What is at a contact, a line a component, in the order in which clicks go through them."""
    if not lines:
        return f"Contact {contact}: no spikes"
    return "\n".join([f"Contact {contact}: {lines[0]}", *map(sentence, lines[1:])])


def _units(workspace: Workspace, contact: int) -> list[str]:
    """Units of no component that are largest on a contact, a line in all."""
    units = workspace.units_at(contact)
    return [unit_names([str(unit) for unit in units])] if units else []


def _line(workspace: Workspace, component_id: int) -> str:
    spikes = count(workspace.n_spikes(component_id), "spike")
    units = workspace.units_of(component_id)
    return f"{units}{', ' if units else ''}{spikes}, {workspace.status(component_id).words}"
