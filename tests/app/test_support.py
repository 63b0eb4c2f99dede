"""Support of the posterior for units and sortings, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.app.support import existence, samples_of_sorting
from ncpgui.core.alternatives import same_sorting
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.seeds import stream


def test_a_cluster_exists_in_the_samples_that_have_half_of_it_in_common() -> None:
    samples = PosteriorSamples(
        np.array([[0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 0, 0], [0, 1, 2, 3, 4, 4]]),
        np.zeros(4),
    )
    # {0,1,2,3}: whole; 2 of 4; 4 of 6; no pair. {4,5}: whole; whole; 2 of 6; whole.
    assert existence(samples, np.array([0, 0, 0, 0, 1, 1])) == pytest.approx([3 / 4, 3 / 4])


def test_existence_counts_samples_by_their_weight_and_ignores_spikes_without_a_cluster() -> None:
    samples = PosteriorSamples(np.array([[0, 0, 1, 1], [0, 1, 2, 3]]), np.zeros(2), np.array([0.9, 0.1]))
    assert existence(samples, np.array([0, 0, -1, -1])) == pytest.approx([1.0])  # 2 of 2; then 1 of 2
    assert existence(samples, np.array([-1, -1, -1, -1])).tolist() == []


def test_the_share_of_a_sorting_is_the_weight_of_the_samples_that_are_the_same() -> None:
    samples = PosteriorSamples(
        np.array([[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1], [0] * 6, [0, 0, 1, 1, 2, 2]]),
        np.zeros(4),
        np.array([0.4, 0.3, 0.2, 0.1]),
    )
    # second: {0,1,2} is 3 of 4 and {3,4,5} 2 of 3; third: {4,5} has no partner; fourth: halves.
    assert samples.weight @ samples_of_sorting(samples, np.array([0, 0, 0, 0, 1, 1])) == pytest.approx(0.7)


def test_the_share_is_that_of_comparing_with_each_sample() -> None:
    rng = stream(0, "support")
    for n_points, n_clusters in ((12, 3), (300, 6), (2500, 4)):
        truth = rng.integers(0, n_clusters, n_points)
        rows = np.array([np.where(rng.random(n_points) < p, rng.integers(0, n_clusters, n_points), truth)
                         for p in np.linspace(0, 0.7, 25)])  # fmt: skip
        samples = PosteriorSamples(rows, np.zeros(25))
        reference = np.where(rng.random(n_points) < 0.1, -1, truth)
        expected = np.mean([same_sorting(reference, row) for row in samples.labels])
        assert 0 < expected < 1
        assert samples.weight @ samples_of_sorting(samples, reference) == pytest.approx(expected)


def test_no_sample_is_a_sorting_without_units() -> None:
    samples = PosteriorSamples(np.zeros((2, 4), int), np.zeros(2))
    assert samples.weight @ samples_of_sorting(samples, np.full(4, -1)) == 0
