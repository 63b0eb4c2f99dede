"""The noise of each channel, and the channels that are of no use: dead ones and noisy ones.

The noise is the mean over seeded slices of the median absolute deviation, as in SpikeInterface, without
slices that are silent or hold an artefact.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.ahead import ahead
from ncpgui.core.loops import compiled
from ncpgui.ephys.by_channel import by_channel
from ncpgui.ephys.spikeinterface_adapter import BaseRecording, random_slices

MAD_OF_NORMAL = 0.6744897501960817
N_SLICES = 20
SLICE_S = 0.5
SLICE_SEED = 0
USUAL_QUANTILE = 0.75
"""Of the slices of a channel: up to three quarters may be silent, a quarter may hold an artefact."""
SILENT_SHARE, LOUD_SHARE = 0.1, 3.0
DEAD_SHARE = 0.01
STILL_SHARE = 1e-9
NOISY_SHARE = 5.0
MIN_CHANNELS_FOR_NOISY = 8
FIRST_BITS = 12
"""Of a number: its sign, its exponent and three bits more in float32."""


def slices_of(recording: BaseRecording) -> list[tuple[int, int, int]]:
    """Where noise is measured, (segment, first, end): the same seeded places on every run."""
    n_samples = recording.get_num_samples()
    size = int(min(SLICE_S * recording.get_sampling_frequency(), n_samples))
    return random_slices(recording, max(1, min(N_SLICES, n_samples // max(size, 1))), size, SLICE_SEED)


def noise_levels(recording: BaseRecording) -> NDArray[np.float64]:
    """Noise sd of each channel, in the unit of the traces: (C,), NaN where a slice is not finite."""
    levels = np.array(list(ahead(partial(_level, recording), slices_of(recording))))
    usual = np.zeros(levels.shape[1])
    for channel, level in enumerate(levels.T):
        active = level[~(level <= 0)]
        if len(active):
            usual[channel] = np.quantile(active, USUAL_QUANTILE, method="higher")
    counted = (levels > SILENT_SHARE * usual) & (levels < LOUD_SHARE * usual) | ~np.isfinite(levels)
    sums: NDArray[np.float64] = np.where(counted, levels, 0.0).sum(axis=0)
    return sums / np.maximum(counted.sum(axis=0), 1)


def raw_slices(recording: BaseRecording) -> NDArray[np.generic]:
    """Samples of a recording at these places, one after the other: (n, C)."""
    return np.concatenate([recording.get_traces(*place) for place in slices_of(recording)])


def usable_channels(noise_sd: NDArray[np.float64], raw: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Channels that vary: neither constant (but for jumps) nor with less than 1 % of the usual noise.

    noise_sd : (C,) of the filtered traces; raw : (n, C) samples; no channel is where all are constant
    """
    span = raw.max(axis=0).astype(np.float64) - raw.min(axis=0)
    varies = (raw != raw[0]).any(axis=0) & (noise_sd > STILL_SHARE * span)
    if not varies.any():
        return varies
    return np.asarray(varies & (noise_sd > DEAD_SHARE * np.median(noise_sd[varies])))


def noisy_channels(noise_sd: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Channels with more than 5 times the usual noise, as SpikeInterface's `detect_bad_channels` by "mad".

    On fewer than `MIN_CHANNELS_FOR_NOISY` nobody can say what is usual.
    """
    if len(noise_sd) < MIN_CHANNELS_FOR_NOISY:
        return np.zeros(len(noise_sd), bool)
    return np.asarray(noise_sd > NOISY_SHARE * np.median(noise_sd))


def _level(recording: BaseRecording, place: tuple[int, int, int]) -> NDArray[np.float64]:
    """Noise sd of each channel in a slice, without what is blanked (exactly zero)."""
    with np.errstate(invalid="ignore", over="ignore"):
        traces = recording.get_traces(*place)
        if (traces != 0).all():
            return _deviation(traces)
        return np.array([_deviation(column[column != 0][:, None])[0] for column in traces.T])


def _deviation(traces: NDArray[np.floating]) -> NDArray[np.float64]:
    if len(traces) == 0:
        return np.zeros(1)
    values = by_channel(traces)
    values -= medians_of_rows(values)[:, None]
    return np.asarray(medians_of_rows(np.abs(values, out=values)) / MAD_OF_NORMAL, np.float64)


def medians_of_rows(values: NDArray[np.floating]) -> NDArray[np.floating]:
    """Medians of rows (C, n), NaN where one is, and of no values. A fifth of the time of NumPy's.

    Numbers with a sign and an exponent are in the order of their bits, but for the negative ones: values are
    counted by their first bits, and only those of the bits in the middle are put in order.
    """
    if values.shape[1] == 0:
        return np.full(len(values), np.nan, values.dtype)
    whole = np.dtype(f"i{values.itemsize}")
    largest = whole.type(np.iinfo(whole).max)
    bits = np.ascontiguousarray(values).view(whole)
    middle = np.full((2, len(values)), -largest)
    _write_middle(bits, whole.type(8 * values.itemsize - FIRST_BITS), largest, middle)
    low, high = np.where(middle >= 0, middle, middle ^ largest).view(values.dtype)
    median = high if values.shape[1] % 2 else (low + high) / values.dtype.type(2)
    return np.where(np.isnan(values.max(axis=1)), np.nan, median)


@compiled()
def _write_middle(bits, shift, largest, middle):  # type: ignore[no-untyped-def]
    """Values of the ranks n // 2 - 1 and n // 2 of each row (C, n), as whole numbers in order."""
    n_rows, n = bits.shape
    half, zero = n // 2, 1 << (FIRST_BITS - 1)
    count = np.empty(2 * zero, np.int64)
    keys, some = np.empty(n, bits.dtype), np.empty(n + 1, bits.dtype)
    for r in range(n_rows):
        row = bits[r]
        for i in range(n):
            keys[i] = row[i] if row[i] >= 0 else row[i] ^ largest
        count[:] = 0
        for i in range(n):
            count[(keys[i] >> shift) + zero] += 1
        below, place = 0, 0
        while below + count[place] <= half:
            below += count[place]
            place += 1
        n_some = 0
        for i in range(n):
            some[n_some] = keys[i]
            n_some += (keys[i] >> shift) + zero == place
        inside = np.partition(some[:n_some], half - below)
        middle[1, r] = inside[half - below]
        if half > below:
            middle[0, r] = inside[: half - below].max()
        else:
            for i in range(n):
                if (keys[i] >> shift) + zero < place:
                    middle[0, r] = max(middle[0, r], keys[i])
