"""The shipped reservoir is as varied as what electrodes see, and keeps test cells apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.core.resources import resource
from ncpgui.engine.generative.template_reservoir import TemplateReservoir, random_rotations


def test_has_thousands_of_cells_of_both_kinds_in_a_small_file(reservoir: TemplateReservoir) -> None:
    path = resource("template_reservoir.npz")
    with np.load(path) as file:
        parametric = int((file["kind"] == "parametric").sum())
    assert (parametric, len(reservoir) - parametric) == (3000, 1000)
    assert path.stat().st_size < 6e6


def test_durations_and_extents_cover_what_electrodes_see(reservoir: TemplateReservoir) -> None:
    duration, extent = reservoir.trough_to_peak_ms, reservoir.extent_um
    assert 0.099 <= duration.min() < 0.15
    assert 1.0 < duration.max() <= 1.201  # kept in half precision
    assert 10 <= extent.min() < 20
    assert 100 < extent.max() <= 150


def test_train_and_test_cells_are_disjoint_and_complete(reservoir: TemplateReservoir) -> None:
    train, test = (reservoir.subset(split).source_waveform for split in ("train", "test"))
    assert len(train) + len(test) == len(reservoir)
    assert 0.1 < len(test) / len(reservoir) < 0.2
    seen = {waveform.numpy().tobytes() for waveform in train}
    assert not any(waveform.numpy().tobytes() in seen for waveform in test)


def test_unknown_split_is_refused(reservoir: TemplateReservoir) -> None:
    with pytest.raises(InputError, match="'train' or 'test', got 'all'"):
        reservoir.subset("all")  # type: ignore[arg-type]


def test_file_without_cells_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", waveforms=np.zeros(3))
    with pytest.raises(InputError, match=r"other\.npz is not a template reservoir"):
        TemplateReservoir.load(tmp_path / "other.npz")


def test_templates_turn_with_the_cell_and_the_contacts(
    reservoir: TemplateReservoir, generator: torch.Generator
) -> None:
    """Rotating cell, its place and the contacts together changes nothing."""
    contacts = 40 * torch.randn(5, 3, generator=generator)
    cell, place = torch.arange(4), 20 * torch.randn(4, 3, generator=generator)
    own, all_of_it = random_rotations((4,), generator), random_rotations((), generator)
    before = reservoir.templates(cell, place, own, contacts)
    after = reservoir.templates(cell, place @ all_of_it.T, all_of_it @ own, contacts @ all_of_it.T)
    assert before.shape == (4, reservoir.n_samples, 5)
    assert torch.allclose(before, after, atol=1e-5)


def test_template_is_the_weighted_sum_of_the_sources(reservoir: TemplateReservoir) -> None:
    contact = torch.tensor([[10.0, 0.0, 0.0]])
    template = reservoir.templates(torch.tensor(7), torch.zeros(3), torch.eye(3), contact)
    expected = torch.zeros(reservoir.n_samples)
    for position, waveform in zip(reservoir.source_position[7], reservoir.source_waveform[7], strict=True):
        distance2 = (contact[0] - position).square().sum() + reservoir.softening_um[7] ** 2
        expected += waveform / distance2 ** (reservoir.falloff[7] / 2)
    assert torch.allclose(template[:, 0], expected, atol=1e-6)


def test_rotations_are_orthogonal_and_half_are_mirrored(generator: torch.Generator) -> None:
    rotation = random_rotations((1000,), generator)
    assert torch.allclose(rotation @ rotation.mT, torch.eye(3).expand(1000, 3, 3), atol=1e-5)
    assert 0.4 < (torch.linalg.det(rotation) < 0).float().mean() < 0.6
