"""Encoders of spike waveforms: (B, n_spikes, n_samples, n_channels) -> (B, n_spikes, h_dim).

`ResNet1DEncoder` is the paper's (SM: ResNet of 1D convolutions, channels 32, 64, 128, 256, for
7 x 32 inputs). `GeometryEncoder` takes any arrangement of contacts: channels share
one temporal network whose gain and offset depend on the contact's position relative to the main
channel, and missing channels are masked out of the sum.

Waveforms arrive in the public axis order and are transposed once, here.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from ncpgui.engine.networks.mlp import ResidualMLP, mlp

_INPUT_SCALE = 0.2  # waveforms are in noise sd, troughs of 4 to 40; networks like inputs near 1
_INPUT_LIMIT = 150.0  # noise sd; artefacts beyond it say no more


class GeometryEncoder(nn.Module):
    """Waveforms on contacts anywhere -> features.

    Parameters
    ----------
    n_samples : samples of a waveform
    h_dim : size of the features
    temporal : hidden size of the network shared by the channels
    depth : residual blocks after the channels are summed
    """

    frequency: Tensor

    def __init__(self, *, n_samples: int = 32, h_dim: int = 128, temporal: int = 96, depth: int = 2) -> None:
        super().__init__()
        wavelengths = torch.tensor([30.0, 80.0, 240.0])  # µm: finer than a tetrode to a whole hexagon
        self.register_buffer("frequency", 2 * math.pi / wavelengths, persistent=False)
        n_position = 4 * len(wavelengths) + 2
        self.temporal = nn.Linear(n_samples, temporal)
        self.linear = nn.Linear(n_samples, h_dim, bias=False)
        self.film = mlp(n_position, 64, 2 * temporal + h_dim)
        self.mix = nn.Linear(temporal, h_dim)
        self.main_temporal = mlp(n_samples, temporal, h_dim)
        self.blocks = nn.Sequential(*(ResidualMLP(h_dim, 2 * h_dim) for _ in range(depth)))

    def position_features(self, positions: Tensor) -> Tensor:
        """Fourier features of relative contact positions: (B, C, 2) µm -> (B, C, n_position)."""
        angle = positions[..., None] * self.frequency
        waves = torch.cat([angle.sin(), angle.cos()], dim=-1).flatten(-2)
        distance = positions.norm(dim=-1, keepdim=True)
        is_main = (distance < 1e-3).to(positions.dtype)
        return torch.cat([waves, distance / 100.0, is_main], dim=-1)

    def forward(self, waveforms: Tensor, positions: Tensor, channel_mask: Tensor) -> Tensor:
        """Encode each spike by itself.

        Parameters
        ----------
        waveforms : (B, N, n_samples, C) float, noise sd, main channel first
        positions : (B, C, 2) float, µm relative to the main channel
        channel_mask : (B, C) bool, False where a channel is missing

        Returns
        -------
        (B, N, h_dim)
        """
        x = waveforms.transpose(-1, -2).clamp(-_INPUT_LIMIT, _INPUT_LIMIT) * _INPUT_SCALE  # (B, N, C, T)
        present = channel_mask.to(x.dtype)
        film = self.film(self.position_features(positions)) * present[..., None]
        n_temporal = self.temporal.out_features
        gain, offset, linear_gain = film.split([n_temporal, n_temporal, film.shape[-1] - 2 * n_temporal], -1)
        hidden = self.temporal(x) * (1 + gain[:, None]) + offset[:, None]
        weight = present[:, None, :, None] / math.sqrt(7.0)
        summed = self.mix((hidden.relu() * weight).sum(dim=2))
        linear = (self.linear(x) * (linear_gain[:, None] * weight)).sum(dim=2)
        return self.blocks(summed + linear + self.main_temporal(x[:, :, 0]))


class ResNet1DEncoder(nn.Module):
    """The paper's encoder: 1D residual convolutions over time, contacts as input channels.

    They are 2D convolutions of height 1, because torch keeps only images with the channels last, which takes
    half the time on a CPU.

    Parameters
    ----------
    n_channels : contacts of the input, in a fixed order (7 for the hexagonal array)
    h_dim : size of the features (256 in the paper)
    planes : channels of the four stages
    blocks_per_stage : residual blocks of each
    """

    def __init__(
        self,
        *,
        n_channels: int = 7,
        h_dim: int = 256,
        planes: tuple[int, ...] = (32, 64, 128, 256),
        blocks_per_stage: int = 1,
    ) -> None:
        super().__init__()
        self.n_channels = n_channels
        self.stem = nn.Sequential(_conv(n_channels, planes[0], 3), nn.BatchNorm2d(planes[0]), nn.ReLU())
        stages: list[nn.Module] = []
        n_in = planes[0]
        for stage, n_out in enumerate(planes):
            for block in range(blocks_per_stage):
                stride = 2 if stage > 0 and block == 0 else 1
                stages.append(_ResidualConv(n_in, n_out, stride))
                n_in = n_out
        self.stages = nn.Sequential(*stages)
        self.out = nn.Linear(planes[-1], h_dim)

    def forward(self, waveforms: Tensor, positions: Tensor, channel_mask: Tensor) -> Tensor:
        """Encode (B, N, n_samples, C) waveforms: (B, N, h_dim).

        `positions` (B, C, 2) are not used: the arrangement of the contacts is fixed. Fewer than `n_channels`
        are those of it that come first.
        """
        missing = self.n_channels - waveforms.shape[-1]
        waveforms = nn.functional.pad(waveforms, (0, missing))
        channel_mask = nn.functional.pad(channel_mask, (0, missing))
        batch, n_points, n_samples, n_channels = waveforms.shape
        x = waveforms * (channel_mask[:, None, None].to(waveforms.dtype) * _INPUT_SCALE)
        x = x.reshape(batch * n_points, 1, n_samples, n_channels).permute(0, 3, 1, 2)  # channels last
        features = self.stages(self.stem(x)).mean(dim=(2, 3))
        return self.out(features).reshape(batch, n_points, -1)


class _ResidualConv(nn.Module):
    """Two convolutions of width 3 around a shortcut (He et al. 2016), in one dimension."""

    def __init__(self, n_in: int, n_out: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(n_in, n_out, 3, stride),
            nn.BatchNorm2d(n_out),
            nn.ReLU(),
            _conv(n_out, n_out, 3),
            nn.BatchNorm2d(n_out),
        )
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or n_in != n_out:
            self.shortcut = nn.Sequential(_conv(n_in, n_out, 1, stride), nn.BatchNorm2d(n_out))

    def forward(self, x: Tensor) -> Tensor:
        """(rows, n_in, 1, length) -> (rows, n_out, 1, length / stride)."""
        return (self.body(x) + self.shortcut(x)).relu()


def _conv(n_in: int, n_out: int, width: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(n_in, n_out, (1, width), stride=(1, stride), padding=(0, width // 2), bias=False)
