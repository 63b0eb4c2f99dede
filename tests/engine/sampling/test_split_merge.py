"""Splits and merges leave a law as it is, reach it from anywhere, and find a unit that was missed."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.special import gammaln
from scipy.stats import multivariate_normal
from sklearn.metrics import adjusted_rand_score

from ncpgui.core.partition import all_partitions, canonical
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.networks.model_files import find_model
from ncpgui.engine.sampling.posterior import Visit, Walker, ancestral_samples
from ncpgui.engine.sampling.split_merge import split_and_merged

PLACES = np.array([[0.0, 0.3], [0.4, -0.2], [2.0, 0.1], [2.5, 0.6]])
PARTITIONS = np.stack(list(all_partitions(len(PLACES))))
NUMBER = {tuple(row): i for i, row in enumerate(PARTITIONS.tolist())}
LAW = np.random.default_rng(7).dirichlet(np.full(len(PARTITIONS), 1.5))


def of_the_law(labels: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return np.log([LAW[NUMBER[tuple(row)]] for row in labels.tolist()])


def moved(start: np.ndarray, n_moves: int, free: np.ndarray | None = None) -> np.ndarray:
    found = split_and_merged(
        of_the_law,
        start,
        of_the_law(start, np.arange(len(start))),
        PLACES,
        n_moves=n_moves,
        generator=np.random.default_rng(3),
        free=free,
    )
    np.testing.assert_array_equal(found.log_prob, of_the_law(found.labels, np.arange(len(start))))
    return found.labels


def shares(labels: np.ndarray) -> np.ndarray:
    place = [NUMBER[tuple(row)] for row in labels.tolist()]
    return np.bincount(place, minlength=len(PARTITIONS)) / len(labels)


@pytest.mark.parametrize("start", [[0, 0, 0, 0], [0, 1, 2, 3]], ids=["together", "apart"])
def test_any_law_of_partitions_is_reached_from_anywhere(start: list[int]) -> None:
    labels = moved(np.tile(start, (300, 1)), n_moves=20)
    np.testing.assert_allclose(shares(labels), LAW, atol=4 * np.sqrt(LAW.max() / 300))


def test_draws_of_the_law_are_draws_of_it_after_a_few_moves() -> None:
    start = PARTITIONS[np.random.default_rng(1).choice(len(LAW), 2000, p=LAW)]
    labels = moved(start, n_moves=2)
    assert (labels != start).any(1).mean() > 0.1
    error = np.sqrt(LAW * (1 - LAW) / 2000)
    assert np.abs((shares(labels) - LAW) / error).max() < 4


def test_clusters_of_held_points_stay_as_they_are() -> None:
    start = np.tile([0, 1, 1, 2], (200, 1))
    labels = moved(start, n_moves=12, free=np.array([True, False, True, True]))
    assert (labels[:, 1] == labels[:, 2]).all()
    assert (labels[:, [0, 3]] != labels[:, [1, 1]]).all()
    is_merged = labels[:, 0] == labels[:, 3]
    merged, apart = LAW[NUMBER[0, 1, 1, 0]], LAW[NUMBER[0, 1, 1, 2]]
    assert is_merged.mean() == pytest.approx(merged / (merged + apart), abs=0.15)


def two_units(n_each: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    places = rng.normal(size=(2 * n_each, 3))
    places[n_each:, 0] += 8
    return places, np.repeat([0, 1], n_each)


def of_gaussians(places: np.ndarray):
    """Unit Gaussians about means of sd 10, units as a Chinese restaurant of alpha 1 has them."""

    def log_probability(labels: np.ndarray, rows: np.ndarray) -> np.ndarray:
        result = np.zeros(len(labels))
        for i, row in enumerate(labels):
            for k in set(row.tolist()):
                members = places[row == k]
                result[i] += gammaln(len(members))
                spread = np.eye(len(members)) + 100.0
                law = multivariate_normal(np.zeros(len(members)), spread)
                result[i] += law.logpdf(members.T).sum()
        return result

    return log_probability


@pytest.mark.parametrize("start", ["one unit", "four units"])
def test_two_units_that_were_taken_for_one_or_for_four_are_found(start: str) -> None:
    places, truth = two_units(20)
    first = np.zeros(40, int) if start == "one unit" else np.arange(40) // 10
    law = of_gaussians(places)
    labels = np.tile(canonical(first), (10, 1))
    rows = np.arange(10)
    found = split_and_merged(
        law, labels, law(labels, rows), places, n_moves=20, generator=np.random.default_rng(2)
    )
    assert (found.log_prob > law(labels, rows)).all()
    assert np.mean([adjusted_rand_score(row, truth) for row in found.labels]) > 0.8


@pytest.fixture(scope="module")
def network():
    return load_checkpoint(find_model("spikes")).network


@pytest.fixture(scope="module")
def encoding(network):
    generator = torch.Generator().manual_seed(4)
    shape = torch.zeros(2, 32, 4)
    shape[0, 12:16, 0], shape[1, 12:16, 1] = -8, -8
    spikes = shape[torch.arange(24) % 2] + torch.randn(24, 32, 4, generator=generator)
    positions = torch.tensor([[0.0, 0], [25, 0], [0, 25], [25, 25]])
    with torch.inference_mode():
        return network.encode(spikes[None], positions[None], torch.ones(1, 4, dtype=torch.bool))


def test_log_q_of_given_labels_is_that_of_teacher_forcing_in_each_order(network, encoding) -> None:
    visits = [Visit.draw(24, None, np.random.default_rng(seed)) for seed in range(3)]
    labels = np.random.default_rng(9).integers(0, 3, (6, 24))
    order = np.array([0, 1, 2, 0, 1, 2])
    visited = canonical(np.stack([row[visits[k].order] for row, k in zip(labels, order, strict=True)]))
    found = Walker(network, [encoding], [visits]).log_prob(visited, order)
    for row, k, score in zip(visited, order, found, strict=True):
        with torch.inference_mode():
            finished = network.finish(encoding.reordered(torch.from_numpy(visits[k].order)))
            expected = network.log_prob(finished, torch.from_numpy(row)[None]).sum()
        assert score == pytest.approx(float(expected), abs=1e-3)


def test_the_network_tells_how_probable_moved_draws_are_and_the_same_seed_gives_the_same(network, encoding):
    drawn = ancestral_samples(network, encoding, n_samples=8, seed=5, n_moves=3)
    again = ancestral_samples(network, encoding, n_samples=8, seed=5, n_moves=3)
    np.testing.assert_array_equal(drawn.labels, again.labels)
    visits = [Visit.draw(24, None, np.random.default_rng(0))]
    assert np.isfinite(drawn.log_prob).all()
    assert Walker(network, [encoding], [visits]).log_prob(drawn.labels, np.zeros(8, int)).shape == (8,)


def test_progress_goes_on_through_the_moves_to_the_end(network, encoding) -> None:
    told: list[float] = []
    ancestral_samples(
        network,
        encoding,
        n_samples=4,
        seed=5,
        n_moves=3,
        progress=lambda done, total, message="": told.append(done / total),
    )
    assert told == sorted(told)
    assert told[-1] == 1
