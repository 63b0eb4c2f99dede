"""Cells unlike the generator's own: bursts, wide and positive-first spikes, rates of 0.05 to 80 Hz.

Templates and places are of SpikeInterface's generator. In turn a cell is as it is there, fires in bursts in
which spikes shrink down to half of their size, is twice as wide, or has a positive phase before the trough,
as axons have, that is as large as it or larger.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates
from spikeinterface.core import BaseRecording, BaseSorting, NumpySorting
from spikeinterface.core.generate import generate_templates, generate_unit_locations

from benchmarks.recordings.generator import (
    MS_AFTER,
    MS_BEFORE,
    NEAR,
    cells_firing,
    noise_on,
    shapes_of_cells,
    with_spikes,
)
from benchmarks.recordings.ground_truth import AMPLITUDE_UV, NOISE_UV, GroundTruth, kept, probe_of
from ncpgui.core.seeds import stream, stream_seed

KINDS = ("usual", "bursting", "wide", "positive first")
RATE_HZ = (0.05, 80.0)
BURST_SPIKES = 2.5
"""Mean number of spikes that follow the first one of a burst."""
BURST_MS = (3.0, 6.0)
SHRINKING, SMALLEST = 0.85, 0.5
"""Size of a spike of a burst over that of the one before, and the least over that of the first."""
STRETCH = 2.0
POSITIVE = (1.0, 1.6)
"""Size of a positive phase over that of the trough."""
POSITIVE_MS = 0.35
AMPLITUDE_SD = 0.07


def kind_of(unit: int) -> str:
    """Kind of a cell."""
    return KINDS[unit % len(KINDS)]


def in_bursts(
    first: NDArray[np.int64], rate_hz: float, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Spikes (n,), in order, of bursts that begin at `first`, and the size of each over that of the first.

    A burst ends where the next one begins.
    """
    ends = np.append(first, np.iinfo(np.int64).max)[1:]
    spikes, sizes = [], []
    for start, end, n in zip(first, ends, rng.poisson(BURST_SPIKES, len(first)), strict=True):
        gaps = np.r_[0.0, rng.uniform(*BURST_MS, n)] * rate_hz / 1000
        times = start + np.round(np.cumsum(gaps)).astype(np.int64)
        inside = times < end - BURST_MS[0] * rate_hz / 1000
        inside[0] = True
        spikes.append(times[inside])
        sizes.append(np.maximum(SHRINKING ** np.arange(n + 1), SMALLEST)[inside])
    if not spikes:
        return np.zeros(0, np.int64), np.zeros(0)
    return np.concatenate(spikes), np.concatenate(sizes)


def wide(template: NDArray[np.floating], n_before: int) -> NDArray[np.float64]:
    """A template (T, C) that takes `STRETCH` times as long, its trough where it was."""
    time = (np.arange(len(template)) - n_before) / STRETCH + n_before
    grid = np.meshgrid(time, np.arange(template.shape[1]), indexing="ij")
    return np.asarray(map_coordinates(template.astype(np.float64), grid, order=1))


def positive_first(
    template: NDArray[np.floating], n_before: int, size: float, rate_hz: float
) -> NDArray[np.float64]:
    """A template (T, C) with a positive phase before its trough, so many times as large on each contact."""
    early = round(POSITIVE_MS * rate_hz / 1000)
    phase = np.exp(-(((np.arange(len(template)) - n_before + early) / (early / 2)) ** 2))
    return np.asarray(template + size * phase[:, None] * -template[n_before])


def made_varied(truth: GroundTruth, folder: Path) -> tuple[BaseRecording, BaseSorting]:
    """Return a recording of such cells in white noise and its true sorting, as `ground_truth.made` does."""
    return kept(truth, folder / f"varied-{truth.probe}-{truth.seed}", lambda: _generated(truth))


def _generated(truth: GroundTruth) -> tuple[BaseRecording, BaseSorting]:
    """Return the recording, not yet computed, and its spikes."""
    probe, rate, n = probe_of(truth), truth.sampling_frequency_hz, truth.n_units
    rng = stream(truth.seed, "varied units")
    parameters = shapes_of_cells(n, rng)
    parameters["alpha"] = np.exp(rng.uniform(*np.log(AMPLITUDE_UV), n))
    rates = np.exp(rng.uniform(*np.log(RATE_HZ), n))
    bursting = np.array([kind_of(unit) == "bursting" for unit in range(n)])
    first_hz = np.where(bursting, rates / (1 + BURST_SPIKES), rates)
    begun = cells_firing(first_hz, rate, truth.duration_s, stream_seed(truth.seed, "varied spikes"))
    n_samples, before = round(truth.duration_s * rate), round(MS_BEFORE * rate / 1000)
    trains, sizes = [], []
    for unit in range(n):
        train = begun.get_unit_spike_train(begun.unit_ids[unit])
        size = np.ones(len(train))
        if bursting[unit]:
            train, size = in_bursts(train, rate, rng)
        inside = train < n_samples - round(MS_AFTER * rate / 1000)
        trains.append(train[inside])
        sizes.append(size[inside] * rng.normal(1, AMPLITUDE_SD, inside.sum()))
    templates = generate_templates(
        probe.contact_positions,
        generate_unit_locations(
            n, probe.contact_positions, **NEAR, seed=stream_seed(truth.seed, "varied places")
        ),
        rate,
        MS_BEFORE,
        MS_AFTER,
        unit_params=parameters,
        seed=stream_seed(truth.seed, "varied templates"),
    )
    for unit in range(n):
        if kind_of(unit) == "wide":
            templates[unit] = wide(templates[unit], before)
        elif kind_of(unit) == "positive first":
            templates[unit] = positive_first(templates[unit], before, rng.uniform(*POSITIVE), rate)
    sample, label = np.concatenate(trains), np.repeat(np.arange(n), [len(train) for train in trains])
    order = np.lexsort((label, sample))
    cells = NumpySorting.from_samples_and_labels([sample[order]], [label[order]], rate, unit_ids=np.arange(n))
    seed = stream_seed(truth.seed, "varied noise")
    noise = noise_on(probe, rate, truth.duration_s, NOISE_UV, seed, decay_um=None)
    return with_spikes(noise, cells, templates, np.concatenate(sizes)[order]), cells
