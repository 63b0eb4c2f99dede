"""The finite set is made of what the layout and the cells allow: orientations, shifts, one noise."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.core.waveform_format import TROUGH_SAMPLE
from ncpgui.engine.generative.finite_templates import (
    LAYOUTS,
    FiniteSpikesSettings,
    FiniteTemplates,
    at_shifts,
    draw_templates,
    in_orientations,
    layout_symmetries,
)
from ncpgui.engine.generative.placed_cells import UPSAMPLING
from ncpgui.engine.generative.template_reservoir import TemplateReservoir, random_rotations
from ncpgui.engine.generative.unit_templates import UnitSettings

SYMMETRIES = {"hex7": 12, "tetrode": 8, "linear": 2, "stereotrode": 2, "single": 1}


def positions(layout: str) -> torch.Tensor:
    return 30 * torch.tensor(LAYOUTS[layout])


@pytest.fixture(scope="module")
def few(reservoir: TemplateReservoir) -> FiniteTemplates:
    return draw_templates(FiniteSpikesSettings(n_templates=8), reservoir)


@pytest.mark.parametrize(("layout", "n"), SYMMETRIES.items())
def test_orientations_map_the_layout_onto_itself(layout: str, n: int) -> None:
    place = positions(layout)
    turns = layout_symmetries(place)
    assert len({tuple(turn) for turn in turns.tolist()}) == n
    distance = torch.cdist(place, place)
    for turn in turns:
        torch.testing.assert_close(distance[turn][:, turn], distance, atol=1e-3, rtol=0)
    assert turns[0].tolist() == list(range(len(place)))


@pytest.mark.parametrize("layout", ["hex7", "tetrode"])
def test_one_orientation_after_another_is_an_orientation(layout: str) -> None:
    turns = {tuple(turn) for turn in layout_symmetries(positions(layout)).tolist()}
    assert {tuple(a[i] for i in b) for a in turns for b in turns} == turns


@pytest.mark.parametrize(("layout", "n"), [("hex7", 12), ("tetrode", 2)])
def test_the_main_channel_stays_in_the_middle_of_a_hexagon_and_rarely_at_a_corner(
    layout: str, n: int, reservoir: TemplateReservoir
) -> None:
    settings = FiniteSpikesSettings(layout=layout, n_templates=3)
    stays = draw_templates(settings, reservoir).means
    every = draw_templates(replace(settings, main_channel_stays=False), reservoir).means
    assert len(stays) == 3 * n
    assert len(every) == 3 * SYMMETRIES[layout]
    torch.testing.assert_close(stays[:n, ..., 0], stays[:1, ..., 0].expand(n, -1, -1))


def test_a_turned_cell_gives_the_template_in_that_orientation(
    reservoir: TemplateReservoir, generator: torch.Generator
) -> None:
    """Turning and mirroring soma and sources with the hexagon permutes the contacts."""
    place = torch.nn.functional.pad(positions("hex7"), (0, 1))
    soma, rotation = torch.randn(3, generator=generator) * 20, random_rotations((), generator)
    cell = torch.tensor(5)
    before = reservoir.templates(cell, soma, rotation, place)
    for turn in layout_symmetries(place[:, :2]):
        q = torch.eye(3)  # takes contact c to where contact turn[c] is
        q[:2, :2] = torch.linalg.lstsq(place[:, :2], place[turn, :2]).solution.mT
        after = reservoir.templates(cell, q.mT @ soma, q.mT @ rotation, place)
        torch.testing.assert_close(after, before[:, turn], atol=1e-4 * before.abs().max().item(), rtol=1e-3)


def test_templates_in_all_orientations_come_one_after_the_other() -> None:
    templates = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    turned = in_orientations(templates, torch.tensor([[0, 1, 2], [0, 2, 1]]))
    assert turned.tolist() == [[1, 2, 3], [1, 3, 2], [4, 5, 6], [4, 6, 5]]


def test_shifts_are_steps_of_the_upsampled_template() -> None:
    """A ramp in fine steps is lower where the spike is later."""
    fine = torch.arange(64.0 * UPSAMPLING)[None, :, None]
    trough = 22 * UPSAMPLING
    shifted = at_shifts(fine, trough, 5)
    assert shifted.shape == (1, 5, 32, 1)
    assert (shifted[0, :, TROUGH_SAMPLE, 0] - trough).tolist() == [2, 1, 0, -1, -2]


def test_the_unshifted_template_has_the_trough_of_its_amplitude_on_the_main_channel(
    few: FiniteTemplates,
) -> None:
    main = few.means[:, 2, :, 0]
    assert (main[:, TROUGH_SAMPLE - 8 : TROUGH_SAMPLE + 9].argmin(1) == 8).all()
    low, high = UnitSettings().amplitude_sd
    assert ((-main[:, TROUGH_SAMPLE] > 0.95 * low) & (-main[:, TROUGH_SAMPLE] < 1.05 * high)).all()


def test_the_same_seed_gives_the_same_set_and_the_same_noise_for_other_cells(
    few: FiniteTemplates, reservoir: TemplateReservoir
) -> None:
    settings = FiniteSpikesSettings(n_templates=8)
    again = draw_templates(settings, reservoir)
    others = draw_templates(settings, reservoir.subset("test"))
    assert torch.equal(again.means, few.means)
    assert not torch.equal(others.means, few.means)
    assert torch.equal(others.noise.time, few.noise.time)
    assert torch.equal(others.noise.space, few.noise.space)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layout": "ring"}, r"'layout' must be one of hex7, tetrode, .*, got 'ring'"),
        ({"n_shifts": 4}, r"'n_shifts' must be odd and at most 13 .* got 4"),
        ({"n_shifts": 15}, r"'n_shifts' must be odd and at most 13 .* got 15"),
        ({"n_templates": 0}, "'n_templates' must be positive, got 0"),
        ({"gamma": 0.0}, r"'gamma' must be positive, got 0\.0"),
        ({"units": UnitSettings()}, r"'units\.p_drift' must be 0, got 0\.45: .* do not drift"),
    ],
)
def test_impossible_settings_are_refused(options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        FiniteSpikesSettings(**options)


def test_templates_that_do_not_fit_are_refused(few: FiniteTemplates) -> None:
    with pytest.raises(InputError, match=r"must be \(templates, shifts, 32, 7 contacts\), got .*, 6\)"):
        replace(few, means=few.means[..., :6])
    with pytest.raises(InputError, match=r"covariances must be .* \(1, 7, 7\) in space, got"):
        replace(few, noise=few.noise._replace(space=few.noise.space[:, :4, :4]))
    with pytest.raises(InputError, match="values that are not finite"):
        replace(few, means=few.means * torch.nan)
