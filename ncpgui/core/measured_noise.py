"""Noise as measured in a recording: its correlation in time and between contacts, and the file of it.

NOISE.npz   format "ncpgui-noise", version, sampling_frequency_hz (20 kHz), unit ("noise sd") and the fields
            of `MeasuredNoise`
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.numpy_files import MOST_BYTES, read_npz, write_npz
from ncpgui.core.regular_files import regular
from ncpgui.core.waveform_format import N_SAMPLES, SAMPLING_FREQUENCY_HZ

FORMAT, VERSION = "ncpgui-noise", 1
MIN_LAGS = N_SAMPLES + 4  # a waveform and the margins of its alignment
_ARRAYS = ("autocorrelation", "distance_um", "correlation", "shared_part", "length_um")


@dataclass(frozen=True)
class MeasuredNoise:
    """Correlations of noise of unit variance.

    autocorrelation : (n_lags,) float64 at 20 kHz, 1 at lag 0
    distance_um, correlation : (n_bins,) float64, between contacts as measured, for people to look at
    shared_part, length_um : their fit, shared_part * exp(-distance / length_um)
    sha256 : digest of the file, empty where there is none

    Raises
    ------
    InputError
        A value that is not finite or impossible, too few lags, or a covariance that is not positive definite.
    """

    autocorrelation: NDArray[np.float64]
    distance_um: NDArray[np.float64]
    correlation: NDArray[np.float64]
    shared_part: float
    length_um: float
    sha256: str = ""

    def __post_init__(self) -> None:
        correlation = self.autocorrelation
        if correlation.ndim != 1 or len(correlation) < MIN_LAGS:
            raise InputError(
                f"the autocorrelation of noise needs at least {MIN_LAGS} lags at 20 kHz, got an array of "
                f"shape {correlation.shape}; measure it again with 'ncpgui templates build'"
            )
        if not np.isfinite(correlation).all():
            bad = int(np.flatnonzero(~np.isfinite(correlation))[0])
            raise InputError(
                f"the autocorrelation of noise must be finite, at lag {bad} it is {correlation[bad]}; "
                "measure it again with 'ncpgui templates build'"
            )
        if not (0 <= self.shared_part < 1 and 0 < self.length_um < np.inf):
            raise InputError(
                "noise needs 0 <= shared_part < 1 and a finite length_um above 0, got "
                f"{self.shared_part} and {self.length_um}"
            )
        smallest = smallest_eigenvalue(correlation)
        if not (abs(correlation[0] - 1) < 1e-6 and smallest > 0):
            raise InputError(
                "the covariance of noise in time must be positive definite with ones on its diagonal; this "
                f"one has {correlation[0]:g} there and {smallest:.2g} as its smallest eigenvalue; add a "
                "white part, or measure it again with 'ncpgui templates build'"
            )

    @classmethod
    def average(cls, parts: Sequence[MeasuredNoise]) -> MeasuredNoise:
        """Return the mean of several recordings' noise; pairs of contacts are put together."""
        return cls(
            np.mean([part.autocorrelation for part in parts], axis=0),
            np.concatenate([part.distance_um for part in parts]),
            np.concatenate([part.correlation for part in parts]),
            float(np.mean([part.shared_part for part in parts])),
            float(np.exp(np.mean([np.log(part.length_um) for part in parts]))),
        )

    @classmethod
    def load(cls, path: Path) -> MeasuredNoise:
        """Read a file of `save`.

        Raises
        ------
        InputError
            The file is missing, is none, is of another version or sampling frequency, or is damaged.
        """
        try:
            content, arrays = regular(path, most_bytes=MOST_BYTES).read_bytes(), read_npz(path)
            if str(arrays.get("format", "")) != FORMAT:
                raise ValueError(f"its format is not '{FORMAT}'")
            version, rate = int(arrays["version"]), float(arrays["sampling_frequency_hz"])
            in_time, distance, between, *fit = (arrays[name].astype(np.float64) for name in _ARRAYS)
            shared, length = (float(value.reshape(())) for value in fit)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{path} is not noise that 'ncpgui templates build' wrote: {error}; give its noise.npz"
            ) from error
        if version > VERSION:
            raise InputError(f"{path} is of version {version}, newer than this program knows; update ncpgui")
        if rate != SAMPLING_FREQUENCY_HZ:
            raise InputError(
                f"noise must be sampled at {SAMPLING_FREQUENCY_HZ:g} Hz, that of {path} is at {rate:g} Hz; "
                "measure it again with 'ncpgui templates build', which resamples"
            )
        try:
            return cls(in_time, distance, between, shared, length, hashlib.sha256(content).hexdigest())
        except InputError as error:
            raise InputError(f"{path}: {error}") from error

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        about: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "sampling_frequency_hz": SAMPLING_FREQUENCY_HZ,
            "unit": "noise sd",
        }
        write_npz(path, about | {name: getattr(self, name) for name in _ARRAYS})


def smallest_eigenvalue(autocorrelation: NDArray[np.float64]) -> float:
    """Of the covariance matrix in time."""
    lag = np.arange(len(autocorrelation))
    return float(np.linalg.eigvalsh(autocorrelation[np.abs(lag[:, None] - lag)])[0])
