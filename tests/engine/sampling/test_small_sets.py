"""Six points have 203 partitions: everything a sampler claims can be checked against all of them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from ncpgui.core.partition import all_partitions, canonical
from ncpgui.core.seeds import stream
from ncpgui.engine.networks.ncp import Encoding
from ncpgui.engine.networks.registry import NetworkSettings, build_network
from ncpgui.engine.sampling.posterior import Visit, ancestral_samples, beam_samples

N_POINTS = 6
PARTITIONS = np.stack(list(all_partitions(N_POINTS)))

OURS = NetworkSettings(
    encoder_options={"n_samples": 8, "h_dim": 16, "temporal": 12},
    network_options={"h_dim": 16, "metric": 8, "hidden": 16},
)
PAPER = NetworkSettings(
    network="ncp",
    encoder="resnet1d",
    encoder_options={"planes": [8, 8], "h_dim": 16},
    network_options={"h_dim": 16, "g_hidden": [16], "g_dim": 16, "f_hidden": [16, 16]},
)


@pytest.fixture(params=[OURS, PAPER], ids=["ours", "paper"])
def network(request):
    """A network with random weights, large enough that its conditionals are far from uniform."""
    torch.manual_seed(3)
    network = build_network(request.param).double().eval()
    with torch.no_grad():
        for weights in network.parameters():
            if weights.dim() > 1:
                weights.mul_(1.5)
    return network


@pytest.fixture
def encoding(network):
    generator = torch.Generator().manual_seed(5)
    waveforms = 5 * torch.randn(1, N_POINTS, 8, 7, generator=generator, dtype=torch.float64)
    positions = 30 * torch.randn(1, 7, 2, generator=generator, dtype=torch.float64)
    with torch.inference_mode():
        return network.encode(waveforms, positions, torch.ones(1, 7, dtype=torch.bool))


def log_prob_by_enumeration(network, encoding, order) -> np.ndarray:
    """log q of all 203 partitions (in the order of the points) by teacher forcing in `order`."""
    with torch.inference_mode():
        visited = network.finish(encoding.reordered(torch.from_numpy(order)))
        repeated = Encoding(
            visited.features.expand(len(PARTITIONS), -1, -1),
            {name: t.expand(len(PARTITIONS), -1, -1) for name, t in visited.tables.items()},
        )
        labels = torch.from_numpy(canonical(PARTITIONS[:, order]))
        return network.log_prob(repeated, labels).sum(1).numpy()


def index_of(labels: np.ndarray) -> np.ndarray:
    place = {tuple(row): i for i, row in enumerate(PARTITIONS.tolist())}
    return np.array([place[tuple(row)] for row in labels.tolist()])


def test_teacher_forced_probabilities_of_all_partitions_sum_to_one(network, encoding):
    log_prob = log_prob_by_enumeration(network, encoding, np.arange(N_POINTS))
    assert np.exp(log_prob).sum() == pytest.approx(1.0, abs=1e-12)


def distance_by_chance(p: np.ndarray, n_samples: int) -> float:
    """Expected total variation between p and the frequencies of n_samples exact draws."""
    return np.sqrt(2 * p * (1 - p) / (np.pi * n_samples)).sum() / 2


def test_parallel_log_prob_equals_the_step_by_step_recursion(network, encoding):
    parallel = log_prob_by_enumeration(network, encoding, np.arange(N_POINTS))
    with torch.inference_mode():
        finished = network.finish(encoding)
        for labels, expected in zip(PARTITIONS, parallel, strict=True):
            state, total = network.start(finished, torch.zeros(1, dtype=torch.int64)), 0.0
            for n, label in enumerate(labels):
                total += network.step(finished, state, n)[0, label].item()
                state = network.assign(finished, state, n, torch.tensor([label]))
            assert total == pytest.approx(expected, abs=1e-10)


def test_parallel_log_prob_equals_the_recursion_in_single_precision_to_1e_5(network, encoding):
    network = network.float()
    single = Encoding(encoding.features.float(), {k: t.float() for k, t in encoding.tables.items()})
    parallel = log_prob_by_enumeration(network, single, np.arange(N_POINTS))
    beam = beam_samples(network, single, width=300, seed=0)
    visit = Visit.draw(N_POINTS, None, stream(0, "order", 0))
    expected = log_prob_by_enumeration(network, single, visit.order)
    np.testing.assert_allclose(beam.log_prob, expected[index_of(beam.labels)], atol=1e-5)
    assert np.isfinite(parallel).all()


def test_a_wide_beam_finds_every_partition_once_with_its_probability(network, encoding):
    beam = beam_samples(network, encoding, width=300, seed=0)
    visit = Visit.draw(N_POINTS, None, stream(0, "order", 0))
    expected = log_prob_by_enumeration(network, encoding, visit.order)
    assert sorted(index_of(beam.labels)) == list(range(203))
    np.testing.assert_allclose(beam.log_prob, expected[index_of(beam.labels)], atol=1e-10)
    assert np.exp(beam.log_prob).sum() == pytest.approx(1.0, abs=1e-10)
    assert (np.diff(beam.log_prob) <= 0).all()


def test_a_narrow_beam_returns_that_many_distinct_partitions(network, encoding):
    beam = beam_samples(network, encoding, width=7, seed=0)
    assert len(np.unique(index_of(beam.labels))) == 7


def test_ancestral_frequencies_match_enumeration(network, encoding):
    n_samples = 40_000
    samples = ancestral_samples(
        network, encoding, n_samples=n_samples, seed=11, n_orders=1, max_rows=n_samples
    )
    visit = Visit.draw(N_POINTS, None, stream(11, "order", 0))
    p = np.exp(log_prob_by_enumeration(network, encoding, visit.order))
    frequency = np.bincount(index_of(samples.labels), minlength=203) / n_samples
    assert np.abs(frequency - p).sum() / 2 < 1.5 * distance_by_chance(p, n_samples)
    np.testing.assert_allclose(samples.log_prob, np.log(p)[index_of(samples.labels)], atol=1e-9)


def test_draws_divided_over_orders_mix_the_posteriors_of_the_orders(network, encoding):
    samples = ancestral_samples(network, encoding, n_samples=30_000, seed=2, n_orders=3, max_rows=10_000)
    p = np.mean(
        [
            np.exp(
                log_prob_by_enumeration(
                    network, encoding, Visit.draw(N_POINTS, None, stream(2, "order", part)).order
                )
            )
            for part in range(3)
        ],
        axis=0,
    )
    frequency = np.bincount(index_of(samples.labels), minlength=203) / 30_000
    assert np.abs(frequency - p).sum() / 2 < 1.5 * distance_by_chance(p, 30_000)


def test_clamped_sampling_is_the_exact_conditional(network, encoding):
    clamped = np.array([-1, 4, -1, 4, 2, -1])  # points 1 and 3 together, 4 apart from them
    visit = Visit.draw(N_POINTS, clamped, stream(7, "order", 0))
    p = np.exp(log_prob_by_enumeration(network, encoding, visit.order))
    allowed = (PARTITIONS[:, 1] == PARTITIONS[:, 3]) & (PARTITIONS[:, 1] != PARTITIONS[:, 4])
    exact = np.where(allowed, p, 0) / p[allowed].sum()
    beam = beam_samples(network, encoding, width=300, seed=7, clamped=clamped)
    found = np.zeros(203)
    found[index_of(beam.labels)] = beam.weight
    np.testing.assert_allclose(found, exact, atol=1e-12)
    samples = ancestral_samples(
        network, encoding, n_samples=20_000, seed=7, n_orders=1, max_rows=20_000, clamped=clamped
    )
    frequency = np.bincount(index_of(samples.labels), minlength=203) / 20_000
    assert np.abs(frequency - exact).sum() / 2 < 1.5 * distance_by_chance(exact, 20_000)


def test_the_same_seed_gives_the_same_samples_and_another_seed_others(network, encoding):
    first, again, other = (
        ancestral_samples(network, encoding, n_samples=50, seed=seed) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.labels, again.labels)
    assert (first.labels != other.labels).any()


def test_gradients_reach_every_weight(network, encoding):
    network.train()
    waveforms = torch.randn(2, N_POINTS, 8, 7, dtype=torch.float64)
    mask = torch.ones(2, 7, dtype=torch.bool)
    fresh = network.encode(waveforms, torch.randn(2, 7, 2, dtype=torch.float64), mask)
    labels = torch.tensor([[0, 0, 1, 0, 2, 1], [0, 1, 2, 2, 1, 0]])
    (-network.log_prob(network.finish(fresh), labels)).mean().backward()
    softmax_cancels = {"f.6.bias", "f.4.bias"}
    silent = {name for name, p in network.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0}
    assert silent <= softmax_cancels
