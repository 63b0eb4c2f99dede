"""Spikes expected to be in a wrong unit, counted by hand."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.draws_by_alternative import tables
from ncpgui.evidence.misassigned_spikes import most_right, stands_for, wrong_in_draws

HALVES = np.array([0] * 6 + [1] * 4)


def posterior(*rows: list[int], weight: list[float] | None = None) -> PosteriorSamples:
    return PosteriorSamples(np.array(rows), np.zeros(len(rows)), None if weight is None else np.array(weight))


def expected_wrong(draws: PosteriorSamples, labels: np.ndarray, mass: np.ndarray | None = None) -> float:
    return float(draws.weight @ wrong_in_draws(tables(draws.rows, labels, mass)[0]))


def test_no_spike_is_wrong_where_all_draws_are_the_sorting() -> None:
    assert expected_wrong(posterior(HALVES.tolist()), HALVES) == 0


def test_of_units_that_may_be_one_the_smaller_is_wrong() -> None:
    draws = posterior(HALVES.tolist(), [0] * 10, weight=[0.75, 0.25])
    assert expected_wrong(draws, HALVES) == pytest.approx(0.25 * 4)


def test_of_a_unit_that_may_be_two_the_smaller_part_is_wrong() -> None:
    draws = posterior([0] * 10, HALVES.tolist(), weight=[0.75, 0.25])
    assert expected_wrong(draws, np.zeros(10, int)) == pytest.approx(0.25 * 4)


def test_a_single_spike_counts_once_and_spikes_of_no_unit_do_not() -> None:
    labels = np.array([0] * 6 + [1] * 3 + [-1])
    moved = [0] * 5 + [1] * 5
    assert expected_wrong(posterior(moved), labels) == 1


def test_clusters_go_to_the_units_so_that_most_spikes_are_right() -> None:
    # the first cluster has 5 of unit 0 and 4 of unit 1, the second 3 of unit 0: 4 + 3 are right, not 5
    draws = posterior([0] * 5 + [1] * 3 + [0] * 4)
    assert expected_wrong(draws, np.array([0] * 8 + [1] * 4)) == 12 - 7


def test_sampled_spikes_stand_for_those_of_their_unit() -> None:
    labels = np.array([0] * 6 + [1] * 2 + [-1])
    assert stands_for(labels, np.array([0, 1, 6, 8])).tolist() == [3, 3, 2, 1]
    draws = posterior([0, 0, 0])
    assert expected_wrong(draws, labels[[0, 1, 6]], mass=np.array([3.0, 3, 2])) == 2


@pytest.mark.parametrize(("n_clusters", "n_units"), [(1, 3), (3, 1), (4, 6), (6, 4), (3, 9)])
def test_no_two_units_have_one_cluster_and_most_spikes_are_right(n_clusters: int, n_units: int) -> None:
    """Beside all ways to pair them, gone through one by one."""
    table = np.random.default_rng(0).integers(0, 30, (8, n_clusters, n_units)).astype(float)
    few, many = sorted((n_clusters, n_units))
    best = []
    for one in table:
        rows = one if n_clusters <= n_units else one.T
        best.append(max(sum(rows[k, p] for k, p in enumerate(way)) for way in permutations(range(many), few)))
    np.testing.assert_array_equal(most_right(table), best)
