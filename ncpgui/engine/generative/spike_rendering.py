"""Single spikes: read off the templates, given noise that crosses the threshold, cut and aligned."""

from __future__ import annotations

import torch
from torch import Tensor

from ncpgui.core.waveform_format import N_SAMPLES, TROUGH_SAMPLE
from ncpgui.engine.generative.placed_cells import UPSAMPLING
from ncpgui.engine.generative.spike_noise import SpikeNoise
from ncpgui.engine.generative.unit_templates import Units

MARGIN = 2
"""Samples on each side of the window, for the alignment."""
WINDOW = N_SAMPLES + 2 * MARGIN
TROUGH = TROUGH_SAMPLE + MARGIN


def render(
    units: Units, row: Tensor, amplitude: Tensor, shift: Tensor, stretch: Tensor, place: Tensor
) -> Tensor:
    """Noiseless spikes, read off the upsampled templates.

    Parameters
    ----------
    row : (B, N) int64, template
    amplitude : (B, N) float32, factor
    shift : (B, N) float32, samples by which the trough is late
    stretch : (B, N) float32, widening in time
    place : (B, N) float32, where on the way the cells are, 0 .. V - 1

    Returns
    -------
    (B, N, WINDOW, C) float32
    """
    n_fine, n_datasets, n_rows, n_places, n_channels = units.templates.shape
    device = row.device
    t = torch.arange(WINDOW, device=device) - TROUGH
    at = units.trough_sample + (t - shift[..., None]) / stretch[..., None]
    fine = (UPSAMPLING * at).round().long().clamp(0, n_fine - 1)
    dataset = torch.arange(n_datasets, device=device)[:, None]
    before = place.floor().long().clamp(0, n_places - 2)
    base = ((dataset * n_rows + row) * n_places + before)[..., None]
    table = units.templates.reshape(-1, n_channels)
    index = fine * (n_datasets * n_rows * n_places) + base
    spikes = table.index_select(0, index.view(-1)).view(*index.shape, n_channels)
    end = table.index_select(0, (index + 1).view(-1)).view_as(spikes)
    spikes = spikes.lerp(end, (place - before)[..., None, None])
    return spikes * amplitude[..., None, None]


def detected_noise(
    noise: SpikeNoise, trough: Tensor, threshold: Tensor, generator: torch.Generator
) -> Tensor:
    """Noise (B, N, T, C) given that signal + noise at the trough crosses the threshold.

    Parameters
    ----------
    trough : (B, N) float32, main-channel signal at the trough
    threshold : (B, 1) float32, noise sd
    """
    sample = noise.sample(trough.shape[1], generator)
    below = torch.special.ndtr((-threshold - trough).double().clamp(-7.0, 7.0))
    u = torch.rand(trough.shape, generator=generator, device=trough.device).double().clamp(1e-6, 1 - 1e-6)
    crossing = torch.special.ndtri(u * below).float()
    change: Tensor = crossing - sample[:, :, TROUGH, 0]
    response = noise.time[:, :, TROUGH, None] * noise.space[:, None, 0]  # covariance with that sample
    detected: Tensor = sample + change[..., None, None] * response[:, None]
    return detected


def window(spikes: Tensor, offset: Tensor) -> Tensor:
    """Cut `N_SAMPLES` samples, late by `offset` (B, N) within the margin: (B, N, 32, C)."""
    n_datasets, n_points, window, n_channels = spikes.shape
    spike = torch.arange(n_datasets * n_points, device=spikes.device).view(n_datasets, n_points, 1)
    sample = torch.arange(N_SAMPLES, device=spikes.device) + MARGIN + offset[..., None]
    index = (spike * window + sample).view(-1)
    return (
        spikes.reshape(-1, n_channels)
        .index_select(0, index)
        .view(n_datasets, n_points, N_SAMPLES, n_channels)
    )
