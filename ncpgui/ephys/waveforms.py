"""Waveforms as the networks see them: 32 samples at 20 kHz, trough at sample 11, in noise sd.

The trough of the main channel (the peak, of positive spikes) is located between
samples (1/32 of one) by band-limited interpolation, and the waveform is resampled around it in the same step.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.interpolation import interpolation_matrix, kernel_half_width
from ncpgui.core.progress import Progress, reported, silent
from ncpgui.core.waveform_format import N_SAMPLES, SAMPLING_FREQUENCY_HZ, TROUGH_SAMPLE
from ncpgui.ephys.preprocessing import Preprocessed

STEPS_PER_SAMPLE = 32
POSITIVE_SD = 2.0
"""A spike is positive where the trace is over this; noise at the time that a sorter gave is not."""


@dataclass(frozen=True)
class CutPlan:
    """Weights for one sampling frequency: window of `before` + 1 + `after` samples around a spike.

    search : (2 * STEPS_PER_SAMPLE + 1, window), trace at -1 .. +1 samples in steps of 1/32;
    resample : (2 * STEPS_PER_SAMPLE + 1, 32, window), waveform with the trough at each of those.
    """

    before: int
    after: int
    search: NDArray[np.float32]
    resample: NDArray[np.float32]

    @property
    def window(self) -> int:
        """Samples of a window."""
        return self.before + 1 + self.after


@lru_cache(maxsize=4)
def cut_plan(sampling_frequency_hz: float) -> CutPlan:
    """Weights for one sampling frequency."""
    ratio = sampling_frequency_hz / SAMPLING_FREQUENCY_HZ
    half = kernel_half_width(sampling_frequency_hz, SAMPLING_FREQUENCY_HZ)
    before = math.ceil(TROUGH_SAMPLE * ratio) + 1 + half
    after = math.ceil((N_SAMPLES - 1 - TROUGH_SAMPLE) * ratio) + 1 + half
    window = before + 1 + after
    shift = np.arange(-STEPS_PER_SAMPLE, STEPS_PER_SAMPLE + 1) / STEPS_PER_SAMPLE

    def weights(offset: NDArray[np.float64]) -> NDArray[np.float32]:
        return interpolation_matrix(
            before + offset,
            window,
            sampling_frequency_hz=sampling_frequency_hz,
            target_hz=SAMPLING_FREQUENCY_HZ,
        )

    grid = (np.arange(N_SAMPLES) - TROUGH_SAMPLE) * ratio
    return CutPlan(before, after, weights(shift), np.stack([weights(grid + s) for s in shift]))


def extract_waveforms(
    pre: Preprocessed,
    sample_index: NDArray[np.integer],
    neighbours: NDArray[np.integer],
    *,
    progress: Progress = silent,
) -> NDArray[np.float32]:
    """Waveforms of spikes on one set of channels, aligned at the trough of ``neighbours[0]``.

    sample_index : (n,) in any order; neighbours : (C,) main channel first;
    returns (n, 32, C) float32, noise sd. Spikes at the ends of the recording are padded with its
    first or last sample.

    Raises
    ------
    InputError
        A spike outside the recording, or a channel that is not there.
    """
    main = np.zeros(len(sample_index), dtype=np.int64)
    return extract_many(pre, sample_index, main, {0: neighbours}, progress=progress)[0]


def extract_many(
    pre: Preprocessed,
    sample_index: NDArray[np.integer],
    channel: NDArray[np.integer],
    neighbours: Mapping[int, NDArray[np.integer]],
    *,
    progress: Progress = silent,
) -> dict[int, NDArray[np.float32]]:
    """Waveforms of spikes of several groups, reading the traces once.

    channel : (n,) group of each spike, a key of `neighbours`; spikes of other groups are skipped.
    Returns group -> (n of the group, 32, C) float32, in the order of `sample_index`.
    """
    group = np.asarray(channel)
    rows = {key: np.flatnonzero(group == key) for key in neighbours}
    place = np.zeros(len(group), dtype=np.int64)
    for members in rows.values():
        place[members] = np.arange(len(members))
    result = {
        key: np.empty((len(rows[key]), N_SAMPLES, len(neighbours[key])), dtype=np.float32)
        for key in neighbours
    }
    for key, members, waveforms in iterate_waveforms(pre, sample_index, group, neighbours, progress=progress):
        result[key][place[members]] = waveforms
    return result


def iterate_waveforms(
    pre: Preprocessed,
    sample_index: NDArray[np.integer],
    channel: NDArray[np.integer],
    neighbours: Mapping[int, NDArray[np.integer]],
    *,
    progress: Progress = silent,
) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.float32]]]:
    """Yield (group, rows of `sample_index`, waveforms of those) piece by piece through the recording.

    Needs memory for one piece only, however many spikes there are. Every spike comes once.
    """
    samples, group = np.asarray(sample_index, dtype=np.int64), np.asarray(channel)
    plan = cut_plan(pre.sampling_frequency_hz)
    for rows, start, stop in piece_by_piece(
        pre, samples, group, neighbours, doing="extracting waveforms", progress=progress
    ):
        traces = pre.padded_traces(start, stop)
        for key in np.unique(group[rows]):
            members = rows[group[rows] == key]
            channels = np.asarray(neighbours[int(key)], dtype=np.int64)
            yield int(key), members, _cut(traces[:, channels], samples[members] - plan.before - start, plan)


def piece_by_piece(
    pre: Preprocessed,
    samples: NDArray[np.int64],
    group: NDArray[np.integer],
    channels: Mapping[int, NDArray[np.integer]],
    *,
    doing: str,
    progress: Progress,
) -> Iterator[tuple[NDArray[np.int64], int, int]]:
    """Yield rows of the spikes of each piece in order of time, and the samples that their windows reach over.

    samples, group : (n,) where each spike is, and of which group; those that are no key of `channels` are
        skipped

    Raises
    ------
    InputError
        A spike or a channel outside the recording.
    """
    _check_spikes(pre, samples, channels)
    plan = cut_plan(pre.sampling_frequency_hz)
    order = np.argsort(samples, kind="stable")
    order = order[np.isin(group[order], list(channels))]
    total = -(-pre.n_samples // pre.piece_samples)
    ends = np.searchsorted(samples[order], np.arange(1, total + 1) * pre.piece_samples)
    begins = np.append(0, ends[:-1])
    there = pre.ahead(np.flatnonzero(ends > begins).tolist())
    for piece in reported(range(total), progress, doing):
        rows = order[begins[piece] : ends[piece]]
        if len(rows):
            next(there)
            yield rows, int(samples[rows[0]]) - plan.before, int(samples[rows[-1]]) + plan.after + 1


def _cut(traces: NDArray[np.float32], first: NDArray[np.int64], plan: CutPlan) -> NDArray[np.float32]:
    """Waveforms from `traces` (samples, C) whose windows begin at rows `first`: (n, 32, C)."""
    windows = traces[first[:, None] + np.arange(plan.window)]
    return resampled(windows, plan, is_positive=windows[:, plan.before, 0] > POSITIVE_SD)


def resampled(
    windows: NDArray[np.float32], plan: CutPlan, *, is_positive: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Waveforms from windows (n, plan.window, C): (n, 32, C).

    They are aligned at the trough of the first channel, at its peak where a spike `is_positive` (n,).
    """
    upward = np.where(is_positive, np.float32(-1), np.float32(1))
    shift = ((upward[:, None] * windows[:, :, 0]) @ plan.search.T).argmin(axis=1)
    edge = (shift == 0) | (shift == 2 * STEPS_PER_SAMPLE)
    shift[edge] = STEPS_PER_SAMPLE
    result = np.empty((len(windows), N_SAMPLES, windows.shape[2]), dtype=np.float32)
    for step in np.unique(shift):
        chosen = np.flatnonzero(shift == step)
        result[chosen] = plan.resample[step] @ windows[chosen]
    return result


def _check_spikes(
    pre: Preprocessed, samples: NDArray[np.int64], neighbours: Mapping[int, NDArray[np.integer]]
) -> None:
    """Raise InputError where a spike or a channel is outside the recording."""
    if len(samples) and (samples.min() < 0 or samples.max() >= pre.n_samples):
        bad = int(samples.min() if samples.min() < 0 else samples.max())
        raise InputError(f"spike at sample {bad} lies outside the recording of {pre.n_samples} samples")
    for channels in neighbours.values():
        outside = [int(c) for c in np.asarray(channels) if not 0 <= c < pre.n_channels]
        if outside or len(channels) == 0:
            raise InputError(
                f"waveform channels {list(map(int, channels))} do not fit "
                f"a recording of {pre.n_channels} channels"
            )
