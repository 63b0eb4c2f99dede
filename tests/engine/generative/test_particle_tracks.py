"""Tracks follow the law that is written down, and the exact density is that of what is drawn."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
import torch
from torch.distributions import MultivariateNormal

from ncpgui.core.errors import InputError
from ncpgui.core.partition import all_partitions
from ncpgui.engine.generative.batch import canonical_labels
from ncpgui.engine.generative.particle_tracks import ParticleTracks, ParticleTracksSettings

BUSY = ParticleTracksSettings(appearance_rate=0.5, lifetime=4.0, mean_gap=0.7)  # much happens in few points


def every_partition(n_points: int) -> torch.Tensor:
    return torch.from_numpy(np.stack(list(all_partitions(n_points))))


def stationary_covariance(settings: ParticleTracksSettings, times: torch.Tensor) -> torch.Tensor:
    """Of what is seen of one particle: spread^2 exp(-theta |t - t'|), and noise^2 on the diagonal."""
    theta = settings.drift**2 / (2 * settings.spread**2)
    lag = (times[:, None] - times[None]).abs()
    return settings.spread**2 * torch.exp(-theta * lag) + settings.noise**2 * torch.eye(len(times)).to(lag)


def test_shapes_times_rise_and_labels_are_canonical(generator: torch.Generator) -> None:
    (x, times), labels = ParticleTracks().sample(7, 60, generator)
    assert (x.shape, times.shape, labels.shape) == ((7, 60, 2), (7, 60), (7, 60))
    assert x.dtype == times.dtype == torch.float32
    assert (times.diff(dim=1) > 0).all()
    assert torch.equal(canonical_labels(labels), labels)


def test_the_same_seed_gives_the_same_tracks_and_a_range_pads_them() -> None:
    first, again = (ParticleTracks().sample(6, (5, 20), torch.Generator().manual_seed(3)) for _ in range(2))
    assert torch.equal(first.points[0], again.points[0])
    assert torch.equal(first.labels, again.labels)
    assert ((first.n_points >= 5) & (first.n_points <= 20)).all()
    assert len(first.n_points.unique()) > 1


def test_something_is_seen_every_mean_gap_and_a_particle_as_often_as_it_should(
    generator: torch.Generator,
) -> None:
    """1 / lambda = mean_gap * appearance_rate * lifetime between two sightings of one living particle."""
    settings = ParticleTracksSettings(appearance_rate=0.2, lifetime=50.0, mean_gap=0.5)
    (_, times), labels = ParticleTracks(settings).sample(200, 400, generator)
    assert (times[:, -1] / 400).mean().item() == pytest.approx(0.5, abs=0.02)
    again = labels[:, 1:] == labels[:, :-1]  # one of about ten living particles
    assert again.float().mean().item() == pytest.approx(0.1, abs=0.02)


def test_the_log_likelihood_is_that_of_the_gaussian_with_the_covariance_written_out(
    generator: torch.Generator,
) -> None:
    settings = ParticleTracksSettings(drift=3.0, noise=0.7)
    model = ParticleTracks(settings)
    (x, times), labels = model.sample(1, 12, generator)
    rows = torch.stack(
        [labels[0], torch.zeros(12, dtype=torch.int64), torch.arange(12), torch.arange(12) % 3]
    )
    for found, row in zip(model.log_likelihood(x[0], times[0], rows), rows, strict=True):
        expected = 0.0
        for k in row.unique():
            member = row == k
            law = MultivariateNormal(
                torch.zeros(int(member.sum()), dtype=torch.float64),
                stationary_covariance(settings, times[0, member].double()),
            )
            expected += law.log_prob(x[0, member].double().T).sum().item()
        assert found.item() == pytest.approx(expected, abs=1e-9)


def test_places_of_one_particle_have_the_covariance_of_the_law(generator: torch.Generator) -> None:
    """A particle that lives for ever, and is the only one: all sightings are one track."""
    settings = ParticleTracksSettings(drift=4.0, spread=3.0, noise=1.0)
    times = torch.tensor([0.0, 0.3, 1.0, 1.1, 4.0])
    labels = torch.zeros(40_000, 5, dtype=torch.int64)
    x = ParticleTracks(settings)._places(labels, times.expand(40_000, -1), generator)[..., 0]
    expected = stationary_covariance(settings, times)
    assert (x.T @ x / 40_000 - expected).abs().max() < 5 * 10 * math.sqrt(2 / 40_000)


@pytest.mark.parametrize("settings", [BUSY, ParticleTracksSettings(lifetime=5.0, appearance_rate=0.05)])
def test_labels_are_as_frequent_as_their_probability_given_the_times_says(
    settings: ParticleTracksSettings, generator: torch.Generator
) -> None:
    """E p(c | times) = P(c), for each of the 15 partitions of four points."""
    model, n = ParticleTracks(settings), 4000
    (_, times), labels = model.sample(n, 4, generator)
    partitions = every_partition(4)
    p = torch.stack([model.log_prior(row, partitions).softmax(0) for row in times])
    counts = Counter(map(tuple, labels.tolist()))
    for partition, mean, square in zip(partitions, p.mean(0), p.square().mean(0), strict=True):
        error = math.sqrt(max(mean - square, 1e-6) / n)  # of the sum of independent indicators
        assert abs(counts[tuple(partition.tolist())] / n - mean) < 5 * error


def test_the_density_of_labels_and_times_integrates_to_one() -> None:
    """Of two points: over both times and both partitions."""
    model = ParticleTracks(BUSY)
    step, pair = 0.2, every_partition(2)
    grid = (torch.arange(60, dtype=torch.float64) + 0.5) * step

    def density(first: torch.Tensor, second: torch.Tensor) -> float:
        return model.log_prior(torch.stack([first, second]), pair).exp().sum().item()

    total = sum(density(t, t) / 2 + sum(density(t, u) for u in grid[i + 1 :]) for i, t in enumerate(grid))
    assert total * step**2 == pytest.approx(1.0, abs=0.01)


def test_settings_must_be_positive() -> None:
    with pytest.raises(InputError, match="'lifetime' must be positive, got 0"):
        ParticleTracksSettings(lifetime=0.0)
    with pytest.raises(InputError, match="'drift' must be a finite number that is not negative, got -1"):
        ParticleTracksSettings(drift=-1.0)
