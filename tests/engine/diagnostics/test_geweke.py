"""Laws of the prior known by hand, and the test's verdict on known posteriors."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import integrate

from ncpgui.engine.diagnostics.geweke import (
    against_prior,
    cluster_number_law,
    cluster_size_law,
    distance_by_chance,
    geweke_test,
    same_cluster_probability,
)
from ncpgui.engine.diagnostics.posteriors import every_partition
from ncpgui.engine.generative.partition_priors import CRP

PRIORS = [CRP(0.7), CRP(2.0), CRP(1.0, drawn=True)]
PMF_30 = [0.0843, 0.2338, 0.2909, 0.2190, 0.1130, 0.0429, 0.0125, 0.0029]


def test_the_number_of_clusters_of_thirty_points_is_the_published_law():
    law = cluster_number_law(CRP(0.7), 30)
    np.testing.assert_allclose(law[1:9], PMF_30, atol=5e-5)
    k = np.arange(31)
    assert (law * k).sum() == pytest.approx(3.240, abs=5e-4)
    assert np.sqrt((law * k**2).sum() - (law * k).sum() ** 2) == pytest.approx(1.366, abs=5e-4)


@pytest.mark.parametrize(
    ("n_points", "mean", "sd"),
    [(5, 2.009, 0.845), (10, 2.480, 1.067), (50, 3.595, 1.489), (100, 4.079, 1.642)],
)
def test_mean_and_sd_of_the_number_of_clusters(n_points, mean, sd):
    law, k = cluster_number_law(CRP(0.7), n_points), np.arange(n_points + 1)
    assert (law * k).sum() == pytest.approx(mean, abs=5e-4)
    assert np.sqrt((law * k**2).sum() - (law * k).sum() ** 2) == pytest.approx(sd, abs=5e-4)


@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_laws_are_those_of_an_enumeration_of_all_partitions(prior):
    every = every_partition(6)
    p = prior.log_prob(torch.tensor(every)).exp().numpy()
    sizes = np.stack([(every == every[:, i : i + 1]).sum(1) for i in range(6)], axis=1)
    number = np.bincount(every.max(1) + 1, weights=p, minlength=7)
    np.testing.assert_allclose(cluster_number_law(prior, 6), number, atol=1e-9)
    size = np.bincount(sizes.ravel(), weights=np.repeat(p, 6) / 6, minlength=7)
    np.testing.assert_allclose(cluster_size_law(prior, 6), size, atol=1e-9)
    assert same_cluster_probability(prior) == pytest.approx((p * (every[:, 0] == every[:, 1])).sum())


def test_two_points_share_a_cluster_with_probability_one_over_one_plus_alpha():
    assert same_cluster_probability(CRP(0.7)) == pytest.approx(1 / 1.7)
    expected, _ = integrate.quad(lambda a: np.exp(-a) / (1 + a), 0, np.inf)
    assert same_cluster_probability(CRP(1.0, drawn=True)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_laws_of_a_hundred_points_sum_to_one(prior):
    assert cluster_number_law(prior, 100).sum() == pytest.approx(1, abs=1e-6)
    assert cluster_size_law(prior, 100).sum() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_true_labels_of_thirty_points_pass(prior, generator):
    """The truth of each dataset is itself a draw of the exact posterior."""
    found = against_prior(prior.sample(4000, 30, generator).numpy(), prior)
    assert found.total_variation_k < 2 * found.tv_by_chance
    assert found.total_variation_size < 0.05
    assert found.mean_k[0] == pytest.approx(found.mean_k[1], abs=5 * found.sd_k[1] / np.sqrt(4000))
    assert found.sd_k[0] == pytest.approx(found.sd_k[1], rel=0.05)
    assert found.p_same == pytest.approx(found.exact_p_same, abs=0.02)


def test_the_right_posterior_passes_and_a_wrong_one_does_not(right, too_sure, too_unsure, model):
    found = [
        geweke_test(posterior, model, n_datasets=600, n_points=6, seed=0)
        for posterior in (right, too_sure, too_unsure)
    ]
    chance = found[0].tv_by_chance
    assert found[0].total_variation_k < 2 * chance
    assert found[0].p_same == pytest.approx(1 / 1.7, abs=0.05)
    assert found[1].total_variation_k > 3 * chance
    assert found[1].mean_k[0] < found[1].mean_k[1]  # sure of the one large cluster
    assert found[2].total_variation_k > 3 * chance
    assert found[2].mean_k[0] > found[2].mean_k[1]


def test_labels_of_another_prior_are_told_apart(generator):
    found = against_prior(CRP(1.5).sample(2000, 30, generator).numpy(), CRP(0.7))
    assert found.total_variation_k > 0.3
    assert found.p_same == pytest.approx(1 / 2.5, abs=0.03)


def test_a_coin_thrown_n_times_is_off_by_the_half_normal_mean():
    assert distance_by_chance(np.array([0.5, 0.5]), 200) == pytest.approx(np.sqrt(0.5 / np.pi / 200))


def test_the_mean_of_k_is_off_by_what_each_clustering_is_from_the_labels_of_its_data():
    true = np.array([[0, 0, 0], [0, 1, 2], [0, 0, 1], [0, 1, 1]])
    drawn = np.array([[0, 0, 1], [0, 1, 2], [0, 1, 2], [0, 1, 1]])  # K is off by 1, 0, 1, 0
    found = against_prior(drawn, CRP(0.7), true)
    assert found.k_off == pytest.approx(0.5)
    assert found.k_off_se == pytest.approx(np.std([1, 0, 1, 0], ddof=1) / 2)
    alone = against_prior(drawn, CRP(0.7))
    assert alone.k_off == pytest.approx(alone.mean_k[0] - alone.mean_k[1])
