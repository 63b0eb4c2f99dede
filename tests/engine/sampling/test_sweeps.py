"""Sweeps leave an exact posterior as it is and find it from anywhere."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from ncpgui.core.partition import all_partitions, n_clusters
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.engine.diagnostics.posteriors import ExactPosterior, every_partition, one
from ncpgui.engine.generative.registry import GenerativeSettings
from ncpgui.engine.networks.checkpoint import load_checkpoint
from ncpgui.engine.networks.model_files import find_model
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding
from ncpgui.engine.sampling import sweeps
from ncpgui.engine.sampling.posterior import ancestral_samples
from ncpgui.engine.sampling.sweeps import swept

X = np.array([-2.1, -1.2, 0.1, 1.3, 2.4])
PARTITIONS = np.stack(list(all_partitions(len(X))))
NOISE, PRIOR = 0.7, 4.0  # variances of points around their mean, and of means


class ExactMixture(ClusteringNetwork):
    """The exact conditionals of a Dirichlet process mixture of Gaussians of one dimension."""

    n_seen = 1

    def __init__(self, alpha: float) -> None:
        super().__init__()
        self.alpha = alpha
        self.log_temperature = torch.nn.Buffer(torch.zeros((), dtype=torch.float64))

    def finish(self, encoding):
        x = encoding.features
        return encoding.with_tables(joins=x, context=torch.zeros_like(x))

    def cluster(self, sums, sizes):
        return torch.zeros_like(sums)

    def candidate(self, sums, sizes, cluster, joins):
        variance = 1 / (1 / PRIOR + sizes / NOISE)
        mean = variance * sums[..., 0] / NOISE
        law = torch.distributions.Normal(mean, (variance + NOISE).sqrt())
        weight = torch.where(sizes > 0, sizes, self.alpha).log()
        return (weight + law.log_prob(joins[..., 0]))[..., None]

    def score(self, first):
        return first[..., 0]


def encoding_of(x: np.ndarray) -> Encoding:
    return Encoding(torch.from_numpy(x)[None, :, None], {}, torch.tensor([len(x)]))


def exact_posterior(network: ExactMixture) -> np.ndarray:
    """Probabilities of all 52 partitions, as products of the conditionals in one order."""
    log_joint = []
    for labels in PARTITIONS:
        total = 0.0
        for n, label in enumerate(labels):
            own = X[:n][labels[:n] == label]
            state = torch.tensor([own.sum()]), torch.tensor(float(len(own)))
            total += float(network.candidate(*state, torch.zeros(1), torch.tensor([X[n]])))
        log_joint.append(total)
    p = np.exp(np.array(log_joint) - max(log_joint))
    return p / p.sum()


def frequencies(labels: np.ndarray) -> np.ndarray:
    place = {tuple(row): i for i, row in enumerate(PARTITIONS.tolist())}
    return np.bincount([place[tuple(row)] for row in labels.tolist()], minlength=len(PARTITIONS)) / len(
        labels
    )


@pytest.mark.parametrize("start", [np.zeros(5, int), np.arange(5)], ids=["together", "apart"])
def test_many_sweeps_reach_the_exact_posterior(start: np.ndarray) -> None:
    """Of 52 partitions, from all samples alike."""
    network, n_samples = ExactMixture(alpha=0.8), 1500
    samples = PosteriorSamples(np.tile(start, (n_samples, 1)), np.zeros(n_samples))
    found = swept(network, encoding_of(X), samples, seed=0, n_sweeps=60)
    p = exact_posterior(network)
    error = np.abs(frequencies(found.labels) - p)
    assert (error < 4 * np.sqrt(p * (1 - p) / n_samples) + 1 / n_samples).all()


def test_weights_and_orders_stay_and_log_q_is_not_known_of_what_was_swept() -> None:
    network, n_samples = ExactMixture(alpha=0.8), 4000
    p = exact_posterior(network)
    drawn = np.random.default_rng(1).choice(len(p), n_samples, p=p)
    weight, log_prob = np.arange(1.0, n_samples + 1), np.log(p[drawn])
    order = np.arange(n_samples) % 8
    samples = PosteriorSamples(PARTITIONS[drawn], log_prob, weight, order)
    found = swept(network, encoding_of(X), samples, seed=0)
    assert (found.weight == samples.weight).all()
    assert (found.order == order).all()
    assert np.isnan(found.log_prob).all()


def frequencies_agree(labels: np.ndarray, p: np.ndarray) -> bool:
    """Whether the total variation, and E[K], are those of as many exact samples, but for 4 sd."""
    rng, n = np.random.default_rng(7), len(labels)
    by_chance = [np.abs(rng.multinomial(n, p) / n - p).sum() / 2 for _ in range(200)]
    found = frequencies(labels)
    k = PARTITIONS.max(axis=1) + 1
    k_sd = np.sqrt((p @ k**2 - (p @ k) ** 2) / n)
    too_far = np.abs(found - p).sum() / 2 > np.mean(by_chance) + 4 * np.std(by_chance)
    return not too_far and abs(found @ k - p @ k) < 4 * k_sd


@pytest.mark.parametrize("n_sweeps", [2, 30])
@pytest.mark.parametrize("points_at_once", [None, 2, 4])
def test_sweeps_leave_exact_samples_exact(n_sweeps: int, points_at_once: int | None) -> None:
    """As they are by default, and however many points propose at once."""
    network, n_samples = ExactMixture(alpha=0.8), 4000
    p = exact_posterior(network)
    drawn = np.random.default_rng(2).choice(len(p), n_samples, p=p)
    samples = PosteriorSamples(PARTITIONS[drawn], np.log(p[drawn]))
    found = swept(network, encoding_of(X), samples, seed=0, n_sweeps=n_sweeps, points_at_once=points_at_once)
    assert (found.labels != samples.labels).any()
    assert frequencies_agree(found.labels, p)


@pytest.mark.slow
def test_two_samples_that_vote_for_each_other_stay_exact() -> None:
    """A sample whose own labels voted for its proposals would be drawn back to where it was."""
    network = ExactMixture(alpha=0.8)
    p = exact_posterior(network)
    rng = np.random.default_rng(3)
    pairs = [PosteriorSamples(PARTITIONS[rng.choice(len(p), 2, p=p)], np.zeros(2)) for _ in range(600)]
    found = [swept(network, encoding_of(X), two, seed=i).labels for i, two in enumerate(pairs)]
    assert frequencies_agree(np.concatenate(found), p)


@pytest.mark.slow
def test_sweeps_bring_the_shipped_model_of_gaussians_nearer_to_the_exact_posterior() -> None:
    """Of 12 sets of seven points, whose 877 partitions are enumerated."""
    network = load_checkpoint(find_model("gauss2d")).network
    model = GenerativeSettings("gauss2d").build()
    batch = model.sample(12, 7, torch.Generator().manual_seed(0))
    digits = 10 ** np.arange(6, -1, -1)
    distance = []
    for i in range(12):
        points = one(batch.points, i)
        p = np.exp(ExactPosterior(model).log_prob_of_all(points))
        with torch.inference_mode():
            encoding = network.encode(*points)
        drawn = ancestral_samples(network, encoding, n_samples=4000, seed=i)
        moved = swept(network, encoding, drawn, seed=i)
        rows = [np.searchsorted(every_partition(7) @ digits, part.labels @ digits) for part in (drawn, moved)]
        distance.append([np.abs(np.bincount(r, minlength=len(p)) / 4000 - p).sum() / 2 for r in rows])
    before, after = np.mean(distance, axis=0)
    assert after < 0.85 * before


@pytest.mark.slow
def test_repeated_runs_differ_as_their_standard_error_says() -> None:
    """The probability that two points of the shipped model of Gaussians are together, of 100 samples each."""
    network = load_checkpoint(find_model("gauss2d")).network
    batch = GenerativeSettings("gauss2d").build().sample(6, 40, torch.Generator().manual_seed(1))
    first, second = np.triu_indices(40, 1)
    found, stated = [], []
    for i in (2, 4):  # the others leave no pair in doubt
        with torch.inference_mode():
            encoding = network.encode(*one(batch.points, i))
        runs = [
            swept(
                network, encoding, ancestral_samples(network, encoding, n_samples=100, seed=seed), seed=seed
            )
            for seed in range(24)
        ]
        together = [run.labels[:, first] == run.labels[:, second] for run in runs]
        p = np.stack([one_run.mean(axis=0) for one_run in together])
        doubtful = np.flatnonzero((p.mean(axis=0) > 0.1) & (p.mean(axis=0) < 0.9))
        found += p[:, doubtful].var(axis=0, ddof=1).tolist()
        stated += [
            np.mean(
                [run.standard_error(rows[:, pair]) ** 2 for run, rows in zip(runs, together, strict=True)]
            )
            for pair in doubtful
        ]
    assert len(found) > 30
    assert 0.75 < np.sqrt(np.mean(found) / np.mean(stated)) < 1.15


def test_points_that_open_clusters_at_once_open_one_each() -> None:
    """With a prior for new clusters alone, all points end up in single ones."""
    samples = PosteriorSamples(np.zeros((3, 5), int), np.zeros(3))
    found = swept(ExactMixture(alpha=1e9), encoding_of(X), samples, seed=0, n_sweeps=200, points_at_once=2)
    assert [n_clusters(row) for row in found.labels] == [5, 5, 5]


def test_held_points_stay() -> None:
    """Two that lie far apart are held together; the free one leaves them for its like."""
    clamped = np.array([0, 1, 1, -1, 0])
    samples = PosteriorSamples(np.tile([0, 1, 1, 1, 0], (10, 1)), np.zeros(10))
    x = np.array([5.0, -5.0, 4.9, 4.8, 5.2])
    found = swept(ExactMixture(alpha=1e-6), encoding_of(x), samples, seed=0, n_sweeps=700, clamped=clamped)
    assert (found.labels == [0, 1, 1, 0, 0]).all()


def test_the_same_seed_sweeps_the_same_way() -> None:
    samples = PosteriorSamples(np.zeros((20, 5), int), np.zeros(20))
    one, again, other = (
        swept(ExactMixture(alpha=1.0), encoding_of(X), samples, seed=seed, n_sweeps=20) for seed in (3, 3, 4)
    )
    assert (one.labels == again.labels).all()
    assert (one.labels != other.labels).any()


@pytest.mark.parametrize("n_at_once", [1, 2, 3, 4, 5, 8])
def test_samples_in_parts_are_voted_for_by_the_other_half_whatever_part_they_are_in(
    n_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine samples, of which the first four are one half: each has its own labels to know it by."""
    labels = torch.tensor([[n >> bit & 1 for bit in range(4)] + [0] for n in range(9)])
    half, n_voters = 4, 5
    seen: list[tuple[list[list[int]], list[list[int]]]] = []

    class Spy:
        def __init__(self, _: object, __: object, part: Tensor, voters: list[tuple[int, Tensor]]) -> None:
            assert sum(n for n, _ in voters) == len(part)
            for (n, clusters), rows in zip(voters, part.split([n for n, _ in voters]), strict=True):
                assert len(rows) == n
                ones = clusters.view(-1, 2, 5)[:, 1].long().tolist()  # points that are in cluster 1
                seen.extend(([row], ones) for row in rows.tolist())

    monkeypatch.setattr(sweeps, "_Clusters", Spy)
    places = n_at_once * 2 * 2 * n_voters
    monkeypatch.setattr(sweeps, "_PLACES_AT_ONCE", places)
    monkeypatch.setattr(sweeps, "_VOTERS", n_voters)
    parts = sweeps._parts_of(ExactMixture(alpha=1.0), encoding_of(X), labels)
    assert len(parts) >= 9 // (n_at_once + 1)
    assert [row for (row,), _ in seen] == labels.tolist()
    n_voters = min(n_voters, places // (2 * 5))  # as many as fit
    halves = labels[:half][:n_voters].tolist(), labels[half : half + n_voters].tolist()
    assert [voters for _, voters in seen] == [halves[1]] * half + [halves[0]] * (9 - half)


@pytest.mark.slow
def test_sweeps_in_several_parts_reach_the_exact_posterior_too(monkeypatch: pytest.MonkeyPatch) -> None:
    network, n_samples = ExactMixture(alpha=0.8), 2000
    monkeypatch.setattr(sweeps, "_PLACES_AT_ONCE", 300 * 5 * 250)
    samples = PosteriorSamples(np.tile(np.arange(5), (n_samples, 1)), np.zeros(n_samples))
    parts = sweeps._parts_of(network, encoding_of(X), torch.from_numpy(samples.labels.astype(np.int64)))
    assert [len(part.labels) for part in parts] == [300] * 6 + [200]
    found = swept(network, encoding_of(X), samples, seed=0, n_sweeps=60)
    p = exact_posterior(network)
    error = np.abs(frequencies(found.labels) - p)
    assert (error < 4 * np.sqrt(p * (1 - p) / n_samples) + 1 / n_samples).all()
