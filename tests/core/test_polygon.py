"""Points inside a polygon: by hand, and against areas that are known."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.polygon import inside_polygon

SQUARE = [(0, 0), (4, 0), (4, 4), (0, 4)]


def test_a_point_is_inside_a_square_or_not() -> None:
    points = [(2, 2), (0.1, 3.9), (-1, 2), (5, 2), (2, -1), (2, 5), (4.1, 0)]
    assert inside_polygon(points, SQUARE).tolist() == [True, True] + [False] * 5


def test_the_order_of_the_corners_does_not_matter() -> None:
    points = np.random.default_rng(0).uniform(-1, 5, (500, 2))
    forward = inside_polygon(points, SQUARE)
    assert forward.any()
    assert np.array_equal(forward, inside_polygon(points, SQUARE[::-1]))
    assert np.array_equal(forward, inside_polygon(points, SQUARE[2:] + SQUARE[:2]))


def test_a_notch_is_outside() -> None:
    """A U: the middle of its opening is outside, both arms are inside."""
    u = [(0, 0), (6, 0), (6, 5), (4, 5), (4, 2), (2, 2), (2, 5), (0, 5)]
    assert inside_polygon([(1, 4), (3, 4), (5, 4), (3, 1)], u).tolist() == [True, False, True, True]


def test_what_a_border_that_crosses_itself_encloses_twice_is_outside() -> None:
    angle = np.pi / 2 + 4 * np.pi / 5 * np.arange(5)
    star = np.column_stack([np.cos(angle), np.sin(angle)])
    assert inside_polygon([(0, 0), (0, 0.8)], star).tolist() == [False, True]


def test_polygons_that_share_an_edge_have_each_point_once() -> None:
    """Points of a grid, on the shared edge and its corners too, are in exactly one of two triangles."""
    grid = np.stack(np.meshgrid(np.arange(0, 5), np.arange(0, 5)), axis=-1).reshape(-1, 2)
    lower, upper = [(0, 0), (4, 0), (4, 4)], [(0, 0), (4, 4), (0, 4)]
    on_edge = grid[:, 0] == grid[:, 1]
    both = np.stack([inside_polygon(grid, lower), inside_polygon(grid, upper)])
    assert both.sum(axis=0).max() == 1
    assert both[:, on_edge & (grid[:, 0] > 0) & (grid[:, 0] < 4)].sum(axis=0).tolist() == [1, 1, 1]


def test_fewer_than_three_corners_enclose_nothing() -> None:
    for corners in (np.zeros((0, 2)), [(0, 0)], [(0, 0), (4, 4)], [(0, 0), (2, 2), (4, 4)]):
        assert not inside_polygon([(1, 1), (2, 2), (0, 0)], corners).any()


def test_points_that_are_not_finite_are_outside() -> None:
    assert inside_polygon([(np.nan, 2), (2, np.inf), (2, 2)], SQUARE).tolist() == [False, False, True]


def test_the_share_of_points_in_an_ellipse_is_its_area() -> None:
    """Half a million points of a square of area 16: an ellipse of half axes 1.5 and 1 holds pi 1.5 / 16."""
    points = np.random.default_rng(1).uniform(-2, 2, (500_000, 2))
    angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    ellipse = np.column_stack([1.5 * np.cos(angle), np.sin(angle)])
    assert inside_polygon(points, ellipse).mean() == pytest.approx(np.pi * 1.5 / 16, abs=0.003)


def test_of_a_square_the_lower_and_left_border_are_inside_or_those_opposite_are_but_not_both() -> None:
    below, above, left, right = inside_polygon([(2, 0), (2, 4), (0, 2), (4, 2)], SQUARE).tolist()
    assert below != above
    assert left != right


def test_three_corners_are_enough() -> None:
    triangle = [(0, 0), (4, 0), (0, 4)]
    assert inside_polygon([(1, 1), (2.1, 2.1), (0.1, 3.8)], triangle).tolist() == [True, False, True]
    assert inside_polygon([(1.0, 2.0)], triangle).tolist() == [True]
    assert inside_polygon(np.zeros((0, 2)), triangle).shape == (0,)
