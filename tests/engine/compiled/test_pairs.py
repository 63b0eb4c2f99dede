"""What a point sees of those after it, block by block of points, is the sum that the definition says."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.engine.compiled.pairs import _POINTS_AT_ONCE, seen_in_orders

SIZE = 3


def literal(seen, seeing, metric, apart, place):
    """The sum pair by pair, of points all at once."""
    difference = metric[:, None] - metric[None]
    inputs = np.concatenate([difference**2, np.abs(difference)], axis=2)
    r = np.maximum(inputs @ apart + seeing[:, None] + seen[None], 0)
    later = place[:, None, :] > place[:, :, None]
    return np.einsum("pnm,nms->pns", later, r)


BY_PYTHON = seen_in_orders.py_func
"""What is compiled would not tell of a place that is not there; this does, and takes a while."""


@pytest.mark.parametrize(
    ("run", "n_points"),
    [(BY_PYTHON, 1), (BY_PYTHON, _POINTS_AT_ONCE + 2)]
    + [(seen_in_orders, n) for n in (1, _POINTS_AT_ONCE, 2 * _POINTS_AT_ONCE + 9)],
)
def test_points_are_seen_in_whichever_block_they_lie(run, n_points: int) -> None:
    rng = np.random.default_rng(n_points)
    seen, seeing, metric = rng.normal(size=(3, n_points, SIZE)).astype(np.float32)
    apart = rng.normal(size=(2 * SIZE, SIZE)).astype(np.float32)
    place = np.stack([rng.permutation(n_points) for _ in range(2)])
    found = run(seen, seeing, metric, apart, place)
    np.testing.assert_allclose(found, literal(seen, seeing, metric, apart, place), rtol=1e-4, atol=1e-3)
