"""A reservoir of measured templates: each becomes a cell of equivalent sources, shipped cells may follow."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from ncpgui.core.progress import Progress, reported, silent
from ncpgui.core.seeds import stream
from ncpgui.core.waveform_format import SAMPLING_FREQUENCY_HZ
from ncpgui.engine.generative.equivalent_sources import Cell, equivalent_cell
from ncpgui.engine.generative.template_reservoir import RESERVOIR_TROUGH, TemplateReservoir

Array = NDArray[np.float64]

TEST_SHARE = 0.1
_NEAR_UM, _HALF_UM, _STEP_UM = 10.0, 240.0, 12.0  # contacts by which duration and extent are told


def reservoir_of(
    templates: Sequence[tuple[Array, Array, float]],
    *,
    keep_test: bool = True,
    seed: int = 0,
    progress: Progress = silent,
) -> tuple[TemplateReservoir, list[float]]:
    """Make a cell of each template.

    Parameters
    ----------
    templates : ((T, C) at 20 kHz, main channel first; (C, 2) µm; standard error) of each unit
    keep_test : keep one cell in ten, at least one, away from training

    Returns
    -------
    reservoir : in the order of `templates`
    errors : norm of what the sources miss of a template over the template's, of each
    """
    cells: list[Cell] = []
    for waveform, contacts, noise_sd in reported(templates, progress, "finding sources"):
        cells.append(equivalent_cell(waveform, contacts, noise_sd=noise_sd))
    n = len(cells)
    is_test = np.zeros(n, dtype=bool)
    if keep_test:
        n_test = max(1, round(TEST_SHARE * n))
        is_test[stream(seed, "test cells").permutation(n)[:n_test]] = True
    waveforms = np.stack([cell.source_waveform / np.abs(cell.source_waveform).max() for cell in cells])

    def tensor(values: object) -> torch.Tensor:
        return torch.from_numpy(np.asarray(values, dtype=np.float32))

    digest = hashlib.sha256(waveforms.tobytes()).hexdigest()
    reservoir = TemplateReservoir(
        tensor([cell.source_position for cell in cells]),
        tensor(waveforms),
        tensor([cell.softening_um for cell in cells]),
        tensor([cell.falloff for cell in cells]),
        tensor([_trough_to_peak_ms(cell) for cell in cells]),
        tensor([_extent_um(cell) for cell in cells]),
        torch.from_numpy(is_test),
        RESERVOIR_TROUGH,
        digest,
    )
    return reservoir, [cell.error for cell in cells]


def with_shipped_cells(
    measured: TemplateReservoir, share: float
) -> tuple[TemplateReservoir, NDArray[np.int64]]:
    """Put the shipped cells behind the measured ones.

    Parameters
    ----------
    share : part of all draws that are to be of measured cells, above 0; 1 leaves the shipped ones out

    Returns
    -------
    reservoir, and copies : (n_cells,), how often each counts so that the share is at least that
    """
    if share >= 1:
        return measured, np.ones(len(measured), dtype=np.int64)
    shipped = TemplateReservoir.load()
    n_train = max(1, int((~measured.is_test).sum()))
    n_shipped = int((~shipped.is_test).sum())
    times = max(1, math.ceil(share / (1 - share) * n_shipped / n_train))
    copies = np.concatenate([np.full(len(measured), times), np.ones(len(shipped))]).astype(np.int64)
    return TemplateReservoir.joined([measured, shipped]), copies


def _trough_to_peak_ms(cell: Cell) -> float:
    """Time from the trough to the highest point after it, on a grid eight times finer, beside the soma."""
    seen = cell.template(np.array([[0.0, 0.0, _NEAR_UM]]))[:, 0]
    fine = np.interp(np.arange(0, len(seen) - 1, 0.125), np.arange(len(seen)), seen)
    trough = int(np.argmin(fine))
    return float(np.argmax(fine[trough:]) * 0.125 * 1000 / SAMPLING_FREQUENCY_HZ)


def _extent_um(cell: Cell) -> float:
    """Radius of the disc as large as the region above a fifth of the largest trough."""
    axis = np.arange(-_HALF_UM, _HALF_UM + 1, _STEP_UM)
    x, y = np.meshgrid(axis, axis)
    plane = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, _NEAR_UM)])
    trough = -cell.template(plane).min(axis=0)
    return float(np.sqrt((trough > 0.2 * trough.max()).sum() * _STEP_UM**2 / np.pi))
