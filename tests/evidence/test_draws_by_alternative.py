"""Masses of sortings when draws get other weights: Bayes' rule, checked by enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.alternatives import min_unit_size
from ncpgui.core.component import Alternative
from ncpgui.core.partition import all_partitions
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.seeds import stream
from ncpgui.evidence import draws_by_alternative
from ncpgui.evidence.draws_by_alternative import (
    OTHER,
    CountedPoints,
    alternative_of_draw,
    distinct,
    draws_of_sorting,
    masses_given,
    p_n_units,
    ranked,
    sizeable,
    tables,
)

TWO, ONE = [0] * 6 + [1] * 4, [0] * 10


def test_a_draw_is_the_sorting_that_it_equals_but_for_single_points() -> None:
    nearly = [0] * 6 + [1] * 3 + [0]
    third = [0] * 3 + [1] * 3 + [2] * 4
    posterior = PosteriorSamples(np.array([TWO, nearly, ONE, third]), np.zeros(4))
    assert alternative_of_draw(posterior, [np.array(ONE), np.array(TWO)]).tolist() == [1, 1, 0, OTHER]


def test_every_partition_is_itself() -> None:
    rows = np.array(list(all_partitions(5)))
    posterior = PosteriorSamples(rows, np.zeros(len(rows)))
    assert alternative_of_draw(posterior, list(rows)).tolist() == list(range(len(rows)))


def test_masses_follow_bayes_rule_and_what_is_left_over_too() -> None:
    # ways of 0.5 and 0.3, the rest 0.2; of their draws a half, all and none have what was decided
    way_of, before = np.array([0, 0, 1, OTHER]), np.array([0.25, 0.25, 0.3, 0.2])
    after = np.array([0.25, 0, 0.3, 0]) / 0.55
    assert masses_given(np.array([0.5, 0.3]), way_of, before, after) == pytest.approx(
        [0.25 / 0.55, 0.3 / 0.55]
    )


def test_masses_of_equal_weights_are_the_same() -> None:
    weight = np.full(4, 0.25)
    mass = np.array([0.51, 0.26])
    assert masses_given(mass, np.array([0, 0, 1, OTHER]), weight, weight) == pytest.approx(mass)


def is_sorting(samples: PosteriorSamples, reference: np.ndarray) -> np.ndarray:
    return alternative_of_draw(samples, [reference]) == 0


def test_the_share_of_a_sorting_is_the_weight_of_the_samples_that_are_the_same() -> None:
    samples = PosteriorSamples(
        np.array([[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1], [0] * 6, [0, 0, 1, 1, 2, 2]]),
        np.zeros(4),
        np.array([0.4, 0.3, 0.2, 0.1]),
    )
    # second: {0,1,2} is 3 of 4 and {3,4,5} 2 of 3; third: {4,5} has no partner; fourth: halves.
    assert samples.weight @ is_sorting(samples, np.array([0, 0, 0, 0, 1, 1])) == pytest.approx(0.7)


def test_unassigned_spikes_count_in_the_clusters_that_samples_have_them_in() -> None:
    samples = PosteriorSamples(np.array([[0] * 8, [0] * 4 + [1] * 4]), np.zeros(2))
    # {0,1,2,3}: 4 of 8 in the first; whole in the second, whose other cluster has no partner
    assert samples.weight @ is_sorting(samples, np.array([0, 0, 0, 0, -1, -1, -1, -1])) == 0.0
    assert samples.weight @ is_sorting(samples, np.array([0, 0, 0, 0, 0, -1, -1, -1])) == pytest.approx(
        0.5
    )  # 5 of 8


def _is_same(reference: np.ndarray, row: np.ndarray) -> bool:
    """As `same_sorting`, but unassigned spikes count: sets compared one by one."""
    least = min_unit_size(len(row))
    mine = [set(np.flatnonzero(reference == k)) for k in range(reference.max() + 1)]
    theirs = [set(np.flatnonzero(row == k)) for k in range(row.max() + 1)]
    pairs = ((mine, theirs), (theirs, mine))
    return all(
        max(len(a & b) / len(a | b) for b in others) > 0.5
        for sets, others in pairs
        for a in sets
        if len(a) >= least
    )


def test_the_share_is_that_of_comparing_with_each_sample() -> None:
    rng = stream(0, "support")
    for n_points, n_clusters in ((60, 3), (300, 6), (2500, 4)):
        truth = rng.integers(0, n_clusters, n_points)
        rows = np.array([np.where(rng.random(n_points) < p, rng.integers(0, n_clusters, n_points), truth)
                         for p in np.linspace(0, 0.7, 25)])  # fmt: skip
        samples = PosteriorSamples(rows, np.zeros(25))
        reference = np.where(rng.random(n_points) < 0.1, -1, truth)
        expected = np.mean([_is_same(reference, row) for row in samples.labels])
        assert 0 < expected < 1
        assert samples.weight @ is_sorting(samples, reference) == pytest.approx(expected)


def test_no_sample_is_a_sorting_without_units() -> None:
    samples = PosteriorSamples(np.zeros((2, 4), int), np.zeros(2))
    assert samples.weight @ is_sorting(samples, np.full(4, -1)) == 0


# -- by hand -------------------------------------------------------------------------------------------


def test_points_are_counted_by_draw_its_cluster_and_cluster_of_the_reference() -> None:
    rows, reference = np.array([[0, 0, 1, 1], [0, 1, 2, 0]]), np.array([0, 0, 1, -1])
    table, sizes = tables(rows, reference)
    assert table.tolist() == [[[2, 0], [0, 1], [0, 0]], [[1, 0], [1, 0], [0, 1]]]
    assert sizes.tolist() == [[2, 2, 0], [2, 1, 1]]
    table, sizes = tables(rows, reference, np.array([1.0, 2, 3, 4]), n_units=3)
    assert table[0].tolist() == [[3, 0, 0], [0, 3, 0], [0, 0, 0]]
    assert sizes[0].tolist() == [3, 7, 0]
    none, sizes = tables(rows, np.full(4, -1))
    assert (none.shape, sizes.tolist()) == ((2, 3, 0), [[2, 2, 0], [2, 1, 1]])


@pytest.mark.parametrize("n_points", [0, 1, 63, 64, 65, 200])
def test_points_are_counted_in_bits_as_one_by_one(n_points: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(n_points)
    rows, reference = rng.integers(0, 4, (6, n_points)).astype(np.uint8), rng.integers(-1, 3, n_points)
    for mass in (None, np.full(n_points, 2.5)):
        in_bits = tables(rows, reference, mass, n_units=4)
        with monkeypatch.context() as patched:
            patched.setattr(draws_by_alternative, "_FEW", 0)
            one_by_one = tables(rows, reference, mass, n_units=4)
        for one, other in zip(in_bits, one_by_one, strict=True):
            assert np.array_equal(one, other)


def test_draws_are_counted_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    rows, reference, mass = rng.integers(0, 3, (7, 5)), rng.integers(-1, 3, 5), rng.random(5)
    whole = tables(rows, reference, mass)
    for at_once in (1, 10, 12):
        monkeypatch.setattr(draws_by_alternative, "_AT_ONCE", at_once)
        for one, other in zip(tables(rows, reference, mass), whole, strict=True):
            assert np.array_equal(one, other)


def test_clusters_of_the_least_size_count_and_the_largest_where_none_has_it() -> None:
    sizes = np.array([[5, 4, 3], [3, 2, 3], [0, 0, 0]])
    assert sizeable(sizes, 4).tolist() == [[True, True, False], [True, False, False], [True, False, False]]
    assert sizeable(np.zeros((2, 0)), 4).shape == (2, 0)


def of(*rows: list[int]) -> PosteriorSamples:
    return PosteriorSamples(np.array(rows), np.zeros(len(rows)))


A, B = [0] * 10 + [1] * 10, [0] * 10 + [1] * 5 + [2] * 5


def test_a_draw_that_is_several_sortings_is_the_one_from_which_fewest_pairs_differ_or_the_first() -> None:
    near, far = [0] * 10 + [1] * 9 + [2], [0] * 9 + [1] * 11
    assert alternative_of_draw(of(A), [np.array(far), np.array(near)]).tolist() == [1]
    assert alternative_of_draw(of(A), [np.array(near), np.array(far)]).tolist() == [0]
    assert alternative_of_draw(of(A), [np.array(A), np.array(A)]).tolist() == [0]
    assert alternative_of_draw(of(A, B, [0] * 20), [np.array(B), np.array(A)]).tolist() == [1, 0, -1]


def test_clusters_below_the_least_number_of_spikes_make_no_other_sorting() -> None:
    small = [0] * 10 + [1] * 7 + [2] * 3
    assert alternative_of_draw(of(small), [np.array(A)]).tolist() == [-1]
    assert alternative_of_draw(of(small), [np.array(A)], min_spikes=4).tolist() == [0]
    assert alternative_of_draw(of(small), [np.array(A)], min_spikes=3).tolist() == [-1]


def test_a_draw_without_a_cluster_of_the_least_size_is_the_sorting_without_units() -> None:
    alone = list(range(20))
    none = np.full(20, -1)
    assert alternative_of_draw(of(alone, A), [none, np.array(A)]).tolist() == [0, 1]
    assert alternative_of_draw(of(alone, A), [np.array(A), none], min_spikes=5).tolist() == [1, 0]
    assert alternative_of_draw(of(alone, A), [np.array(A)]).tolist() == [-1, 0]


def test_draws_of_a_sorting_made_by_hand_are_those_of_no_card() -> None:
    ways = [np.array(A), np.array([0] * 20)]
    assert draws_of_sorting(of(A, B, B), np.array(B), ways).tolist() == [False, True, True]
    assert draws_of_sorting(of(A, B, A), np.array(A), ways).tolist() == [True, False, True]
    assert draws_of_sorting(of(A, [0] * 20), np.array(B), ways).tolist() == [False, False]


def way(labels: list[int], mass: float) -> Alternative:
    n_units = max(labels) + 1
    return Alternative(
        np.array(labels, np.int32), np.ones(len(labels), np.float32), mass, 0.0, np.ones(n_units, np.float32)
    )


def test_the_probability_of_a_number_of_units_is_that_of_all_sortings_with_it_and_the_rest_comes_last() -> (
    None
):
    found = p_n_units([way(B, 0.25), way(A, 0.5), way(B, 0.125)])
    assert list(found.items()) == [(2, 0.5), (3, 0.375), (-1, 0.125)]
    assert p_n_units([way(A, 0.5), way(B, 0.5 - 5e-7)]) == {2: 0.5, 3: 0.5 - 5e-7}


def test_sortings_that_are_the_same_are_shown_once_and_by_their_mass() -> None:
    ways = [way(A, 0.1), way(B, 0.2), way([1] * 10 + [0] * 10, 0.3)]
    assert distinct(ways, np.arange(20)) == (ways[0], ways[1])
    first, second = ranked(ways, of(A, B, B, [0] * 20), np.arange(20))
    assert (first.n_units, first.mass, second.mass) == (3, 0.5, 0.25)


def test_masses_follow_what_their_draws_gained_and_those_without_draws_follow_all() -> None:
    mass = np.array([0.5, 0.2, 0.1])
    before, after = np.array([0.5, 0.3, 0.2]), np.array([0.25, 0.6, 0.15])
    # the first has the first draw, the second none; the third the second; the rest is the last
    found = masses_given(mass, np.array([0, 2, -1]), before, after)
    weighed = np.array([0.5 * 0.5, 0.2 * 1, 0.1 * 2, 0.2 * 0.75])
    assert found == pytest.approx(weighed[:3] / weighed.sum())
    nothing = masses_given(np.array([1.0]), np.array([0, -1]), np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    assert nothing.tolist() == [0]


def test_points_counted_once_for_several_sortings_give_the_table_of_each() -> None:
    rng = np.random.default_rng(0)
    rows, mass = rng.integers(0, 4, (7, 50)).astype(np.uint8), rng.choice([0.5, 1.0, 3.0], 50)
    references = [rng.integers(-1, n, 50).astype(np.int32) for n in (3, 1, 5)] + [np.full(50, -1)]
    counted = CountedPoints(rows, references, mass)
    for reference in references:
        table, sizes = tables(rows, reference)
        assert np.array_equal(counted.table(reference), table)
        assert np.array_equal(counted.sizes, sizes)
        assert np.allclose(counted.table(reference, weighed=True), tables(rows, reference, mass)[0])


def test_draws_of_no_sortings_are_none_of_them() -> None:
    assert alternative_of_draw(of(A, B), []).tolist() == [OTHER, OTHER]


def test_draws_of_one_cluster_have_a_table_of_one() -> None:
    table, sizes = tables(np.zeros((1, 3), int), np.array([0, 0, 1]))
    assert (table.tolist(), sizes.tolist()) == ([[[2, 1]]], [[3]])
    table, sizes = tables(np.zeros((2, 0), int), np.zeros(0, int))
    assert (table.shape, sizes.shape) == ((2, 1, 0), (2, 1))
