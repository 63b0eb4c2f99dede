"""Masses of sortings when draws get other weights: Bayes' rule, checked by enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.alternatives import min_unit_size
from ncpgui.core.partition import all_partitions
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.seeds import stream
from ncpgui.evidence.draws_by_alternative import OTHER, alternative_of_draw, masses_given

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
