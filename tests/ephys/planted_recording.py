"""Small recordings with spikes at known places."""

from __future__ import annotations

import numpy as np

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.probe import Probe
from ncpgui.ephys.probes import load_probe

RATE_HZ = 20_000.0


def spike(time_ms: np.ndarray) -> np.ndarray:
    """Smooth spike with its trough of -1 at time 0, inside the band of 300-6000 Hz."""
    trough = -np.exp(-0.5 * (time_ms / 0.13) ** 2)
    return trough + 0.35 * np.exp(-0.5 * ((time_ms - 0.65) / 0.2) ** 2)


def planted(
    *,
    n_samples: int,
    spikes: list[tuple[float, int, float]],
    probe: Probe | None = None,
    rate_hz: float = RATE_HZ,
    seed: int = 0,
    noise: float = 1.0,
) -> ArrayRecording:
    """White noise plus spikes given as (sample, channel, depth in units of the noise)."""
    probe = probe or load_probe("tetrode")
    traces = noise * np.random.default_rng(seed).normal(size=(n_samples, probe.n_channels))
    time = np.arange(n_samples)
    for sample, channel, depth in spikes:
        near = slice(max(0, int(sample) - 60), int(sample) + 60)
        traces[near, channel] += depth * spike((time[near] - sample) / rate_hz * 1000)
    return ArrayRecording(traces.astype(np.float32), sampling_frequency_hz=rate_hz, probe=probe)
