"""CCP sampling: frequencies of all partitions are the estimated probabilities, whatever the chunks."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.core.partition import all_partitions, canonical
from ncpgui.core.progress import CancelFlag, Cancelled
from ncpgui.engine.networks.ccp import CCP
from ncpgui.engine.networks.chains import Chains
from ncpgui.engine.networks.latents import First
from ncpgui.engine.networks.mlp import mlp
from ncpgui.engine.sampling.clusterwise import clusterwise_samples, log_prob_estimate

SIZES = {"h_dim": 8, "g_hidden": (8,), "g_dim": 8, "hidden": (16,), "rho_hidden": (16, 16), "metric": 4}
PARTITIONS = np.stack(list(all_partitions(4)))


@pytest.fixture(scope="module", params=["ours", "paper"])
def network(request):
    """A network with random weights, large enough that clusterings are far from equally likely."""
    torch.manual_seed(3)
    options = {} if request.param == "ours" else {"pooling": "sum", "sees_first": False}
    network = CCP(mlp(2, 16, 8), z_dim=2, **SIZES, **options).eval()
    with torch.no_grad():
        for weights in network.parameters():
            if weights.dim() > 1:
                weights.mul_(1.6)
    return network


def encoded(network, n_points=4, seed=1):
    x = 2 * torch.randn(1, n_points, 2, generator=torch.Generator().manual_seed(seed))
    with torch.inference_mode():
        return network.encode(x)


def frequencies(labels):
    place = {tuple(row): i for i, row in enumerate(PARTITIONS.tolist())}
    return np.bincount([place[tuple(row)] for row in labels.tolist()], minlength=15) / len(labels)


@pytest.fixture(scope="module")
def probabilities(network):
    """Of all 15 partitions: all orders of the clusters (24 at most), all first points, z from its prior."""
    log_prob = log_prob_estimate(
        network, encoded(network), PARTITIONS, n_draws=4000, n_orders=24, from_prior=1.0, seed=0
    )
    return np.exp(log_prob)


def test_frequencies_of_all_partitions_are_the_estimated_probabilities_which_sum_to_one(
    network, probabilities
):
    n_samples = 40_000
    samples = clusterwise_samples(network, encoded(network), n_samples=n_samples, seed=1)
    assert probabilities.sum() == pytest.approx(1.0, abs=0.01)
    assert 0.05 < probabilities.max() < 0.95  # neither uniform nor decided
    error = np.sqrt(probabilities / n_samples + (0.02 * probabilities) ** 2)  # the estimates: about 2 %
    assert (np.abs(frequencies(samples.labels) - probabilities) < 4 * error + 1e-4).all()


def test_drawing_z_from_its_posterior_estimates_the_same_probabilities(network, probabilities):
    """q is untrained: its draws are of no use, but half of them come from the prior."""
    mixed = np.exp(
        log_prob_estimate(
            network, encoded(network), PARTITIONS, n_draws=4000, n_orders=6, from_prior=0.5, seed=0
        )
    )
    assert mixed == pytest.approx(probabilities, rel=0.2, abs=0.003)
    assert mixed.sum() == pytest.approx(1.0, abs=0.05)


def test_a_partition_is_the_sum_of_its_chains_by_quadrature():
    """Five points in clusters of 3, 1 and 1: six orders, every first point, and p(z) on a grid."""
    torch.manual_seed(5)
    network = CCP(mlp(2, 8, 8), z_dim=1, **SIZES)
    labels, encoding = np.array([0, 1, 0, 2, 0]), encoded(network, 5)
    grid = torch.linspace(-8, 8, 401)
    density = torch.exp(-0.5 * grid**2) / math.sqrt(2 * math.pi)
    total = 0.0
    with torch.inference_mode():
        for places in itertools.permutations(range(3)):
            numbered = torch.tensor(places)[torch.from_numpy(labels)][None]
            chains = Chains.of(numbered, torch.rand(1, 5))
            probability = 1.0
            for part in chains.parts(1):
                over_first = 0.0
                for d in part.first_points(int(part.n_members))[0]:
                    first = First.at(d.expand(1, len(grid)), part.free, torch.float32)
                    scene = network.scene(encoding, part.free, network.taken(encoding, part), first)
                    z = network.prior(scene).draw(grid[None, :, None])
                    p_b = network.log_likelihood(scene, part.member, z)[0].exp()
                    over_first += torch.trapezoid(p_b * density, grid).item()
                probability *= over_first / int(part.free.count[0])  # p(d_k) = 1 / |I_k|
            total += probability  # a lone point that is left last has probability one, and no row
    estimate = log_prob_estimate(network, encoding, labels, n_draws=6000, from_prior=1.0, seed=0)
    assert np.exp(estimate[0]) == pytest.approx(total, rel=0.05)


def test_few_random_orders_estimate_the_sum_over_all_without_bias(network, probabilities):
    """Mean over seeds of the estimate with one of the 24 orders of 4 lone points."""
    few = np.exp(
        [
            log_prob_estimate(
                network, encoded(network), PARTITIONS[-1], n_draws=4, n_orders=1, from_prior=1.0, seed=seed
            )[0]
            for seed in range(150)
        ]
    )
    expected = probabilities[-1]
    assert few.mean() == pytest.approx(expected, abs=4 * few.std() / math.sqrt(len(few)) + 0.02 * expected)


def test_probabilities_do_not_depend_on_the_numbering_or_on_the_other_rows(network):
    encoding = encoded(network, 5)
    rows = np.array([[4, 4, 1, 0, 1], [0, 0, 0, 0, 0], [0, 0, 1, 2, 1]])
    together = log_prob_estimate(network, encoding, rows, n_draws=8, seed=2)
    alone = log_prob_estimate(network, encoding, rows[0], n_draws=8, seed=2)
    assert together[0] == together[2] == alone[0]


def test_permuting_the_points_permutes_the_probabilities(network, probabilities):
    order = torch.tensor([2, 0, 3, 1])
    reordered, rows = encoded(network).reordered(order), canonical(PARTITIONS[:, order])
    after = log_prob_estimate(network, reordered, rows, n_draws=4000, n_orders=6, from_prior=1.0, seed=0)
    assert np.exp(after) == pytest.approx(probabilities, rel=0.1, abs=0.002)


def test_chunks_do_not_change_the_samples(network):
    encoding = encoded(network, 12)
    options = {"n_samples": 37, "seed": 4}
    whole = clusterwise_samples(network, encoding, **options)
    pieces = clusterwise_samples(network, encoding, max_rows=5, **options)
    assert (whole.labels == pieces.labels).all()
    other_seed = clusterwise_samples(network, encoding, **{**options, "seed": 5})
    assert (whole.labels != other_seed.labels).any()


def test_samples_come_canonical_without_a_log_probability(network):
    samples = clusterwise_samples(network, encoded(network, 6), n_samples=20, seed=4)
    assert (samples.labels == canonical(samples.labels)).all()
    assert np.isnan(samples.log_prob).all()


def test_passes_grow_with_clusters_and_not_with_points(network, monkeypatch):
    calls = []
    scores = network.scores
    monkeypatch.setattr(network, "scores", lambda *given: calls.append(1) or scores(*given))
    samples = clusterwise_samples(network, encoded(network, 60), n_samples=10, seed=0)
    assert len(calls) == samples.n_clusters.max()


def test_one_point_is_one_cluster(network):
    encoding = encoded(network, 1)
    samples = clusterwise_samples(network, encoding, n_samples=3, seed=0)
    assert samples.labels.tolist() == [[0], [0], [0]]
    assert log_prob_estimate(network, encoding, samples.labels, n_draws=2, seed=0).tolist() == [0.0, 0.0, 0.0]


def test_sampling_stops_when_asked(network):
    flag = CancelFlag()
    told = []

    def report(done, total, message=""):
        told.append(done / total)
        if len(told) == 3:
            flag.cancel()

    with pytest.raises(Cancelled):
        clusterwise_samples(
            network, encoded(network, 30), n_samples=20, seed=0, max_rows=4, progress=flag.guard(report)
        )
    assert len(told) == 3


def test_progress_goes_from_nothing_to_everything(network):
    told = []
    clusterwise_samples(
        network,
        encoded(network, 8),
        n_samples=20,
        seed=0,
        max_rows=8,
        progress=lambda done, total, message="": told.append(done / total),
    )
    assert told[0] == 0.0
    assert told[-1] == 1.0
    assert told == sorted(told)


def test_input_that_does_not_fit_is_refused(network):
    encoding = encoded(network)
    with pytest.raises(InputError, match="at least one posterior sample must be drawn, got 0"):
        clusterwise_samples(network, encoding, n_samples=0, seed=0)
    with pytest.raises(InputError, match="of one dataset at a time, got 2; call encoding"):
        clusterwise_samples(network, network.encode(torch.randn(2, 4, 2)), n_samples=1, seed=0)
    with pytest.raises(InputError, match=r"one cluster for each of 4 points, got shape \(1, 3\)"):
        log_prob_estimate(network, encoding, np.zeros(3, dtype=int), n_draws=1, seed=0)
    with pytest.raises(InputError, match="at least one draw and one order"):
        log_prob_estimate(network, encoding, np.zeros(4, dtype=int), n_draws=0, seed=0)
