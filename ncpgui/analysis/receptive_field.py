"""Receptive fields: spike-triggered average of a white-noise stimulus (Chichilnisky, 2001).

The average is expressed in units of its own noise, so that "clear" means the same for 200 and for
20 000 spikes: without a receptive field every pixel is a standard normal number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage, optimize

from ncpgui.core.arguments import WHOLE_NUMBERS, array, instance, whole_number
from ncpgui.core.errors import InputError
from ncpgui.core.stimulus import Stimulus

CLEAR_Z = 5.0
CLEAR_PIXELS = 3
CLEAR_ALONE_Z = 8.0
"""Of one pixel: in a million fields without spikes that follow the stimulus, no pixel reaches it."""
REGION_Z = 3.0
LAG_Z = 2.5


@dataclass(frozen=True)
class ReceptiveField:
    """Spike-triggered average of one unit.

    Parameters
    ----------
    sta : (n_lags, height, width) float32, mean stimulus before a spike, in sd of the stimulus;
        lag 0 is the frame on screen at the spike, lag 1 the one before
    spatial : (height, width) float32, the average over the lags that matter, weighted by the time
        course, in sd of its noise; positive = ON
    time_course : (n_lags,) float32, mean of `sta` over the centre
    center_px : (x, y) of the centre, pixels, 0 = middle of the first pixel
    ellipse : (rx, ry, angle_rad), one sd of the Gaussian; angle of rx from the x axis
    is_clear : at least three touching pixels of one sign reach |z| >= 5, or one |z| >= 8
    peak_z : largest z, with its sign: positive = ON
    peak_lag : frames before the spike; n_spikes : that were used
    """

    sta: NDArray[np.float32]
    spatial: NDArray[np.float32]
    time_course: NDArray[np.float32]
    center_px: tuple[float, float]
    ellipse: tuple[float, float, float]
    is_clear: bool
    peak_z: float
    peak_lag: int
    n_spikes: int


def receptive_field(
    stimulus: Stimulus, spike_samples: NDArray[np.integer], *, n_lags: int = 12
) -> ReceptiveField:
    """Spike-triggered average of the spikes that fell in the stimulus.

    spike_samples : (n,) sample indices, in any order; spikes outside the stimulus, or with fewer
    than `n_lags` frames before them, are left out.

    Raises
    ------
    InputError
        A stimulus of fewer frames than lags; samples that are no whole numbers.
    """
    stimulus = instance(stimulus, Stimulus, "stimulus", "make one of frames and trigger_sample")
    spike_samples = array(spike_samples, "spike_samples", WHOLE_NUMBERS)
    n_lags = whole_number(n_lags, "n_lags")
    if not 1 <= n_lags <= len(stimulus.frames):
        raise InputError(
            f"a receptive field of {n_lags} lags needs at least that many frames, got {len(stimulus.frames)}"
        )
    counts = spikes_per_frame(stimulus, spike_samples)
    counts[: n_lags - 1] = 0
    n_spikes = int(counts.sum())
    _, height, width = stimulus.frames.shape
    if n_spikes == 0:
        return _empty(n_lags, height, width)
    sta = _average(stimulus.frames, counts, n_lags)
    noise = _noise_sd(sta, counts)
    z = sta / noise
    lag, y, x = np.unravel_index(int(np.abs(z).argmax()), z.shape)
    weights = _lag_weights(z[:, _region(z[lag], (int(y), int(x)))], int(lag))
    spatial = np.tensordot(weights, z, axes=1)
    row, column = (int(i) for i in np.unravel_index(int(np.abs(spatial).argmax()), spatial.shape))
    peak = float(spatial[row, column])
    region = _region(spatial, (row, column))
    center, ellipse = _gaussian(spatial * np.sign(peak), region, (row, column))
    return ReceptiveField(
        sta=sta.astype(np.float32),
        spatial=spatial.astype(np.float32),
        time_course=sta[:, region].mean(axis=1).astype(np.float32),
        center_px=center,
        ellipse=ellipse,
        is_clear=_is_clear(spatial),
        peak_z=peak,
        peak_lag=int(lag),
        n_spikes=n_spikes,
    )


def spikes_per_frame(stimulus: Stimulus, spike_samples: NDArray[np.integer]) -> NDArray[np.int64]:
    """Count the spikes while each frame was on screen: (n_frames,); the last frame lasts the median."""
    frame = stimulus.frame_at(spike_samples)
    return np.bincount(frame[frame >= 0], minlength=len(stimulus.frames)).astype(np.int64)


def _average(frames: NDArray[Any], counts: NDArray[np.int64], n_lags: int) -> NDArray[np.float64]:
    """Mean of the frames before each spike, in sd of the stimulus about its mean: (n_lags, H, W).

    The mean is each pixel's own: that of a short stimulus is not zero, and would show in every lag.
    """
    shape = frames.shape[1:]
    flat = frames.reshape(len(frames), -1)
    mean = flat.mean(axis=0, dtype=np.float64)
    used = np.flatnonzero(counts)
    total = int(counts.sum())
    weights = counts[used].astype(np.float64) / total
    rows = [weights @ flat[used - lag].astype(np.float64) - mean for lag in range(n_lags)]
    sd = float(np.std(flat, dtype=np.float64)) or 1.0
    return (np.stack(rows) / sd).reshape(n_lags, *shape)


def _noise_sd(sta: NDArray[np.float64], counts: NDArray[np.int64]) -> float:
    """Sd of a pixel without a field: from the counts, or from the spread of `sta` if that is larger.

    The average is a sum of independent frames with weights count / n_spikes - 1 / n_frames (the
    pixel's mean). The spread matters for stimuli that are not quite white.
    """
    weights = counts / counts.sum() - 1 / len(counts)
    expected = max(float(np.linalg.norm(weights)), 1e-12)
    spread = float(np.median(np.abs(sta - np.median(sta)))) / 0.6745 if sta.size >= 64 else 0.0
    return max(expected, spread)


def _lag_weights(region_z: NDArray[np.float64], peak_lag: int) -> NDArray[np.float64]:
    """Weights of the lags, norm 1, positive at the peak: the time course where it is not noise.

    region_z : (n_lags, n_pixels). Without a field only the peak lag is left, so that noise does not
    select itself.
    """
    course = region_z.mean(axis=1)
    certain = np.abs(course) * np.sqrt(region_z.shape[1]) >= LAG_Z
    certain[peak_lag] = True
    weights = np.where(certain, course, 0.0) * np.sign(course[peak_lag])
    return weights / np.linalg.norm(weights)


def _is_clear(spatial: NDArray[np.float64]) -> bool:
    if float(np.abs(spatial).max(initial=0.0)) >= CLEAR_ALONE_Z:
        return True
    for sign in (1, -1):
        labels, n = ndimage.label(sign * spatial >= CLEAR_Z, structure=np.ones((3, 3)))
        if n and np.bincount(labels.ravel())[1:].max() >= CLEAR_PIXELS:
            return True
    return False


def _region(spatial: NDArray[np.float64], peak: tuple[int, int]) -> NDArray[np.bool_]:
    """Pixels of the peak's sign over |z| >= 3 that touch the peak; the peak alone if it is weak."""
    over = np.sign(spatial[peak]) * spatial >= REGION_Z
    if not over[peak]:
        over = np.zeros_like(over)
        over[peak] = True
    labels, _ = ndimage.label(over, structure=np.ones((3, 3)))
    touching: NDArray[np.bool_] = labels == labels[peak]
    return touching


def _gaussian(
    positive: NDArray[np.float64], region: NDArray[np.bool_], peak: tuple[int, int]
) -> tuple[tuple[float, float], tuple[float, float, float]]:
    """Fit an elliptical Gaussian around the peak; its moments where the fit fails."""
    height, width = positive.shape
    y, x = np.mgrid[:height, :width].astype(np.float64)
    weight = np.where(region, np.clip(positive, 0, None), 0)
    weight /= weight.sum()
    cx, cy = float((weight * x).sum()), float((weight * y).sum())
    size = float(np.sqrt(max(0.25, (weight * ((x - cx) ** 2 + (y - cy) ** 2)).sum() / 2)))
    near = ndimage.binary_dilation(region, iterations=max(2, round(size)))
    xs, ys, values = x[near], y[near], positive[near]

    def residual(p: NDArray[np.float64]) -> NDArray[np.float64]:
        cos, sin = np.cos(p[5]), np.sin(p[5])
        u = (cos * (xs - p[1]) + sin * (ys - p[2])) / p[3]
        v = (-sin * (xs - p[1]) + cos * (ys - p[2])) / p[4]
        difference: NDArray[np.float64] = p[0] * np.exp(-0.5 * (u**2 + v**2)) - values
        return difference

    largest = float(max(height, width))
    start = np.array([positive[peak], cx, cy, size, size * 0.9, 0.0])
    low = [0.0, -1.0, -1.0, 0.3, 0.3, -np.pi]
    high = [np.inf, width, height, largest, largest, np.pi]
    if region.sum() < 2 or len(values) < 8:
        return (cx, cy), (size, size, 0.0)
    fit = optimize.least_squares(residual, np.clip(start, low, high), bounds=(low, high), max_nfev=60)
    p = fit.x
    if not region.any() or abs(p[1] - cx) > 2 * size + 1 or abs(p[2] - cy) > 2 * size + 1:
        return (cx, cy), (size, size, 0.0)
    rx, ry, angle = float(p[3]), float(p[4]), float(p[5])
    if ry > rx:
        rx, ry, angle = ry, rx, angle + np.pi / 2
    return (float(p[1]), float(p[2])), (rx, ry, float((angle + np.pi / 2) % np.pi - np.pi / 2))


def _empty(n_lags: int, height: int, width: int) -> ReceptiveField:
    return ReceptiveField(
        sta=np.zeros((n_lags, height, width), dtype=np.float32),
        spatial=np.zeros((height, width), dtype=np.float32),
        time_course=np.zeros(n_lags, dtype=np.float32),
        center_px=((width - 1) / 2, (height - 1) / 2),
        ellipse=(1.0, 1.0, 0.0),
        is_clear=False,
        peak_z=0.0,
        peak_lag=0,
        n_spikes=0,
    )
