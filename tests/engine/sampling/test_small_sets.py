"""Six points have 203 partitions: everything a sampler claims can be checked against all of them."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.core.partition import all_partitions, canonical
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.seeds import stream
from ncpgui.engine.networks.cluster_pool import ClusterPool
from ncpgui.engine.networks.pointwise import Encoding
from ncpgui.engine.networks.registry import NetworkSettings, build_network
from ncpgui.engine.sampling import posterior
from ncpgui.engine.sampling.beams import beam_samples, stochastic_beam_samples
from ncpgui.engine.sampling.links import LinkedRule
from ncpgui.engine.sampling.posterior import (
    Visit,
    ancestral_samples,
    ancestral_samples_of_many,
    linked_samples,
)
from ncpgui.engine.sampling.sequential import walk
from ncpgui.engine.sampling.sweeps import swept

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
            visited.n_points.expand(len(PARTITIONS)),
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
            pool, total = ClusterPool(network, finished, torch.zeros(1, dtype=torch.int64)), 0.0
            for n, label in enumerate(labels):
                total += pool.conditionals(n)[0, label].item()
                pool.assign(n, None, torch.tensor([label]))
            assert total == pytest.approx(expected, abs=1e-10)


def test_parallel_log_prob_equals_the_recursion_in_single_precision_to_1e_5(network, encoding):
    network = network.float()
    tables = {name: table.float() for name, table in encoding.tables.items()}
    single = Encoding(encoding.features.float(), tables, encoding.n_points)
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


def test_a_stochastic_beam_as_wide_as_the_posterior_is_the_posterior(network, encoding):
    found = stochastic_beam_samples(network, encoding, width=250, seed=3)
    visit = Visit.draw(N_POINTS, None, stream(3, "order", 0))
    p = np.exp(log_prob_by_enumeration(network, encoding, visit.order))
    assert sorted(index_of(found.labels)) == list(range(203))
    np.testing.assert_allclose(found.weight, p[index_of(found.labels)], atol=1e-9)


def test_weights_of_a_narrow_stochastic_beam_estimate_probabilities_without_bias(network, encoding):
    visit = Visit.draw(N_POINTS, None, stream(0, "order", 0))
    p = np.exp(log_prob_by_enumeration(network, encoding, visit.order))
    event = PARTITIONS[:, 0] == PARTITIONS[:, 5]
    clusters = PARTITIONS.max(1) + 1
    together, number = [], []
    with patched_order(visit):
        for seed in range(100):
            found = stochastic_beam_samples(network, encoding, width=12, seed=seed)
            assert len(np.unique(index_of(found.labels))) == 12
            together.append(found.weight @ (found.labels[:, 0] == found.labels[:, 5]))
            number.append(found.weight @ found.n_clusters)
    for estimates, exact in ((together, p[event].sum()), (number, p @ clusters)):
        standard_error = np.std(estimates) / np.sqrt(len(estimates))
        assert abs(np.mean(estimates) - exact) < 4 * standard_error + 0.005


@contextmanager
def patched_order(visit):
    """Every sampler visits the points in this order, whatever its seed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Visit, "draw", staticmethod(lambda *_, **__: visit))
        yield


def test_linked_samples_are_the_exact_conditional_and_their_cost_its_probability(network, encoding):
    must, cannot = [(1, 4), (4, 2)], [(0, 3), (3, 2)]
    together = (PARTITIONS[:, 1] == PARTITIONS[:, 4]) & (PARTITIONS[:, 4] == PARTITIONS[:, 2])
    apart = (PARTITIONS[:, 0] != PARTITIONS[:, 3]) & (PARTITIONS[:, 3] != PARTITIONS[:, 2])
    early = np.array([0, 1, 2, 4, 3])
    visit = Visit.draw(N_POINTS, None, stream(5, "order", 0), early)
    assert sorted(visit.order[:5]) == [0, 1, 2, 3, 4]
    with patched_order(visit):
        found = linked_samples(
            network, encoding, must_link=must, cannot_link=cannot, n_samples=20_000, seed=5, n_orders=1
        )
    p = np.exp(log_prob_by_enumeration(network, encoding, visit.order))
    exact = np.where(together & apart, p, 0) / p[together & apart].sum()
    frequency = np.bincount(index_of(found.samples.labels), weights=found.samples.weight, minlength=203)
    assert frequency[exact == 0].sum() == 0
    assert np.abs(frequency - exact).sum() / 2 < 3 * distance_by_chance(exact, 20_000)
    assert found.log_probability == pytest.approx(np.log(p[together & apart].sum()), abs=0.05)


@pytest.mark.parametrize("n_samples", [40, 43])
def test_over_several_orders_links_have_the_mean_probability_and_each_order_weighs_by_its_own(
    network, encoding, n_samples, monkeypatch
):
    """Ten or eleven draws of an order say its probability with an error, so that orders differ."""
    rules = []
    monkeypatch.setattr(posterior, "LinkedRule", lambda *given: rules.append(LinkedRule(*given)) or rules[-1])
    found = linked_samples(
        network,
        encoding,
        must_link=[(1, 4)],
        cannot_link=[(0, 3)],
        n_samples=n_samples,
        seed=3,
        n_orders=4,
    )
    p = np.exp(rules[0].log_mass.double().numpy())
    assert max(p) > 1.02 * min(p)
    assert found.log_probability == pytest.approx(np.log(np.mean(p)), abs=1e-5)
    assert np.bincount(found.samples.order, found.samples.weight) == pytest.approx(p / p.sum(), abs=1e-5)
    alike = [np.unique(found.samples.weight[found.samples.order == order]) for order in range(4)]
    assert [len(weights) for weights in alike] == [1, 1, 1, 1]


def test_constraints_that_cost_nothing_change_nothing(network, encoding):
    plain = ancestral_samples(network, encoding, n_samples=40, seed=6)
    free = linked_samples(network, encoding, n_samples=40, seed=6)
    assert free.log_probability == 0.0
    np.testing.assert_array_equal(free.samples.labels, plain.labels)


def test_links_hold_beside_clamped_labels_over_several_orders(network, encoding):
    clamped = np.array([-1, 4, -1, 4, 2, -1])
    found = linked_samples(
        network, encoding, must_link=[(0, 1)], cannot_link=[(5, 4)], clamped=clamped, n_samples=60, seed=1
    ).samples.labels
    assert (found[:, 1] == found[:, 3]).all()
    assert (found[:, 0] == found[:, 1]).all()
    assert (found[:, 1] != found[:, 4]).all()
    assert (found[:, 5] != found[:, 4]).all()


@pytest.mark.parametrize(
    ("must", "cannot", "clamped", "message"),
    [
        ([(0, 1)], [(1, 0)], None, "points 1 and 0 must share a cluster .* and cannot"),
        ([(0, 1), (1, 2)], [(0, 2)], None, "points 0 and 2 must share a cluster .* and cannot"),
        ([], [(0, 2)], [3, -1, 3, -1, -1, -1], "points 0 and 2 must share a cluster .* as clamped"),
        ([(0, 1)], [], [3, 4, -1, -1, -1, -1], "points 0 and 1 must share .* clamped labels 3 and 4"),
        ([(0, 6)], [], None, r"must_link pair \(0, 6\) is not among points 0 to 5"),
        ([], [(-1, 2)], None, r"cannot_link pair \(-1, 2\) is not among points 0 to 5"),
        ([], [(2, 2)], None, "points 2 and 2 must share"),
    ],
)
def test_contradictory_and_impossible_constraints_are_refused(
    network, encoding, must, cannot, clamped, message
):
    fixed = None if clamped is None else np.array(clamped)
    with pytest.raises(InputError, match=message):
        linked_samples(
            network, encoding, must_link=must, cannot_link=cannot, clamped=fixed, n_samples=4, seed=0
        )


def test_datasets_sampled_side_by_side_get_the_samples_they_get_alone(network, encoding):
    sets = [encoding, encoding.reordered(torch.arange(4)[None]), encoding.reordered(torch.arange(5)[None])]
    sets = [replace(one, n_points=torch.tensor([one.features.shape[1]])) for one in sets]
    clamped = [None, np.array([1, -1, 1, -1]), None]
    together = ancestral_samples_of_many(
        network, sets, n_samples=30, seeds=[4, 5, 6], clamped=clamped, max_rows=17
    )
    for one, seed, fixed, beside in zip(sets, (4, 5, 6), clamped, together, strict=True):
        alone = ancestral_samples(network, one, n_samples=30, seed=seed, clamped=fixed)
        np.testing.assert_array_equal(beside.labels, alone.labels)
        np.testing.assert_allclose(beside.log_prob, alone.log_prob, atol=1e-10)


def test_padded_datasets_have_the_log_prob_they_have_alone(network, encoding):
    labels = torch.tensor([[0, 1, 0, 2, 1, 0], [0, 0, 1, 2, -1, -1]])
    both = Encoding(
        encoding.features.expand(2, -1, -1),
        {name: table.expand(2, -1, -1) for name, table in encoding.tables.items()},
        torch.tensor([6, 4]),
    )
    with torch.inference_mode():
        padded = network.log_prob(network.finish(both), labels)
        alone = network.log_prob(network.finish(both.dataset(1)), labels[1:, :4])
        whole = network.log_prob(network.finish(both.dataset(0)), labels[:1])
    torch.testing.assert_close(padded[1, :4], alone[0], atol=1e-12, rtol=0)
    torch.testing.assert_close(padded[0], whole[0], atol=1e-12, rtol=0)
    assert (padded[1, 4:] == 0).all()


def test_a_device_out_of_memory_is_asked_for_less_and_the_samples_stay_the_same(
    network, encoding, monkeypatch, caplog
):
    plain = ancestral_samples(network, encoding, n_samples=100, seed=8)
    room = 30

    def small_walk(*arguments, dataset, **options):
        if len(dataset) > room:
            raise torch.OutOfMemoryError
        return walk(*arguments, dataset=dataset, **options)

    monkeypatch.setattr(posterior, "walk", small_walk)
    again = ancestral_samples(network, encoding, n_samples=100, seed=8)
    np.testing.assert_array_equal(again.labels, plain.labels)
    assert "cpu is out of memory; going on with 16 samples at a time" in caplog.text


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
    softmax_cancels = {"f_rest.2.bias"}
    silent = {name for name, p in network.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0}
    assert silent <= softmax_cancels


@pytest.mark.parametrize("free", [0, 3])
def test_sweeps_of_one_point_draw_it_as_if_it_came_last(network, encoding, free):
    """Its cluster given those of the five others, against the network's own score of the whole partitions."""
    others = np.delete(np.arange(N_POINTS), free)
    start = np.zeros(N_POINTS, int)
    start[others] = [0, 0, 1, 1, 2]
    clamped = np.where(np.arange(N_POINTS) == free, -1, start)
    n_samples = 1000
    samples = PosteriorSamples(np.tile(start, (n_samples, 1)), np.zeros(n_samples))
    found = swept(network, encoding, samples, seed=0, n_sweeps=100, clamped=clamped)
    fits = (canonical(PARTITIONS[:, others]) == canonical(start[others])).all(axis=1)
    log_q = log_prob_by_enumeration(network, encoding, np.append(others, free))
    p = np.where(fits, np.exp(log_q - log_q[fits].max()), 0)
    p /= p.sum()
    assert (p > 0.01).sum() >= 2
    share = np.bincount(index_of(found.labels), minlength=len(p)) / n_samples
    assert (np.abs(share - p) < 4 * np.sqrt(p * (1 - p) / n_samples) + 1 / n_samples).all()
