"""Spikes of simulated retinal cells that white noise drives, as frames at which they were fired."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.stimulus import Stimulus
from ncpgui.ephys import retina
from ncpgui.evidence.white_noise import WhiteNoise

FRAME_HZ = 30.0
SAMPLES_A_FRAME = 600
SIDE = 12
PIXEL_UM = 30.0
N_FRAMES = 1800
ON, OFF = 0, 1
"""Parasol cells: rows of `retina.CELL_TYPES`."""


def shown(seed: int = 0, n_frames: int = N_FRAMES) -> Stimulus:
    """A minute of binary white noise."""
    return retina.white_noise(
        np.random.default_rng(seed),
        n_frames=n_frames,
        side_px=SIDE,
        first_sample=0,
        samples_per_frame=SAMPLES_A_FRAME,
        pixel_um=PIXEL_UM,
    )


def noise(seed: int = 0) -> WhiteNoise:
    """The same, ready for averages."""
    stimulus = shown(seed)
    return WhiteNoise(stimulus.frames, stimulus)


def times_s(
    frames: NDArray[np.generic],
    *,
    kind: int = ON,
    centre_px: tuple[float, float] = (5.5, 5.5),
    rate_hz: float = 10.0,
    gain: float = 1.3,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Spikes of one cell, in s from the first frame; `seed` also draws its field."""
    rng = np.random.default_rng(seed)
    cell_type = retina.CELL_TYPES[kind]
    field, _ = retina.spatial_filter(
        rng, cell_type, centre_px=np.array(centre_px), pixel_um=PIXEL_UM, side_px=frames.shape[1]
    )
    course = retina.temporal_filter(rng, cell_type, frame_ms=1000 / FRAME_HZ)
    rate = retina.firing_rate(frames, field, course, mean_hz=rate_hz, gain=gain)
    return retina.poisson_spikes(rng, rate, np.arange(len(frames) + 1) / FRAME_HZ)


def frame_of(times: NDArray[np.float64]) -> NDArray[np.int64]:
    """Frame on screen at each time."""
    return np.floor(times * FRAME_HZ).astype(np.int64)
