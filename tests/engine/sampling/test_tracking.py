"""Tracks sampled in the order of time are draws from q, and a tracker draws them without looking ahead."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from ncpgui.core.errors import InputError
from ncpgui.core.partition import all_partitions
from ncpgui.core.progress import Cancelled
from ncpgui.engine.networks.npt import NPT, ClusterAwareNPT, FadingNetwork
from ncpgui.engine.networks.point_encoder import PointEncoder
from ncpgui.engine.sampling.tracking import Tracker, track_samples

SIZES = {"h_dim": 12, "g_hidden": (16,), "g_dim": 16, "f_hidden": (16, 16)}


def build(kind: str, *, sees_future: bool) -> FadingNetwork:
    torch.manual_seed(3)
    encoder = PointEncoder(hidden=(16,), h_dim=12)
    network: FadingNetwork
    if kind == "paper":
        network = NPT(encoder, **SIZES, sees_future=sees_future)
    else:
        network = ClusterAwareNPT(encoder, h_dim=12, metric=8, hidden=12, sees_future=sees_future)
    with torch.no_grad():
        for weights in network.parameters():
            if weights.dim() > 1:
                weights.mul_(1.5)
    return network.double().eval()


@pytest.fixture(params=["paper", "ours"])
def online(request: pytest.FixtureRequest) -> FadingNetwork:
    return build(request.param, sees_future=False)


def observations(n_points: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(4)
    return 2 * random.standard_normal((n_points, 2)), random.exponential(size=n_points).cumsum()


def encoded(network: FadingNetwork, x: np.ndarray, times: np.ndarray):
    with torch.inference_mode():
        return network.encode(torch.from_numpy(x)[None], torch.from_numpy(times)[None])


def test_online_labels_are_those_drawn_when_all_was_seen(online: FadingNetwork) -> None:
    x, times = observations(30)
    offline = track_samples(online, encoded(online, x, times), n_samples=25, seed=8)
    tracker = Tracker(online, n_samples=25, seed=8)
    for place, time in zip(x, times, strict=True):
        tracker.observe(place, time)
    np.testing.assert_array_equal(tracker.labels, offline.labels)
    np.testing.assert_allclose(tracker.samples().log_prob, offline.log_prob, atol=1e-9)
    assert len(np.unique(offline.labels, axis=0)) > 5


def test_what_is_said_of_an_observation_does_not_change_with_what_comes_after(online: FadingNetwork) -> None:
    x, times = observations(12)
    first, second = (Tracker(online, n_samples=10, seed=0) for _ in range(2))
    for place, time in zip(x[:6], times[:6], strict=True):
        a, b = first.observe(place, time), second.observe(place, time)
    for place, time in zip(x[6:], times[6:], strict=True):
        second.observe(place, time)
    np.testing.assert_array_equal(a.labels, b.labels)
    np.testing.assert_array_equal(first.labels, second.labels[:, :6])


def test_probabilities_of_an_observation_are_those_of_training(online: FadingNetwork) -> None:
    x, times = observations(9)
    tracker = Tracker(online, n_samples=7, seed=1)
    sightings = [tracker.observe(place, time) for place, time in zip(x, times, strict=True)]
    labels = torch.from_numpy(tracker.labels)
    encoding = encoded(online, np.broadcast_to(x, (7, 9, 2)).copy()[0], times)
    with torch.inference_mode():
        finished = online.finish(encoding.reordered(torch.arange(9).expand(7, -1)))
        expected = online.log_prob(finished, labels).exp().numpy()
    for t, sighting in enumerate(sightings):
        found = sighting.probabilities[np.arange(7), sighting.labels]
        np.testing.assert_allclose(found, expected[:, t], atol=1e-9)
        np.testing.assert_allclose(sighting.probabilities.sum(1), 1.0, atol=1e-12)
    assert sightings[0].p_new == pytest.approx(1.0)
    n_before = tracker.labels[:, :8].max(1) + 1
    assert sightings[8].p_new == pytest.approx(sightings[8].probabilities[np.arange(7), n_before].mean())


def test_only_the_time_between_observations_matters(online: FadingNetwork) -> None:
    x, times = observations(10)
    labels = []
    for start in (0.0, 1e6):  # in single precision, a million and a quarter is a million
        tracker = Tracker(online.float(), n_samples=10, seed=0)
        for place, time in zip(x, times, strict=True):
            tracker.observe(place, start + time)
        labels.append(tracker.labels)
    np.testing.assert_array_equal(*labels)


@pytest.mark.parametrize("kind", ["paper", "ours"])
def test_frequencies_of_tracks_match_enumeration(kind: str) -> None:
    """203 partitions of six points, by a network that sees the future."""
    network = build(kind, sees_future=True)
    encoding = encoded(network, *observations(6))
    partitions = np.stack(list(all_partitions(6)))
    with torch.inference_mode():
        finished = network.finish(encoding.reordered(torch.arange(6).expand(len(partitions), -1)))
        p = network.log_prob(finished, torch.from_numpy(partitions)).sum(1).exp().numpy()
    n = 20_000
    samples = track_samples(network, encoding, n_samples=n, seed=2)
    place = {tuple(row): i for i, row in enumerate(partitions.tolist())}
    index = np.array([place[tuple(row)] for row in samples.labels.tolist()])
    by_chance = np.sqrt(2 * p * (1 - p) / (np.pi * n)).sum() / 2
    assert np.abs(np.bincount(index, minlength=203) / n - p).sum() / 2 < 1.5 * by_chance
    np.testing.assert_allclose(samples.log_prob, np.log(p)[index], atol=1e-9)


def test_the_same_seed_gives_the_same_tracks_and_another_seed_others(online: FadingNetwork) -> None:
    encoding = encoded(online, *observations(15))
    first, again, other = (track_samples(online, encoding, n_samples=30, seed=s).labels for s in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_sampling_can_be_stopped(online: FadingNetwork) -> None:
    def stop(done: int, total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        track_samples(online, encoded(online, *observations(5)), n_samples=3, seed=0, progress=stop)


def test_a_tracker_refuses_networks_and_observations_that_it_cannot_use(online: FadingNetwork) -> None:
    with pytest.raises(InputError, match="use one trained with sees_future = false"):
        Tracker(build("ours", sees_future=True))
    with pytest.raises(InputError, match="at least one sample must be drawn, got 0"):
        Tracker(online, n_samples=0)
    tracker = Tracker(online, n_samples=4)
    assert tracker.labels.shape == (4, 0)
    tracker.observe([0.0, 1.0], 3.0)
    tracker.observe([0.5, 1.0], 3.0)
    with pytest.raises(InputError, match=r"in the order of time, got one at 2.5 after one at 3.0; sort them"):
        tracker.observe([0.0, 1.0], 2.5)
    with pytest.raises(InputError, match="must be a row of finite numbers"):
        tracker.observe([0.0, float("nan")], 4.0)
    with pytest.raises(InputError, match="time of an observation must be a finite number, got inf"):
        tracker.observe([0.0, 1.0], float("inf"))
    assert tracker.labels.shape == (4, 2)
