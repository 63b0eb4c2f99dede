"""What people are told of units whose spikes are probably echoes of another's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Component, Echoes
from ncpgui.core.project import Project

LIKELY = 0.5
"""P(echo) from which on it is told."""


def echo_notes(project: Project) -> tuple[str, ...]:
    """A sentence for each pair of a unit and its probable echo, as the units are before curation."""
    return tuple(
        _sentence(project, component, pair)
        for component in project.components
        for pair in component.echoes
        if pair.probability >= LIKELY and len(pair.spikes)
    )


def _sentence(project: Project, component: Component, pair: Echoes) -> str:
    echoes, sources = component.spike_ids[pair.spikes], component.spike_ids[pair.sources]
    units = project.unit_of_spike
    own, source = (_most(units[ids]) for ids in (echoes, sources))
    late_ms = 1000 * float(np.median(project.fired[echoes] - project.fired[sources]))
    late_ms /= project.spikes.sampling_frequency_hz
    when = f"{abs(late_ms):.1f} ms {'after' if late_ms > 0 else 'before'} its own"
    if abs(late_ms) < 0.05:
        when = "at the times of its own"
    whose = f"unit {source}" if source >= 0 else "spikes of no unit"
    if own < 0:
        return f"{len(echoes)} spikes are probably echoes of {whose}, {when}; they are in no unit"
    n = int(np.count_nonzero(units == own))
    return f"{len(echoes)} of {n} spikes of unit {own} are probably echoes of {whose}, {when}"


def _most(units: NDArray[np.int64]) -> int:
    """Unit of most of some spikes, -1 = none."""
    names, counts = np.unique(units, return_counts=True)
    return int(names[counts.argmax()])
