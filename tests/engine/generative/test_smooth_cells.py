"""Cells of random smooth waves can stand beside those of the shipped reservoir."""

from __future__ import annotations

import torch

from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.generative.smooth_cells import smooth_cells
from ncpgui.engine.generative.template_reservoir import RESERVOIR_TROUGH, TemplateReservoir


def test_cells_are_always_the_same_finite_and_partly_for_test() -> None:
    cells = smooth_cells(200)
    torch.testing.assert_close(cells.source_waveform, smooth_cells(200).source_waveform)
    assert torch.isfinite(cells.source_waveform).all()
    assert 5 <= int(cells.is_test.sum()) <= 40
    assert len(cells.subset("train")) + len(cells.subset("test")) == 200


def test_a_soma_has_its_trough_where_those_of_the_reservoir_have_theirs() -> None:
    """Bumps may move it by a sample or two, or outdo it in a few cells."""
    soma = smooth_cells(400).source_waveform[:, 0]
    off = (soma.argmin(1) - RESERVOIR_TROUGH).abs()
    assert (off <= 2).float().mean() > 0.8


def test_a_model_draws_from_both(reservoir: TemplateReservoir) -> None:
    alone = GenerativeSettings("spikes").build()
    both = GenerativeSettings("spikes", {"smooth_cells": 50}).build()
    assert both.describe()["data_sha256"] != alone.describe()["data_sha256"]
    batch = both.sample(4, 30, torch.Generator().manual_seed(0))
    assert torch.isfinite(batch.points[0]).all()
