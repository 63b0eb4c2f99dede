"""Rows of different lengths, side by side."""

from __future__ import annotations

import numpy as np

from ncpgui.core.padded_rows import padded


def test_rows_go_on_with_minus_one_up_to_the_longest() -> None:
    found = padded([np.array([4, 5, 7]), np.array([], np.int64), np.array([2])])
    assert found.dtype == np.int32
    assert found.tolist() == [[4, 5, 7], [-1, -1, -1], [2, -1, -1]]


def test_there_is_a_column_where_nothing_is_in_any_row() -> None:
    assert padded([np.array([], np.int64)] * 2).tolist() == [[-1], [-1]]
    assert padded([]).shape == (0, 1)
