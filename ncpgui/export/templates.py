"""Mean waveform of each unit from the waveforms that the network saw."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.project import Project
from ncpgui.core.waveform_format import N_SAMPLES, SAMPLING_FREQUENCY_HZ


def templates_from_waveforms(project: Project, units: NDArray[np.int64]) -> NDArray[np.float32] | None:
    """Average the sampled spikes of each unit, brought to the recording's sampling rate.

    Parameters
    ----------
    units : (n_spikes,) unit of each spike, -1 = unassigned

    Returns
    -------
    (n_units, n_times, n_channels) float32, noise sd, units in order of id; channels outside the
    unit's neighbourhoods are 0, as is a unit without a sampled spike. None without any waveforms.
    """
    if not project.waveforms:
        return None
    ids = np.unique(units[units >= 0])
    sums = np.zeros((len(ids), N_SAMPLES, project.probe.n_channels))
    counts = np.zeros((len(ids), project.probe.n_channels))
    for component in project.components:
        cached = project.waveforms.get(component.id)
        if cached is None:
            continue
        here = units[component.spike_ids[component.sampled]]
        for unit in np.unique(here[here >= 0]):
            row, mine = int(np.searchsorted(ids, unit)), cached.waveforms[here == unit]
            sums[row][:, component.contacts] += mine.sum(axis=0)
            counts[row, component.contacts] += len(mine)
    mean = sums / np.maximum(counts, 1)[:, None, :]
    return resample_templates(mean, project.spikes.sampling_frequency_hz)


def resample_templates(templates: NDArray[np.float64], sampling_frequency_hz: float) -> NDArray[np.float32]:
    """Templates at 20 kHz (n, 32, n_channels) as seen at another rate, over the same 1.6 ms."""
    if sampling_frequency_hz == SAMPLING_FREQUENCY_HZ or templates.size == 0:
        return templates.astype(np.float32)
    from scipy.interpolate import CubicSpline

    n_times = max(2, round(N_SAMPLES * sampling_frequency_hz / SAMPLING_FREQUENCY_HZ))
    known = np.arange(N_SAMPLES) / SAMPLING_FREQUENCY_HZ
    wanted = np.minimum(np.arange(n_times) / sampling_frequency_hz, known[-1])
    result: NDArray[np.float32] = CubicSpline(known, templates, axis=1)(wanted).astype(np.float32)
    return result
