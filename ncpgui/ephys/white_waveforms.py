"""Waveforms in coloured noise as they would be in white noise behind the band-pass: what the networks know.

Noise of a narrow band is the same few shapes all over, in every amplitude and phase. Spikes in it lie in a
heap that is long along these shapes, and a network that was trained on white noise, filtered, takes its ends
for two neurons. Here each channel's waveforms go through a matrix that turns the noise of the channel into
such noise: of all that do, the one that changes noise least (the optimal transport between two Gaussians). It
is symmetric and can be inverted: nothing is lost that tells spikes from each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline

from ncpgui.core.waveform_format import N_SAMPLES, SAMPLING_FREQUENCY_HZ
from ncpgui.ephys.time_whitening import ALIKE, IN_BAND

WHITE_PART = 0.02
"""Part of the variance that counts as white in time, where the band leaves next to nothing."""


def band_autocorrelation(power: NDArray[np.floating], sampling_frequency_hz: float) -> NDArray[np.float64]:
    """Of white noise behind a band-pass, at the lags of waveforms: (32,), 1 first.

    power : (F,) that the band leaves, from 0 to half the sampling frequency
    """
    hz = np.linspace(0, sampling_frequency_hz / 2, len(power))
    waves = np.cos(2 * np.pi * np.outer(np.arange(N_SAMPLES) / SAMPLING_FREQUENCY_HZ, hz))
    return np.asarray(waves @ power / power.sum(), np.float64)


def at_waveform_lags(
    autocovariance: NDArray[np.floating], sampling_frequency_hz: float
) -> NDArray[np.float64]:
    """Autocorrelations (C, 32) at the lags of waveforms, of autocovariances (C, L) at those of the traces.

    These reach over a waveform (`lags_of_waveforms`).
    """
    lag_s = np.arange(autocovariance.shape[1]) / sampling_frequency_hz
    wanted_s = np.arange(N_SAMPLES) / SAMPLING_FREQUENCY_HZ
    values = autocovariance / autocovariance[:, :1]
    return np.asarray(make_interp_spline(lag_s, values, axis=1)(wanted_s), np.float64)


def lags_of_waveforms(sampling_frequency_hz: float) -> int:
    """Lags of the traces that reach over a waveform."""
    return int(np.ceil((N_SAMPLES - 1) * sampling_frequency_hz / SAMPLING_FREQUENCY_HZ)) + 1


def maps_to(autocorrelations: NDArray[np.floating], wanted: NDArray[np.floating]) -> NDArray[np.float32]:
    """Matrix of each channel that gives its noise the autocorrelation `wanted` (32,): (C, 32, 32).

    autocorrelations : (C, 32) of the noise. Where it is as good as the wanted (`ALIKE`), the identity.
    """
    target = _covariance(wanted)
    return np.stack([_map(_covariance(own), target) for own in autocorrelations]).astype(np.float32)


def mapped(waveforms: NDArray[np.float32], maps: NDArray[np.float32]) -> NDArray[np.float32]:
    """Waveforms (n, 32, C) through the matrix of each channel (C, 32, 32)."""
    return np.ascontiguousarray((maps @ waveforms.transpose(2, 1, 0)).transpose(2, 1, 0))


def _covariance(autocorrelation: NDArray[np.floating]) -> NDArray[np.float64]:
    """Covariance (32, 32) with a white part and without negative powers that an estimate may have."""
    lag = np.abs(np.subtract.outer(np.arange(N_SAMPLES), np.arange(N_SAMPLES)))
    power, shapes = np.linalg.eigh(np.asarray(autocorrelation, np.float64)[lag])
    power = (1 - WHITE_PART) * np.maximum(power, 0) + WHITE_PART
    return np.asarray(shapes * power @ shapes.T)


def _map(noise: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    power, shapes = np.linalg.eigh(target)
    passed = shapes[:, power > IN_BAND * power[-1]].T
    gain = np.sqrt([(one @ target @ one) / (one @ noise @ one) for one in passed])
    if gain.max() < ALIKE * gain.min():
        return np.eye(N_SAMPLES)
    root = _root(noise)
    inverse = np.linalg.inv(root)
    return inverse @ _root(root @ target @ root) @ inverse


def _root(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Symmetric root of a symmetric matrix."""
    power, shapes = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.asarray(shapes * np.sqrt(np.maximum(power, 0)) @ shapes.T)
