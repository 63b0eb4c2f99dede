"""Two units whose spikes lie along the line that joins their templates."""

from __future__ import annotations

import numpy as np

from ncpgui.core.motion import Places
from ncpgui.sorting.gain_noise import GainNoise
from ncpgui.sorting.matched import Matched
from ncpgui.sorting.moving_templates import MovingBank
from ncpgui.sorting.template_distance import Likeness, likeness

RATE_HZ = 20_000.0
N_TIMES = 40
SLOW = 5000 * np.arange(4000)
"""Times that say nothing: no two spikes are near each other."""


def two_units(side: np.ndarray, is_second: np.ndarray, times: np.ndarray, apart: float) -> Matched:
    """Two templates `apart` sd from each other; `side` (n,) is where each spike lies along their line, sd.

    The middle is at 0, the first template at -apart / 2. The gains of a spike at z differ by 2 apart z.
    """
    waveforms = np.zeros((2, N_TIMES, 2), np.float32)
    waveforms[:, 10, 0] = -50
    waveforms[0, 10, 1], waveforms[1, 10, 1] = -10 - apart / 2, -10 + apart / 2
    like = likeness(waveforms, max_lag=4)
    unit = is_second.astype(np.int64)
    gain = np.zeros((len(side), 2), np.float32)
    gain[:, 0] = 2500 + apart * np.where(is_second, side, -side)
    gain[:, 1] = 2500 - apart * np.where(is_second, side, -side)
    nothing = np.zeros(like.candidates.shape)
    noise = GainNoise(np.ones(2), np.full(2, 1500.0), nothing, nothing)
    n_samples = int(times.max(initial=0)) + 1
    return matched_of(times, unit, gain, waveforms, like, noise, n_before=10, n_samples=n_samples)


def matched_of(
    times: np.ndarray,
    unit: np.ndarray,
    gain: np.ndarray,
    waveforms: np.ndarray,
    like: Likeness,
    noise: GainNoise,
    *,
    n_before: int,
    n_samples: int,
) -> Matched:
    """Spikes of templates (K, T, C) as matching gives them, each as high as its template, nothing moving."""
    ones, n_units = np.ones(len(times), np.float32), len(waveforms)
    places = Places.one(n_samples)
    return Matched(
        times,
        unit,
        ones,
        np.zeros_like(ones),
        gain,
        MovingBank(waveforms[None], n_before, places.share),
        places,
        like,
        noise,
        np.full(n_units, 30.0),
        np.ones((1, n_units)),
    )
