"""Support of the posterior for units and sortings, counted by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ncpgui.analysis.support import (
    ComponentSupport,
    component_support,
    joined_by_hand,
    over_components,
    samples_of_sorting,
)
from ncpgui.core.alternatives import min_unit_size, same_sorting, sizeable_clusters
from ncpgui.core.component import Component
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.seeds import stream

nan = float("nan")


def group_of(rows: list[list[int]], weight: list[float] | None = None) -> Component:
    """A component all of whose spikes are sampled."""
    samples = PosteriorSamples(
        np.array(rows), np.zeros(len(rows)), None if weight is None else np.array(weight)
    )
    ids = np.arange(samples.n_points)
    return Component(0, np.array([0]), ids, ids, samples, ())


def support(rows: list[list[int]], labels: list[int], weight: list[float] | None = None) -> ComponentSupport:
    component = group_of(rows, weight)
    return component_support(component, np.array(labels), np.ones(len(labels)))


APART, TOGETHER = [0, 0, 0, 0, 1, 1, 1], [0] * 7


def test_a_unit_does_not_exist_in_samples_that_split_it() -> None:
    # Jaccard 4/7 with the larger part is more than half, but the smaller part is a unit of its own there.
    assert support([TOGETHER, APART], TOGETHER, [0.7, 0.3]).p_exists == pytest.approx([0.7])


def test_a_unit_does_not_exist_in_samples_that_merge_it_with_another_one() -> None:
    assert support([TOGETHER, APART], APART, [0.7, 0.3]).p_exists == pytest.approx([0.3, 0.3])


def test_a_unit_exists_where_only_single_spikes_differ() -> None:
    moved = [0, 0, 0, 1, 1, 1, 1]
    assert support([APART, moved], APART, [0.5, 0.5]).p_exists == pytest.approx([1.0, 1.0])
    assert support([APART, [0, 0, 0, 2, 1, 1, 1]], APART).p_exists == pytest.approx([1.0, 1.0])


def test_units_beside_a_split_are_not_concerned() -> None:
    rows = [[0, 0, 0, 0, 1, 1], [0, 0, 2, 2, 1, 1]]
    assert support(rows, [0, 0, 0, 0, 1, 1], [0.6, 0.4]).p_exists == pytest.approx([0.6, 1.0])


def test_clusters_that_the_sorting_dropped_do_not_split_a_unit() -> None:
    rows, labels = [[0] * 8 + [1] * 3], np.zeros(11, dtype=int)
    assert component_support(group_of(rows), labels, np.ones(11)).p_exists.tolist() == [0.0]
    assert component_support(group_of(rows), labels, np.ones(11), min_spikes=4).p_exists.tolist() == [1.0]


def test_no_card_says_less_of_a_unit_than_its_existence() -> None:
    """The share of samples that are the same sorting is at most P(exists) of each sizeable unit."""
    rng = stream(0, "support")
    n_less = 0
    for _ in range(60):
        truth = rng.integers(0, rng.integers(1, 6), 80)
        rows = []
        for _ in range(20):
            noisy = np.where(rng.random(80) < rng.uniform(0, 0.4), rng.integers(0, 5, 80), truth)
            rows.append(np.where(noisy == rng.integers(0, 5), rng.integers(0, 5), noisy).tolist())
        found = support(rows, truth.tolist())
        same = np.mean([same_sorting(truth, np.array(row)) for row in rows])
        existing = found.p_exists[sizeable_clusters(truth)]
        assert (existing >= same - 1e-12).all()
        n_less += int((existing > same + 1e-12).any() and same > 0)
    assert n_less > 5


def test_the_probability_of_a_spike_counts_merges_and_splits_by_their_size() -> None:
    # together: overlap 7/7; apart: 4/7 for the four, 3/7 for the three
    found = support([TOGETHER, APART], TOGETHER, [0.7, 0.3])
    four, three = 0.7 + 0.3 * 4 / 7, 0.7 + 0.3 * 3 / 7
    assert found.probability == pytest.approx([four] * 4 + [three] * 3)
    entropy = [-(p * np.log(p) + (1 - p) * np.log(1 - p)) for p in (four, three)]
    assert found.entropy == pytest.approx([entropy[0]] * 4 + [entropy[1]] * 3, abs=1e-6)
    # as two units: 4/4 apart, 4/7 together; the same cluster overlaps the other unit by 3/7
    found = support([TOGETHER, APART], APART, [0.7, 0.3])
    assert found.probability == pytest.approx([0.3 + 0.7 * 4 / 7] * 4 + [0.3 + 0.7 * 3 / 7] * 3)
    assert found.entropy[0] == pytest.approx(-(0.7 * np.log(0.7) + 0.3 * np.log(0.3)), abs=1e-6)


def test_a_certain_sorting_has_no_doubtful_spike() -> None:
    found = support([APART] * 5, APART)
    assert found.probability.tolist() == [1.0] * 7
    assert found.entropy == pytest.approx([0.0] * 7, abs=1e-6)
    assert found.p_exists == pytest.approx([1.0, 1.0])


def test_a_spike_that_was_not_sampled_has_the_mean_of_its_unit_times_that_of_its_assignment() -> None:
    component = replace(group_of([TOGETHER, APART], [0.7, 0.3]), spike_ids=np.arange(9))
    labels, assigned = np.array([*TOGETHER, 0, -1]), np.array([nan] * 7 + [0.5, 0.0])
    found = component_support(component, labels, np.nan_to_num(assigned))
    mean = 0.7 + 0.3 * (16 + 9) / 49
    assert found.probability[7:].tolist() == pytest.approx([0.5 * mean, 0.0])


def test_a_unit_without_sampled_spikes_is_unknown() -> None:
    component = replace(group_of([[0, 0, 0]]), spike_ids=np.arange(5))
    found = component_support(component, np.array([0, 0, 0, 1, 1]), np.ones(5))
    assert np.isnan(found.p_exists).tolist() == [False, True]
    assert np.isnan(found.probability).tolist() == [False] * 3 + [True] * 2
    assert np.isnan(found.entropy).tolist() == [False] * 3 + [True] * 2


def test_a_group_without_units_has_no_support() -> None:
    found = support([[0, 0, 0]], [-1, -1, -1])
    assert found.p_exists.tolist() == []
    assert found.probability.tolist() == [0.0, 0.0, 0.0]


# -- the same sorting ---------------------------------------------------------------------------


def test_the_share_of_a_sorting_is_the_weight_of_the_samples_that_are_the_same() -> None:
    samples = PosteriorSamples(
        np.array([[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1], [0] * 6, [0, 0, 1, 1, 2, 2]]),
        np.zeros(4),
        np.array([0.4, 0.3, 0.2, 0.1]),
    )
    # second: {0,1,2} is 3 of 4 and {3,4,5} 2 of 3; third: {4,5} has no partner; fourth: halves.
    assert samples.weight @ samples_of_sorting(samples, np.array([0, 0, 0, 0, 1, 1])) == pytest.approx(0.7)


def test_unassigned_spikes_count_in_the_clusters_that_samples_have_them_in() -> None:
    samples = PosteriorSamples(np.array([[0] * 8, [0] * 4 + [1] * 4]), np.zeros(2))
    # {0,1,2,3}: 4 of 8 in the first; whole in the second, whose other cluster has no partner
    assert samples.weight @ samples_of_sorting(samples, np.array([0, 0, 0, 0, -1, -1, -1, -1])) == 0.0
    assert samples.weight @ samples_of_sorting(
        samples, np.array([0, 0, 0, 0, 0, -1, -1, -1])
    ) == pytest.approx(0.5)  # 5 of 8


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
        assert samples.weight @ samples_of_sorting(samples, reference) == pytest.approx(expected)


def test_no_sample_is_a_sorting_without_units() -> None:
    samples = PosteriorSamples(np.zeros((2, 4), int), np.zeros(2))
    assert samples.weight @ samples_of_sorting(samples, np.full(4, -1)) == 0


# -- units of several components ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("channels", "initial", "by_hand"),
    [
        ([3, 3, 3], [1, 2, -1], False),  # one channel: its posterior tells
        ([3, 3, 4, 4], [1, 1, 1, 1], False),  # the sorting joined them
        ([3, 3, 4, 4], [1, 1, 2, 2], True),
        ([3, 3, 4, 4], [1, 2, 2, 2], False),  # 2 was on both already, so channel 3 tells of 1 and 2
        ([3, 4, 4, 5, 5], [1, 1, 2, 2, 2], False),  # a chain
        ([3, 4, 4, 5, 5], [1, 1, 2, 6, 6], True),
        ([3, 3, 4], [-1, -1, -1], True),
    ],
)
def test_units_of_two_channels_are_unknown_unless_the_sorting_joined_them(
    channels: list[int], initial: list[int], by_hand: bool
) -> None:
    assert joined_by_hand(np.array(channels), np.array(initial)) == by_hand


def test_a_unit_of_several_groups_exists_as_far_as_it_does_in_each_where_it_is_sizeable() -> None:
    assert over_components([(0.9, 500, 20), (0.6, 30, 20), (0.1, 4, 20)]) == 0.6
    assert over_components([(0.1, 4, 20)]) == 0.1
    assert np.isnan(over_components([(nan, 0, 20), (0.6, 30, 20)]))
    assert np.isnan(over_components([]))
