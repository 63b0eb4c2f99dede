"""Batches of spikes are what training and diagnostics take them for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from ncpgui.core.partition import canonical
from ncpgui.core.waveform_format import TROUGH_SAMPLE
from ncpgui.engine.generative.spike_mixture import SpikeMixture, SpikeMixtureSettings
from ncpgui.engine.generative.template_reservoir import TemplateReservoir


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_shapes_and_types(model: SpikeMixture) -> None:
    batch = model.sample(4, 30, seeded(0))
    waveforms, positions, channel_mask = batch.points
    n_channels = int(channel_mask.sum(1).max())
    assert waveforms.shape == (4, 30, 32, n_channels)
    assert positions.shape == (4, n_channels, 2)
    assert channel_mask.shape == (4, n_channels)
    assert batch.labels.shape == (4, 30)
    assert waveforms.dtype == positions.dtype == torch.float32
    assert channel_mask.dtype == torch.bool
    assert batch.labels.dtype == torch.int64


def test_number_of_spikes_is_drawn_from_the_range(model: SpikeMixture) -> None:
    sizes = set(model.sample(30, (5, 8), seeded(1)).n_points.tolist())
    assert sizes == {5, 6, 7, 8}


def test_labels_are_canonical(model: SpikeMixture) -> None:
    labels = model.sample(32, 60, seeded(2)).labels.numpy()
    assert np.array_equal(labels, canonical(labels))


def test_missing_channels_are_zero_and_all_is_finite(model: SpikeMixture) -> None:
    batch = model.sample(32, 20, seeded(3))
    waveforms, _, channel_mask = batch.points
    assert (~channel_mask).any()
    assert (waveforms.transpose(2, 3).permute(0, 2, 1, 3)[~channel_mask] == 0).all()
    assert torch.isfinite(waveforms).all()


def test_same_seed_gives_the_same_batch_and_another_does_not(model: SpikeMixture) -> None:
    first, again, other = (model.sample(3, 20, seeded(i)) for i in (7, 7, 8))
    assert all(torch.equal(a, b) for a, b in zip(first.points, again.points, strict=True))
    assert torch.equal(first.labels, again.labels)
    assert not torch.equal(first.points[0], other.points[0])


def test_units_that_cannot_be_told_apart_are_one(reservoir: TemplateReservoir) -> None:
    settings = SpikeMixtureSettings()
    settings = replace(
        settings, p_noise_cluster=0.0, units=replace(settings.units, min_distance_sd=(1e4, 2e4))
    )
    batch = SpikeMixture(settings, reservoir).sample(8, 40, seeded(5))
    assert (batch.labels == 0).all()


def test_every_spike_crosses_the_threshold_near_the_trough(model: SpikeMixture) -> None:
    main = model.sample(16, 100, seeded(6)).points[0][..., 0]
    near = main[..., TROUGH_SAMPLE - 2 : TROUGH_SAMPLE + 3].amin(dim=-1)
    assert (near <= -model.settings.detection_threshold_sd[0] + 1e-3).all()


def test_a_spike_that_meets_far_cells_varies_more_than_its_noise(reservoir: TemplateReservoir) -> None:
    """Noise has a sd of 1 on every contact; far cells of 4 sd that meet each spike add theirs."""
    plain = replace(
        SpikeMixtureSettings(),
        k_max=1,
        p_noise_cluster=0.0,
        p_collision=(0.0, 0.0),
        p_bursting=0.0,
        amplitude_spread=(0.0, 0.0),
        n_background=20,
    )
    late = slice(24, None)  # samples after the trough and its repolarization

    def spread(settings: SpikeMixtureSettings) -> float:
        batch = SpikeMixture(settings, reservoir).sample(12, 200, seeded(10))
        return float(batch.points[0][:, :, late, 0].var(dim=1).mean().sqrt())

    met = replace(plain, p_hash=(1.0, 1.0), hash_amplitude_sd=(4.0, 4.0))
    assert spread(plain) < 1.1
    assert spread(met) > spread(plain) + 0.05


def test_noise_cluster_is_one_cluster_of_small_share(reservoir: TemplateReservoir) -> None:
    """With K = 1 and noise in every dataset there are exactly two clusters."""
    settings = replace(SpikeMixtureSettings(), k_max=1, p_noise_cluster=1.0, noise_part=(0.2, 0.25))
    batch, is_noise = SpikeMixture(settings, reservoir).sample_with_noise(16, 200, seeded(9))
    labels = batch.labels
    assert (labels == SpikeMixture(settings, reservoir).sample(16, 200, seeded(9)).labels).all()
    assert (labels.amax(dim=1) == 1).all()
    assert (is_noise == (labels == labels.masked_fill(~is_noise, -1).amax(1, keepdim=True))).all()
    smaller = torch.minimum((labels == 0).float().mean(1), (labels == 1).float().mean(1))
    assert 0.1 < smaller.mean() < 0.3


def test_main_channel_has_the_largest_mean_trough(reservoir: TemplateReservoir) -> None:
    """Of units well above the noise, nearly all are largest on the first channel."""
    settings = replace(SpikeMixtureSettings(), k_max=1, p_noise_cluster=0.0, geometries=("hex7", "tetrode"))
    batch = SpikeMixture(settings, reservoir).sample(64, 60, seeded(10))
    trough = -batch.points[0].mean(dim=1).amin(dim=1)
    assert (trough[:, 0] >= 0.8 * trough.amax(dim=1)).float().mean() > 0.93
