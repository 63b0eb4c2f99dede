"""Noise with a recording's correlation in space and time: covariance Sigma_space (x) Sigma_time.

Time: band-passed noise with a 1/f part, so the autocorrelation has negative lobes. Space: an
exponential fall-off with distance beside a share that is private to each contact. The factor is
that of the covariance *at the dataset's own contacts*; a block of the factor of a larger array
would have too little variance (the defect of the public code of Pakman et al., ICML 2020).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor

from ncpgui.core.errors import InputError
from ncpgui.core.measured_noise import MeasuredNoise
from ncpgui.core.waveform_format import SAMPLING_FREQUENCY_HZ

_N_FREQUENCIES = 96
_JITTER = 2e-3  # private to each contact at least: keeps the factor well conditioned


@dataclass(frozen=True)
class NoiseSettings:
    """Family of noise covariances; each range is drawn from per dataset.

    low_cut_hz, high_cut_hz : pass band (half-power frequencies), log-uniform
    slope : exponent of the 1/f part
    white_part : part of the variance that is white in time, log-uniform
    length_um : fall-off of the correlation with distance, log-uniform
    shared_part : part of the variance that is correlated between contacts
    measured : file of ``ncpgui templates build`` whose correlations in time and between contacts take the
        place of all these but `white_part`; None for the family
    """

    low_cut_hz: tuple[float, float] = (200.0, 700.0)
    high_cut_hz: tuple[float, float] = (2500.0, 8000.0)
    slope: tuple[float, float] = (0.0, 1.6)
    white_part: tuple[float, float] = (0.01, 0.1)
    length_um: tuple[float, float] = (20.0, 150.0)
    shared_part: tuple[float, float] = (0.1, 0.95)
    measured: str | None = None  # None, not "": runs from before it was there go on

    def __post_init__(self) -> None:
        check_path("noise.measured", self.measured)


class SpikeNoise(NamedTuple):
    """Covariances of B datasets, of unit variance on each channel, and their lower factors.

    time, time_factor : (B, T, T) float32
    space, space_factor : (B, C, C) float32, identity rows for missing channels
    """

    time: Tensor
    time_factor: Tensor
    space: Tensor
    space_factor: Tensor

    def sample(self, n_points: int, generator: torch.Generator) -> Tensor:
        """Draw noise: (B, n_points, T, C) float32."""
        n_datasets, n_samples = self.time.shape[:2]
        n_channels = self.space.shape[1]
        white = torch.randn(
            n_datasets, n_samples, n_points * n_channels, generator=generator, device=self.time.device
        )
        coloured = (self.time_factor @ white).view(n_datasets, n_samples * n_points, n_channels)
        coloured = coloured @ self.space_factor.mT
        return coloured.view(n_datasets, n_samples, n_points, n_channels).transpose(1, 2)

    def whiten(self, waveforms: Tensor) -> Tensor:
        """Make the noise white: (B, M, T, C) waveforms -> (B, M, T, C)."""
        n_datasets, n_waveforms, n_samples, n_channels = waveforms.shape
        in_time = torch.linalg.solve_triangular(
            self.time_factor, waveforms.transpose(1, 2).reshape(n_datasets, n_samples, -1), upper=False
        )
        rows = in_time.reshape(n_datasets, n_samples * n_waveforms, n_channels).mT
        in_space: Tensor = torch.linalg.solve_triangular(self.space_factor, rows, upper=False).mT
        return in_space.reshape(n_datasets, n_samples, n_waveforms, n_channels).transpose(1, 2)


def draw_noise(
    settings: NoiseSettings,
    positions: Tensor,
    channel_mask: Tensor,
    n_samples: int,
    generator: torch.Generator,
    measured: MeasuredNoise | None = None,
) -> SpikeNoise:
    """Draw one covariance for each dataset.

    Parameters
    ----------
    positions : (B, C, 2) float32, µm
    channel_mask : (B, C) bool
    n_samples : samples T of a waveform
    measured : what to draw from instead; only its white part differs between datasets

    Raises
    ------
    InputError
        The settings name a file of measured noise, which was not given.
    """
    if measured is not None:
        settings = replace(
            settings,
            length_um=(measured.length_um, measured.length_um),
            shared_part=(measured.shared_part, measured.shared_part),
        )
        time = _measured_time_covariance(settings, measured, len(positions), n_samples, generator)
    elif settings.measured is not None:
        raise InputError(f"measured noise ({settings.measured}) is for the generative model 'spikes' only")
    else:
        time = _time_covariance(settings, len(positions), n_samples, generator)
    space = _space_covariance(settings, positions, channel_mask, generator)
    return SpikeNoise(time, torch.linalg.cholesky(time), space, torch.linalg.cholesky(space))


def _time_covariance(
    settings: NoiseSettings, n_datasets: int, n_samples: int, generator: torch.Generator
) -> Tensor:
    device = generator.device
    frequency = torch.linspace(20.0, SAMPLING_FREQUENCY_HZ / 2, _N_FREQUENCIES, device=device)
    low = uniform(settings.low_cut_hz, (n_datasets, 1), generator, log=True)
    high = uniform(settings.high_cut_hz, (n_datasets, 1), generator, log=True)
    slope = uniform(settings.slope, (n_datasets, 1), generator)
    order = torch.randint(1, 4, (n_datasets, 1), generator=generator, device=device)
    power = (frequency / 1000.0) ** -slope
    power = power / (1 + (low / frequency) ** (2 * order)) / (1 + (frequency / high) ** (2 * order))
    white = uniform(settings.white_part, (n_datasets, 1), generator, log=True)
    lag = torch.arange(n_samples, device=device)
    waves = torch.cos(2 * math.pi * frequency[:, None] * lag / SAMPLING_FREQUENCY_HZ)
    correlation = power @ waves
    correlation = correlation / correlation[:, :1] * (1 - white)
    correlation[:, 0] = 1.0
    return correlation[:, (lag[:, None] - lag).abs()]


def _measured_time_covariance(
    settings: NoiseSettings,
    measured: MeasuredNoise,
    n_datasets: int,
    n_samples: int,
    generator: torch.Generator,
) -> Tensor:
    known = torch.from_numpy(measured.autocorrelation[:n_samples]).float().to(generator.device)
    white = uniform(settings.white_part, (n_datasets, 1), generator, log=True)
    correlation = known * (1 - white)
    correlation[:, 0] = 1.0
    lag = torch.arange(n_samples, device=generator.device)
    return correlation[:, (lag[:, None] - lag).abs()]


def _space_covariance(
    settings: NoiseSettings, positions: Tensor, channel_mask: Tensor, generator: torch.Generator
) -> Tensor:
    n_datasets, n_channels = channel_mask.shape
    length = uniform(settings.length_um, (n_datasets, 1, 1), generator, log=True)
    shared = uniform(settings.shared_part, (n_datasets, 1, 1), generator)
    distance = (positions[:, :, None] - positions[:, None]).norm(dim=-1)
    both = channel_mask[:, :, None] & channel_mask[:, None]
    correlation = (1 - _JITTER) * shared * torch.exp(-distance / length) * both
    identity = torch.eye(n_channels, device=positions.device)
    return correlation * (1 - identity) + identity


def check_path(name: str, value: object) -> None:
    """Raise InputError unless a setting that names a file is a path or None."""
    if value is not None and not (isinstance(value, str) and value):
        raise InputError(f"setting '{name}' must be the path of a file, got {value!r}")


def uniform(
    bounds: tuple[float, float], shape: tuple[int, ...], generator: torch.Generator, *, log: bool = False
) -> Tensor:
    """Draw from [low, high), uniformly in value or in logarithm, on the generator's device."""
    unit = torch.rand(shape, generator=generator, device=generator.device)
    low, high = bounds
    if log:
        return low * (high / low) ** unit
    return low + (high - low) * unit
