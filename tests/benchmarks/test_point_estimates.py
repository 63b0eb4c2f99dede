"""Point estimates of the benchmark against what is known by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from benchmarks.posterior.point_estimates import (
    binder_loss,
    expected_rand,
    linkage_cuts,
    together,
    variation_of_information,
)

DRAWS = np.array([[0, 0, 1, 1, 2], [0, 0, 1, 1, 1], [0, 1, 1, 1, 2], [0, 0, 0, 1, 1]])


def test_binder_loss_differs_as_the_expected_number_of_wrong_pairs_does() -> None:
    p = together(DRAWS)

    def wrong_pairs(labels: np.ndarray) -> float:
        pairs = combinations(range(5), 2)
        return sum(((DRAWS[:, i] == DRAWS[:, j]) != (labels[i] == labels[j])).mean() for i, j in pairs)

    first, *others = DRAWS
    for other in others:
        difference = binder_loss(p, other) - binder_loss(p, first)
        assert difference / 2 == pytest.approx(wrong_pairs(other) - wrong_pairs(first))


def test_the_expected_rand_index_of_a_sure_posterior_is_the_rand_index() -> None:
    p = together(DRAWS[:1])
    for labels in DRAWS:
        assert expected_rand(p, labels) == pytest.approx(adjusted_rand_score(DRAWS[0], labels))


def test_average_linkage_finds_the_clusters_of_which_draws_scatter_single_points() -> None:
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 10)
    draws = np.array([np.where(rng.random(30) < 0.1, rng.integers(3, size=30), truth) for _ in range(50)])
    for cut in linkage_cuts(together(draws)):
        assert cut.tolist() == truth.tolist()


def test_the_expected_rand_index_splits_a_unit_that_nine_of_ten_draws_have_whole() -> None:
    one, halves = np.zeros(20, int), np.repeat([0, 1], 10)
    by_rand, by_binder = linkage_cuts(together(np.array([one] * 9 + [halves])))
    assert by_rand.tolist() == halves.tolist()
    assert by_binder.tolist() == one.tolist()


def test_splitting_half_of_the_points_in_two_equal_parts_costs_half_of_log_2() -> None:
    a, b = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2])
    assert variation_of_information(a, b) == pytest.approx(0.5 * np.log(2))
    assert variation_of_information(a, a) == 0
