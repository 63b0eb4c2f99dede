"""Neighbourhoods of contacts: the main one first, positions in the range of real arrays."""

from __future__ import annotations

import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.engine.generative.contact_layouts import GEOMETRY_SHARE, draw_layouts, most_contacts


@pytest.mark.parametrize("geometry", list(GEOMETRY_SHARE))
def test_main_contact_is_first_and_missing_ones_are_zero(geometry: str, generator: torch.Generator) -> None:
    positions, mask = draw_layouts((geometry,), 100, generator)
    assert positions.shape == (*mask.shape, 2)
    assert mask.shape[1] <= most_contacts((geometry,))
    assert mask[:, 0].all()
    assert (positions[:, 0] == 0).all()
    assert (positions[~mask] == 0).all()
    distance = positions.norm(dim=-1)[:, 1:][mask[:, 1:]]
    assert ((distance > 8) & (distance < 400)).all()


def test_shares_of_geometries_are_kept(generator: torch.Generator) -> None:
    _, mask = draw_layouts((), 2000, generator)
    assert 0.01 < (mask.sum(1) == 1).float().mean() < 0.06  # single wires, and what few subsets


def test_whole_tetrode_has_four_contacts_and_whole_hexagon_seven(generator: torch.Generator) -> None:
    assert draw_layouts(("tetrode",), 50, generator)[1].sum(1).max() == 4
    assert draw_layouts(("hex7",), 50, generator)[1].sum(1).max() == 7


def test_large_neighbourhoods_have_up_to_twelve_contacts(generator: torch.Generator) -> None:
    for geometry in ("linear", "dense", "grid"):
        assert draw_layouts((geometry,), 200, generator)[1].sum(1).max() == 12
    assert most_contacts(()) == 12


def test_unknown_geometry_is_refused(generator: torch.Generator) -> None:
    with pytest.raises(InputError, match="unknown geometry 'octrode'; known are hex7"):
        draw_layouts(("octrode",), 1, generator)


def test_the_largest_neighbourhood_of_each_geometry_is_known() -> None:
    most = {name: most_contacts((name,)) for name in GEOMETRY_SHARE}
    assert most == {
        "hex7": 7, "tetrode": 4, "linear": 12, "dense": 12, "grid": 12, "single": 1, "stereotrode": 2,
        "subset": 12,
    }  # fmt: skip
    assert most_contacts(("single", "tetrode")) == 4
