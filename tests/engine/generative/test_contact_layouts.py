"""Neighbourhoods of contacts: the main one first, positions in the range of real arrays."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.engine.generative.contact_layouts import (
    GEOMETRY_SHARE,
    MAX_CHANNELS,
    _draw,
    draw_layouts,
    most_contacts,
)


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


@pytest.mark.parametrize(
    ("geometry", "draws", "places_um"),
    [
        ("hex7", {}, [(0, 0), (18, 0), (9, 15.59), (-9, 15.59), (-18, 0), (-9, -15.59), (9, -15.59)]),
        ("tetrode", {6: 0.1}, [(0, 0), (12, 0), (0, 12), (12, 12)]),
        ("tetrode", {6: 0.9, 8: 0.0}, [(0, 0), (7.5, -7.5), (-7.5, -7.5), (0, -15)]),
        ("linear", {6: 0.1}, [(0, 0), (0, -12), (0, 12), (0, -24), (0, 24), (0, -36), (0, 36)]),
        ("linear", {6: 0.9, 7: 0.0, 8: 0.0, 9: 0.9}, [(0, 0), (0, 12), (0, 24)]),
        # two columns 12 µm apart, rows of 20 µm; staggered ones; the columns of Neuropixels 1.0
        ("dense", {7: 0.1}, [(0, 0), (12, 0), (0, -20), (0, 20), (12, -20), (12, 20), (0, -40)]),
        ("dense", {7: 0.5}, [(0, 0), (12, -10), (12, 10), (0, -20), (0, 20), (12, -30), (12, 30)]),
        ("dense", {7: 0.9}, [(0, 0), (16, -20), (16, 20), (32, 0), (0, -40), (0, 40), (32, -40)]),
        (
            "grid",
            {6: 0.1},
            [(0, 0), (0, -15), (-15, 0), (15, 0), (0, 15), (-15, -15), (15, -15), (-15, 15), (15, 15)],
        ),
    ],
)
def test_contacts_of_a_geometry_lie_as_on_the_array(geometry: str, draws: dict, places_um: list) -> None:
    pitch = math.log(20 / 15) / math.log(35 / 15) if geometry == "dense" else 0.0  # rows of 20 µm, or closest
    quiet = {0: pitch, 1: 0.9, 4: 0.9, 6: 0.0, 7: 0.5, 8: 0.0, 9: 0.0, 10: 0.0}
    points, present = _draw(geometry, [(quiet | draws).get(i, 0.5) for i in range(16 + MAX_CHANNELS)])
    assert all(present)
    np.testing.assert_allclose(points, places_um, atol=0.01)


@pytest.mark.parametrize(
    ("draws", "missing"),
    [
        ({1: 0.1, 2: 0.0, 3: 0.5}, [3, 4, 5]),  # the array ends on the left
        ({1: 0.1, 2: 0.0, 3: 0.9}, [4]),  # at a corner
        ({4: 0.01, 5: 0.0}, [1]),  # one contact is dead
        ({4: 0.01, 5: 0.99}, [6]),
    ],
)
def test_a_hexagon_lacks_the_contacts_past_an_edge_and_a_dead_one(draws: dict, missing: list[int]) -> None:
    u = [({1: 0.9, 4: 0.9} | draws).get(i, 0.5) for i in range(16 + MAX_CHANNELS)]
    assert [i for i, here in enumerate(_draw("hex7", u)[1]) if not here] == missing


def test_a_subset_keeps_the_main_contact_and_those_that_are_drawn() -> None:
    u = [0.9] * 15 + [0.0, 0.1, 0.59, 0.61, 0.99, 0.1, 0.7] + [0.5] * 10
    assert _draw("subset", u)[1] == [True, True, True, False, False, True, False]
