"""Cells whose spikes are random smooth waves: shapes that no model of a neuron has.

A network that knows the shapes of one reservoir only takes others for what is nearest to them there. These
cells have a trough, and before and after it bumps of any width and sign, at one place or at two.
"""

from __future__ import annotations

import hashlib

import torch
from torch import Tensor

from ncpgui.core.waveform_format import SAMPLING_FREQUENCY_HZ
from ncpgui.engine.generative.spike_noise import uniform
from ncpgui.engine.generative.template_reservoir import (
    RESERVOIR_SAMPLES,
    RESERVOIR_TROUGH,
    TemplateReservoir,
)

_N_BUMPS = 4
_TEST_PART = 0.1
_SEED = 20


def smooth_cells(n_cells: int) -> TemplateReservoir:
    """Draw cells, always the same, a tenth of them for test: a soma and a second source beside it.

    Troughs are 0.06 to 0.3 ms wide (sd), bumps 0.05 to 0.5 ms, from 0.8 ms before the trough to 1.6 ms after.
    """
    generator = torch.Generator().manual_seed(_SEED)
    ms = (torch.arange(RESERVOIR_SAMPLES) - RESERVOIR_TROUGH) * (1000.0 / SAMPLING_FREQUENCY_HZ)
    soma = _wave(ms, n_cells, generator)
    other = _wave(ms - uniform((-0.2, 0.5), (n_cells, 1), generator), n_cells, generator)
    share = uniform((-0.3, 0.8), (n_cells, 1), generator)
    away = torch.randn(n_cells, 3, generator=generator)
    away = away / away.norm(dim=1, keepdim=True) * uniform((10.0, 120.0), (n_cells, 1), generator, log=True)
    is_test = torch.rand(n_cells, generator=generator) < _TEST_PART
    is_test[0], is_test[-1] = False, True
    return TemplateReservoir(
        source_position=torch.stack([torch.zeros_like(away), away], dim=1),
        source_waveform=torch.stack([soma, share * other], dim=1),
        softening_um=uniform((5.0, 25.0), (n_cells,), generator),
        falloff=uniform((1.0, 2.5), (n_cells,), generator),
        trough_to_peak_ms=ms[soma[:, RESERVOIR_TROUGH:].argmax(1) + RESERVOIR_TROUGH],
        extent_um=away.norm(dim=1),
        is_test=is_test,
        trough_sample=RESERVOIR_TROUGH,
        sha256=hashlib.sha256(f"smooth cells {n_cells} {_SEED}".encode()).hexdigest(),
    )


def _wave(ms: Tensor, n_cells: int, generator: torch.Generator) -> Tensor:
    """A trough of depth 1 at 0 ms, and bumps of half of that and less: (n_cells, T)."""
    trough = -torch.exp(-0.5 * (ms / uniform((0.06, 0.3), (n_cells, 1), generator, log=True)) ** 2)
    shape = (n_cells, _N_BUMPS, 1)
    at = uniform((-0.8, 1.6), shape, generator)
    width = uniform((0.05, 0.5), shape, generator, log=True)
    size = 0.25 * torch.randn(shape, generator=generator)
    bumps = (size * torch.exp(-0.5 * ((ms.expand(n_cells, -1)[:, None] - at) / width) ** 2)).sum(1)
    return trough + bumps
