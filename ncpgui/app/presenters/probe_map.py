"""The probe: where decisions are needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.presenters.words import thousands
from ncpgui.app.workspace import Workspace
from ncpgui.core.probe import DRAWN_PITCH_UM


@dataclass(frozen=True, eq=False)
class ProbeMapView:
    """Contacts: places (n, 2) µm, shanks side by side; ambiguity (n,) 0 .. 1, nan without a posterior.

    states : of each group, '' where there are no spikes; current : channel on screen or None;
    neighbours : channels of its waveforms; tooltips : one a contact.
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
    busy = set(workspace.channels)
    ambiguity = np.full(probe.n_channels, np.nan)
    states, tooltips = [], []
    for channel in range(probe.n_channels):
        group = workspace.group(channel)
        if group is not None:
            ambiguity[channel] = group.ambiguity
        state = workspace.status(channel).words if channel in busy else ""
        states.append(state.split()[0] if state else "")
        spikes = f"{thousands(workspace.n_spikes(channel))} spikes" if channel in busy else "no spikes"
        tooltips.append(f"Channel {channel}: {spikes}" + (f", {state}" if state else ""))
    largest = np.nanmax(ambiguity) if np.isfinite(ambiguity).any() else 0.0
    group = workspace.group()
    return ProbeMapView(
        positions_um=probe.drawn_positions_um,
        ambiguity=ambiguity / largest if largest > 0 else ambiguity,
        states=tuple(states),
        current=workspace.channel,
        neighbours=() if group is None else tuple(int(c) for c in group.neighbours),
        tooltips=tuple(tooltips),
        pitch_um=probe.pitch_um or DRAWN_PITCH_UM,
    )
