"""Samples grouped into sortings, their masses and differences in words."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.alternatives import (
    _Overlap,
    group_alternatives,
    min_unit_size,
    same_sorting,
    same_sortings,
    sizeable_clusters,
)
from ncpgui.core.errors import InputError
from ncpgui.core.partition import canonical, contingency
from ncpgui.core.posterior import PosteriorSamples

THREE = np.repeat([0, 1, 2], 100)
TWO = np.repeat([0, 1, 1], 100)


def noisy(labels: np.ndarray, n_moved: int, seed: int) -> np.ndarray:
    result = labels.copy()
    result[np.random.default_rng(seed).choice(len(labels), n_moved, replace=False)] = 0
    return result


def test_near_duplicates_are_one_sorting_and_masses_are_shares_of_samples():
    rows = [noisy(THREE, 5, i) for i in range(30)] + [noisy(TWO, 5, i) for i in range(10)]
    modes = group_alternatives(PosteriorSamples(np.array(rows), np.zeros(40)))
    assert [mode.n_units for mode in modes] == [3, 2]
    assert [mode.mass for mode in modes] == pytest.approx([0.75, 0.25])
    assert modes[0].mass_se == pytest.approx(np.sqrt(0.75 * 0.25 / 40))


def test_a_cluster_of_a_few_spikes_does_not_make_another_sorting():
    few = THREE.copy()
    few[:4] = 3
    assert same_sorting(THREE, few)
    assert not same_sorting(THREE, TWO)


def test_a_cluster_cut_in_two_equal_parts_is_another_sorting():
    halves = THREE.copy()
    halves[:50] = 3
    assert not same_sorting(THREE, halves)
    modes = group_alternatives(PosteriorSamples(np.array([THREE, THREE, halves]), np.zeros(3)))
    assert [mode.n_units for mode in modes] == [3, 4]


def test_the_samples_of_a_sorting_are_the_same_sorting_and_those_of_others_are_not():
    rng = np.random.default_rng(0)
    rows = np.array([noisy(THREE if i % 2 else TWO, int(rng.integers(1, 40)), i) for i in range(20)])
    posterior = PosteriorSamples(rows, np.zeros(20))
    modes = group_alternatives(posterior)
    for mode in modes:
        leader, *others = posterior.labels[mode.members]
        assert all(same_sorting(leader, other) for other in others)
    assert not same_sorting(modes[0].labels, modes[1].labels)


def met(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether each sizeable cluster of `a` has more than half of its union with one of `b`."""
    table = contingency(a, b).astype(float)
    union = table.sum(1, keepdims=True) + table.sum(0, keepdims=True) - table
    jaccard = (table / np.maximum(union, 1)).max(axis=1, initial=0)
    return bool((jaccard[[k for k in sizeable_clusters(a) if k < len(jaccard)]] > 0.5).all())


def test_all_pairs_are_compared_as_each_is_alone_with_spikes_and_sortings_without_clusters():
    rng = np.random.default_rng(0)
    cuts = np.array([(rng.random(200) * rng.integers(1, 4)).astype(int) for _ in range(6)])
    cuts = np.concatenate([cuts, np.where(rng.random(cuts.shape) < 0.3, -1, cuts), np.full((2, 200), -1)])
    pairwise = [[met(a, b) and met(b, a) for b in cuts] for a in cuts]
    np.testing.assert_array_equal(same_sortings(cuts), pairwise)
    assert 14 < np.sum(pairwise) < 14 * 14


def test_the_representative_has_each_spike_where_most_samples_of_the_sorting_have_it():
    rows = np.array([noisy(THREE, 30, seed) for seed in range(9)])  # each spike moved in few of them
    (mode,) = group_alternatives(PosteriorSamples(rows, np.zeros(9)))
    assert (mode.labels == THREE).all()
    assert all((row != THREE).any() for row in rows)


def test_a_spike_on_which_samples_are_divided_stays_as_in_the_medoid():
    moved = THREE.copy()
    moved[0] = 1
    for rows in ([THREE, moved], [moved, THREE]):
        (mode,) = group_alternatives(PosteriorSamples(np.array(rows), np.zeros(2)))
        assert mode.labels.tolist() == canonical(rows[0]).tolist()


def test_the_medoid_is_the_sample_that_is_least_far_from_all_others_of_its_sorting():
    """Two that are alike and two that are noisy are divided on the first spike; it stays as in the former."""
    apart = [noisy(THREE, 40, seed) for seed in range(2)]
    for row in apart:
        row[0] = 1
    (mode,) = group_alternatives(PosteriorSamples(np.array([*apart, THREE, THREE]), np.zeros(4)))
    assert (mode.labels == THREE).all()


def test_a_sample_is_as_far_from_another_as_the_variation_of_information_says():
    """Halves that are crossed share nothing: 2 ln 2; one cluster lacks what halves say: ln 2."""
    labels = np.array([[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 0, 0]])
    ln2 = np.log(2)
    expected = [[0, 2, 0, 1], [2, 0, 2, 1], [0, 2, 0, 1], [1, 1, 1, 0]]
    assert _Overlap.of(labels, 0.5).variation == pytest.approx(ln2 * np.array(expected), abs=1e-6)


def test_sortings_of_no_weight_still_have_a_representative():
    posterior = PosteriorSamples(np.array([THREE, TWO, TWO]), np.zeros(3), np.array([1.0, 0, 0]))
    modes = group_alternatives(posterior)
    assert [mode.mass for mode in modes] == [1, 0]
    assert (modes[1].labels == TWO).all()


def test_at_most_the_asked_number_of_sortings_is_shown_and_the_rest_is_other():
    rows = [np.arange(40) % k for k in range(1, 6)]
    modes = group_alternatives(PosteriorSamples(np.array(rows), np.zeros(5)), max_shown=3)
    assert len(modes) == 3
    assert sum(mode.mass for mode in modes) == pytest.approx(3 / 5)


def test_one_spike_is_one_sorting_of_one_unit():
    (mode,) = group_alternatives(PosteriorSamples(np.zeros((5, 1), int), np.zeros(5)))
    assert (mode.mass, mode.n_units, mode.labels.tolist()) == (1.0, 1, [0])


def test_membership_is_the_share_of_samples_that_put_a_spike_with_a_cluster():
    posterior = PosteriorSamples(np.array([[0, 0, 1], [0, 1, 1]]), np.zeros(2), np.array([3.0, 1.0]))
    reference = np.array([0, 0, 1])
    np.testing.assert_allclose(posterior.membership(reference)[0], [1.0, 0.0])
    np.testing.assert_allclose(posterior.membership(reference)[2].sum(), 1.0)
    assert posterior.p_n_clusters() == {2: 1.0}


def test_posterior_samples_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="2 label vectors, 1 log probabilities"):
        PosteriorSamples(np.zeros((2, 3), int), np.zeros(1))
    with pytest.raises(InputError, match="non-negative and not all zero"):
        PosteriorSamples(np.zeros((1, 3), int), np.zeros(1), np.zeros(1))


@pytest.mark.parametrize(
    ("n_points", "least"),
    [(0, 2), (19, 2), (29, 2), (30, 3), (199, 19), (200, 20), (2000, 20), (2099, 20), (2100, 21), (5000, 50)],
)
def test_a_unit_needs_a_tenth_of_few_spikes_20_of_many_and_1_percent_of_very_many(
    n_points: int, least: int
) -> None:
    assert min_unit_size(n_points) == least


def test_sizeable_clusters_are_those_of_the_least_size_and_else_the_largest() -> None:
    assert sizeable_clusters([0] * 8 + [1, 1] + [2]).tolist() == [0, 1]
    assert sizeable_clusters([0, 1, 2]).tolist() == [0]
    assert sizeable_clusters([-1, -1]).tolist() == []
    assert sizeable_clusters([0, 1, 1] + [-1] * 40).tolist() == [1]


def test_an_overlap_of_one_half_is_not_the_same_sorting() -> None:
    whole, half = [0] * 8, [0] * 4 + [1] * 4
    assert not same_sorting(whole, half)
    assert same_sorting(whole, half, min_jaccard=0.49)
    assert same_sorting(whole, [0] * 5 + [-1] * 3)
    assert not same_sorting(whole, [0] * 4 + [-1] * 4, min_jaccard=1.0)
