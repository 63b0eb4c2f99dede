"""Agreement of two partitions: variation of information, adjusted Rand, co-assignment.

The adjusted mutual information of the benchmarks is scikit-learn's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncpgui.core.partition import contingency


def adjusted_rand_index(a: ArrayLike, b: ArrayLike) -> float:
    """Adjusted Rand index (Hubert & Arabie 1985): 1 for equal partitions, 0 by chance."""
    table = contingency(a, b).astype(np.float64)
    n = table.sum()

    def pairs(x: NDArray[np.float64]) -> float:
        return float((x * (x - 1) / 2).sum())

    if n < 2:
        return 1.0
    rows, columns, total = pairs(table.sum(1)), pairs(table.sum(0)), n * (n - 1) / 2
    expected, largest = rows * columns / total, (rows + columns) / 2
    if largest == expected:
        return 1.0
    return (pairs(table) - expected) / (largest - expected)


def best_jaccard(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """For each cluster of `a`, its largest Jaccard overlap with a cluster of `b`: (max a + 1,)."""
    table = contingency(a, b).astype(np.float64)
    if table.size == 0:
        return np.zeros(table.shape[0])
    union = table.sum(1, keepdims=True) + table.sum(0, keepdims=True) - table
    return (table / np.maximum(union, 1)).max(axis=1)
