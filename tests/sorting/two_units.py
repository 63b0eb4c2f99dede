"""Two units whose spikes lie along the line that joins their templates."""

from __future__ import annotations

import numpy as np

from ncpgui.core.motion import Places
from ncpgui.sorting.gain_noise import GainNoise
from ncpgui.sorting.matched import Matched
from ncpgui.sorting.moving_templates import MovingBank
from ncpgui.sorting.peeling import TemplateBank
from ncpgui.sorting.template_distance import likeness

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
    ones = np.ones(len(side), np.float32)
    nothing = np.zeros(like.candidates.shape)
    noise = GainNoise(np.ones(2), np.full(2, 1500.0), nothing, nothing)
    bank = TemplateBank(waveforms, 10)
    places = Places.one(int(times.max(initial=0)) + 1)
    moving = MovingBank(waveforms[None], 10, places.share)
    return Matched(
        times,
        unit,
        ones,
        np.zeros_like(ones),
        gain,
        bank,
        moving,
        places,
        like,
        noise,
        np.full(2, 30.0),
        np.ones((1, 2)),
    )
