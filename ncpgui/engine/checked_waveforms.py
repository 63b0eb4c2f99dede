"""Waveforms as they are given to `cluster`: checked, and brought to the samples that a network reads."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncpgui.core.arguments import BOOLEANS, NUMBERS, array, number
from ncpgui.core.errors import InputError
from ncpgui.core.interpolation import interpolation_matrix, kernel_half_width
from ncpgui.core.probe import Probe, check_pitch
from ncpgui.core.waveform_format import (
    MAX_CHANNELS,
    N_SAMPLES,
    SAMPLING_FREQUENCY_HZ,
    TROUGH_SAMPLE,
)

MIN_SAMPLING_FREQUENCY_HZ = 5000.0
MIN_REACH_MS = 0.25
"""What waveforms must hold before and after their trough."""
_BEFORE_MS = 1000 * TROUGH_SAMPLE / SAMPLING_FREQUENCY_HZ
_AFTER_MS = 1000 * (N_SAMPLES - 1 - TROUGH_SAMPLE) / SAMPLING_FREQUENCY_HZ


class Checked(NamedTuple):
    """What a network encodes.

    waveforms : (n, 32, C) float32, noise sd; positions : (C, 2) float32 µm, the main channel first, at 0
    mask : (C,) bool; notes : what was done to the waveforms
    """

    waveforms: NDArray[np.float32]
    positions: NDArray[np.float32]
    mask: NDArray[np.bool_]
    notes: tuple[str, ...]


def checked_waveforms(
    waveforms: NDArray[np.floating],
    channel_positions: ArrayLike | None = None,
    channel_mask: ArrayLike | None = None,
    sampling_frequency: float = SAMPLING_FREQUENCY_HZ,
    *,
    max_channels: int = MAX_CHANNELS,
) -> Checked:
    """Return what a network encodes, of the channels nearest to the main one, at most `max_channels`.

    Parameters and errors as in `cluster`.
    """
    spikes = spikes_of(waveforms)
    n_spikes, _, n_channels = spikes.shape
    if n_spikes == 0:
        raise InputError("waveforms holds no spikes; give at least one")
    finite = np.isfinite(spikes).all(axis=(1, 2))
    if not finite.all():
        bad = int(np.flatnonzero(~finite)[0])
        raise InputError(f"waveforms must be finite, but spike {bad} holds NaN or infinity; remove it")
    if channel_positions is None:
        angle = np.arange(6) * np.pi / 3
        hexagon = 30.0 * np.column_stack([np.cos(angle), np.sin(angle)])
        places = np.vstack([np.zeros((1, 2)), hexagon])[:n_channels]
        if n_channels > len(places):
            raise InputError(f"{n_channels} channels without positions; give channel_positions in µm")
    else:
        places = array(channel_positions, "channel_positions").astype(np.float64)
    mask = np.ones(n_channels, bool)
    if channel_mask is not None:
        flags = array(channel_mask, "channel_mask", NUMBERS + BOOLEANS)
        neither = flags[(flags != 0) & (flags != 1)]
        if neither.size:
            raise InputError(f"channel_mask must be true or false, 1 or 0, of each channel, got {neither[0]}")
        mask = flags.astype(bool)
    sampling_frequency = number(sampling_frequency, "sampling_frequency")
    if places.shape != (n_channels, 2) or mask.shape != (n_channels,):
        raise InputError(
            f"waveforms have {n_channels} channels, but channel_positions is {places.shape} and "
            f"channel_mask {mask.shape}; give ({n_channels}, 2) and ({n_channels},)"
        )
    if not np.isfinite(places).all():
        raise InputError("channel_positions must be finite numbers in µm")
    if not mask[0]:
        raise InputError("the main channel, which comes first, cannot be missing in channel_mask")
    try:
        check_pitch(Probe(places[mask]))
    except InputError as error:
        raise InputError(f"channel_positions: {error}") from error
    places = places - places[0]
    if n_channels > max_channels:
        distance = np.where(mask, np.linalg.norm(places, axis=1), np.inf)
        nearest = np.argsort(distance, kind="stable")[:max_channels]
        spikes, places, mask = spikes[:, :, nearest], places[nearest], mask[nearest]
    read, notes = as_read(spikes.astype(np.float32), sampling_frequency)
    return Checked(read * mask, places.astype(np.float32) * mask[:, None], mask, notes)


def spikes_of(waveforms: ArrayLike) -> NDArray[Any]:
    """Waveforms as an array (n_spikes, n_samples, n_channels) of numbers.

    Raises
    ------
    InputError
        They are none.
    """
    spikes = array(waveforms, "waveforms")
    if spikes.ndim != 3 or 0 in spikes.shape[1:]:
        raise InputError(f"waveforms must be (n_spikes, n_samples, n_channels), got shape {spikes.shape}")
    return spikes


def as_read(
    waveforms: NDArray[np.float32], sampling_frequency_hz: float
) -> tuple[NDArray[np.float32], tuple[str, ...]]:
    """Return waveforms (n, T, C) as 32 samples at 20 kHz, and say what was done; nothing if they are that.

    The trough, of the mean of the main channel, comes to lie where networks expect it. Beyond the first and
    the last sample these go on.

    Raises
    ------
    InputError
        A sampling frequency under 5 kHz, or less than 0.25 ms before or after the trough.
    """
    if not sampling_frequency_hz >= MIN_SAMPLING_FREQUENCY_HZ or math.isinf(sampling_frequency_hz):
        raise InputError(
            f"the sampling frequency must be at least {MIN_SAMPLING_FREQUENCY_HZ:g} Hz to show spikes, got "
            f"{sampling_frequency_hz:g} Hz; give it in Hz"
        )
    n_samples = waveforms.shape[1]
    as_expected = abs(sampling_frequency_hz - SAMPLING_FREQUENCY_HZ) <= 1
    if n_samples == N_SAMPLES and as_expected:
        return waveforms, ()
    per_ms = sampling_frequency_hz / 1000
    trough = _trough(waveforms[:, :, 0].mean(axis=0, dtype=np.float64))
    before_ms, after_ms = trough / per_ms, (n_samples - 1 - trough) / per_ms
    if min(before_ms, after_ms) < MIN_REACH_MS:
        raise InputError(
            f"waveforms must hold {MIN_REACH_MS:g} ms before and after their trough, but of {n_samples} "
            f"samples at {sampling_frequency_hz:g} Hz there are {before_ms:.2f} ms before it and "
            f"{after_ms:.2f} ms after it; cut longer waveforms, best from {_BEFORE_MS:g} ms before to "
            f"{_AFTER_MS:g} ms after"
        )
    half = kernel_half_width(sampling_frequency_hz, SAMPLING_FREQUENCY_HZ)
    ratio = sampling_frequency_hz / SAMPLING_FREQUENCY_HZ
    wanted = trough + (np.arange(N_SAMPLES) - TROUGH_SAMPLE) * ratio
    weights = interpolation_matrix(
        wanted.clip(0, n_samples - 1) + half,
        n_samples + 2 * half,
        sampling_frequency_hz=sampling_frequency_hz,
        target_hz=SAMPLING_FREQUENCY_HZ,
    )
    inner = weights[:, half:-half].copy()
    inner[:, 0] += weights[:, :half].sum(axis=1)
    inner[:, -1] += weights[:, -half:].sum(axis=1)
    told = (
        f"waveforms of {n_samples} samples at {sampling_frequency_hz:g} Hz were brought to {N_SAMPLES} at "
        f"{SAMPLING_FREQUENCY_HZ:g} Hz around their trough at sample {trough:.1f}"
    )
    step = 1 / per_ms
    if before_ms < _BEFORE_MS - step or after_ms < _AFTER_MS - step:
        told += (
            f"; they hold {before_ms:.2f} ms before and {after_ms:.2f} ms after it of the {_BEFORE_MS:g} and "
            f"{_AFTER_MS:g} ms that the network reads, and their first and last samples stand for the rest"
        )
    return np.ascontiguousarray(np.einsum("st,ntc->nsc", inner, waveforms, optimize=True)), (told,)


def _trough(mean: NDArray[np.float64]) -> float:
    """Where a waveform (T,) is lowest, between samples by a parabola."""
    i = int(mean.argmin())
    if i in (0, len(mean) - 1):
        return float(i)
    left, middle, right = mean[i - 1 : i + 2]
    return i + 0.5 * float((left - right) / (left - 2 * middle + right))
