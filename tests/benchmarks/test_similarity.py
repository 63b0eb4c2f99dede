"""Planted splits keep all spikes, and lists are scored as counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from spikeinterface.core import NumpySorting

from benchmarks.probabilities import similarity
from benchmarks.probabilities.similarity import SCORES, Pairs, first_of_list, over_recordings, planted


def truth() -> NumpySorting:
    """Nine units of 200 spikes, and one of too few to be cut."""
    rng = np.random.default_rng(0)
    trains = {
        unit: np.sort(rng.choice(100_000, 200 if unit < 9 else 20, replace=False)) for unit in range(10)
    }
    return NumpySorting.from_unit_dict([trains], 20_000.0)


def test_a_third_of_the_units_is_cut_at_random_and_a_third_by_time() -> None:
    sorting = truth()
    found = planted(sorting, n_samples=100_000, seed=1)
    assert (np.diff(found.sample_index) >= 0).all()
    kinds = {int(cell): str(kind) for cell, kind in zip(found.cell_of, found.kind, strict=True)}
    assert set(kinds) <= set(range(9))
    for cell, kind in kinds.items():
        parts = np.flatnonzero(found.cell_of == cell)
        trains = [found.sample_index[found.unit == part] for part in parts]
        np.testing.assert_array_equal(np.sort(np.concatenate(trains)), sorting.get_unit_spike_train(cell))
        assert len(parts) == (1 if kind == "whole" else 2)
        if kind == "time":
            assert trains[0].max() < 50_000 <= trains[1].min()
        if kind == "random":
            assert min(map(len, trains)) > 70
    assert {kind: list(kinds.values()).count(kind) for kind in ("random", "time")} in (
        {"random": 3, "time": 3}, {"random": 2, "time": 3}, {"random": 3, "time": 2},
    )  # fmt: skip
    again = planted(sorting, n_samples=100_000, seed=1)
    np.testing.assert_array_equal(again.unit, found.unit)


def test_the_other_half_is_first_of_a_list_or_shares_the_place() -> None:
    """Of the halves 0 and 1, 0 has 1 first, and 1 has 0 and 2 at once."""
    pairs = Pairs(
        np.array([[0, 1], [0, 2], [1, 2]]),
        np.array([True, False, False]),
        np.array(["time", "two", "two"]),
        {},
    )
    assert first_of_list(pairs, np.array([0.9, 0.1, 0.9])) == pytest.approx((1 + 0.5) / 2)
    assert first_of_list(pairs, np.array([0.2, 0.1, 0.9])) == pytest.approx((1 + 0) / 2)


def test_every_pair_of_one_cell_counts_alike() -> None:
    rows = [
        {"score": score, "pairs of one cell": n, "AUC": auc, "first": auc}
        for score in SCORES
        for n, auc in ((3, 1.0), (1, 0.6))
    ]
    for row in over_recordings(rows):
        assert (row["AUC"], row["least AUC"], row["first"]) == pytest.approx((0.9, 0.6, 0.9))


def test_recordings_are_those_of_development() -> None:
    assert all(101 <= truth.seed < 1000 for truth in similarity.RECORDINGS.values())
