"""Made datasets of benchmarks: spikes of held-out cells, and points of Gaussians in the plane."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ncpgui.engine.checked_waveforms import checked_waveforms
from ncpgui.engine.generative.spike_mixture import SpikeMixture, SpikeMixtureSettings
from ncpgui.engine.generative.template_reservoir import Split, TemplateReservoir
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding


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


def spikes_of(n_cells: int, n_spikes: int) -> SpikeDataset:
    """Spikes of a hexagonal neighbourhood: the first set, by seed, in which so many cells have spikes.

    Cells are as many as 1 + Poisson(4), not Poisson(2), so that sets with many are soon found.
    """
    reservoir = TemplateReservoir.load()
    seed = 0
    while True:
        found = sample_dataset(
            seed, n_spikes, settings=SpikeMixtureSettings(k_rate=4.0), reservoir=reservoir, split="test"
        )
        if int(found.labels.max()) + 1 == n_cells:
            return found
        seed += 1


@torch.inference_mode()
def encode_spikes(
    network: ClusteringNetwork, data: SpikeDataset, times_s: NDArray[np.float64] | None = None
) -> Encoding:
    """Encode one dataset as `ncpgui.engine.cluster` does; times_s : (N,), of its spikes."""
    arrays = [*checked_waveforms(data.waveforms, data.channel_positions)[:3]]
    if times_s is not None:
        arrays.append(times_s)
    device = next(network.parameters()).device
    return network.encode(*(torch.from_numpy(array)[None].to(device) for array in arrays))


def gaussians(n_clusters: int, n_points: int, *, seed: int, apart: float = 6.0) -> tuple[Tensor, Tensor]:
    """Clusters of equal size and sd 1, their means on a ring with `apart` between neighbours.

    Returns
    -------
    points (1, N, 2) float32, in random order; labels (N,) int64, of the cluster each was drawn from
    """
    generator = torch.Generator().manual_seed(seed)
    labels = torch.arange(n_points)[torch.randperm(n_points, generator=generator)] % n_clusters
    radius = apart / 2 / math.sin(math.pi / n_clusters) if n_clusters > 1 else 0.0
    angle = 2 * math.pi * labels / n_clusters
    means = radius * torch.stack([angle.cos(), angle.sin()], dim=1)
    return (means + torch.randn(n_points, 2, generator=generator))[None], labels
