"""Whitening in time: noise of any colour made to look like white noise through the band of the filter.

What matching asks, and what likelihoods of it say, was chosen for such noise. The spectrum of the noise
between spikes (`noise_covariance`), the median of all channels, is compared with that of white noise
through the band. The root of their ratio is the gain of a symmetric filter of `REACH_MS` to either side.
Where the band ends, its gain stays as it is. Noise that is as good as white is left as it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import fft
from scipy.signal.windows import hann

from ncpgui.ephys.noise_covariance import NoiseCovariance

REACH_MS = 1.0
LAGS_MS = 6.4
"""Over which covariances are looked at: spectra have a resolution of about 100 Hz."""
IN_BAND = 0.3
"""Frequencies count of which the band passes this part of the most."""
GAIN = (0.17, 2.0)
"""Least and largest gain."""
ALIKE = 1.25
"""Gains whose largest is less than this times the least leave the noise as it is."""


def whitening_filter(
    noise: NoiseCovariance, band_power: NDArray[np.floating], sampling_frequency_hz: float
) -> NDArray[np.float32] | None:
    """Taps (2 h + 1,) of the filter; None where the noise is as good as white, or was not measured.

    band_power : (F,) power of white noise behind the band-pass, from 0 to half the sampling frequency
    """
    own = noise.by_lag[noise.first == noise.second]
    middle = noise.n_lags - 1
    measured = own[np.abs(own[:, :middle]).max(axis=1, initial=0) > 0]
    if not len(measured):
        return None
    n = 2 * (len(band_power) - 1)
    covariance = np.median(measured[:, middle:], axis=0)
    white = fft.irfft(band_power, n)[: noise.n_lags]
    spectra = [_spectrum(one, n) for one in (covariance, white / white[0])]
    passed = np.flatnonzero(spectra[1] > IN_BAND * spectra[1].max())
    low, high = passed[[0, -1]]
    gain = np.sqrt(np.clip(spectra[1] / spectra[0], GAIN[0] ** 2, GAIN[1] ** 2))
    gain[:low], gain[high:] = gain[low], gain[high]
    if gain.max() < ALIKE * gain.min():
        return None
    reach = round(REACH_MS * sampling_frequency_hz / 1000)
    taps = np.roll(fft.irfft(gain, n), reach)[: 2 * reach + 1] * hann(2 * reach + 3)[1:-1]
    return taps.astype(np.float32)


def _spectrum(covariance: NDArray[np.floating], n: int) -> NDArray[np.float64]:
    """Power at n / 2 + 1 frequencies of a covariance from lag 0 on, which fades out: (n // 2 + 1,), > 0."""
    n_lags = len(covariance)
    around = np.zeros(n)
    around[:n_lags] = covariance * hann(2 * n_lags + 1)[n_lags:-1]
    around[n - n_lags + 1 :] = around[1:n_lags][::-1]
    power: NDArray[np.float64] = fft.rfft(around).real
    return np.maximum(power, 1e-6 * power.max())


def unfiltered(waveforms: NDArray[np.floating], taps: NDArray[np.floating]) -> NDArray[np.float64]:
    """Waveforms (K, T, C) as they were before the filter, zero outside and on channels where they are."""
    n_times, reach = waveforms.shape[1], len(taps) // 2
    lag = np.subtract.outer(np.arange(n_times), np.arange(n_times))
    filtering = np.where(np.abs(lag) <= reach, taps[np.clip(lag + reach, 0, 2 * reach)], 0).astype(np.float64)
    return np.asarray(np.linalg.inv(filtering) @ waveforms.astype(np.float64))
