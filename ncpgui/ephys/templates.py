"""Mean waveform of each unit on all channels, at the recording's own rate, for exports and quality."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.progress import Progress, silent
from ncpgui.core.seeds import stream
from ncpgui.ephys.preprocessing import Preprocessed


@dataclass(frozen=True)
class Templates:
    """Mean waveforms.

    unit_ids : (K,); waveforms : (K, T, n_channels) float32, noise sd; trough : row of T at the spike;
    n_averaged : (K,) spikes behind each mean.
    """

    unit_ids: NDArray[np.int64]
    waveforms: NDArray[np.float32]
    trough: int
    n_averaged: NDArray[np.int64]


def mean_waveforms(
    pre: Preprocessed,
    sample_index: NDArray[np.integer],
    unit_id: NDArray[np.integer],
    *,
    before_ms: float = 1.0,
    after_ms: float = 2.0,
    max_spikes: int = 500,
    seed: int = 0,
    progress: Progress = silent,
) -> Templates:
    """Average at most `max_spikes` spikes of each unit (drawn at random); -1 is no unit."""
    samples, units = np.asarray(sample_index, dtype=np.int64), np.asarray(unit_id, dtype=np.int64)
    ids = np.unique(units[units >= 0])
    rate = pre.sampling_frequency_hz / 1000
    before, after = round(before_ms * rate), round(after_ms * rate)
    drawn = [_draw(np.flatnonzero(units == unit), max_spikes, seed, int(unit)) for unit in ids]
    chosen = np.concatenate([np.zeros(0, dtype=np.int64), *drawn])
    chosen = chosen[np.argsort(samples[chosen], kind="stable")]
    index = np.searchsorted(ids, units[chosen])
    sums = np.zeros((len(ids), before + after + 1, pre.n_channels), dtype=np.float64)
    n_pieces = -(-pre.n_samples // pre.piece_samples)
    ends = np.searchsorted(samples[chosen], np.arange(1, n_pieces + 1) * pre.piece_samples)
    first = 0
    for piece, end in enumerate(ends):
        progress(piece, len(ends), "averaging waveforms")
        rows, first = slice(first, int(end)), int(end)
        at, which = samples[chosen[rows]], index[rows]
        if len(at) == 0:
            continue
        start = int(at[0]) - before
        traces = pre.padded_traces(start, int(at[-1]) + after + 1)
        for spike, unit in zip(at - before - start, which, strict=True):
            sums[unit] += traces[spike : spike + before + after + 1]
    progress(len(ends), len(ends), "averaging waveforms")
    counts = np.bincount(index, minlength=len(ids)).astype(np.int64)
    mean = sums / np.maximum(counts, 1)[:, None, None]
    return Templates(ids, mean.astype(np.float32), before, counts)


def _draw(rows: NDArray[np.int64], limit: int, seed: int, unit: int) -> NDArray[np.int64]:
    if len(rows) <= limit:
        return rows
    return stream(seed, "templates", unit).choice(rows, limit, replace=False)
