"""Noise as amplifiers and tissue have it, in families with known parameters, to be added to recordings.

Gaussian noise of a known spectrum: peaks, 1/f with a floor, harmonics of the mains, and what was measured in
real recordings. It may be shared by contacts, differ between them, and change its gain. Beside it bursts of
artefacts that all contacts see, a hash of many far cells whose sizes have a heavy tail, and coarse steps of
the converter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from benchmarks.recordings.generator import UV_PER_COUNT
from benchmarks.recordings.ground_truth import NOISE_UV
from ncpgui.ephys.preprocessing import FilterSettings

Spectrum = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Power by frequency in Hz, but for a factor."""

HZ = (10, 50, 100, 200, 300, 500, 800, 1500, 3000, 5000, 7000)
MEASURED = {
    "locust tetrode": (0.035, 0.048, 0.16, 1.2, 3.6, 2.4, 1.5, 0.73, 0.40, 0.28, 0.21),
    "Purkinje cell": (0.0032, 0.027, 0.68, 5.3, 8.3, 5.4, 1.7, 0.34, 0.036, 0.018, 0.0049),
    "retina array": (11.0, 12.0, 6.3, 5.4, 5.5, 4.5, 3.9, 3.0, 1.5, 0.36, 0.062),
}
"""Power at `HZ` of real recordings, unfiltered by us: the median over stretches of 0.1 s and over channels
(Welch). A tetrode in the antennal lobe of a locust (Zenodo 21589), a cell-attached pipette at a Purkinje cell
(Zenodo 15228), and a 3Brain BioCam."""

ARTEFACT_S = (0.05, 0.3)
ARTEFACT_BAND_HZ = (30.0, 1500.0)
FAR_REACH_UM = (60.0, 150.0)
FAR_RATE_HZ = (1.0, 20.0)
FAR_MOST_UV = 14.0
"""No far cell is higher at any contact: it would be a cell."""
FAR_MS = 2.0
FAR_WIDTH_MS = (0.12, 0.35)


def flat(f: NDArray[np.float64]) -> NDArray[np.float64]:
    """Spectrum of white noise."""
    return np.ones(len(f))


def peaked(at_hz: float, quality: float) -> Spectrum:
    """Spectrum of a resonance."""

    def power(f: NDArray[np.float64]) -> NDArray[np.float64]:
        ratio = f / at_hz
        return 1 / ((1 - ratio**2) ** 2 + (ratio / quality) ** 2)

    return power


def falling(exponent: float, floor_from_hz: float) -> Spectrum:
    """1/f to a power above 10 Hz, and a floor that is as large as it at `floor_from_hz`."""
    return lambda f: (np.maximum(f, 10.0) / floor_from_hz) ** -exponent + 1.0


def hum(mains_hz: float, width_hz: float = 1.0) -> Spectrum:
    """Narrow lines at the odd harmonics of the mains up to 2 kHz, falling with their number."""

    def power(f: NDArray[np.float64]) -> NDArray[np.float64]:
        result = np.full(len(f), 1e-9)
        for number in np.arange(1, 2000 / mains_hz, 2):
            result += np.exp(-(((f - number * mains_hz) / width_hz) ** 2)) / number
        return result

    return power


def measured(name: str) -> Spectrum:
    """Spectrum of a real recording: `MEASURED`, straight lines between its points on logarithmic axes."""
    points = np.log(HZ), np.log(MEASURED[name])
    return lambda f: np.exp(np.interp(np.log(np.maximum(f, HZ[0])), *points))


@dataclass(frozen=True)
class Family:
    """Noise that is added to a recording.

    spectrum : of Gaussian noise; None adds none
    sd_uv : its sd on each contact
    reach_um : its correlation falls by e over this distance; 0 where contacts are independent
    drift : its gain goes up and down by this part, once
    part : part of the contacts that have it, from the first one on
    artefacts_hz, artefact_uv : how many bursts all contacts see in a second, and the sd in them
    n_far, far_uv : far cells, and the median size of their spikes at the nearest contact
    step_uv : of the converter
    """

    spectrum: Spectrum | None
    sd_uv: float = 9.0
    reach_um: float = 0.0
    drift: float = 0.0
    part: float = 1.0
    artefacts_hz: float = 0.0
    artefact_uv: float = 60.0
    n_far: int = 0
    far_uv: float = 8.0
    step_uv: float = UV_PER_COUNT


PEAK_300_HZ = Family(peaked(300.0, 2.0))
ONE_OVER_F = Family(falling(1.0, 3000.0), 20.0)
DRIFT = 0.3
SPECTRA = {
    "peak 150 Hz, shared": Family(peaked(150.0, 1.0), 20.0, reach_um=100.0),
    "peak 300 Hz": PEAK_300_HZ,
    "peak 500 Hz": Family(peaked(500.0, 2.0)),
    "peak 800 Hz": Family(peaked(800.0, 3.0), 7.0),
    "1/f": ONE_OVER_F,
    "1/f^2": Family(falling(2.0, 1000.0), 25.0, reach_um=50.0),
    "hum": Family(hum(50.0), 12.0, reach_um=500.0),
    "hum, half of the contacts": Family(hum(60.0), 12.0, reach_um=500.0, part=0.5),
    "peak 300 Hz, drifting": replace(PEAK_300_HZ, drift=DRIFT),
    "1/f, drifting": replace(ONE_OVER_F, drift=DRIFT),
}
"""The ten of the table."""

OTHERS = {
    "white": Family(None),
    "locust tetrode": Family(measured("locust tetrode"), 12.0, reach_um=30.0),
    "Purkinje cell": Family(measured("Purkinje cell"), 10.0),
    "retina array": Family(measured("retina array"), 15.0, reach_um=20.0),
    "artefacts": Family(None, artefacts_hz=0.2),
    "far cells, heavy tail": Family(None, n_far=300),
    "coarse steps": Family(None, step_uv=8.0),
}
FAMILIES = SPECTRA | OTHERS


def in_band(spectrum: Spectrum, rate_hz: float) -> float:
    """Part of the power of a spectrum that the band-pass of sortings lets through."""
    passed = FilterSettings(300.0, 6000.0, "none").band_power(rate_hz)
    power = spectrum(np.linspace(0, rate_hz / 2, len(passed)))[1:]
    return float((power @ passed[1:]) / power.sum())


def loudness(family: Family, white_uv: float = float(np.mean(NOISE_UV)), rate_hz: float = 20_000.0) -> float:
    """Sd of Gaussian noise and white noise together behind the band-pass, over that of the white noise."""
    if family.spectrum is None:
        return 1.0
    more = in_band(family.spectrum, rate_hz) / in_band(flat, rate_hz)
    return float(np.sqrt(1 + more * (family.sd_uv / white_uv) ** 2))


def as_loud(family: Family, spectrum: Spectrum, rate_hz: float) -> Family:
    """The same with another spectrum, and the sd with which it is as loud behind the band-pass."""
    if family.spectrum is None:
        raise ValueError("a family without Gaussian noise has no spectrum to be changed")
    ratio = in_band(family.spectrum, rate_hz) / in_band(spectrum, rate_hz)
    return replace(family, spectrum=spectrum, sd_uv=family.sd_uv * float(np.sqrt(ratio)))


def with_noise(
    base_uv: NDArray[np.float32],
    family: Family,
    places_um: NDArray[np.floating],
    rate_hz: float,
    rng: np.random.Generator,
) -> NDArray[np.int16]:
    """Traces (n, C) in uV in the noise of a family, as the converter gives them: counts of `UV_PER_COUNT`.

    `base_uv` is overwritten if its channels lie one after the other, which is faster too.
    """
    traces = np.asfortranarray(base_uv)
    _Added(traces, family, places_um, rate_hz, rng).all()
    counts = np.empty(traces.shape, np.int16, order="F")
    for channel in range(traces.shape[1]):
        stepped = np.round(traces[:, channel] / family.step_uv) * (family.step_uv / UV_PER_COUNT)
        counts[:, channel] = np.clip(np.round(stepped), -32768, 32767)
    return np.ascontiguousarray(counts)


def gaussian(spectrum: Spectrum, n: int, rate_hz: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """Gaussian noise of a spectrum and sd 1: (n,)."""
    shape = np.sqrt(spectrum(np.fft.rfftfreq(n, 1 / rate_hz)))
    shape[0] = 0
    noise = fft.irfft(fft.rfft(rng.standard_normal(n, np.float32)) * shape.astype(np.float32), n)
    return np.asarray(noise / noise.std(), np.float32)


@dataclass(frozen=True, eq=False)
class _Added:
    """Noise of a family that is added to traces (n, C) in µV of contacts at `places_um`, in place."""

    traces: NDArray[np.float32]
    family: Family
    places_um: NDArray[np.floating]
    rate_hz: float
    rng: np.random.Generator

    def all(self) -> None:
        """Add all that the family has."""
        if self.family.spectrum is not None:
            self.gaussian(self.family.spectrum)
        if self.family.n_far:
            self.far_cells()
        if self.family.artefacts_hz:
            self.artefacts()

    def gaussian(self, spectrum: Spectrum) -> None:
        """Add the noise that has a spectrum."""
        family, n = self.family, len(self.traces)
        n_channels = round(family.part * self.traces.shape[1])
        places_um = self.places_um[:n_channels]
        gap = np.linalg.norm(places_um[:, None] - places_um[None], axis=2)
        shared = np.exp(-gap / family.reach_um) if family.reach_um else np.eye(n_channels)
        mixing = (family.sd_uv * np.linalg.cholesky(shared)).astype(np.float32)
        gain = 1 + family.drift * np.sin(np.linspace(0, 2 * np.pi, n, dtype=np.float32))
        for source in range(n_channels):
            noise = gain * gaussian(spectrum, n, self.rate_hz, self.rng)
            for channel in np.flatnonzero(mixing[:, source]):
                self.traces[:, channel] += mixing[channel, source] * noise

    def artefacts(self) -> None:
        """Add bursts that all contacts see alike, up to a fifth of their size."""
        (n, n_channels), rng = self.traces.shape, self.rng
        low, high = ARTEFACT_BAND_HZ
        for start in rng.integers(0, n, rng.poisson(self.family.artefacts_hz * n / self.rate_hz)):
            length = min(round(rng.uniform(*ARTEFACT_S) * self.rate_hz), n - int(start))
            if length < 2:
                continue
            burst = gaussian(lambda f: ((f > low) & (f < high)) + 1e-6, length, self.rate_hz, rng)
            burst *= np.hanning(length).astype(np.float32)
            size = self.family.artefact_uv * np.exp(rng.normal(0, 0.5)) * rng.uniform(0.8, 1.2, n_channels)
            self.traces[start : start + length] += burst[:, None] * size.astype(np.float32)

    def far_cells(self) -> None:
        """Add spikes of many cells that many contacts see; sizes of cells and of spikes are log-normal."""
        family, places_um, rng = self.family, self.places_um, self.rng
        n = len(self.traces)
        time_ms = np.arange(-FAR_MS, FAR_MS, 1000 / self.rate_hz)
        for _ in range(family.n_far):
            width = np.exp(rng.uniform(*np.log(FAR_WIDTH_MS)))
            shape = 0.5 * np.exp(-(((time_ms - 3 * width) / (2 * width)) ** 2)) - np.exp(
                -((time_ms / width) ** 2)
            )
            centre = rng.uniform(places_um.min(axis=0), places_um.max(axis=0))
            reach = rng.uniform(*FAR_REACH_UM)
            seen = np.exp(-np.linalg.norm(places_um - centre, axis=1) / reach)
            seen *= min(family.far_uv * np.exp(rng.normal(0, 0.7)), FAR_MOST_UV) / seen.max()
            rate = np.exp(rng.uniform(*np.log(FAR_RATE_HZ)))
            start = rng.integers(0, n - len(shape), rng.poisson(rate * n / self.rate_hz))
            size = np.exp(rng.normal(0, 0.3, len(start)))
            at = (start[:, None] + np.arange(len(shape))).ravel()
            values = (size[:, None] * shape).ravel().astype(np.float32)
            for channel in np.flatnonzero(seen > 0.2 * family.far_uv):
                np.add.at(self.traces[:, channel], at, np.float32(seen[channel]) * values)
