"""What is possible: which unit a spike is of, for somebody who is told everything but that.

Told are the templates of the units where the tissue was at the time of the spike, how large their spikes are,
how often each fires, and the covariance of the noise with the hash of far cells in it. Not told are the
firing times of single units, and that another spike may lie in the same window.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.special import logsumexp

from ncpgui.ephys.waveforms import STEPS_PER_SAMPLE, cut_plan

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

N_AMPLITUDES = 15
_SHIFTS = np.arange(-8, 9) / 4
"""Errors of the alignment that are as probable as each other, samples of the recording."""
_RIDGE = 0.02
"""Variance that is added to that of the noise."""


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
