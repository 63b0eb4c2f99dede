"""What a network and a known law answer to the questions of the diagnostics."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from ncpgui.core.errors import InputError
from ncpgui.core.partition import canonical
from ncpgui.engine.diagnostics.geweke import distance_by_chance
from ncpgui.engine.diagnostics.posteriors import (
    ManyDatasets,
    PointwisePosterior,
    draw,
    every_partition,
    posterior_of,
)
from ncpgui.engine.networks.cluster_aware_ncp import ClusterAwareNCP
from ncpgui.engine.networks.ncp import NCP
from ncpgui.engine.networks.pointwise import ClusteringNetwork
from ncpgui.engine.sampling.posterior import ancestral_samples
from ncpgui.engine.sampling.sweeps import swept


@pytest.fixture(params=["ours", "paper"])
def network(request: pytest.FixtureRequest) -> ClusteringNetwork:
    """A small network with random weights, its conditionals far from uniform."""
    torch.manual_seed(2)
    encoder = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 16))
    built = (
        ClusterAwareNCP(encoder, h_dim=16, metric=8, hidden=16)
        if request.param == "ours"
        else NCP(encoder, h_dim=16, g_hidden=(16,), g_dim=16, f_hidden=(16, 16))
    )
    return built.double().eval()


@pytest.fixture
def points(generator: torch.Generator) -> tuple[torch.Tensor, ...]:
    return (3 * torch.randn(1, 5, 2, generator=generator, dtype=torch.float64),)


def test_the_probabilities_of_all_partitions_sum_to_one_in_any_order(network, points):
    posterior = posterior_of(network)
    for order in (None, np.array([3, 0, 4, 1, 2])):
        assert np.exp(posterior.log_prob(points, every_partition(5), order)).sum() == pytest.approx(1)


def test_an_order_of_visits_is_the_same_as_points_given_in_that_order(network, points):
    posterior = PointwisePosterior(network)
    order = np.array([3, 0, 4, 1, 2])
    visited = posterior.log_prob(points, every_partition(5), order)
    given = posterior.log_prob((points[0][:, order],), canonical(every_partition(5)[:, order]))
    np.testing.assert_allclose(visited, given, atol=1e-12)


def test_draws_over_orders_and_swept_are_those_that_people_see(network, points):
    encoding = network.encode(*points)
    drawn = ancestral_samples(network, encoding, n_samples=12, seed=7, n_orders=4)
    seen = swept(network, encoding, drawn, seed=7, n_sweeps=2)
    posterior = PointwisePosterior(network, n_orders=4, n_sweeps=2)
    assert posterior.sample(points, 12, seed=7).labels.tolist() == seen.labels.tolist()
    assert posterior.sample(points, 12, seed=7).labels.tolist() != drawn.labels.tolist()


@pytest.mark.parametrize("order", [None, np.array([3, 0, 4, 1, 2])])
def test_scoring_all_partitions_at_once_is_scoring_their_labels(network, points, order):
    posterior = PointwisePosterior(network)
    at_once = posterior.log_prob_of_all(points, order)
    np.testing.assert_allclose(at_once, posterior.log_prob(points, every_partition(5), order), atol=1e-10)


def test_points_are_visited_as_given_when_no_order_is_named(network, points):
    posterior = PointwisePosterior(network)
    given = posterior.log_prob(points, every_partition(5))
    np.testing.assert_allclose(posterior.log_prob(points, every_partition(5), np.arange(5)), given)


def test_draws_carry_the_log_probability_of_the_one_order_in_which_they_were_made(network, points):
    samples = PointwisePosterior(network).sample(points, 4000, seed=3)
    place = {tuple(row): i for i, row in enumerate(every_partition(5).tolist())}
    index = [place[tuple(row)] for row in samples.labels.tolist()]
    p = np.zeros(52)
    p[index] = np.exp(samples.log_prob)
    frequency = np.bincount(index, minlength=52) / 4000
    assert p.sum() == pytest.approx(1, abs=0.02)  # one order: each partition has one probability
    assert np.abs(frequency - p).sum() / 2 < 2 * distance_by_chance(p, 4000)


def test_many_datasets_are_sampled_as_each_alone_whatever_the_chunks(network, model, generator):
    batch = model.sample(5, 6, generator)
    batch = batch._replace(points=(batch.points[0].double(),))
    whole = draw(PointwisePosterior(network), batch, 3, seed=4)
    chunks = draw(PointwisePosterior(network, max_rows=6), batch, 3, seed=4)
    assert whole.shape == (5, 3, 6)
    np.testing.assert_array_equal(whole, chunks)
    np.testing.assert_array_equal(whole, canonical(whole))


def test_a_posterior_that_samples_one_dataset_at_a_time_is_asked_for_each(right, model, generator):
    assert not isinstance(right, ManyDatasets)
    labels = draw(right, model.sample(3, 4, generator), 2, seed=0)
    assert labels.shape == (3, 2, 4)


def test_exact_draws_have_the_frequencies_of_the_exact_probabilities(too_unsure, model, generator):
    points = model.sample(1, 4, generator).points
    p = np.exp(too_unsure.log_prob(points, every_partition(4)))
    samples = too_unsure.sample(points, 5000, seed=0)
    place = {tuple(row): i for i, row in enumerate(every_partition(4).tolist())}
    frequency = np.bincount([place[tuple(r)] for r in samples.labels.tolist()], minlength=15) / 5000
    assert p.sum() == pytest.approx(1)
    assert np.abs(frequency - p).sum() / 2 < 2 * distance_by_chance(p, 5000)


def test_a_cold_law_is_sure_and_a_hot_one_unsure(right, too_sure, too_unsure, model, generator):
    points = model.sample(1, 6, generator).points
    entropy = [
        -(np.exp(law.log_prob_of_all(points)) * law.log_prob_of_all(points)).sum()
        for law in (too_sure, right, too_unsure)
    ]
    assert entropy == sorted(entropy)


def test_more_points_than_can_be_enumerated_are_refused():
    with pytest.raises(InputError, match="all partitions are listed of 1 to 9 points, got 10"):
        every_partition(10)


def test_a_network_of_another_kind_is_refused_by_name():
    with pytest.raises(InputError, match="no posterior is known for a network of type Linear"):
        posterior_of(nn.Linear(1, 1))
