"""Spikes that another program found, as multiples of the templates that its units have in the recording.

Templates are measured around the spikes, all spikes are taken out of the traces together, and the templates
that are left then are those that the spikes are fitted with, but for those that were found twice. Of a long
recording this is done in parts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import RecordingError
from ncpgui.core.motion import Places
from ncpgui.core.progress import Progress
from ncpgui.sorting.fitting import MAX_LAG_MS, fitted, within
from ncpgui.sorting.found_twice import found_twice
from ncpgui.sorting.matched import Matched
from ncpgui.sorting.matching import least_gain_of
from ncpgui.sorting.parts import Parts, filled, spread
from ncpgui.sorting.templates import AFTER_MS, BEFORE_MS, pruned, templates_of

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed


def explained(
    pre: Preprocessed,
    sample_index: NDArray[np.int64],
    unit: NDArray[np.int64],
    places: Places,
    parts: Parts | None,
    progress: Progress,
    *,
    least: int,
) -> Matched:
    """The given spikes as multiples of the templates that they have in the recording, or in parts of it.

    least : spikes that each unit keeps of those that were found twice
    """
    traces, n_units = pre.whitened(), int(unit.max(initial=-1)) + 1
    measured = None if parts is None else _measured(sample_index, parts)
    rows = np.arange(len(unit)) if measured is None else np.flatnonzero(measured)
    stretches = None if parts is None else parts.stretches
    progress(30, 100, "measuring templates")
    bank, units = templates_of(traces, sample_index[rows], unit[rows], places, n_units=n_units)
    least_gain = least_gain_of(pre.whitened(where_looked_at=True), pre)
    times = sample_index[rows]
    if measured is None:
        times = _inside(times, bank.n_before, bank.waveforms.shape[2], pre)
    channels_um = traces.get_channel_locations()
    progress(50, 100, "taking all spikes out together")
    first, sums = fitted(
        traces, times, units, bank, places, least_gain, with_noise=False, stretches=stretches
    )
    means = np.where(sums.n_spikes[:, :, None, None] > 0, sums.means(places, channels_um), bank.waveforms)
    bank, units = pruned(replace(bank, waveforms=means), units, channels_um, least_gain=None)
    progress(75, 100, "taking all spikes out together")
    if len(first.sample_index) != len(rows):
        raise RecordingError(
            f"the recording has {pre.n_samples} samples, fewer than a template is long; give a longer one"
        )
    again = found_twice(first, sampling_frequency_hz=traces.sampling_frequency, least=least)
    once = again < 0
    matched, _ = fitted(
        traces, times[once], units[once], bank, places, least_gain, with_sums=False, stretches=stretches
    )
    matched = replace(matched, clock=pre.recording.reference.clock)
    if not once.all():
        matched = spread(matched, times, unit[rows], once)
    if measured is None:
        matched = _with_edges(replace(matched, sample_index=sample_index), times != sample_index)
    else:
        matched = filled(matched, sample_index, unit, measured)
    if once.all():
        return matched
    of_all = np.full(len(unit), -1, dtype=np.int64)
    of_all[rows] = np.where(once, -1, rows[again])
    return replace(matched, again=of_all)


def _measured(sample_index: NDArray[np.int64], parts: Parts) -> NDArray[np.bool_]:
    """Spikes whose template, and any that it is compared with, lies in the parts: (n,)."""
    before, after = (
        round((ms + MAX_LAG_MS) * parts.sampling_frequency_hz / 1000) + 1 for ms in (BEFORE_MS, AFTER_MS)
    )
    return within(sample_index - before, sample_index + after, parts.stretches)


def _inside(
    sample_index: NDArray[np.int64], n_before: int, n_times: int, pre: Preprocessed
) -> NDArray[np.int64]:
    """Times at which the whole template lies in the recording, the nearest ones for spikes at its ends."""
    margin = round(MAX_LAG_MS * pre.sampling_frequency_hz / 1000)
    last = pre.n_samples - n_times - margin + n_before
    return np.clip(sample_index, margin + n_before, max(last, margin + n_before))


def _with_edges(matched: Matched, at_edge: NDArray[np.bool_]) -> Matched:
    """Spikes whose template passes an end of the recording cannot be fitted: they are as their unit is."""
    amplitude, shift, gain = matched.amplitude.copy(), matched.shift_samples.copy(), matched.gain.copy()
    for unit in np.unique(matched.unit[at_edge]):
        rows = matched.unit == unit
        others = gain[rows & ~at_edge]
        if len(others):
            gain[rows & at_edge] = np.median(others, axis=0)
        amplitude[rows & at_edge], shift[rows & at_edge] = 1, 0
    return replace(matched, amplitude=amplitude, shift_samples=shift, gain=gain)
