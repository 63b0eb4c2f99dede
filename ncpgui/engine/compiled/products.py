"""Products of a few rows with a matrix. BLAS arranges the whole matrix anew for each, which takes longer."""

from __future__ import annotations

import numba
import numpy as np

from ncpgui.engine.compiled.options import FAST, Array


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def product(rows: Array, matrix: Array, result: Array) -> None:
    """Write `rows` (R, K) times `matrix` (K, J) into `result` (R, J).

    Four rows at a time, so that each part of the matrix is read once for them; two of its rows at a time, so
    that each result is written half as often.
    """
    n_rows, n_inner = rows.shape
    result[:] = 0
    n_four, n_two = n_rows // 4 * 4, n_inner // 2 * 2
    for r in range(0, n_four, 4):
        a, b, c, d = rows[r], rows[r + 1], rows[r + 2], rows[r + 3]
        to_a, to_b, to_c, to_d = result[r], result[r + 1], result[r + 2], result[r + 3]
        for k in range(0, n_two, 2):
            first, second = matrix[k], matrix[k + 1]
            a_1, a_2, b_1, b_2 = a[k], a[k + 1], b[k], b[k + 1]
            c_1, c_2, d_1, d_2 = c[k], c[k + 1], d[k], d[k + 1]
            for j in range(matrix.shape[1]):
                x, y = first[j], second[j]
                to_a[j] += a_1 * x + a_2 * y
                to_b[j] += b_1 * x + b_2 * y
                to_c[j] += c_1 * x + c_2 * y
                to_d[j] += d_1 * x + d_2 * y
        if n_two < n_inner:
            for row in range(r, r + 4):
                _add(rows[row, n_two], matrix[n_two], result[row])
    for row in range(n_four, n_rows):
        to = result[row]
        for k in range(0, n_two, 2):
            first, second = matrix[k], matrix[k + 1]
            a_1, a_2 = rows[row, k], rows[row, k + 1]
            for j in range(matrix.shape[1]):
                to[j] += a_1 * first[j] + a_2 * second[j]
        if n_two < n_inner:
            _add(rows[row, n_two], matrix[n_two], to)


@numba.njit(cache=True, nogil=True, fastmath=FAST)
def _add(factor: np.float32, values: Array, to: Array) -> None:
    for j in range(len(values)):
        to[j] += factor * values[j]
