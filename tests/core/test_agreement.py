"""Agreement of two partitions at the ends of its scale: nothing, one point, all alone, all together."""

from __future__ import annotations

import pytest

from ncpgui.core.agreement import adjusted_rand_index, best_jaccard


def test_partitions_of_nothing_agree() -> None:
    assert adjusted_rand_index([], []) == 1
    assert best_jaccard([], []).shape == (0,)
    assert best_jaccard([0, 0], [-1, -1]).tolist() == [0]


def test_one_point_agrees_with_itself_and_two_points_can_disagree() -> None:
    assert adjusted_rand_index([0], [0]) == 1
    assert adjusted_rand_index([0, 0], [0, 1]) == 0  # one pair, together in the one alone: as by chance
    assert adjusted_rand_index([0, 1], [0, 1]) == 1


def test_partitions_that_cross_agree_less_than_by_chance() -> None:
    # no pair is together in both; 2 pairs in each, 2 * 2 / 6 by chance: (0 - 2/3) / (2 - 2/3)
    assert adjusted_rand_index([0, 0, 1, 1], [0, 1, 0, 1]) == pytest.approx(-0.5)
    assert best_jaccard([0, 0, 1, 1], [0, 1, 0, 1]).tolist() == [pytest.approx(1 / 3)] * 2


def test_three_points_in_one_cluster_are_three_pairs() -> None:
    # together: 3 and 1, both 1, expected 3 * 1 / 6, largest 2: (1 - 0.5) / (2 - 0.5)
    assert adjusted_rand_index([0, 0, 0, 1], [0, 0, 1, 2]) == pytest.approx(1 / 3)


def test_the_best_partner_of_a_cluster_is_the_one_of_most_overlap() -> None:
    # {0..3} with {0, 1, 2}: 3 / 4, with {3, 4}: 1 / 5; {4} with {3, 4}: 1 / 2
    assert best_jaccard([0, 0, 0, 0, 1], [0, 0, 0, 1, 1]).tolist() == [0.75, 0.5]


def test_a_cluster_that_has_all_its_points_unassigned_elsewhere_has_no_partner() -> None:
    assert best_jaccard([0, 0, 1], [-1, -1, 0]).tolist() == [0, 1]
