"""Cells with a place, and the templates that the contacts of a dataset see of them."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from ncpgui.engine.generative.template_reservoir import TemplateReservoir

UPSAMPLING = 6  # of the templates that spikes are cut from: jitter in steps of 8 µs
_MAX_SHIFT = 9  # samples between the troughs of soma and main channel


class PlacedCells(NamedTuple):
    """Cells in datasets B, units K, candidates J.

    cell : (B, K, J) int64, index in the reservoir
    position : (B, K, J, 3) float32, µm
    rotation : (B, K, J, 3, 3) float32
    amplitude : (B, K, J) float32, main-channel trough in noise sd
    """

    cell: Tensor
    position: Tensor
    rotation: Tensor
    amplitude: Tensor

    def pick(self, index: Tensor) -> PlacedCells:
        """Take entries `index` (B, K, n) of the third axis."""
        return PlacedCells(*(take(field, index) for field in self))


def joined(a: PlacedCells, b: PlacedCells, *, dim: int) -> PlacedCells:
    """Both, one after the other along axis `dim`."""
    return PlacedCells(*(torch.cat(pair, dim=dim) for pair in zip(a, b, strict=True)))


def first(cells: PlacedCells) -> PlacedCells:
    """Take the first candidate of each, keeping the axis."""
    return PlacedCells(*(field[:, :, :1] for field in cells))


def take(values: Tensor, index: Tensor) -> Tensor:
    """Take `index` (B, K, n) along the third axis of (B, K, J, ...)."""
    extra = values.shape[3:]
    return values.gather(2, index.view(*index.shape, *(1,) * len(extra)).expand(*index.shape, *extra))


def rows(values: Tensor, index: Tensor) -> Tensor:
    """Take `index` (B, n) along the second axis of (B, K, ...)."""
    return take(values[:, None], index[:, None])[:, 0]


class TemplateCutter:
    """Cuts the templates of placed cells out for the contacts of each dataset."""

    def __init__(self, reservoir: TemplateReservoir, positions: Tensor, channel_mask: Tensor) -> None:
        self.reservoir = reservoir
        self.mask = channel_mask
        self.contacts = torch.nn.functional.pad(positions, (0, 1))[:, None, None]
        away = positions.norm(dim=-1)
        away = torch.where((away > 0) & channel_mask, away, torch.inf).amin(1)
        self.pitch_um = torch.where(away.isinf(), 30.0, away).clamp(12.0, 60.0)

    def raw(self, cells: PlacedCells) -> Tensor:
        """Templates on an arbitrary scale: (B, K, J, T, C)."""
        templates = self.reservoir.templates(cells.cell, cells.position, cells.rotation, self.contacts)
        return templates * self.mask[:, None, None, None]

    def aligned(self, raw: Tensor, reference: Tensor) -> tuple[Tensor, Tensor]:
        """Shift `raw` so that the main-channel trough of `reference` falls on the trough sample.

        Returns
        -------
        aligned : (B, K, J, T, C) float32
        depth : (B, K, J) float32, positive, of the troughs of `reference` on the main channel
        """
        t0, n_samples = self.reservoir.trough_sample, self.reservoir.n_samples
        main = reference[..., 0]
        lowest, index = main[..., t0 - _MAX_SHIFT : t0 + _MAX_SHIFT + 1].min(dim=-1)
        index = index + t0 - _MAX_SHIFT
        before, after = (main.gather(-1, index[..., None] + step)[..., 0] for step in (-1, 1))
        curve = (before - 2 * lowest + after).clamp_min(1e-12)
        late = index - t0 + (0.5 * (before - after) / curve).clamp(-0.5, 0.5)
        frequency = torch.fft.rfftfreq(n_samples, device=raw.device)
        phase = torch.exp(2j * torch.pi * frequency * late[..., None])
        spectrum = torch.fft.rfft(raw, dim=-2) * phase[..., None]
        return torch.fft.irfft(spectrum, n=n_samples, dim=-2), (-lowest).clamp_min(1e-9)


def upsampled(templates: Tensor) -> Tensor:
    """Interpolate in time: (B, R, V, T, C) -> (T * UPSAMPLING, B, R, V, C), time first."""
    in_time = templates.permute(3, 0, 1, 2, 4)
    fine: Tensor = _interpolation(len(in_time), templates.device) @ in_time.reshape(len(in_time), -1)
    return fine.view(-1, *in_time.shape[1:])


@lru_cache(maxsize=4)
def _interpolation(n_samples: int, device: torch.device) -> Tensor:
    """Band-limited interpolation: (n_samples * UPSAMPLING, n_samples), zero rows at the ends."""
    impulses = torch.fft.rfft(torch.eye(n_samples, device=device), dim=0)
    fine: Tensor = torch.fft.irfft(impulses, n=n_samples * UPSAMPLING, dim=0) * UPSAMPLING
    fine[0] = fine[-1] = 0
    return fine
