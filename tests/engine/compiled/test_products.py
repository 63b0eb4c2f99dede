"""Products of a few rows are those of NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.engine.compiled.products import product


@pytest.mark.parametrize("n_rows", [0, 1, 3, 4, 7, 12])
@pytest.mark.parametrize(("n_inner", "n_columns"), [(1, 5), (2, 1), (9, 16), (152, 128)])
def test_a_product_is_that_of_numpy_whatever_was_in_its_place(n_rows: int, n_inner: int, n_columns: int):
    rng = np.random.default_rng(0)
    rows = rng.integers(-8, 9, (n_rows, n_inner)).astype(np.float32)  # small integers: exact in any order
    matrix = rng.integers(-8, 9, (n_inner, n_columns)).astype(np.float32)
    result = np.full((n_rows, n_columns), 7, np.float32)
    product(rows, matrix, result)
    assert result.tolist() == (rows @ matrix).tolist()
