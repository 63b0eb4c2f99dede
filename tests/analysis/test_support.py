"""Which samples are the sorting that there is now, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.analysis.support import samples_of_sorting
from ncpgui.core.alternatives import min_unit_size
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.seeds import stream


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
