"""Templates of units: means of traces around their spikes, on the channels where they are seen."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.ahead import ahead
from ncpgui.core.loops import compiled
from ncpgui.core.motion import Places
from ncpgui.core.partition import rows_of_clusters
from ncpgui.ephys.by_channel import read_by_channel
from ncpgui.sorting.moving_templates import MovingBank, smoothed
from ncpgui.sorting.peeling import add_window

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording

    from ncpgui.sorting.least_gain import LeastGain

BEFORE_MS = 1.0
AFTER_MS = 2.5
TEMPLATE_RADIUS_UM = 100.0
SEEN_SD = 1.0
"""A template is seen on channels where it spans more than this, in noise sd."""
NOISE_SPAN_SD = 6.0
"""What the noise of one spike spans; that of the mean of n spikes has 1 / sqrt(n) of it. Beyond the radius
a template is seen where it spans more than this too: what a large cell leaves there is found as a unit."""
MIN_SPIKES = 10
MOST_SPIKES = 1000
"""Of a unit at a place, whose mean a template is at first; cleaned waveforms of all of them come after it."""
READ_S = 1.0
"""Seconds of the traces that are read at a time."""


def templates_of(
    traces: BaseRecording,
    spikes: NDArray[np.int64],
    units: NDArray[np.int64],
    places: Places,
    *,
    least_gain: LeastGain | None = None,
    n_units: int | None = None,
) -> tuple[MovingBank, NDArray[np.int64]]:
    """Templates of units as their spikes are in the traces; the units of spikes are rows of the bank.

    least_gain : as of `pruned`; n_units : where the last ones may have no spike
    """
    rate = traces.sampling_frequency
    before, after = round(BEFORE_MS * rate / 1000), round(AFTER_MS * rate / 1000)
    n_units = int(units.max(initial=-1)) + 1 if n_units is None else n_units
    n_places = places.n_places
    row = places.of(spikes) * n_units + units
    row[~evenly_chosen(row, n_units * n_places, MOST_SPIKES)] = -1
    shape = (n_places, n_units, before + after, traces.get_num_channels())
    means = mean_waveforms(
        traces, spikes, row, n_units=n_units * n_places, n_before=before, n_after=after
    ).reshape(shape)
    n_spikes = (
        np.bincount(row[row >= 0], minlength=n_units * n_places).reshape(n_places, n_units).astype(np.float64)
    )
    channels_um = traces.get_channel_locations()
    means = smoothed(means, n_spikes, places, channels_um)
    return pruned(MovingBank(means, before, places.share), units, channels_um, least_gain=least_gain)


def evenly_chosen(labels: NDArray[np.integer], n_clusters: int, most: int) -> NDArray[np.bool_]:
    """At most so many points of each cluster, evenly from its first to its last; labels (n,), -1 for none."""
    result = np.zeros(len(labels), bool)
    for rows in rows_of_clusters(labels, n_clusters):
        few = len(rows) <= most
        result[rows if few else rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]] = True
    return result


def pruned(
    bank: MovingBank,
    units: NDArray[np.int64],
    channels_um: NDArray[np.float64],
    *,
    least_gain: LeastGain | None,
) -> tuple[MovingBank, NDArray[np.int64]]:
    """Templates where they are seen; those of too few spikes or energy go, with their spikes (unit -1).

    least_gain : what matching asks of a spike: most spikes of a template with less energy (sum of squares,
        less that of the noise of a mean) at all places would not be found. Where None, no template goes; one
        that is seen nowhere is kept on its largest channel
    """
    span = np.ptp(bank.waveforms, axis=2)
    main = span.argmax(axis=2)
    n_units = span.shape[1]
    n_spikes = np.bincount(units[units >= 0], minlength=n_units)
    far = np.linalg.norm(channels_um[main][:, :, None] - channels_um, axis=3) > TEMPLATE_RADIUS_UM
    noise = NOISE_SPAN_SD / np.sqrt(np.maximum(n_spikes, 1))
    seen = span > SEEN_SD + far * noise[:, None]
    own = (bank.waveforms**2).sum(axis=2) - bank.waveforms.shape[2] / np.maximum(n_spikes, 1)[:, None]
    kept = np.ones(n_units, bool)
    if least_gain is None:
        np.put_along_axis(seen, main[:, :, None], True, axis=2)
    waveforms = where_seen(seen[:, :, None], bank.waveforms)
    if least_gain is not None:
        spare = (own * seen).sum(axis=2) - least_gain.of(waveforms)
        kept = (spare.max(axis=0) >= 0) & (n_spikes >= MIN_SPIKES)
    row = np.where(kept, np.cumsum(kept) - 1, -1)
    waveforms = waveforms[:, kept]
    return replace(bank, waveforms=waveforms), np.where(units >= 0, row[units], -1)


def where_seen(seen: NDArray[np.bool_], waveforms: NDArray[np.float32]) -> NDArray[np.float32]:
    """Waveforms where they are seen, zero elsewhere: without the sign that multiplying would leave there."""
    return np.where(seen, waveforms, np.float32(0))


def mean_waveforms(
    recording: BaseRecording,
    sample_index: NDArray[np.integer],
    unit: NDArray[np.integer],
    *,
    n_units: int,
    n_before: int,
    n_after: int,
) -> NDArray[np.float32]:
    """Mean of the traces around the spikes of each unit: (n_units, n_before + n_after, C), zero for none."""
    times, units = np.asarray(sample_index, np.int64), np.asarray(unit, np.int64)
    n_samples, n_times = recording.get_num_samples(), n_before + n_after
    inside = (times >= n_before) & (times <= n_samples - n_after) & (units >= 0)
    order = np.flatnonzero(inside)[np.argsort(times[inside], kind="stable")]
    times, units = times[order], units[order]
    sums = np.zeros((n_units, recording.get_num_channels(), n_times))
    starts = np.arange(0, n_samples, round(READ_S * recording.sampling_frequency))
    ends = np.searchsorted(times, np.append(starts, n_samples)).tolist()
    rows = [slice(low, high) for low, high in pairwise(ends) if low < high]

    def read(some: slice) -> NDArray[np.float32]:
        first, last = times[some][[0, -1]].tolist()
        return read_by_channel(recording, first - n_before, last + n_after)

    for some, traces in zip(rows, ahead(read, rows), strict=True):
        _add_windows(traces, times[some] - times[some.start], units[some], sums)
    sums /= np.maximum(np.bincount(units, minlength=n_units), 1)[:, None, None]
    return np.ascontiguousarray(sums.transpose(0, 2, 1), np.float32)


@compiled()
def _add_windows(traces, first, units, sums):  # type: ignore[no-untyped-def]
    """Add traces (C, n) from samples `first` (m,) on to the sums (K, C, T) of their units (m,)."""
    channels = np.arange(len(traces))
    for n in range(len(first)):
        add_window(traces, first[n], channels, sums[units[n]])
