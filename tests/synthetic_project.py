"""A plausible project made of arrays: what the window is driven with when no recording is sorted.

Hexagonal array, components of two to four units with spike-like waveforms, posterior samples that
disagree on purpose (say 55 / 30 / 15 %), alternatives over all spikes, and a white-noise stimulus
with a planted receptive field per unit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Alternative, Component, ComponentWaveforms
from ncpgui.core.order_agreement import N_ORDERS
from ncpgui.core.partition import by_size
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.probe import Probe
from ncpgui.core.project import Project, RecordingReference
from ncpgui.core.seeds import stream
from ncpgui.core.spikes import SpikeEvents
from ncpgui.core.stimulus import Stimulus
from ncpgui.core.waveform_format import N_SAMPLES, TROUGH_SAMPLE

SAMPLING_FREQUENCY_HZ = 20_000.0
PITCH_UM = 30.0
FRAME_RATE_HZ = 15.0

# masses of the ways to sort a component, the most probable first; what lacks to 1 is "other"
SETTLED = (0.97,)
AMBIGUOUS = ((0.55, 0.30, 0.15), (0.62, 0.33), (0.46, 0.27, 0.14, 0.08), (0.84, 0.12))


@dataclass(frozen=True)
class _Cell:
    """A planted unit: template (32, n_channels) in noise sd, spike samples, receptive field centre."""

    template: NDArray[np.float32]
    samples: NDArray[np.int64]
    centre_px: tuple[float, float]
    polarity: int


def hexagonal_probe(n_channels: int) -> Probe:
    """Contacts of a hexagonal array, the `n_channels` nearest to its middle, by row."""
    rows = np.arange(-6, 7)
    grid = np.array([[(i + (j % 2) / 2) * PITCH_UM, j * PITCH_UM * 0.866] for j in rows for i in rows])
    near = grid[np.argsort(np.round(np.hypot(*grid.T), 3), kind="stable")[:n_channels]]
    return Probe(near[np.lexsort((near[:, 0], -np.round(near[:, 1], 3)))])


def spike_template(
    positions_um: NDArray[np.float64], centre_um: NDArray[np.float64], *, amplitude: float, width: float
) -> NDArray[np.float32]:
    """Biphasic spike that decays and lags with distance: (32, n_channels), noise sd."""
    distance = np.linalg.norm(positions_um - centre_um, axis=1)
    t = np.arange(N_SAMPLES)[:, None] - TROUGH_SAMPLE - distance[None] / 45.0
    trough = -np.exp(-((t / (1.7 * width)) ** 2))
    rebound = 0.42 * np.exp(-(((t - 6.5 * width) / (4.2 * width)) ** 2))
    onset = 0.12 * np.exp(-(((t + 4.5 * width) / (2.2 * width)) ** 2))
    return (amplitude * np.exp(-distance / 28.0)[None] * (trough + rebound + onset)).astype(np.float32)


def synthetic_project(
    n_channels: int = 7,
    *,
    seed: int = 0,
    duration_s: float = 60.0,
    n_samples: int = 120,
    max_sampled: int = 1000,
    with_stimulus: bool = True,
    with_waveforms: bool = True,
    spikes_per_unit: int = 120,
) -> Project:
    """Build the project; the same for the same arguments."""
    rng = stream(seed, "synthetic project")
    probe = hexagonal_probe(n_channels)
    total = int(duration_s * SAMPLING_FREQUENCY_HZ)
    stimulus = _stimulus(rng, duration_s) if with_stimulus else None
    cells = [
        _cells_of(channel, probe, stimulus, total, spikes_per_unit, rng) for channel in range(n_channels)
    ]
    events, cell_of_spike = _events(cells, total, rng)
    components, waveforms = [], {}
    unit_of_spike = np.full(len(events), -1, dtype=np.int64)
    probability = np.zeros(len(events), dtype=np.float32)
    next_unit = 0
    for channel in range(n_channels):
        neighbours = probe.neighbours(channel, radius_um=1.1 * PITCH_UM)
        component = _component(
            channel, neighbours, events, cell_of_spike, cells[channel], n_samples, max_sampled, rng
        )
        components.append(component)
        first = component.alternatives[0]
        unit_of_spike[component.spike_ids] = np.where(first.labels >= 0, first.labels + next_unit, -1)
        probability[component.spike_ids] = first.probability
        next_unit += first.n_units
        if with_waveforms:
            waveforms[channel] = _waveforms(component, cell_of_spike, cells[channel], rng)
    reference = RecordingReference(
        "/data/retina.raw", {"dtype": "int16"}, "0" * 64, n_channels, SAMPLING_FREQUENCY_HZ, total
    )
    return Project(
        recording=reference,
        probe=probe,
        spikes=events,
        noise_sd=np.full(n_channels, 11.0, dtype=np.float32),
        components=tuple(components),
        unit_of_spike=unit_of_spike,
        probability=probability,
        settings={},
        model="synthetic",
        stimulus=stimulus,
        waveforms=waveforms,
    )


def _stimulus(rng: np.random.Generator, duration_s: float) -> Stimulus:
    n_frames = int(duration_s * FRAME_RATE_HZ)
    frames = rng.choice(np.array([-1, 1], dtype=np.int8), size=(n_frames, 18, 24))
    trigger = (np.arange(n_frames) * SAMPLING_FREQUENCY_HZ / FRAME_RATE_HZ).astype(np.int64)
    return Stimulus(frames, trigger, pixel_um=30.0)


def _cells_of(
    channel: int,
    probe: Probe,
    stimulus: Stimulus | None,
    total: int,
    spikes_per_unit: int,
    rng: np.random.Generator,
) -> list[_Cell]:
    n_cells = (3, 2, 4, 3, 2, 3)[channel % 6]
    neighbours = probe.neighbours(channel, radius_um=1.1 * PITCH_UM)
    cells = []
    for index in range(n_cells):
        turn = 2 * np.pi * (index / n_cells + rng.uniform(0, 0.15))
        centre = probe.positions_um[channel] + rng.uniform(3, 9) * np.array([np.cos(turn), np.sin(turn)])
        amplitude = (26.0, 13.0, 9.0, 7.5)[index] * rng.uniform(0.85, 1.15)
        width = (1.0, 1.35, 0.8, 1.15)[index]
        template = spike_template(
            probe.positions_um[neighbours], centre, amplitude=float(amplitude), width=width
        )
        where = (float(rng.uniform(5, 19)), float(rng.uniform(4, 14)))
        polarity = 1 if rng.random() < 0.5 else -1
        n_spikes = int(spikes_per_unit * (1.6, 1.0, 0.7, 0.45)[index])
        samples = _spike_samples(stimulus, where, polarity, n_spikes, total, rng)
        cells.append(_Cell(template, samples, where, polarity))
    return cells


def _spike_samples(
    stimulus: Stimulus | None,
    centre_px: tuple[float, float],
    polarity: int,
    n_spikes: int,
    total: int,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Times that follow the filtered stimulus when there is one, 2 ms apart at least."""
    if stimulus is None:
        times = rng.uniform(100, total - 100, n_spikes)
    else:
        _, height, width = stimulus.frames.shape
        y, x = np.mgrid[:height, :width]
        field = np.exp(-((x - centre_px[0]) ** 2 + (y - centre_px[1]) ** 2) / (2 * 1.6**2))
        drive = polarity * np.tensordot(stimulus.frames.astype(np.float32), field, axes=2)
        drive = np.convolve(drive, [0.0, 0.25, 1.0, 0.7, -0.3])[: len(drive)]
        rate = np.exp(0.9 * drive / drive.std())
        frame = rng.choice(len(rate), size=n_spikes, p=rate / rate.sum())
        times = stimulus.trigger_sample[frame] + rng.uniform(
            0, SAMPLING_FREQUENCY_HZ / FRAME_RATE_HZ, n_spikes
        )
    samples = np.sort(times.astype(np.int64).clip(100, total - 100))
    apart = np.concatenate([[True], np.diff(samples) >= int(0.002 * SAMPLING_FREQUENCY_HZ)])
    return samples[apart]


def _events(
    cells: list[list[_Cell]], total: int, rng: np.random.Generator
) -> tuple[SpikeEvents, NDArray[np.int64]]:
    """All spikes in order of time, and the index of the cell within its channel."""
    samples, channel, which, amplitude = [], [], [], []
    for number, component in enumerate(cells):
        for index, cell in enumerate(component):
            n = len(cell.samples)
            samples.append(cell.samples)
            channel.append(np.full(n, number))
            which.append(np.full(n, index))
            amplitude.append(cell.template[:, 0].min() * rng.normal(1, 0.08, n) + rng.normal(0, 0.8, n))
    time = np.concatenate(samples)
    order = np.argsort(time, kind="stable")
    events = SpikeEvents(
        time[order],
        np.concatenate(channel)[order],
        np.concatenate(amplitude)[order],
        SAMPLING_FREQUENCY_HZ,
        total,
    )
    return events, np.concatenate(which)[order]


def _ways(truth: NDArray[np.int64], n_cells: int, n_ways: int, rng: np.random.Generator) -> list[NDArray]:
    """Different sortings of the same spikes: the truth, a merge, a split, a merge and a split."""
    merged = np.minimum(truth, n_cells - 2)
    coin = rng.random(len(truth)) < 0.5
    split = np.where((truth == 0) & coin, n_cells, truth)
    both = np.where((merged == 0) & coin, n_cells, merged)
    return [truth, merged, split, both][:n_ways]


def _component(
    channel: int,
    neighbours: NDArray[np.int64],
    events: SpikeEvents,
    cell_of_spike: NDArray[np.int64],
    cells: list[_Cell],
    n_samples: int,
    max_sampled: int,
    rng: np.random.Generator,
) -> Component:
    ids = np.flatnonzero(events.channel == channel)
    truth = cell_of_spike[ids]
    sampled = np.sort(rng.permutation(len(ids))[:max_sampled])
    masses = SETTLED if channel % 5 == 3 else AMBIGUOUS[channel % len(AMBIGUOUS)]
    ways = _ways(truth, len(cells), len(masses), rng)
    share = np.array([*masses, max(0.0, 1 - sum(masses))])
    which = rng.choice(len(share), size=n_samples, p=share / share.sum())
    rows = []
    for choice in which:
        labels = ways[min(choice, len(ways) - 1)][sampled].copy()
        noisy = rng.random(len(labels)) < (0.03 if choice < len(ways) else 0.6)
        labels[noisy] = rng.integers(0, labels.max() + 1, noisy.sum())
        rows.append(labels)
    order = np.arange(n_samples) % N_ORDERS
    posterior = PosteriorSamples(np.array(rows), rng.normal(-300, 20, n_samples), order=order)
    alternatives = []
    for way, mass in zip(ways, masses, strict=True):
        labels, _ = by_size(way)
        n_units = labels.max() + 1
        certainty = np.clip(rng.beta(9, 1.2, len(labels)), 0.3, 1).astype(np.float32)
        p_exists = np.clip(mass + rng.uniform(0.0, 0.4, n_units), 0, 1).astype(np.float32)
        p_exists[0] = max(p_exists[0], 0.98)
        se = float(np.sqrt(mass * (1 - mass) / n_samples))
        alternatives.append(Alternative(labels.astype(np.int32), certainty, mass, se, p_exists))
    return Component(channel, neighbours, ids, sampled, posterior, tuple(alternatives))


def _waveforms(
    component: Component, cell_of_spike: NDArray[np.int64], cells: list[_Cell], rng: np.random.Generator
) -> ComponentWaveforms:
    templates = np.stack([cell.template for cell in cells])
    which = cell_of_spike[component.spike_ids[component.sampled]]
    m, n_channels = len(which), templates.shape[2]
    gain = rng.normal(1, 0.07, (m, 1, 1)).astype(np.float32)
    noise = rng.normal(0, 1, (m, N_SAMPLES + 2, n_channels)).astype(np.float32)
    smooth = noise[:, :-2] * 0.5 + noise[:, 1:-1] * 0.75 + noise[:, 2:] * 0.43
    waveforms = templates[which] * gain + smooth
    flat = waveforms.reshape(m, -1)
    basis = rng.normal(0, 1, (flat.shape[1], 16)).astype(np.float32) / np.sqrt(flat.shape[1])
    return ComponentWaveforms(waveforms.astype(np.float32), (flat @ basis).astype(np.float32))
