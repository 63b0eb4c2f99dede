"""What is possible: which unit a spike is of, for somebody who is told everything but that.

Told are the templates of the units where the tissue was at the time of the spike, how large their spikes are,
how often each fires, and the covariance of the noise with the hash of far cells in it. Not told are the
firing times of single units, and that another spike may lie in the same window.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.special import logsumexp

from ncpgui.core.seeds import stream
from ncpgui.ephys.preprocessing import Preprocessed
from ncpgui.ephys.waveforms import STEPS_PER_SAMPLE, cut_plan

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

N_AMPLITUDES = 15
_SHIFTS = np.arange(-8, 9) / 4
"""Errors of the alignment that are as probable as each other, samples of the recording."""
_RIDGE = 0.02
"""Variance that is added to that of the noise."""
_QUIET_SD = 1.0
"""Troughs of the units below which there is no spike of them."""
_N_QUIET = 6000
"""Moments of a recording at which the noise is looked at, where there is none."""


class Fired(NamedTuple):
    """All spikes of a recording, in order of time.

    sample, unit : (n,); amplitude, way : (n,), of its template, and place of the tissue in steps of templates
    depth_now : (n, C), trough on each contact, noise sd
    """

    sample: Ints
    unit: Ints
    amplitude: Floats
    way: Floats
    depth_now: Floats


def told_nearly_everything(
    waveforms: NDArray[np.float32],
    at: Ints,
    units: Ints,
    size: Ints,
    shapes: Floats,
    channels: Ints,
    pre: Preprocessed,
    fired: Fired,
) -> Ints:
    """Return which of `units` (K,) each spike is most probably of: (N,).

    Parameters
    ----------
    waveforms : (N, 32, C), noise sd, cut at samples `at` (N,) of `channels` (C,), the main one first
    size : (K,) spikes of each unit in the set
    shapes : (D, K, T, C), templates of the units at each place of the tissue, filtered
    pre : the recording; fired : what is in it
    """
    if len(units) == 1:
        return np.full(len(at), units[0])
    rate_hz = pre.sampling_frequency_hz
    cut = cut_templates(shapes / pre.noise_sd[channels], rate_hz)
    near = fired.sample[(fired.depth_now[:, channels] > _QUIET_SD).any(axis=1) & np.isin(fired.unit, units)]
    edge = int(0.01 * rate_hz)
    quiet = stream(0, "quiet").integers(edge, pre.n_samples - edge, _N_QUIET)
    after = np.searchsorted(near, quiet)
    apart = np.minimum(
        np.abs(quiet - near[np.maximum(after - 1, 0)]), np.abs(quiet - near[np.minimum(after, len(near) - 1)])
    )
    traces = pre.traces(0, pre.n_samples)
    covariance = noise_covariance(traces[:, channels], quiet[apart > 0.002 * rate_hz], rate_hz)
    parts = (np.arange(N_AMPLITUDES) + 0.5) / N_AMPLITUDES
    amplitudes = [np.quantile(fired.amplitude[fired.unit == unit], parts) for unit in units]
    way = np.interp(at, fired.sample, fired.way)
    return units[most_probable_units(waveforms, cut, way, amplitudes, size / size.sum(), covariance)]


def cut_templates(templates: NDArray[np.floating], sampling_frequency_hz: float) -> NDArray[np.float32]:
    """Waveforms as they are cut from traces, at errors of the alignment: (D, U, T, C) -> (D, U, S, 32, C).

    templates : without noise, filtered, their main channel first; T leaves room around the trough
    """
    plan = cut_plan(sampling_frequency_hz)
    trough = templates[..., 0].argmin(axis=2)  # (D, U)
    whole = np.round(_SHIFTS).astype(np.int64)
    step = STEPS_PER_SAMPLE + np.round((_SHIFTS - whole) * STEPS_PER_SAMPLE).astype(np.int64)
    first = trough[..., None] + whole - plan.before
    rows = first[..., None] + np.arange(plan.window)  # (D, U, S, window)
    places, units = np.ogrid[: templates.shape[0], : templates.shape[1]]
    windows = templates[places[..., None, None], units[..., None, None], rows]
    return np.einsum("sow,dkswc->dksoc", plan.resample[step], windows, optimize=True).astype(np.float32)


def noise_covariance(traces: NDArray[np.float32], centres: Ints, sampling_frequency_hz: float) -> Floats:
    """Covariance of waveforms (F, F), F = 32 C, of `traces` (n, C) where there is no spike of the units.

    centres : (M,) samples of the traces, far enough from their ends
    """
    plan = cut_plan(sampling_frequency_hz)
    windows = traces[(centres - plan.before)[:, None] + np.arange(plan.window)]
    flat = (plan.resample[STEPS_PER_SAMPLE] @ windows).reshape(len(centres), -1).astype(np.float64)
    return np.cov(flat, rowvar=False) + _RIDGE * np.eye(flat.shape[1])


def most_probable_units(
    waveforms: NDArray[np.float32],
    cut: NDArray[np.float32],
    way: Floats,
    amplitudes: list[Floats],
    share: Floats,
    covariance: Floats,
) -> Ints:
    """Return the unit of each spike that is most probable, by templates, amplitudes, shares and noise: (N,).

    Parameters
    ----------
    waveforms : (N, 32, C); cut : (D, U, S, 32, C), of `cut_templates`
    way : (N,), 0 .. D - 1, where the tissue was
    amplitudes : of each unit, factors that are as probable as each other; share : (U,) of the spikes
    covariance : (32 C, 32 C), of the noise
    """
    n_places, n_units, n_shifts = cut.shape[:3]
    root = cholesky(covariance, lower=True)
    white = solve_triangular(root, waveforms.reshape(len(waveforms), -1).T, lower=True).T
    shapes = solve_triangular(root, cut.reshape(n_places * n_units * n_shifts, -1).T, lower=True).T
    shapes = shapes.reshape(n_places, n_units, n_shifts, -1)
    before = np.minimum(way.astype(np.int64), max(n_places - 2, 0))
    after = np.minimum(before + 1, n_places - 1)
    part = (way - before)[:, None, None]
    score = np.empty((len(waveforms), n_units))
    for unit in range(n_units):
        here = shapes[before, unit] * (1 - part) + shapes[after, unit] * part  # (N, S, F)
        along = np.einsum("nsf,nf->ns", here, white)[..., None]
        size = np.square(here).sum(axis=-1)[..., None]
        a = amplitudes[unit]
        score[:, unit] = np.log(share[unit]) + logsumexp(along * a - size * a**2 / 2, axis=(1, 2))
        score[:, unit] -= np.log(len(a))
    return score.argmax(axis=1)
