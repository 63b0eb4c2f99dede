"""Traces of a simulated recording, piece by piece: correlated noise plus every spike."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import signal

from ncpgui.core.seeds import stream
from ncpgui.ephys.simulated_cells import PHASES, SimulationPlan, in_sorting_band

PIECE_S = 2.0


def simulated_pieces(plan: SimulationPlan) -> Iterator[NDArray[np.int16]]:
    """Traces, `PIECE_S` at a time: (n, n_channels) int16."""
    settings, rate = plan.settings, plan.settings.sampling_frequency_hz
    length = plan.templates.shape[2]
    fine = np.round(plan.times * rate * PHASES).astype(np.int64)
    first, phase = fine // PHASES - plan.before, fine % PHASES
    spread = stream(plan.seed, "channel noise").uniform(0.85, 1.15, plan.probe.n_channels)
    unit_uv = (settings.noise_uv * spread).astype(np.float32)
    noise = _Noise(plan)
    step = round(PIECE_S * rate)
    for start in range(0, plan.n_samples, step):
        stop = min(start + step, plan.n_samples)
        traces = np.zeros((stop - start + 2 * length, plan.probe.n_channels), dtype=np.float32)
        low, high = np.searchsorted(first, [start - length, stop])
        for k in range(low, high):
            at = first[k] - start + length
            traces[at : at + length] += plan.scale[k] * plan.templates[plan.units[k], phase[k]]
        values = (traces[length:-length] + noise.draw(stop - start)) * (
            unit_uv / np.float32(settings.gain_uv)
        )
        yield np.clip(np.rint(values), -32768, 32767).astype(np.int16)


class _Noise:
    """Noise correlated in space and time with sd 1 in the band of sorting, drawn piece after piece."""

    def __init__(self, plan: SimulationPlan) -> None:
        settings, positions = plan.settings, plan.probe.positions_um
        rate = settings.sampling_frequency_hz
        gap = np.linalg.norm(positions[:, None] - positions[None], axis=2)
        shared = settings.noise_shared
        covariance = shared * np.exp(-gap / settings.noise_length_um) + (1 - shared) * np.eye(len(gap))
        self.mix = np.linalg.cholesky(covariance).astype(np.float32)
        self.b, self.a = (
            c.astype(np.float32) for c in signal.butter(1, [200.0, 5000.0], "bandpass", fs=rate)
        )
        trial = signal.lfilter(self.b, self.a, np.random.default_rng(0).normal(size=200_000))
        self.scale = np.float32(1 / in_sorting_band(trial[:, None], rate).std())
        self.state = np.zeros((len(gap), 2), dtype=np.float32)
        self.rng = stream(plan.seed, "noise")

    def draw(self, n_samples: int) -> NDArray[np.float32]:
        white = self.mix @ self.rng.standard_normal((len(self.mix), n_samples), dtype=np.float32)
        coloured, self.state = signal.lfilter(self.b, self.a, white, axis=1, zi=self.state)
        return np.ascontiguousarray(coloured.T) * self.scale
