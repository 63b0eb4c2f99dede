"""One dataset of the spike model, in the arrays that ncpgui cluster reads."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from ncpgui.engine.generative.spike_mixture import SpikeMixture, SpikeMixtureSettings
from ncpgui.engine.generative.template_reservoir import Split, TemplateReservoir


class SpikeDataset(NamedTuple):
    """One dataset in the arrays that ``ncpgui cluster`` reads; only contacts that are there.

    waveforms : (N, 32, n_channels) float32, noise sd, main channel first
    channel_positions : (n_channels, 2) float32, µm relative to the main channel
    labels : (N,) int64, canonical
    """

    waveforms: NDArray[np.float32]
    channel_positions: NDArray[np.float32]
    labels: NDArray[np.int64]


def sample_dataset(
    seed: int,
    n_points: int,
    *,
    geometry: str = "hex7",
    split: Split = "test",
    settings: SpikeMixtureSettings | None = None,
    reservoir: TemplateReservoir | None = None,
) -> SpikeDataset:
    """Draw one dataset of `n_points` spikes on one kind of contacts, by seed.

    Raises
    ------
    InputError
        An unknown geometry.

    >>> sample_dataset(0, 50, geometry="single").waveforms.shape
    (50, 32, 1)
    """
    model = SpikeMixture(
        replace(settings or SpikeMixtureSettings(), geometries=(geometry,)),
        (reservoir or TemplateReservoir.load()).subset(split),
    )
    batch = model.sample(1, n_points, torch.Generator().manual_seed(seed))
    waveforms, positions, mask = batch.points[:3]
    there = mask[0]
    return SpikeDataset(
        waveforms[0][..., there].numpy(), positions[0, there].numpy(), batch.labels[0].numpy()
    )
