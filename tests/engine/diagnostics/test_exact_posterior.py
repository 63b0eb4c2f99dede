"""Distances from the exact posterior: zero for the right one, the closed form for a tempered one."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.stats import norm

from ncpgui.core.errors import InputError
from ncpgui.engine.diagnostics.exact_posterior import (
    distance_to_exact,
    kl_divergence,
    last_point,
    last_point_error,
    last_point_on_a_line,
    total_variation,
)
from ncpgui.engine.diagnostics.posteriors import ExactPosterior, every_partition, posterior_of
from ncpgui.engine.generative.gaussian_dpmm import GaussianDPMM, GaussianDPMMSettings
from ncpgui.engine.networks.ccp import CCP
from ncpgui.engine.networks.point_encoder import PointEncoder


class LastPointOnly:
    """Scores labels by the exact joint, which is right up to a factor: enough for the last point."""

    def __init__(self, model: GaussianDPMM, temperature: float = 1.0) -> None:
        self.model, self.temperature = model, temperature

    def log_prob(self, points, labels, order=None):
        return self.model.log_joint(points[0][0], torch.from_numpy(labels)).numpy() / self.temperature


def test_distances_of_two_coins_are_those_worked_out_by_hand():
    p, q = np.array([0.5, 0.5]), np.array([0.25, 0.75])
    assert kl_divergence(np.log(p), np.log(q)) == pytest.approx(0.5 * math.log(4 / 3))
    assert total_variation(p, q) == 0.25


def test_the_right_posterior_is_at_no_distance(right, model):
    found = distance_to_exact(right, model, n_datasets=5, n_points=6, seed=0)
    assert found.mean_kl == pytest.approx(0, abs=1e-12)
    assert found.mean_total_variation == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(found.q_mass, 1)


@pytest.mark.parametrize("temperature", [0.4, 2.5])
def test_a_tempered_posterior_is_at_the_distance_of_the_closed_form(model, temperature):
    """KL(p || p^b / Z) = (1 - b) sum p log p + log Z, with b = 1 / temperature."""
    found = distance_to_exact(ExactPosterior(model, temperature), model, n_datasets=5, n_points=6, seed=0)
    again = model.sample(5, 6, _generator_of(0))
    b = 1 / temperature
    for i in range(5):
        log_p = ExactPosterior(model).log_prob_of_all((again.points[0][i : i + 1],))
        expected = (1 - b) * (np.exp(log_p) * log_p).sum() + np.log(np.exp(b * log_p).sum())
        assert found.kl[i] == pytest.approx(expected)
        assert found.kl[i] > 0.001
        assert 0 < found.total_variation[i] < 1


def _generator_of(seed: int) -> torch.Generator:
    from ncpgui.core.seeds import stream_seed

    return torch.Generator().manual_seed(stream_seed(seed, "exact"))


class DependsOnTheOrder:
    """Half the mass on the partition of all points together, half on all apart, by the first point."""

    def log_prob(self, points, labels, order=None):
        n_points = labels.shape[1]
        first = 0 if order is None else order[0]
        together = labels.max(axis=1) == (0 if first % 2 == 0 else n_points - 1)
        sure = (labels.max(axis=1) == 0) | (labels.max(axis=1) == n_points - 1)
        return np.log(np.where(together, 0.9, np.where(sure, 0.1 - 1e-3, 1e-3 / (len(labels) - 2))))


def test_averaging_over_orders_mixes_the_laws_of_the_orders(model):
    """A mixture is never farther than its members on average (KL is convex)."""
    single = distance_to_exact(DependsOnTheOrder(), model, n_datasets=4, n_points=4, seed=0)
    mixed = distance_to_exact(DependsOnTheOrder(), model, n_datasets=4, n_points=4, seed=0, n_orders=16)
    assert mixed.mean_kl != pytest.approx(single.mean_kl, abs=1e-3)
    np.testing.assert_allclose(mixed.q_mass, 1)


def test_on_the_line_the_exact_law_is_that_of_the_formula():
    """p(k) ~ n_k N(x; m_k, (1 + v_k) 1), alpha N(x; 0, 101 1) for a new cluster, with v = 1 / (.01 + n)."""
    model = GaussianDPMM(GaussianDPMMSettings(alpha=0.7, alpha_drawn=False))
    line = last_point_on_a_line(LastPointOnly(model), model, seed=0, n_positions=5)
    v = 1 / (0.01 + 20)
    for x, exact, network in zip(line.position, line.exact, line.network, strict=True):
        weights = [0.7 * norm.pdf(x, 0, math.sqrt(101)) * norm.pdf(0, 0, math.sqrt(101))]
        for k in (1, 0):
            m = v * line.points[line.labels == k].sum(0)
            sd = math.sqrt(1 + v)
            weights.insert(0, 20 * norm.pdf(x, m[0], sd) * norm.pdf(0, m[1], sd))
        np.testing.assert_allclose(exact, np.array(weights) / sum(weights), atol=1e-5)  # points are float32
        np.testing.assert_allclose(network, exact, atol=1e-9)
    assert line.largest_error < 1e-9
    assert line.labels[0] == 0
    assert line.points[line.labels == 0][:, 0].mean() < 0 < line.points[line.labels == 1][:, 0].mean()


@pytest.mark.parametrize("temperature", [0.4, 2.5])
def test_on_the_line_a_tempered_law_is_off_where_the_clusters_meet(temperature):
    model = GaussianDPMM(GaussianDPMMSettings(alpha=0.7, alpha_drawn=False))
    line = last_point_on_a_line(LastPointOnly(model, temperature), model, seed=0, n_positions=41)
    assert 0.1 < line.largest_error < 1
    assert 0.005 < line.mean_error < line.largest_error


@pytest.mark.parametrize("drawn", [False, True])
def test_the_error_of_the_last_point_is_zero_for_the_right_law_and_not_for_others(drawn):
    model = GaussianDPMM(GaussianDPMMSettings(alpha=0.7, alpha_drawn=drawn, sigma_mu=2.0))
    right, sure, unsure = (
        last_point_error(LastPointOnly(model, t), model, n_datasets=30, n_points=20, seed=0)
        for t in (1.0, 0.4, 2.5)
    )
    np.testing.assert_allclose(right.error, 0, atol=1e-12)
    for wrong in (sure, unsure):
        assert wrong.error.mean() > 0.02
        assert (wrong.total_variation >= wrong.error - 1e-12).all()


def test_the_law_of_the_last_point_is_the_ratio_of_joint_probabilities(right, model, generator):
    points = model.sample(1, 5, generator).points
    labels = np.array([0, 1, 0, 1])
    every = every_partition(5)
    p = np.exp(right.log_prob_of_all(points))
    with_it = (every[:, :4] == labels).all(axis=1)
    np.testing.assert_allclose(last_point(right, points, labels), p[with_it] / p[with_it].sum())


def test_the_last_of_two_points_has_one_other_and_a_single_point_has_none(right, model):
    np.testing.assert_allclose(
        last_point_error(right, model, n_datasets=3, n_points=2, seed=0).error, np.zeros(3), atol=1e-6
    )
    with pytest.raises(InputError, match="the last of at least 2 points is looked at, got 1"):
        last_point_error(right, model, n_datasets=1, n_points=1, seed=0)


class OneByOne:
    """A law that cannot score all partitions at once, as that of a network that draws whole clusters."""

    def __init__(self, law):
        self.sample, self.log_prob = law.sample, law.log_prob


@pytest.mark.parametrize("temperature", [1.0, 0.5, 2.0])
def test_the_likely_partitions_tell_the_distance_where_all_would_take_long(model, temperature):
    law = ExactPosterior(model, temperature)
    options = {"n_datasets": 6, "n_points": 7, "seed": 2}
    whole, likely = (distance_to_exact(one, model, **options) for one in (law, OneByOne(law)))
    np.testing.assert_allclose(likely.kl, whole.kl, atol=0.02)
    np.testing.assert_allclose(likely.total_variation, whole.total_variation, atol=0.002)
    assert np.isnan(likely.q_mass).all()


def test_a_network_that_draws_whole_clusters_has_a_distance_too(model):
    torch.manual_seed(0)
    network = CCP(PointEncoder(hidden=(8,), h_dim=8), h_dim=8, z_dim=2, g_dim=8, metric=4).eval()
    found = distance_to_exact(posterior_of(network), model, n_datasets=2, n_points=5, seed=1)
    assert (found.kl > 0).all()
    assert (found.total_variation < 1).all()
