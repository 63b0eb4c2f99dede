"""Spikes found among others that increase."""

from __future__ import annotations

import numpy as np

from ncpgui.core.increasing import is_among, rows_of


def test_each_number_is_found_where_it_is_and_others_nowhere() -> None:
    known = np.array([2, 3, 5, 7])
    assert rows_of(np.array([7, 1, 2, 4, 9, 5]), known).tolist() == [3, -1, 0, -1, -1, 2]
    assert is_among(np.array([7, 1, 2, 4, 9, 5]), known).tolist() == [True, False, True, False, False, True]


def test_nothing_is_found_among_none_and_none_among_others() -> None:
    none = np.zeros(0, np.int64)
    assert rows_of(np.array([1, 2]), none).tolist() == [-1, -1]
    assert is_among(none, np.array([1])).tolist() == []
