"""Partitions: canonical labels, contingency, enumeration."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from ncpgui.core.partition import (
    all_partitions,
    by_size,
    canonical,
    cluster_sizes,
    contingency,
    counted_pairs,
    n_clusters,
    rows_of_clusters,
)


def test_canonical_labels_are_numbered_by_first_appearance_and_keep_unassigned_points():
    assert canonical([7, 7, 2, -1, 7, 0]).tolist() == [0, 0, 1, -1, 0, 2]
    assert canonical([[1, 0], [5, 5]]).tolist() == [[0, 1], [0, 0]]
    assert canonical([]).tolist() == []
    assert canonical([10**12, 3, 10**12, -1]).tolist() == [0, 1, 0, -1]
    assert canonical([-1, -1]).tolist() == [-1, -1]


def test_labels_by_size_begin_with_the_largest_cluster_and_know_what_each_was():
    labels, former = by_size(np.array([0, 2, 2, -1, 3, 3, 3, 0]))
    assert labels.tolist() == [1, 2, 2, -1, 0, 0, 0, 1]  # of two as large, the former order
    assert former.tolist() == [3, 0, 2, 1]  # nothing was in 1
    assert [one.tolist() for one in by_size(np.array([-1, -1]))] == [[-1, -1], []]


def test_canonical_labels_of_many_rows_are_those_of_each_row():
    rng = np.random.default_rng(0)
    many = rng.integers(-1, 9, size=(50, 30))
    for row, expected in zip(canonical(many), many, strict=True):
        seen = list(dict.fromkeys(expected[expected >= 0].tolist()))
        assert row.tolist() == [seen.index(v) if v >= 0 else -1 for v in expected]


def test_partitions_are_as_many_as_the_bell_numbers_and_all_different():
    for n, bell in [(1, 1), (2, 2), (3, 5), (4, 15), (5, 52), (6, 203)]:
        found = {tuple(p) for p in all_partitions(n)}
        assert len(found) == bell
        assert all(tuple(canonical(p)) == p for p in found)


def test_contingency_counts_pairs_of_labels_and_leaves_out_unassigned_points():
    table = contingency([0, 0, 1, 1, -1], [0, 1, 1, 1, 0])
    assert table.tolist() == [[1, 1], [0, 2]]
    assert cluster_sizes([0, 0, -1, 2]).tolist() == [2, 0, 1]
    assert n_clusters([-1, 3, 3, 0]) == 2


def test_contingency_of_no_points_and_of_none_assigned_is_empty():
    for labels in ([], [-1, -1]):
        assert contingency(labels, labels).shape == (0, 0)
    assert contingency([-1, -1], [0, 2]).shape == (0, 3)


@pytest.mark.parametrize("n_clusters", [3, 400, 2**15 + 5])
def test_rows_of_clusters_of_many_points_are_those_that_each_cluster_has(n_clusters: int) -> None:
    labels = np.random.default_rng(0).integers(-1, n_clusters, 100_003)
    labels[:5] = -1
    rows = rows_of_clusters(labels, n_clusters)
    assert len(rows) == n_clusters
    for cluster in (0, 1, n_clusters // 2, n_clusters - 1):
        assert rows[cluster].tolist() == np.flatnonzero(labels == cluster).tolist()
    assert sum(map(len, rows)) == np.count_nonzero(labels >= 0)


@pytest.mark.parametrize("n_labels", [4, 50_000])
def test_pairs_of_labels_are_counted_where_points_have_both(n_labels: int) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(-1, n_labels, 150_000), rng.integers(-1, 7, 150_000)
    found = {
        (one, other): n for one, other, n in zip(*(x.tolist() for x in counted_pairs(a, b)), strict=True)
    }
    literal = Counter(zip(a.tolist(), b.tolist(), strict=True))
    assert found == {pair: n for pair, n in literal.items() if min(pair) >= 0}
    assert list(found) == sorted(found)


def test_no_points_have_no_pairs() -> None:
    none = np.zeros(0, np.int64)
    assert [len(one) for one in counted_pairs(none, none)] == [0, 0, 0]
    assert [len(one) for one in counted_pairs(np.array([-1]), np.array([-1]))] == [0, 0, 0]


def test_rows_of_clusters_are_those_of_their_points_and_points_of_none_are_in_no_row() -> None:
    rows = rows_of_clusters(np.array([2, 0, -1, 2, 0, 2]), 4)
    assert [own.tolist() for own in rows] == [[1, 4], [], [0, 3, 5], []]
