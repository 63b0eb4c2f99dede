"""Noise has the covariance that was asked for, in space and in time."""

from __future__ import annotations

import numpy as np
import torch

from ncpgui.engine.generative.contact_layouts import draw_layouts
from ncpgui.engine.generative.spike_noise import NoiseSettings, SpikeNoise, draw_noise


def noise_on(geometry: str, n_datasets: int, generator: torch.Generator) -> tuple[SpikeNoise, torch.Tensor]:
    positions, mask = draw_layouts((geometry,), n_datasets, generator)
    return draw_noise(NoiseSettings(), positions, mask, 36, generator), mask


def test_empirical_covariance_is_the_product_of_space_and_time(generator: torch.Generator) -> None:
    noise, _ = noise_on("hex7", 2, generator)
    n = 40_000
    flat = noise.sample(n, generator)[:, :, 8:16].flatten(2)
    empirical = flat.mT @ flat / n
    for b in range(2):
        expected = torch.kron(noise.time[b, 8:16, 8:16].contiguous(), noise.space[b])
        assert (empirical[b] - expected).abs().max() < 0.03  # 6 standard errors of n draws


def test_variance_is_one_on_every_channel_and_sample(generator: torch.Generator) -> None:
    noise, _ = noise_on("tetrode", 8, generator)
    for covariance in (noise.time, noise.space):
        assert torch.allclose(covariance.diagonal(dim1=1, dim2=2), torch.ones(()), atol=1e-5)


def test_time_correlation_has_negative_lobes(generator: torch.Generator) -> None:
    noise, _ = noise_on("single", 64, generator)
    assert (noise.time[:, 0].amin(dim=1) < -0.02).float().mean() > 0.5


def test_whitened_noise_is_white(generator: torch.Generator) -> None:
    noise, _ = noise_on("dense", 1, generator)
    white = noise.whiten(noise.sample(20_000, generator))[:, :, 20:24].flatten(2)[0]
    assert (white.mT @ white / 20_000 - torch.eye(white.shape[1])).abs().max() < 0.05


def test_missing_channels_are_uncorrelated_with_the_others(generator: torch.Generator) -> None:
    noise, mask = noise_on("tetrode", 4, generator)
    for space, there in zip(noise.space, mask, strict=True):
        assert (space[there][:, ~there] == 0).all()


def test_factors_exist_for_many_draws(generator: torch.Generator) -> None:
    for geometry in ("hex7", "dense", "linear"):
        noise, _ = noise_on(geometry, 200, generator)
        assert torch.isfinite(noise.time_factor).all()
        assert torch.isfinite(noise.space_factor).all()


def test_the_spectrum_is_that_of_filters_of_half_the_power_at_their_cuts(
    generator: torch.Generator,
) -> None:
    """Pink noise from 300 to 3000 Hz, of one of three orders, as a sum of cosines by hand."""
    settings = NoiseSettings((300.0, 300.0), (3000.0, 3000.0), (1.0, 1.0), (1e-9, 1e-9))
    positions, mask = draw_layouts(("single",), 12, generator)
    found = draw_noise(settings, positions, mask, 8, generator).time[:, 0].numpy()
    frequency = np.linspace(20, 10_000, 96)
    cosines = np.cos(2 * np.pi * frequency[:, None] * np.arange(8) / 20_000)
    expected = []
    for order in (1, 2, 3):
        power = 1 / frequency / (1 + (300 / frequency) ** (2 * order))
        correlation = (power / (1 + (frequency / 3000) ** (2 * order))) @ cosines
        expected.append(correlation / correlation[0])
    error = np.abs(found[:, None] - np.array(expected)).max(axis=2)
    assert (error.min(axis=1) < 1e-4).all()
    assert len(np.unique(error.argmin(axis=1))) == 3
