"""Recordings with planted spikes and a cheap deterministic stand-in for the network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common.array_recording import ArrayRecording
from ncpgui.core.errors import InputError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.waveform_format import N_SAMPLES, TROUGH_SAMPLE

SAMPLING_FREQUENCY_HZ = 20_000.0
SQUARE = Probe(np.array([[0.0, 0.0], [50.0, 0.0], [0.0, 50.0], [50.0, 50.0]]))


def shape(width: float = 1.0) -> NDArray[np.float64]:
    """Trough of depth 1 at `TROUGH_SAMPLE`, with a rebound: (32,)."""
    t = np.arange(N_SAMPLES) - TROUGH_SAMPLE
    return -np.exp(-((t / (1.7 * width)) ** 2)) + 0.4 * np.exp(-(((t - 7 * width) / (3 * width)) ** 2))


def template(troughs: list[float], width: float = 1.0) -> NDArray[np.float32]:
    """Same shape on every channel, with these depths: (32, C)."""
    return (shape(width)[:, None] * np.array(troughs)).astype(np.float32)


@dataclass(frozen=True)
class Cell:
    """Depth of the trough on each channel, and when it fires."""

    troughs: list[float]
    times: NDArray[np.int64]
    width: float = 1.0


def regular_times(n: int, n_samples: int, seed: int) -> NDArray[np.int64]:
    """Return n times at least 5 ms apart, at random otherwise."""
    rng = np.random.default_rng(seed)
    slots = np.sort(rng.choice((n_samples - 400) // 200, n, replace=False))
    return (200 + slots * 200 + rng.integers(0, 90, n)).astype(np.int64)


def planted_recording(cells: list[Cell], n_samples: int, probe: Probe = SQUARE) -> ArrayRecording:
    """White noise of sd 1 with the cells' spikes in it."""
    rng = np.random.default_rng(7)
    traces = rng.standard_normal((n_samples, probe.n_channels)).astype(np.float32)
    for cell in cells:
        wave = template(cell.troughs, cell.width)
        for time in cell.times:
            traces[time - TROUGH_SAMPLE : time - TROUGH_SAMPLE + N_SAMPLES] += wave
    return ArrayRecording(traces, sampling_frequency_hz=SAMPLING_FREQUENCY_HZ, probe=probe)


@dataclass
class FakeResult:
    """The fields of the engine's result that a sorting reads."""

    labels: NDArray[np.int64]
    log_prob: NDArray[np.float64]
    features: NDArray[np.float32]
    order: NDArray[np.int64]
    model: str = "stand-in"
    knows_times: bool = False
    sampler: str = "draws"

    @property
    def posterior(self) -> PosteriorSamples:
        """The samples, of equal weight."""
        return PosteriorSamples(self.labels, self.log_prob, None, self.order, sampler=self.sampler)


def leader_clustering(waveforms: NDArray[np.float32], *, samples: int, beam: int = 0, **_: Any) -> FakeResult:
    """Every spike joins the first cluster whose leader has similar troughs, else it leads a new one.

    A quarter of the draws, or of the beam in their place, has the first two clusters as one.
    """
    sampler = "draws" if samples else "beam"
    samples = samples or beam
    troughs = waveforms[:, 7:16].min(axis=1)
    leaders: list[NDArray[np.float32]] = []
    labels = np.zeros(len(waveforms), dtype=np.int64)
    for i, point in enumerate(troughs):
        near = [k for k, leader in enumerate(leaders) if np.linalg.norm(point - leader) < 8]
        labels[i] = near[0] if near else len(leaders)
        if not near:
            leaders.append(point)
    draws = np.repeat(labels[None], samples, axis=0)
    draws[::4][draws[::4] == 1] = 0
    orders = np.arange(samples) % 8
    return FakeResult(draws, np.zeros(samples), troughs.astype(np.float32), orders, sampler=sampler)


def failing_on(channel_position_um: tuple[float, float]) -> Any:
    """`leader_clustering` that fails for the group of the contact at this position."""

    def cluster(
        waveforms: NDArray[np.float32], *, channel_positions: NDArray[np.float64], **rest: Any
    ) -> Any:
        if tuple(channel_positions[0]) == channel_position_um:
            raise InputError("planted failure")
        return leader_clustering(waveforms, **rest)

    return cluster
