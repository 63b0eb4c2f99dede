"""Correlation of the noise of a recording in time and between contacts, where no spike is.

A channel is free at a sample unless a unit of the sorting that it sees fires around then, or it crosses the
threshold itself. Sums of products run over free samples only and are divided by their number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.optimize import least_squares

from ncpgui.core.errors import InputError
from ncpgui.core.interpolation import interpolation_matrix, kernel_half_width
from ncpgui.core.measured_noise import MeasuredNoise, smallest_eigenvalue
from ncpgui.core.probe import Probe
from ncpgui.core.progress import Progress, reported, silent
from ncpgui.core.spikes import Sorting
from ncpgui.core.waveform_format import SAMPLING_FREQUENCY_HZ
from ncpgui.ephys.measured_templates import MeasuredTemplate
from ncpgui.ephys.preprocessing import Preprocessed

Array = NDArray[np.float64]

N_LAGS = 64
PIECE_S, MAX_PIECES = 1.0, 40
MAX_TIME_CHANNELS = 32
SEEN_SD = 0.5  # a channel on which a unit is smaller than this is not taken to see it
CROSSING_SD = 5.0
BEFORE_MS, AFTER_MS = 1.2, 2.2  # of a spike
MIN_FREE_S = 0.5  # summed over channels
MIN_REACH_UM, REACH_PITCHES, BIN_UM = 150.0, 3.0, 10.0  # of pairs of contacts
CORRELATION_ERROR = 0.03  # of a bin: the family of curves is no better
MIN_EIGENVALUE = 1e-3  # a band-passed recording has almost no noise at some frequencies


@dataclass
class _Sums:
    """Products of free samples and their number: by lag (n_lags,), by pair (C, C)."""

    by_lag: Array
    lags: Array
    by_pair: Array
    pairs: Array


def measure_noise(
    pre: Preprocessed,
    sorting: Sorting,
    templates: Sequence[MeasuredTemplate] = (),
    *,
    progress: Progress = silent,
) -> MeasuredNoise:
    """Measure the noise between the spikes of a sorting.

    Parameters
    ----------
    templates : which channels see a unit; of other units only what crosses the threshold is left out

    Raises
    ------
    InputError
        Spikes leave too little of the recording.
    RecordingError
        NaN or infinite samples.
    """
    good = pre.good_channels
    rate = pre.sampling_frequency_hz
    half = kernel_half_width(rate, SAMPLING_FREQUENCY_HZ)
    n_lags = math.ceil((N_LAGS - 1) * rate / SAMPLING_FREQUENCY_HZ) + half + 1
    sums = _Sums(*(np.zeros(n_lags) for _ in range(2)), *(np.zeros((len(good),) * 2) for _ in range(2)))
    size = min(pre.n_samples, max(round(PIECE_S * rate), 4 * n_lags))
    n_pieces = min(MAX_PIECES, pre.n_samples // size)
    starts = np.linspace(0, pre.n_samples - size, n_pieces).astype(np.int64)
    in_time = np.linspace(0, len(good) - 1, min(len(good), MAX_TIME_CHANNELS)).astype(np.int64)
    for start in reported(starts.tolist(), progress, "measuring noise"):
        traces = pre.traces(start, start + size)[:, good].astype(np.float64)
        free = _free(traces, start, good, sorting, templates, rate).astype(np.float64)
        traces *= free
        sums.by_pair += traces.T @ traces
        sums.pairs += free.T @ free
        sums.by_lag += _by_lag(traces[:, in_time], n_lags)
        sums.lags += _by_lag(free[:, in_time], n_lags)
    if sums.lags.min() < MIN_FREE_S * rate:
        raise InputError(
            f"noise needs {MIN_FREE_S:g} s without spikes, summed over channels; "
            f"{max(sums.lags.min(), 0) / rate:.2f} s were found; "
            "give a longer recording, or check that the sorting belongs to it"
        )
    distance, correlation = _between_contacts(sums, pre.probe, good)
    at, mean = _binned(distance, correlation)
    shared, length = fit_fall_off(at, mean)
    return MeasuredNoise(_at_20_khz(sums.by_lag / sums.lags, rate), at, mean, shared, length)


def fit_fall_off(distance_um: Array, correlation: Array) -> tuple[float, float]:
    """Fit shared * exp(-distance / length): (shared, length in µm).

    What contacts at one or two distances do not tell is held by weak priors, whose middle is the result where
    there is no pair at all.
    """

    def residuals(parameters: Array) -> Array:
        shared, log_length = parameters
        missing = shared * np.exp(-distance_um * np.exp(-log_length)) - correlation
        prior = [(shared - 0.5) / 0.25, (log_length - math.log(60.0)) / 0.7]
        return np.concatenate([missing / CORRELATION_ERROR, prior])

    found = least_squares(
        residuals, [0.5, math.log(50.0)], bounds=([0.0, math.log(5.0)], [0.98, math.log(1e3)])
    )
    return float(found.x[0]), float(np.exp(found.x[1]))


def _free(
    traces: Array,
    start: int,
    good: NDArray[np.int64],
    sorting: Sorting,
    templates: Sequence[MeasuredTemplate],
    rate: float,
) -> NDArray[np.bool_]:
    """Samples (n, C) at which a channel sees no spike."""
    n = len(traces)
    before, after = math.ceil(BEFORE_MS * rate / 1000), math.ceil(AFTER_MS * rate / 1000)
    # +1 where a spike begins to be seen and -1 where it ends; the sum so far is the number in sight.
    edges = np.zeros((n + 1, len(good)), dtype=np.int32)
    first, last = np.searchsorted(sorting.sample_index, [start - after, start + n + before])
    times, units = sorting.sample_index[first:last] - start, sorting.unit_id[first:last]
    for template in templates:
        here = times[units == template.unit]
        seen = template.channels[np.abs(template.waveform).max(axis=0) > SEEN_SD]
        for column in np.flatnonzero(np.isin(good, seen)):
            np.add.at(edges[:, column], np.clip(here - before, 0, n), 1)
            np.add.at(edges[:, column], np.clip(here + after, 0, n), -1)
    crossing, where = np.nonzero(np.abs(traces) > CROSSING_SD)
    np.add.at(edges, (np.clip(crossing - before, 0, n), where), 1)
    np.add.at(edges, (np.clip(crossing + after, 0, n), where), -1)
    free: NDArray[np.bool_] = edges.cumsum(axis=0)[:n] == 0
    return free


def _by_lag(values: Array, n_lags: int) -> Array:
    """Sum over samples and columns of the products of (n, C) values at distances 0 .. n_lags - 1."""
    size = next_fast_len(len(values) + n_lags)
    power = np.abs(rfft(values, size, axis=0)) ** 2
    products: Array = irfft(power.sum(axis=1), size)[:n_lags]
    return products


def _at_20_khz(covariance: Array, rate: float) -> Array:
    """Autocorrelation at lags of 20 kHz, made positive definite by as little white noise as that takes."""
    both = np.concatenate([covariance[:0:-1], covariance])
    places = len(covariance) - 1 + np.arange(N_LAGS, dtype=np.float64) * (rate / SAMPLING_FREQUENCY_HZ)
    weights = interpolation_matrix(
        places, len(both), sampling_frequency_hz=rate, target_hz=SAMPLING_FREQUENCY_HZ
    )
    values: Array = weights.astype(np.float64) @ both
    values /= values[0]
    smallest = smallest_eigenvalue(values)
    if smallest < MIN_EIGENVALUE:
        values[1:] *= (1 - MIN_EIGENVALUE) / (1 - smallest)
    return values


def _between_contacts(sums: _Sums, probe: Probe, good: NDArray[np.int64]) -> tuple[Array, Array]:
    """Distance in µm and correlation of each pair of contacts of a shank that are not far apart."""
    assert probe.shank is not None
    covariance = sums.by_pair / np.maximum(sums.pairs, 1.0)
    sd = np.sqrt(np.diag(covariance))
    i, j = np.triu_indices(len(good), k=1)
    distance = np.linalg.norm(probe.positions_um[good[i]] - probe.positions_um[good[j]], axis=1)
    reach = max(MIN_REACH_UM, REACH_PITCHES * probe.pitch_um)
    usable = (distance <= reach) & (probe.shank[good[i]] == probe.shank[good[j]])
    usable &= (sums.pairs[i, j] > 0) & (sd[i] > 0) & (sd[j] > 0)
    i, j = i[usable], j[usable]
    return distance[usable], covariance[i, j] / (sd[i] * sd[j])


def _binned(distance: Array, correlation: Array) -> tuple[Array, Array]:
    """Mean distance and correlation in bins of `BIN_UM`."""
    which = (distance // BIN_UM).astype(np.int64)
    bins = np.unique(which)
    means = [(distance[which == b].mean(), correlation[which == b].mean()) for b in bins]
    both = np.array(means).reshape(-1, 2)
    return both[:, 0], both[:, 1]
