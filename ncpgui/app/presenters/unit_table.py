"""Units of the group on screen, or of the whole recording, with what is measured of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ncpgui.analysis.quality import unit_quality
from ncpgui.app.colors import Color
from ncpgui.app.workspace import Workspace
from ncpgui.core.spikes import UNASSIGNED


@dataclass(frozen=True)
class UnitRow:
    """One unit of the current sorting.

    amplitude : mean depth of the trough in noise sd (signal to noise); violations : share of intervals under
    1.5 ms; p_exists : P(it exists as it stands), nan when unknown; p_spikes : mean probability that its
    spikes are its own, nan when unknown: see `analysis.support`.
    """

    unit: int
    color: Color
    label: str
    is_locked: bool
    channel: int
    n_spikes: int
    rate_hz: float
    amplitude: float
    violations: float
    p_exists: float
    p_spikes: float
    is_selected: bool


def unit_table_message(workspace: Workspace) -> str:
    """Return what to show where there are no rows."""
    if workspace.project is None:
        return "Open a recording or a session to begin."
    if workspace.group() is None:
        return "Units appear when the group is sampled."
    return "No units in this sorting."


def present_unit_table(workspace: Workspace, *, all_units: bool = False) -> tuple[UnitRow, ...]:
    """Rows of the current group's units, or of all units."""
    if workspace.project is None or workspace.channel is None:
        return ()
    channels = workspace.channels if all_units else [workspace.channel]
    rows: dict[int, UnitRow] = {}
    for channel in channels:
        for row in workspace.memo(("unit rows", channel), partial(_rows, workspace, channel)):
            if not all_units or row.channel == channel:
                rows[row.unit] = row
    labels = workspace.history.labels
    return tuple(
        UnitRow(
            **{
                **vars(rows[unit]),
                "label": labels.label(unit),
                "is_locked": labels.is_locked(unit),
                "is_selected": unit in workspace.selected,
                **dict(zip(("p_exists", "p_spikes"), workspace.unit_support(unit), strict=True)),
            }
        )
        for unit in (sorted(rows) if all_units else rows)
    )


def _rows(workspace: Workspace, channel: int) -> tuple[UnitRow, ...]:
    assert workspace.project is not None
    group = workspace.group(channel)
    if group is None:
        return ()
    clustering, spikes = workspace.clustering, workspace.project.spikes
    sorting = workspace.current_of(channel)
    assert sorting is not None
    rows = []
    for shown in sorting.units:
        if shown.unit is None or shown.unit == UNASSIGNED:
            continue
        ids = clustering.spikes_of(shown.unit)
        quality = unit_quality(
            spikes.sample_index[ids],
            spikes.amplitude[ids],
            sampling_frequency_hz=spikes.sampling_frequency_hz,
            n_samples=spikes.n_samples,
        )
        rows.append(
            UnitRow(
                unit=shown.unit,
                color=shown.color,
                label="unsorted",
                is_locked=False,
                channel=workspace.main_channel(shown.unit),
                n_spikes=quality.n_spikes,
                rate_hz=quality.rate_hz,
                amplitude=quality.snr,
                violations=quality.refractory_violations,
                p_exists=np.nan,
                p_spikes=np.nan,
                is_selected=False,
            )
        )
    return tuple(rows)
