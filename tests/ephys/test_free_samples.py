"""Free samples are those far from large ones, and what two channels share is what counting them gives."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ncpgui.ephys.free_samples import SharedSamples, free_pieces, runs_of


def test_busy_is_from_before_a_large_sample_to_after_it_and_what_is_zero() -> None:
    """One large sample of each sign, one at an end, and one that is exactly as large as asked."""
    values = np.ones((3, 12), np.float32)
    values[0, 5], values[1, 10], values[1, 0], values[2, 4], values[2, 7] = 9, -9, 9, 2, 0
    pieces, free = free_pieces(values, np.full(3, 2, np.float32), before=1, after=2, size=6, room=8)
    assert free.shape == (3, 2, 6)
    assert free.reshape(3, 12).astype(int).tolist() == [
        [1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1],
        [0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0],
        [1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1],
    ]
    assert pieces.shape == (3, 2, 8)
    np.testing.assert_array_equal(pieces[:, :, :6], np.where(free, values.reshape(3, 2, 6), 0))
    assert not pieces[:, :, 6:].any()


def test_what_is_left_over_of_whole_pieces_is_in_none() -> None:
    pieces, free = free_pieces(np.ones((1, 11), np.float32), np.ones(1, np.float32), 1, 1, size=4, room=4)
    assert pieces.shape == free.shape == (1, 2, 4)
    assert free_pieces(np.ones((1, 3), np.float32), np.ones(1, np.float32), 1, 1, 4, 4)[1].shape == (1, 0, 4)


def test_runs_are_their_first_samples_and_those_after_the_last_by_turns() -> None:
    free = np.array([[[1, 1, 0, 1], [0, 0, 0, 0]], [[0, 1, 1, 0], [1, 1, 1, 1]]], bool)
    runs = runs_of(free)
    assert runs.ends.tolist() == [0, 2, 3, 4, 1, 3, 0, 4]
    assert runs.begin.tolist() == [[0, 4, 4], [4, 6, 8]]
    assert runs_of(np.zeros((2, 0, 4), bool)).begin.tolist() == [[0], [0]]


def counted(free: NDArray[np.bool_], first: int, second: int, n_lags: int) -> list[int]:
    """Samples free on the first channel, and on the second one so much later in the same piece."""
    size = free.shape[2]
    return [
        sum(
            bool(piece[first, t] and piece[second, t + lag])
            for piece in free.transpose(1, 0, 2)
            for t in range(size)
            if 0 <= t + lag < size
        )
        for lag in range(1 - n_lags, n_lags)
    ]


@pytest.mark.parametrize("n_lags", [1, 5, 30])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.9, 1.0])
def test_shared_samples_are_those_that_are_counted_one_by_one(n_lags: int, share: float) -> None:
    """At lags up to within a piece and beyond it, over two lots of pieces."""
    rng = np.random.default_rng(0)
    lots = [np.repeat(rng.random((3, 4, 7)) < share, 3, axis=2) for _ in range(2)]
    first, second = np.array([0, 0, 1, 2]), np.array([0, 1, 2, 1])
    shared = SharedSamples(first, second, n_lags)
    for free in lots:
        shared.add(runs_of(free))
    both = np.concatenate(lots, axis=1)
    expected = [counted(both, i, j, n_lags) for i, j in zip(first, second, strict=True)]
    assert shared.by_lag().tolist() == expected
