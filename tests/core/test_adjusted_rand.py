"""The adjusted Rand index of two partitions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from ncpgui.core.adjusted_rand import adjusted_rand


def test_equal_partitions_have_one_whatever_their_labels() -> None:
    assert adjusted_rand([0, 0, 1, 2], [3, 3, 0, 1]) == 1.0
    assert adjusted_rand([0, 1, 2], [2, 1, 0]) == 1.0
    assert adjusted_rand([0, 0, 0], [4, 4, 4]) == 1.0
    assert adjusted_rand([], []) == 1.0


def test_what_is_no_better_than_chance_has_none() -> None:
    assert adjusted_rand([0, 0, 0, 0], [0, 0, 1, 1]) == 0.0
    assert adjusted_rand([0, 1, 2, 3], [0, 0, 1, 1]) == 0.0


def test_pairs_apart_in_one_of_them_only_take_from_it() -> None:
    """Of six pairs one is together in both, one in the first only, four in none: 8 / 14."""
    assert adjusted_rand([0, 0, 1, 1], [0, 0, 1, 2]) == pytest.approx(8 / 14)
    assert adjusted_rand([0, 0, 1, 2], [0, 0, 1, 1]) == pytest.approx(8 / 14)


def test_worse_than_chance_is_below_nought() -> None:
    assert adjusted_rand([0, 0, 1, 1], [0, 1, 0, 1]) == -0.5


def test_points_that_are_unassigned_in_either_are_left_out() -> None:
    assert adjusted_rand([0, 0, 1, 1, -1, 0], [0, 0, 1, 2, 0, -1]) == adjusted_rand(
        [0, 0, 1, 1], [0, 0, 1, 2]
    )


@pytest.mark.parametrize("n_points", [1, 2, 7, 300])
@pytest.mark.parametrize("n_labels", [1, 3, 20])
def test_it_is_that_of_scikit_learn_to_the_last_bit(n_points: int, n_labels: int) -> None:
    random = np.random.default_rng(n_points * n_labels)
    for _ in range(5):
        a, b = random.integers(0, n_labels, n_points), random.integers(0, 4, n_points)
        assert adjusted_rand(a, b) == adjusted_rand_score(a, b)
