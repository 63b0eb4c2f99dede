"""Units of a dataset are as alike as the settings say."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from ncpgui.core.waveform_format import N_SAMPLES, TROUGH_SAMPLE
from ncpgui.engine.generative.contact_layouts import draw_layouts
from ncpgui.engine.generative.placed_cells import UPSAMPLING
from ncpgui.engine.generative.spike_noise import NoiseSettings, draw_noise
from ncpgui.engine.generative.template_reservoir import TemplateReservoir
from ncpgui.engine.generative.unit_templates import Units, UnitSettings, draw_units

N_DATASETS, N_UNITS, WINDOW = 24, 5, 36
ON_THEIR_OWN = UnitSettings(p_near=0.0, p_drift=0.0, p_one_type=0.0, p_alike=0.0)


def drawn(reservoir: TemplateReservoir, settings: UnitSettings, seed: int = 0) -> Units:
    generator = torch.Generator().manual_seed(seed)
    positions, mask = draw_layouts(("tetrode",), N_DATASETS, generator)
    noise = draw_noise(NoiseSettings(), positions, mask, WINDOW, generator, None)
    return draw_units(settings, reservoir, noise, positions, mask, N_UNITS, 1, generator)


def ratio(units: Units) -> torch.Tensor:
    """Largest over smallest amplitude of a dataset: (B,)."""
    return units.amplitude.amax(1) / units.amplitude.amin(1)


def n_distinct(units: Units) -> torch.Tensor:
    """Units that can be told apart: (B,)."""
    return torch.tensor([len(row.unique()) for row in units.same_as])


def test_units_that_can_be_told_apart_are_further_apart_than_the_least_distance_in_white_noise(
    reservoir: TemplateReservoir,
) -> None:
    generator = torch.Generator().manual_seed(3)
    positions, mask = draw_layouts(("tetrode",), N_DATASETS, generator)
    noise = draw_noise(NoiseSettings(), positions, mask, WINDOW, generator, None)
    settings = replace(UnitSettings(p_drift=0.0, p_near=1.0), min_distance_sd=(6.0, 6.0))
    units = draw_units(settings, reservoir, noise, positions, mask, N_UNITS, 1, generator)
    first = units.trough_sample - TROUGH_SAMPLE - (WINDOW - N_SAMPLES) // 2
    window = units.templates[::UPSAMPLING][first : first + WINDOW, :, :N_UNITS, 0]  # (WINDOW, B, K, C)
    white = noise.whiten(window.permute(1, 2, 0, 3)).flatten(2)
    apart = torch.cdist(white, white)
    other = ~torch.eye(N_UNITS, dtype=torch.bool)
    told = units.same_as[:, :, None] != units.same_as[:, None]
    least = apart.where(told & other, torch.inf).flatten(1).amin(1)
    assert least.min() > 5.7  # templates that are cut in time are a little closer
    assert (least < 9).float().mean() > 0.3  # and close ones are common
    assert not told[:, other].all()


def test_alike_units_have_amplitudes_within_the_range(reservoir: TemplateReservoir) -> None:
    assert ratio(drawn(reservoir, ON_THEIR_OWN)).median() > 1.5
    alike = replace(ON_THEIR_OWN, p_alike=1.0, alike_amplitude=(0.9, 1.2))
    assert ratio(drawn(reservoir, alike)).max() <= 1.2 / 0.9 + 1e-4


def test_a_share_of_datasets_has_alike_units(reservoir: TemplateReservoir) -> None:
    half = replace(ON_THEIR_OWN, p_alike=0.5, alike_amplitude=(0.99, 1.01))
    alike = (ratio(drawn(reservoir, half)) < 1.03).sum()
    assert 3 <= alike <= 21  # of 24: within 3.7 sd of a half


def test_units_of_one_type_in_one_place_are_one_unit_on_each_side(reservoir: TemplateReservoir) -> None:
    """Of one cell at one place and amplitude there are two, before and behind the plane of contacts."""
    one_place = UnitSettings(
        p_near=0.5,
        p_one_type=0.0,
        near_distance_um=(1e-6, 1e-6),
        p_near_amplitude=1.0,
        near_amplitude=(1.0, 1.0),
        lateral_spread=1e-6,
        depth_um=(20.0, 20.0),
        p_alike=1.0,
        alike_amplitude=(1.0, 1.0),
        p_drift=0.0,
    )
    assert n_distinct(drawn(reservoir, one_place)).float().mean() > 3
    assert n_distinct(drawn(reservoir, replace(one_place, p_one_type=1.0))).max() <= 2


def test_shares_of_zero_leave_the_draws_as_they_were_without_them(reservoir: TemplateReservoir) -> None:
    """Test sets and held-out scores of models from before stay what they were: figures of then."""
    found = drawn(reservoir, replace(UnitSettings(), p_one_type=0.0, p_alike=0.0, p_drift=0.35))
    before = [13.72741, 12.43155, 7.91206, 4.39543, 8.45054]
    assert found.amplitude[0].tolist() == pytest.approx(before, rel=1e-4)


def test_datasets_of_units_far_apart_have_no_two_that_are_nearer(reservoir: TemplateReservoir) -> None:
    near = replace(UnitSettings(p_drift=0.0, p_near=1.0), min_distance_sd=(1.0, 1.0))
    far = replace(near, p_apart=1.0, apart_sd=(9.0, 9.0))
    generator = torch.Generator().manual_seed(3)
    positions, mask = draw_layouts(("hex7",), N_DATASETS, generator)
    noise = draw_noise(NoiseSettings(), positions, mask, WINDOW, generator, None)
    smallest = []
    for settings in (near, far):
        units = draw_units(settings, reservoir, noise, positions, mask, N_UNITS, 1, generator)
        first = units.trough_sample - TROUGH_SAMPLE - (WINDOW - N_SAMPLES) // 2
        window = units.templates[::UPSAMPLING][first : first + WINDOW, :, :N_UNITS, 0]
        white = noise.whiten(window.permute(1, 2, 0, 3)).flatten(2)
        apart = torch.cdist(white, white)
        its_own = units.same_as == torch.arange(N_UNITS)
        both = its_own[:, :, None] & its_own[:, None] & ~torch.eye(N_UNITS, dtype=torch.bool)
        smallest.append(apart[both].min().item())
    assert smallest[0] < 4
    assert smallest[1] >= 8.99
