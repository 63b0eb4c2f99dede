"""Spikes beside those of larger units, counted in one walk, are those of each pair by itself."""

from __future__ import annotations

import numpy as np

from ncpgui.sorting.coincidences import n_beside, n_together


def test_a_spike_beside_two_of_a_larger_unit_counts_once_and_smaller_units_do_not_count() -> None:
    fired, unit = np.array([100, 105, 110, 300, 310, 311]), np.array([1, 0, 1, 0, 1, 2])
    assert n_beside(fired, unit, np.array([5.0, 9.0, 5.0]), 10).tolist() == [[0, 2, 0], [0, 0, 0], [0, 1, 0]]


def test_spikes_beside_larger_units_are_those_that_pairs_of_trains_have() -> None:
    rng = np.random.default_rng(0)
    n_units, reach = 12, 20.5
    fired = np.sort(rng.integers(0, 60_000, 4000))
    unit, energy = rng.integers(-1, n_units - 1, 4000), rng.permutation(n_units) // 2 * 1.0
    expected = np.zeros((n_units, n_units), int)
    for small in range(n_units):
        for large in np.flatnonzero(energy > energy[small]):
            apart = np.abs(np.subtract.outer(fired[unit == small], fired[unit == large]))
            expected[small, large] = (apart <= reach).any(axis=1).sum()
    assert expected.sum() > 1000
    assert (n_beside(fired, unit, energy, reach) == expected).all()


def test_pairs_that_are_together_are_those_of_each_two_trains() -> None:
    fired, unit = np.array([100, 105, 110, 120, 121]), np.array([0, 1, 1, -1, 0])
    assert n_together(fired, unit, 2, 10)[0, 1] == 2  # 100 with 105 and 110; 121 is 11 after 110
    assert n_together(fired, unit, 2, 11)[0, 1] == 3
    assert n_together(fired, unit, 2, 11)[1, 0] == 3
    assert n_together(fired[:0], unit[:0], 2, 11).tolist() == [[0, 0], [0, 0]]
