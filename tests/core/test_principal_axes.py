"""Axes of a scatter that is known."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.principal_axes import principal_axes


def test_axes_come_by_falling_variance_with_their_largest_entry_positive() -> None:
    first, second = np.array([-0.8, 0.6, 0.0]), np.array([0.0, 0.0, -1.0])
    scatter = 9 * np.outer(first, first) + 4 * np.outer(second, second)
    assert pytest.approx(np.array([-first, -second])) == principal_axes(scatter, 2).T


def test_there_are_no_more_axes_than_numbers() -> None:
    assert principal_axes(np.eye(2, dtype=np.float32), 5).shape == (2, 2)
