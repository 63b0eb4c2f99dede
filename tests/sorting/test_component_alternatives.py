"""From draws over sampled spikes to alternatives over all spikes."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.sorting.component_alternatives import (
    Small,
    _by_both,
    _hold,
    _voice,
    build_alternatives,
    exists_probability,
    first_clusters,
    membership_probability,
)
from ncpgui.sorting.config import SortingConfig

CONFIG = SortingConfig(min_cluster_spikes=20)


def _posterior(*draws: np.ndarray) -> PosteriorSamples:
    return PosteriorSamples(np.stack(draws), np.zeros(len(draws)))


def _points(labels: np.ndarray, gap: float = 12.0) -> np.ndarray:
    rng = np.random.default_rng(0)
    where = np.stack([labels * gap, np.zeros(len(labels))], axis=1)
    return (where + rng.standard_normal((len(labels), 2))).astype(np.float32)


def test_probability_counts_draws_that_move_a_spike_not_those_that_merge_or_split_its_unit() -> None:
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    merged = np.zeros(8, dtype=int)
    moved = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    split = np.array([0, 0, 2, 2, 1, 1, 1, 1])
    posterior = _posterior(labels, merged, moved, split)
    assert membership_probability(posterior, labels).tolist() == [1, 1, 1, 0.75, 1, 1, 1, 1]
    unassigned = np.where(np.arange(8) == 0, -1, labels)
    assert membership_probability(posterior, unassigned)[0] == 0


def test_a_unit_exists_in_the_draws_that_have_a_partner_for_it() -> None:
    labels = np.array([0] * 6 + [1] * 2)
    merged = np.zeros(8, dtype=int)  # Jaccard 6/8 with the large one, 2/8 with the small one
    assert exists_probability(_posterior(labels, merged), labels).tolist() == [1.0, 0.5]


def test_two_ways_to_sort_have_their_masses_and_cover_all_spikes() -> None:
    truth = np.repeat([0, 1, 2], [100, 100, 60])
    sampled = np.arange(0, 260, 2)
    two = np.where(truth == 2, 1, truth)[sampled]
    posterior = _posterior(*[truth[sampled]] * 3, two)
    shown = build_alternatives(posterior, sampled, _points(truth), CONFIG)
    assert [alternative.n_units for alternative in shown] == [3, 2]
    assert [alternative.mass for alternative in shown] == [0.75, 0.25]
    assert shown[0].labels.tolist() == truth.tolist()
    assert shown[1].labels.tolist() == np.array([1, 0, 0])[truth].tolist()
    # The 160 merged spikes are a partner (Jaccard 0.625) of the 100, not (0.375) of the 60.
    assert shown[0].p_exists.tolist() == [1.0, 1.0, 0.75]
    assert shown[0].probability[sampled].min() == 1.0


def test_the_consensus_undoes_the_scatter_of_single_draws() -> None:
    truth = np.repeat([0, 1], 100)
    rng = np.random.default_rng(3)
    draws = []
    for _ in range(40):
        draw = truth.copy()
        astray = rng.choice(200, 10, replace=False)
        draw[astray] = 1 - draw[astray]
        draws.append(draw)
    shown = build_alternatives(_posterior(*draws), np.arange(200), _points(truth), CONFIG)
    assert len(shown) == 1
    assert shown[0].labels.tolist() == truth.tolist()
    assert 0.9 < shown[0].probability.mean() < 0.99


def test_small_clusters_are_dropped_and_their_spikes_are_where_their_company_is() -> None:
    truth = np.repeat([0, 1], [100, 5])
    points = _points(truth, gap=40.0)
    company = np.where(np.arange(105) <= 100, 0, -1)
    (shown,) = build_alternatives(_posterior(truth), np.arange(105), points, CONFIG, company=company)
    assert shown.n_units == 1
    assert shown.labels[100:].tolist() == [0, -1, -1, -1, -1]
    assert shown.probability[101:].tolist() == [0, 0, 0, 0]


def test_a_small_cluster_that_is_most_of_a_unit_of_matching_is_a_unit() -> None:
    """A neuron that fired twelve times, alone or beside another; half of one is none."""
    for n_others in (0, 100):
        truth = np.repeat([0, 1], [n_others, 12])
        how = {"sampled": np.arange(len(truth)), "features": _points(truth, gap=40.0), "config": CONFIG}
        (shown,) = build_alternatives(_posterior(truth), company=truth, **how)
        assert shown.n_units == len(set(truth.tolist()))
        assert len(set(shown.labels[n_others:].tolist())) == 1
    halves = np.where(np.arange(112) < 106, truth, 2)
    (shown,) = build_alternatives(_posterior(halves), company=truth, **how)
    assert shown.n_units == 1


def test_spikes_that_were_not_sampled_follow_their_company_unless_the_draws_split_it() -> None:
    """Halves of unit 0 are two clusters, those of unit 1 are one: a spike of it never leaves."""
    cloud = np.repeat([0, 1, 2], 100)
    company = np.repeat([0, 0, 1], 100)
    sampled = np.arange(0, 300, 2)
    points = _points(cloud)
    points[[1, 201, 203]] = [[12, 0], [0, 0], [12, 0]]
    (shown,) = build_alternatives(_posterior(cloud[sampled]), sampled, points, CONFIG, company=company)
    assert shown.labels[[0, 1, 101, 201, 203]].tolist() == [2, 0, 0, 1, 1]
    assert (shown.labels[200:] == 1).all()


@pytest.mark.parametrize("n", [1, 2, 19])
def test_groups_of_few_spikes_have_no_unit_and_do_not_fail(n: int) -> None:
    labels = np.zeros(n, dtype=int)
    (shown,) = build_alternatives(_posterior(labels), np.arange(n), _points(labels), CONFIG)
    assert shown.n_units == 0
    assert shown.labels.tolist() == [-1] * n
    assert shown.mass == 1.0


def test_sortings_that_are_the_same_once_small_clusters_are_gone_are_one() -> None:
    one = np.zeros(100, dtype=int)
    with_small = np.where(np.arange(100) < 15, 1, 0)
    shown = build_alternatives(_posterior(one, one, one, with_small), np.arange(100), _points(one), CONFIG)
    assert [alternative.mass for alternative in shown] == [1.0]


def test_held_spikes_stay_together_and_surely_there() -> None:
    truth = np.repeat([0, 1], [100, 60])
    sampled = np.arange(0, 160, 2)
    held = np.full(160, -1)
    held[60:120] = 5  # 40 spikes of the first and 20 of the second cloud
    draw = np.where(held[sampled] == 5, 2, truth[sampled])
    (shown,) = build_alternatives(_posterior(draw), sampled, _points(truth), CONFIG, held=held)
    of_held = set(shown.labels[60:120].tolist())
    assert len(of_held) == 1
    assert shown.probability[60:120].min() == 1


@pytest.mark.parametrize("number", [0, 5])
def test_held_spikes_that_draws_doubt_are_surely_where_they_are_held(number: int) -> None:
    """A draw of four has spikes 50 to 59 in the other unit; the first five of them are held."""
    labels = np.repeat([0, 1], 60)
    moved = np.where(np.arange(120) < 50, 0, 1)
    held = np.full(120, -1)
    held[50:55] = number
    draws = _posterior(labels, labels, labels, moved)
    shown = build_alternatives(draws, np.arange(120), _points(labels), CONFIG, held=held)[0]
    assert shown.probability[50:60].tolist() == [1] * 5 + [0.75] * 5


def test_a_held_unit_without_sampled_spikes_is_kept() -> None:
    labels = np.zeros(60, dtype=int)
    held = np.full(60, -1)
    held[[1, 3]] = 0
    (shown,) = build_alternatives(
        _posterior(labels[::2]), np.arange(0, 60, 2), _points(labels), CONFIG, held=held
    )
    assert shown.labels[[1, 3]].tolist() == [1, 1]
    assert shown.p_exists.tolist() == [1.0, 1.0]


def test_a_cluster_hardly_over_the_threshold_proposes_nothing() -> None:
    labels = np.repeat([0, 1], [100, 40])
    rng = np.random.default_rng(1)
    # Gaussian noise exceeds a threshold of 5 by 0.2 on average, a neuron of 5 sd by 0.8.
    depth = 5 + np.concatenate([np.abs(rng.standard_normal(100)), rng.exponential(0.2, 40)])
    found = first_clusters(_posterior(labels), SortingConfig(threshold_sd=5.0), depth_sd=depth)
    assert found.tolist() == [0] * 100 + [-1] * 40


def test_no_unit_at_all_is_an_alternative_only_where_it_is_the_most_probable() -> None:
    one, two = np.zeros(24, dtype=int), np.repeat([0, 1], 12)
    for draws, expected in (((one, one, two), [(1, 2 / 3)]), ((one, two, two), [(0, 2 / 3), (1, 1 / 3)])):
        shown = build_alternatives(_posterior(*draws), np.arange(24), _points(one), CONFIG)
        assert [(a.n_units, pytest.approx(a.mass)) for a in shown] == expected


@pytest.mark.parametrize(("held", "expected"), [(-1, [1, 0, 0, 0, 1, 1]), (0, [0, 0, 0, 0, 1, 1])])
def test_matching_moves_spikes_of_every_cluster_but_none_that_is_held(held: int, expected: list[int]) -> None:
    """Odds of 9 to 1 against draws of 3 to 2, for one spike of each cluster."""
    core = np.array([0, 0, 0, 1, 1, 1])
    by_draws = np.where(core[:, None] == [0, 1], 0.6, 0.4)
    odds = np.ones((6, 2))
    odds[0], odds[3] = [1, 9], [9, 1]
    small = Small(1, np.array([held, -1, -1, -1, -1, -1]), np.full(6, -1))
    assert _by_both(core, by_draws, odds, small).tolist() == expected


def test_a_cluster_that_is_half_of_a_unit_is_a_partner_of_it_and_less_is_not() -> None:
    labels = np.zeros(10, int)
    half, less = np.repeat([0, 1], 5), np.repeat([0, 1, 2], [4, 3, 3])
    assert exists_probability(_posterior(half, less), labels).tolist() == [0.5]
    assert exists_probability(_posterior(half), np.full(10, -1)).tolist() == []


def test_clusters_and_units_stand_for_each_other_where_either_is_the_largest_part_of_the_other() -> None:
    """Either is the other's largest: a cluster of one half stands for the unit it was cut from."""
    assert membership_probability(_posterior(np.array([0, 0, 1, 1])), np.zeros(4, int)).tolist() == [1] * 4
    crossed = _posterior(np.array([0, 0, 0, 1, 1, 1]))
    assert membership_probability(crossed, np.array([0, 0, 1, 1, 1, 1])).tolist() == [1, 1, 0, 1, 1, 1]


def test_clusters_of_the_least_number_of_spikes_or_of_more_than_half_of_a_unit_are_not_small() -> None:
    free = np.full(12, -1)
    labels = np.repeat([0, 1, 2], [6, 4, 2])
    assert Small(4, free, free).dropped(labels).tolist() == [0] * 6 + [1] * 4 + [-1] * 2
    assert Small(5, free, free).dropped(labels).tolist() == [0] * 6 + [-1] * 6
    units = np.repeat([0, 1, 2], [6, 3, 3])
    assert Small(99, free, units).dropped(labels).tolist() == [0] * 6 + [1] * 4 + [2] * 2
    half = np.repeat([0, 1], [8, 4])  # the last cluster has two of its four
    assert Small(99, free, half).dropped(labels).tolist() == [0] * 6 + [-1] * 6
    held = np.where(np.arange(12) == 11, 0, -1)
    assert Small(99, held, free).dropped(labels).tolist() == [-1] * 10 + [0] * 2


def of_counts(counts: list[int]) -> PosteriorSamples:
    """Draws of 24 points with 2, 3, 4 ... clusters as equal as can be, so many of each."""
    ways = [np.arange(24) * k // 24 for k in range(1, len(counts) + 1)]
    return _posterior(*[way for way, n in zip(ways, counts, strict=True) for _ in range(n)])


def test_sortings_of_a_hundredth_of_the_draws_are_shown_and_rarer_ones_are_not() -> None:
    features = np.zeros((24, 1), np.float32)
    config = SortingConfig(min_cluster_spikes=1)

    def shown(counts: list[int]) -> list[int]:
        return [one.n_units for one in build_alternatives(of_counts(counts), np.arange(24), features, config)]

    assert shown([98, 1, 0, 1]) == [1, 2, 4]
    assert shown([200, 1, 0, 1]) == [1]


def test_noise_exceeds_the_threshold_by_less_than_two_over_it() -> None:
    """At 4 sd a cluster must be deeper than 4.5 in the mean."""
    labels = np.repeat([0, 1], 20)
    config = SortingConfig(min_cluster_spikes=5, threshold_sd=4.0)
    for depth, expected in ((4.5, [0, 1]), (4.4, [0, -1])):
        found = first_clusters(_posterior(labels), config, depth_sd=np.repeat([9.0, depth], 20))
        assert found[[0, 20]].tolist() == expected


def voice(company: list[int], core: list[int], sure: list[float] | None = None) -> list[list[float]]:
    """What matching says of spikes of which the first ones were sampled; clusters weigh 3 to 1."""
    given = None if sure is None else np.array(sure)
    sampled, weight = np.arange(len(core)), np.array([0.75, 0.25])
    return _voice(np.array(company), given, sampled, np.array(core), weight).tolist()


def test_a_unit_of_which_one_spike_was_sampled_speaks_for_its_cluster_and_one_of_none_does_not() -> None:
    assert voice([0, 0, 1], [1]) == [[0, 1], [0, 1], [0.75, 0.25]]


def test_a_unit_speaks_for_its_clusters_in_proportion_as_surely_as_a_spike_is_of_it() -> None:
    """Three of its four sampled spikes are in the first cluster; those of no cluster count as spikes."""
    assert voice([0] * 4, [0, 0, 0, 1])[0] == [0.75, 0.25]
    assert voice([0] * 4, [0, 0, 1, -1])[0] == [0.5, 0.25]
    # half of the unit and all of the cluster: that is no counterpart; one more is
    two = voice([0, 0, 1, 1], [0, 0, 1, 1], sure=[1.0, 0.6, 1.0, 1.0])
    assert two[0] == [1, 0]
    assert two[1] == pytest.approx([0.6 + 0.4 * 0.75, 0])


def test_a_unit_speaks_for_no_cluster_that_has_less_than_a_fiftieth_of_it() -> None:
    assert voice([0] * 50, [1] + [0] * 49)[0] == [0.98, 0.02]
    assert voice([0] * 51, [1] + [0] * 50)[0] == [50 / 51, 0]


def test_held_spikes_go_where_most_of_them_that_were_sampled_are_and_each_group_for_itself() -> None:
    labels, sampled = np.array([0, 0, 1, 1, 0, -1, 0, -1]), np.array([0, 1, 2, 3, 6])
    held = np.array([3, 3, 3, -1, 3, 8, 9, 9])
    core = np.array([1, 1, 0, 1, -1])  # the spike that is sampled with label 9 is in no cluster
    assert _hold(labels, held, core, sampled).tolist() == [1, 1, 1, 1, 1, 2, 3, 3]
