"""Retina-like cells: mosaics, white-noise receptive fields, and spikes of a linear-nonlinear-Poisson model.

Each cell sums the stimulus over an elliptical centre with an antagonistic surround and a biphasic
time course; an exponential of that is its firing rate; spikes are Poisson with a dead time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.stimulus import Stimulus

Array = NDArray[np.float64]

REFRACTORY_MS = 1.8
MAX_RATE_HZ = 200.0
N_LAGS = 12
SURROUND_WEIGHT = 0.35
SURROUND_SIZE = 2.5


@dataclass(frozen=True)
class CellType:
    """A class of ganglion cells: polarity +1 ON or -1 OFF, centre sd in µm, time to peak in ms."""

    name: str
    polarity: int
    centre_um: float
    peak_ms: float
    share: float
    amplitude_factor: float


CELL_TYPES = (
    CellType("ON parasol", 1, 42.0, 50.0, 0.19, 1.25),
    CellType("OFF parasol", -1, 38.0, 45.0, 0.19, 1.25),
    CellType("ON midget", 1, 23.0, 70.0, 0.31, 0.85),
    CellType("OFF midget", -1, 21.0, 65.0, 0.31, 0.85),
)


def white_noise(
    rng: np.random.Generator,
    *,
    n_frames: int,
    side_px: int,
    first_sample: int,
    samples_per_frame: float,
    pixel_um: float,
) -> Stimulus:
    """Binary checkerboard of `side_px` x `side_px`, each pixel -1 or +1 at random in each frame."""
    frames = (rng.integers(0, 2, (n_frames, side_px, side_px), dtype=np.int8) * 2 - 1).astype(np.int8)
    trigger = first_sample + np.round(np.arange(n_frames) * samples_per_frame).astype(np.int64)
    return Stimulus(frames, trigger, pixel_um)


def mosaic(rng: np.random.Generator, n_cells: int, low: Array, high: Array) -> Array:
    """Positions of one type that keep their distance (best of many candidates): (n_cells, 2) µm."""
    chosen = np.empty((n_cells, 2))
    for i in range(n_cells):
        candidates = rng.uniform(low, high, (60, 2))
        gaps = np.linalg.norm(candidates[:, None] - chosen[None, :i], axis=2).min(axis=1, initial=np.inf)
        edge = np.minimum(candidates - low, high - candidates).min(axis=1)
        chosen[i] = candidates[np.minimum(gaps, 2 * edge + 0.3 * gaps).argmax()]
    return chosen


def spatial_filter(
    rng: np.random.Generator, cell_type: CellType, *, centre_px: Array, pixel_um: float, side_px: int
) -> tuple[Array, Array]:
    """Centre minus surround with norm 1: (side, side), and the centre's (sd_x, sd_y, angle) in pixels."""
    sd = cell_type.centre_um / pixel_um * rng.uniform(0.9, 1.1)
    ratio, angle = rng.uniform(0.75, 1.0), rng.uniform(0, np.pi)
    radii = np.array([sd / np.sqrt(ratio), sd * np.sqrt(ratio)])
    y, x = np.mgrid[:side_px, :side_px]
    dx, dy = x - centre_px[0], y - centre_px[1]
    u = (np.cos(angle) * dx + np.sin(angle) * dy) / radii[0]
    v = (-np.sin(angle) * dx + np.cos(angle) * dy) / radii[1]
    square = u**2 + v**2
    field = np.exp(-0.5 * square) - SURROUND_WEIGHT / SURROUND_SIZE**2 * np.exp(
        -0.5 * square / SURROUND_SIZE**2
    )
    field *= cell_type.polarity / np.linalg.norm(field)
    return field, np.array([radii[0], radii[1], angle])


def temporal_filter(rng: np.random.Generator, cell_type: CellType, *, frame_ms: float) -> Array:
    """Biphasic time course with norm 1: (N_LAGS,), lag 0 = the frame on screen."""
    peak = cell_type.peak_ms * rng.uniform(0.92, 1.08)
    t = (np.arange(N_LAGS) + 0.5) * frame_ms
    course = (t / peak * np.exp(1 - t / peak)) ** 5 - 0.55 * (
        t / (2 * peak) * np.exp(1 - t / (2 * peak))
    ) ** 6
    normalised: Array = course / np.linalg.norm(course)
    return normalised


def firing_rate(
    frames: NDArray[np.generic], field: Array, course: Array, *, mean_hz: float, gain: float
) -> Array:
    """Rate in Hz during each frame: (n_frames,); exponential of the filtered stimulus."""
    drive = frames.reshape(len(frames), -1).astype(np.float32) @ field.reshape(-1).astype(np.float32)
    filtered = np.convolve(drive, course)[: len(frames)]
    return np.minimum(mean_hz * np.exp(gain * filtered - 0.5 * gain**2), MAX_RATE_HZ)


def poisson_spikes(rng: np.random.Generator, rate_hz: Array, edges_s: Array) -> Array:
    """Spike times in s for piecewise constant rates (n,) between edges (n + 1,), with a dead time."""
    width = np.diff(edges_s)
    counts = rng.poisson(rate_hz * width)
    times = np.repeat(edges_s[:-1], counts) + rng.random(counts.sum()) * np.repeat(width, counts)
    times.sort()
    kept, last = [], -np.inf
    dead = REFRACTORY_MS / 1000
    for time in times.tolist():
        if time - last >= dead:
            kept.append(time)
            last = time
    return np.array(kept)
