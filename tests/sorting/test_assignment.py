"""Spikes that were not sampled go where the mixture says, among the clusters that they may be in."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.sorting.assignment import assign, fit_clusters, fit_features


def _two_clusters(n: int = 500, gap: float = 10.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], n)
    points = rng.standard_normal((2 * n, 2)) + np.array([[0, 0], [gap, 0]])[labels]
    return points.astype(np.float32), labels


def test_spikes_go_to_the_cluster_they_lie_in() -> None:
    points, labels = _two_clusters()
    clusters = fit_clusters(points, labels)
    new, sure = assign(np.array([[0, 0], [10, 0.5], [9, 30]], dtype=np.float32), clusters)
    assert new.tolist() == [0, 1, 1]
    assert sure[:2].min() > 0.999


def test_spikes_go_only_where_the_spikes_like_them_are() -> None:
    points, labels = _two_clusters()
    clusters = fit_clusters(points, labels)
    at_first = np.zeros((3, 2), dtype=np.float32)
    new, sure = assign(at_first, clusters, np.array([[0.5, 0.5], [0.0, 1.0], [0.0, 0.0]]))
    assert new.tolist() == [0, 1, -1]
    assert sure[1:].tolist() == [1, 0]


def test_the_probability_half_way_is_the_weight_of_the_cluster() -> None:
    points, labels = _two_clusters(gap=3.0)
    keep = np.r_[0:500, 500:625]
    clusters = fit_clusters(points[keep], labels[keep])
    means = clusters.means @ np.linalg.inv(clusters.whitener)
    _, sure = assign(means.mean(axis=0, keepdims=True).astype(np.float32), clusters)
    np.testing.assert_allclose(sure, [500 / 625], atol=1e-3)


def test_a_one_sd_step_has_the_odds_of_two_gaussians() -> None:
    # Unit covariance, means at 0 and 2: at x = 0 the log odds are 2^2 / 2 = 2.
    points, labels = _two_clusters(n=20_000, gap=2.0)
    clusters = fit_clusters(points, labels)
    _, sure = assign(np.zeros((1, 2), dtype=np.float32), clusters)
    np.testing.assert_allclose(sure, [1 / (1 + np.exp(-2.0))], atol=0.01)


def test_one_spike_is_enough_for_a_cluster_and_unlabelled_ones_do_not_count() -> None:
    points = np.array([[0.0, 0.0], [50.0, 50.0]], dtype=np.float32)
    clusters = fit_clusters(points, np.array([0, -1]))
    assert clusters.means.tolist() == [[0, 0]]
    assert assign(points, clusters)[0].tolist() == [0, 0]


def test_features_are_the_leading_components() -> None:
    rng = np.random.default_rng(1)
    direction = rng.standard_normal((4, 3)).astype(np.float32)
    waveforms = rng.standard_normal(50)[:, None, None].astype(np.float32) * direction
    space = fit_features(waveforms, 1)
    back = space.project(waveforms)[:, :1] @ space.basis.T + space.mean
    np.testing.assert_allclose(back.reshape(waveforms.shape), waveforms, atol=1e-5)


def test_few_spikes_have_few_components() -> None:
    assert fit_features(np.zeros((1, 32, 4), np.float32), 16).basis.shape == (128, 1)
    assert fit_features(np.ones((5, 32, 4), np.float32), 16).basis.shape == (128, 4)


def test_means_weights_and_the_covariance_of_a_mixture_are_those_of_its_spikes() -> None:
    """Two clusters of four spikes around 0 and 10, each sd 2 along x and 1 along y, uncorrelated."""
    around = np.array([[2, 1], [2, -1], [-2, 1], [-2, -1]], np.float32)
    points = np.concatenate([around, around + np.array([10, 0], np.float32)])
    clusters = fit_clusters(points, np.repeat([0, 1], 4))
    assert clusters.weight.tolist() == [0.5, 0.5]
    # sums of squares 32 and 8 over 8 - 2 spikes
    covariance = np.diag([32 / 6, 8 / 6])
    assert clusters.whitener @ clusters.whitener.T == pytest.approx(np.linalg.inv(covariance))
    apart = clusters.means[1] - clusters.means[0]
    assert (apart**2).sum() == pytest.approx(100 / (32 / 6))


def test_few_spikes_have_their_covariance_shrunk_to_its_diagonal() -> None:
    """Three spikes on a line, 2 free ones in 2 dimensions: half of the covariance is left."""
    points = np.array([[-2, -2], [0, 0], [2, 2]], np.float32)
    clusters = fit_clusters(points, np.zeros(3, int))
    covariance = np.array([[4.0, 2.0], [2.0, 4.0]])
    assert clusters.whitener @ clusters.whitener.T == pytest.approx(np.linalg.inv(covariance))


def test_no_direction_is_quieter_than_three_tenths_of_the_noise() -> None:
    points = np.array([[0.0], [0.0], [9.0], [9.0]], np.float32)
    clusters = fit_clusters(points, np.array([0, 0, 1, 1]))
    assert abs(clusters.whitener[0, 0]) == pytest.approx(1 / 0.3)


def test_components_are_at_most_the_spikes_less_one_and_their_largest_part_is_positive() -> None:
    rng = np.random.default_rng(0)
    waveforms = rng.normal(size=(6, 4, 2)).astype(np.float32)
    space = fit_features(waveforms, 3)
    assert space.basis.shape == (8, 3)
    assert (space.basis[np.abs(space.basis).argmax(axis=0), np.arange(3)] > 0).all()
    variance = space.project(waveforms).var(axis=0)
    assert (np.diff(variance) < 0).all()
    assert space.project(waveforms).mean(axis=0) == pytest.approx([0, 0, 0], abs=1e-6)
    assert fit_features(waveforms, 99).basis.shape == (8, 5)
    assert fit_features(rng.normal(size=(50, 4, 2)).astype(np.float32), 99).basis.shape == (8, 8)


def test_a_spike_far_from_all_clusters_goes_to_the_nearest_surely() -> None:
    points, labels = _two_clusters()
    new, sure = assign(np.array([[1e4, 0.0]], np.float32), fit_clusters(points, labels))
    assert (new.tolist(), sure.tolist()) == ([1], [1])


def test_the_mean_waveform_has_coordinates_of_nought() -> None:
    waveforms = np.array([1.0, 2.0, 6.0], np.float32)[:, None, None] * np.ones((1, 2, 2), np.float32)
    space = fit_features(waveforms, 1)
    assert space.project(np.full((1, 2, 2), 3, np.float32)) == pytest.approx(np.zeros((1, 1)), abs=1e-6)
    assert space.project(waveforms)[:, 0] == pytest.approx([-4, -2, 6], abs=1e-5)
