"""Axes of a scatter that is known."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.principal_axes import principal_axes, principal_scores


def test_axes_come_by_falling_variance_with_their_largest_entry_positive() -> None:
    first, second = np.array([-0.8, 0.6, 0.0]), np.array([0.0, 0.0, -1.0])
    scatter = 9 * np.outer(first, first) + 4 * np.outer(second, second)
    assert pytest.approx(np.array([-first, -second])) == principal_axes(scatter, 2).T


def test_there_are_no_more_axes_than_numbers() -> None:
    assert principal_axes(np.eye(2, dtype=np.float32), 5).shape == (2, 2)


def test_scores_are_those_of_centred_points_and_of_their_type() -> None:
    """Along (0.6, 0.8) the points are 5 apart, and across it nothing."""
    points = np.array([[1.0, 1.0], [4.0, 5.0], [7.0, 9.0]], np.float32)
    found = principal_scores(points, 1)
    assert found.dtype == np.float32
    assert found[:, 0] == pytest.approx([-5, 0, 5])
    assert principal_scores(points, 9).shape == (3, 2)
