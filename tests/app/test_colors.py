"""The palette as people with each colour-vision deficiency see it, and colours that stay with units."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from ncpgui.app.model.coloring import LABELS
from ncpgui.app.model.colors import DARK, LIGHT, N_COLORS, SHADES, Color, ColorBook

N_APART = 8
MIN_DISTANCE = 13.0

# Machado, Oliveira & Fernandes (2009), severity 1, on linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def linear_rgb(name: str) -> NDArray[np.float64]:
    value = np.array([int(name[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def cielab(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIELAB under D65 of linear RGB."""
    relative = XYZ @ np.clip(linear, 0, 1) / XYZ.sum(axis=1)
    f = np.where(relative > 216 / 24389, np.cbrt(relative), (24389 / 27 * relative + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_white_and_black_are_where_cielab_has_them() -> None:
    assert cielab(linear_rgb("#FFFFFF")) == pytest.approx([100, 0, 0], abs=0.01)
    assert cielab(linear_rgb("#000000")) == pytest.approx([0, 0, 0], abs=0.01)
    assert cielab(linear_rgb("#FF0000")) == pytest.approx([53.24, 80.09, 67.20], abs=0.05)


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_the_first_eight_colours_are_told_apart_by_everyone(palette: tuple[str, ...], vision: str) -> None:
    seen = [cielab(VISION[vision] @ linear_rgb(name)) for name in palette[:N_APART]]
    for (a, first), (b, second) in itertools.combinations(enumerate(seen), 2):
        assert np.linalg.norm(first - second) >= MIN_DISTANCE, (palette[a], palette[b])


def test_each_colour_has_a_twin_of_its_own_on_dark() -> None:
    assert len(LIGHT) == len(DARK) == len(set(LIGHT)) == len(set(DARK))
    assert (Color(0).hex(dark=False), Color(0).hex(dark=True)) == (LIGHT[0], DARK[0])


def test_a_unit_keeps_its_colour_whoever_is_beside_it_later() -> None:
    book = ColorBook()
    assert book.color(7).index == 0
    assert book.color(12, beside=[7, 12]).index == 1
    assert book.color(7, beside=[12]).index == 0
    assert book.color(40).index == 0  # in a component of its own it may have the same as 7


def test_a_new_unit_gets_a_colour_that_no_unit_beside_it_has() -> None:
    book = ColorBook()
    indices = [book.color(unit, beside=range(unit)).index for unit in range(N_COLORS)]
    assert sorted(indices) == list(range(N_COLORS))


def test_when_all_colours_are_taken_other_shades_of_them_come_then_the_least_used_again() -> None:
    assert ColorBook.free(range(N_COLORS)) == N_COLORS
    n_shades = N_COLORS * len(SHADES)
    assert ColorBook.free([*range(n_shades), 0, 1, 2]) == 3


@pytest.mark.parametrize("dark", [False, True])
def test_thirty_units_have_thirty_colours(dark: bool) -> None:
    book = ColorBook()
    colors = {book.color(unit, beside=range(unit)).hex(dark=dark) for unit in range(30)}
    assert len(colors) == 30
    assert {"#FFFFFF", "#000000"}.isdisjoint(colors)


def test_a_colour_that_was_given_stays() -> None:
    book = ColorBook()
    book.give(5, 3)
    book.give(5, 4)
    assert 5 in book
    assert book.color(5).index == 3


GROUNDS = {"light": "#FFFFFF", "dark": "#181B22"}


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("ground", GROUNDS)
def test_labels_are_told_apart_by_everyone(ground: str, vision: str) -> None:
    names = [Color(index).hex(dark=ground == "dark") for index in LABELS.values()]
    seen = [cielab(VISION[vision] @ linear_rgb(name)) for name in names]
    for first, second in itertools.combinations(seen, 2):
        assert np.linalg.norm(first - second) >= MIN_DISTANCE


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("ground", GROUNDS)
def test_on_the_scale_more_is_lighter_for_everyone(ground: str, vision: str) -> None:
    """So that its order is seen without hue: lightness of CIELAB, at nine places."""
    names = [Color(-1, share).hex(dark=ground == "dark") for share in np.linspace(0, 1, 9)]
    seen = np.array([cielab(VISION[vision] @ linear_rgb(name)) for name in names])
    assert (np.diff(seen[:, 0]) > 0.5).all()
    assert (np.linalg.norm(np.diff(seen[::2], axis=0), axis=1) >= 7).all()


@pytest.mark.parametrize("ground", GROUNDS)
def test_the_whole_scale_stands_out_from_its_ground(ground: str) -> None:
    """Contrast of WCAG for graphics: 3 to 1."""

    def luminance(name: str) -> float:
        return float(np.array([0.2126, 0.7152, 0.0722]) @ linear_rgb(name))

    for share in np.linspace(0, 1, 21):
        pair = sorted(map(luminance, (Color(-1, share).hex(dark=ground == "dark"), GROUNDS[ground])))
        assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 3.0


def test_the_scale_goes_through_its_stops_and_ends_there() -> None:
    assert [Color(-1, share).hex(dark=False) for share in (-1.0, 0.0, 0.25, 1.0, 2.0)] == [
        "#0D0887", "#0D0887", "#6A00A8", "#E16462", "#E16462",
    ]  # fmt: skip
    assert Color(-1, 0.125).hex(dark=False) == "#3C0498"
