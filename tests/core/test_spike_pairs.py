"""Pairs of spikes at a distance, against all pairs counted one by one."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.spike_pairs import n_apart, n_later, pairs_within

FIRST, SECOND = np.array([0, 10, 10, 25]), np.array([3, 10, 13, 20, 30])


def test_pairs_are_counted_by_hand() -> None:
    """Later by 1 to 5: (0, 3), (10, 13) twice, (25, 30); earlier by as much: (25, 20)."""
    assert n_later(FIRST, SECOND, 0, 5) == 4
    assert n_later(SECOND, FIRST, 0, 5) == 1
    assert n_apart(FIRST, SECOND, 0, 5) == 5


@pytest.mark.parametrize(("low", "high"), [(0, 3), (2.9, 10.0), (3, 9.99), (5, 5)])
def test_the_nearer_end_is_out_and_the_further_one_in(low: float, high: float) -> None:
    rng = np.random.default_rng(0)
    first, second = (np.sort(rng.integers(0, 400, n)) for n in (60, 90))
    apart = np.abs(second[None] - first[:, None])
    assert n_apart(first, second, low, high) == ((apart > low) & (apart <= high)).sum()


def test_a_train_with_itself_counts_each_pair_twice() -> None:
    assert n_later(FIRST, FIRST, 0, 15) == 4
    assert n_apart(FIRST, FIRST, 0, 15) == 8


def test_pairs_within_a_train_come_with_how_far_apart_they_are() -> None:
    each = [map(np.ndarray.tolist, some) for some in pairs_within(SECOND, 10)]
    found = [pair for some in each for pair in zip(*some, strict=True)]
    neighbours = [(0, 1, 7), (1, 2, 3), (2, 3, 7), (3, 4, 10)]
    assert found == [*neighbours, (0, 2, 10), (1, 3, 10)]
    assert [*pairs_within(SECOND[:1], 10)] == []
