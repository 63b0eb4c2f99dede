"""The order of clusters in a chain, and what is free before each."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import pytest
import torch

from ncpgui.engine.networks.chains import Chains, Free, size_biased

PADDED = torch.tensor([[0, 0, 1, 0, 2, 1], [0, 1, 0, 0, -1, -1], [0, 0, 0, 0, 0, -1]])


def keys_like(labels, seed=2):
    return torch.rand(labels.shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_the_order_of_first_appearance_in_a_random_permutation_is_size_biased():
    """Clusters of 3, 2 and 1 points: the order (a, b, c) has probability n_a/6 * n_b/(6 - n_a)."""
    n_draws = 60_000
    labels = torch.tensor([0, 1, 0, 2, 1, 0]).expand(n_draws, -1)
    ordered = size_biased(labels, keys_like(labels))
    first_of_each = ordered[:, [0, 1, 3]]  # place of each cluster in its chain
    found = Counter(map(tuple, first_of_each.tolist()))
    sizes = (3, 2, 1)
    for places in itertools.permutations(range(3)):
        order = sorted(range(3), key=places.__getitem__)
        expected = sizes[order[0]] / 6 * sizes[order[1]] / (6 - sizes[order[0]])
        assert found[places] / n_draws == pytest.approx(expected, abs=4 * math.sqrt(expected / n_draws))


def test_numbering_by_keys_is_the_order_of_first_appearance_when_points_are_sorted_by_them():
    labels, keys = PADDED[:1], torch.tensor([[0.9, 0.3, 0.5, 0.8, 0.1, 0.7]])
    assert size_biased(labels, keys).tolist() == [[1, 1, 2, 1, 0, 2]]  # visited: 4, 1, 2, 5, 3, 0


def test_rows_are_the_clusters_that_had_a_choice_and_their_free_points():
    """The one point left for the last cluster has no choice; padding is in no row."""
    chains = Chains.of(PADDED, keys_like(PADDED))
    rows = list(zip(chains.chain.tolist(), chains.k.tolist(), strict=True))
    assert rows == [(0, 0), (0, 1), (1, 0), (2, 0)]  # (0, 2) and (1, 1) have one free point
    assert chains.free.count.tolist() == [6, 3, 4, 5]
    assert chains.free.point[chains.free.row == 1].tolist() == [2, 4, 5]
    assert chains.member[chains.free.row == 1].tolist() == [True, False, True]


def test_first_points_run_through_the_cluster_and_each_draw_is_uniform():
    labels = torch.tensor([0, 1, 0, 1, 0]).expand(6000, -1)
    chains = Chains.of(labels, keys_like(labels))
    first = chains.first_points(3)[chains.k == 0]
    assert (first.sort(1).values == torch.tensor([0, 2, 4])).all()
    for draw in first.T:
        assert torch.bincount(draw, minlength=5)[[0, 2, 4]].tolist() == pytest.approx([2000] * 3, abs=150)


def test_parts_of_the_rows_hold_their_own_free_points():
    chains = Chains.of(PADDED, keys_like(PADDED))
    parts = list(chains.parts(3))
    assert [len(part.chain) for part in parts] == [3, 1]
    assert torch.cat([part.free.point for part in parts]).tolist() == chains.free.point.tolist()
    assert torch.cat([part.member for part in parts]).tolist() == chains.member.tolist()
    assert parts[1].free.row.tolist() == [0, 0, 0, 0, 0]
    assert parts[1].first_points(2).tolist() == chains.first_points(2)[3:].tolist()


def test_a_free_point_is_drawn_by_its_place_among_the_free_ones():
    free = Free.of(
        torch.tensor([[True, False, True, True], [False, True, False, False]]), torch.zeros(2).long()
    )
    for uniform, expected in ((0.0, 0), (0.34, 2), (0.99, 3)):
        assert free.draw(torch.tensor([uniform, uniform])).tolist() == [expected, 1]


def test_sums_of_exponentials_of_rows_do_not_overflow():
    free = Free.of(torch.tensor([[True, True], [True, False]]), torch.zeros(2).long())
    values = torch.tensor([[800.0], [800.0], [-900.0]])
    assert free.logsumexp(values)[:, 0].tolist() == pytest.approx([800 + math.log(2), -900.0])
