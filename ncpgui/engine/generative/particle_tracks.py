"""Tracks in the plane that appear, drift and vanish; one particle is seen at a time (paper, SM F).

Particles appear at `appearance_rate` and live an exponential time of mean `lifetime`. While it lives, a
particle drifts as an Ornstein-Uhlenbeck process whose stationary law is that of a new particle, so that
nothing escapes, and is seen at the times of a Poisson process of rate lambda:

    mu_k(t') | mu_k(t) ~ N(rho mu_k(t), spread^2 (1 - rho^2) 1),   rho = exp(-theta |t' - t|),
    theta = drift^2 / (2 spread^2);   x_t ~ N(mu_{c_t}(t), noise^2 1)

Whenever something is seen, it is each of the living particles with the same probability, among them those
that were never seen before. Watching begins at time 0 in the stationary state, where `appearance_rate *
lifetime` particles live on average; lambda is set so that something is seen every `mean_gap` on average.

The tracks form a Poisson process in the space of tracks, so labels, times and places together have an
exact density, and with it the posterior: p(c | x, times) is proportional to prod_k w(times of k) m(x of
k | times of k). Let beta = appearance_rate, delta = 1 / lifetime, kappa = lambda + delta. A track seen m
times from t_1 to t_m, watched from 0 to tau, has the intensity

    w = A(t_1) lambda^m exp(-kappa (t_m - t_1)) E(tau - t_m)
    A(t) = beta [(1 - exp(-kappa t)) / kappa + exp(-kappa t) / delta]    born before t, not seen yet
    E(t) = delta (1 - exp(-kappa t)) / kappa + exp(-kappa t)             not seen again, dead or alive

and log p(c, times) = sum_k log w_k - lambda int_0^tau A(t) dt, with tau the last time: the first points
of a dataset are a dataset of the same model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from ncpgui.core.config import check_numbers
from ncpgui.engine.generative.batch import Batch, canonical_labels, largest, shortened


@dataclass(frozen=True)
class ParticleTracksSettings:
    """Numbers of the model; the unit of time is arbitrary, and that of length too.

    appearance_rate : particles that appear per unit of time
    lifetime : mean time that a particle lives
    drift : sd of the way of a particle in one unit of time
    spread : sd of the place of a particle around 0, when it appears and later
    noise : sd of an observation around the particle
    mean_gap : mean time between observations, over all particles
    """

    appearance_rate: float = 0.1
    lifetime: float = 40.0
    drift: float = 0.5
    spread: float = 10.0
    noise: float = 0.5
    mean_gap: float = 1.0

    def __post_init__(self) -> None:
        check_numbers(self, positive=("appearance_rate", "lifetime", "drift", "spread", "noise", "mean_gap"))


class ParticleTracks:
    """Draws datasets of tracks, and scores their labellings exactly; see the module."""

    def __init__(self, settings: ParticleTracksSettings | None = None) -> None:
        self.settings = s = settings or ParticleTracksSettings()
        self._delta = 1 / s.lifetime
        self._lambda = 1 / (s.mean_gap * s.appearance_rate * s.lifetime)
        self._kappa = self._delta + self._lambda
        self._theta = s.drift**2 / (2 * s.spread**2)

    @torch.no_grad()
    def sample(self, n_datasets: int, n_points: int | tuple[int, int], generator: torch.Generator) -> Batch:
        """See `GenerativeModel`: points (x (B, T, 2), times (B, T)), float32, in order of time."""
        particles, times = self._sightings(n_datasets, largest(n_points), generator)
        labels = canonical_labels(particles)
        x = self._places(labels, times, generator)
        return Batch((x, times), shortened(labels, n_points, generator))

    def describe(self) -> dict[str, Any]:
        """See `GenerativeModel`."""
        return {"input": {"kind": "tracks", "n_dims": 2}}

    def log_likelihood(self, x: Tensor, times: Tensor, labels: Tensor) -> Tensor:
        """log p(x | c, times) of one dataset, x (T, 2) and times (T,), for labels (S, T): (S,) float64."""
        predictive = self._log_predictive(x[None], times[None], labels)
        return predictive.gather(2, labels[..., None]).sum((1, 2))

    def log_prior(self, times: Tensor, labels: Tensor) -> Tensor:
        """log p(c, times) of times (T,) for canonical labels (S, T): (S,) float64."""
        times = times.double()
        end, beta = times[-1], self.settings.appearance_rate
        member = one_hot(labels, int(labels.max()) + 1).bool()
        size = member.sum(1).double()
        seen = times[None, :, None]
        first = torch.where(member, seen, math.inf).amin(1)
        last = torch.where(member, seen, -math.inf).amax(1)
        there = size > 0
        first, last = first.where(there, 0.0), last.where(there, 0.0)
        log_w = self._log_born(first) + size * math.log(self._lambda) - self._kappa * (last - first)
        log_w = log_w + self._log_unseen(end - last)
        k = self._kappa
        vanishing = (1 - torch.exp(-k * end)) / k
        expected = self._lambda * beta * (end / k + (1 / self._delta - 1 / k) * vanishing)
        return (log_w * there).sum(1) - expected

    def log_joint(self, x: Tensor, times: Tensor, labels: Tensor) -> Tensor:
        """log p(c, times, x) of x (T, 2) and times (T,) for canonical labels (S, T): (S,) float64."""
        return self.log_prior(times, labels) + self.log_likelihood(x, times, labels)

    def _log_born(self, t: Tensor) -> Tensor:
        """log A(t), see the module."""
        gone = torch.exp(-self._kappa * t)
        return torch.log(self.settings.appearance_rate * ((1 - gone) / self._kappa + gone / self._delta))

    def _log_unseen(self, t: Tensor) -> Tensor:
        """log E(t), see the module."""
        gone = torch.exp(-self._kappa * t)
        return torch.log(self._delta * (1 - gone) / self._kappa + gone)

    def _log_predictive(self, x: Tensor, times: Tensor, labels: Tensor) -> Tensor:
        """log p(x_t | track k, what was seen of it before t) by one Kalman filter a track.

        Parameters
        ----------
        x, times : (S or 1, T, 2), (S or 1, T)
        labels : (S, T)

        Returns
        -------
        (S, T, n_slots) float64; a track that was never seen is a new one
        """
        n_slots = int(labels.max()) + 1
        x, times = x.double(), times.double()
        v_stationary, v_noise = self.settings.spread**2, self.settings.noise**2
        mean = x.new_zeros(len(labels), n_slots, 2)
        variance = x.new_full((len(labels), n_slots), v_stationary)
        before = times[:, :1]
        found = []
        for t in range(labels.shape[1]):
            rho = torch.exp(-self._theta * (times[:, t : t + 1] - before))
            before = times[:, t : t + 1]
            mean = rho[..., None] * mean
            variance = v_stationary + rho.square() * (variance - v_stationary)
            error, v = x[:, t, None] - mean, variance + v_noise
            found.append(-error.square().sum(-1) / (2 * v) - torch.log(2 * math.pi * v))
            gain = variance / v * one_hot(labels[:, t], n_slots)  # of the track that was seen
            mean = mean + gain[..., None] * error
            variance = variance * (1 - gain)
        return torch.stack(found, dim=1)

    def _sightings(self, n_datasets: int, n_points: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Who is seen when: (B, T) int64 numbers of particles, (B, T) float32 times.

        One event of every dataset a turn (a particle appears, vanishes or is seen), until all have seen
        enough; what comes after that is drawn into a column that is cut off.
        """
        device, beta = generator.device, self.settings.appearance_rate
        expected = torch.full((n_datasets,), beta * self.settings.lifetime, device=device)
        n_living = torch.poisson(expected, generator=generator).long()
        n_ever = n_living.clone()
        living = torch.arange(int(n_living.max()) + 1, device=device).repeat(n_datasets, 1)
        row = torch.arange(n_datasets, device=device)
        n_seen = torch.zeros_like(n_living)
        particles = torch.zeros(n_datasets, n_points + 1, dtype=torch.int64, device=device)
        times = torch.zeros(n_datasets, n_points + 1, device=device, dtype=torch.float64)
        now = torch.zeros(n_datasets, device=device, dtype=torch.float64)
        while int(n_seen.min()) < n_points:
            draw = torch.rand(n_datasets, 3, generator=generator, device=device, dtype=torch.float64)
            rate = beta + n_living.double() * self._kappa
            now = now - torch.log1p(-draw[:, 0]) / rate
            event = draw[:, 1] * rate - beta  # below 0: one appears; else it happens to one of the living
            appears = event < 0
            vanishes = (event >= 0) & (event < n_living.double() * self._delta)
            place = (draw[:, 2] * n_living).long()
            column = torch.where(appears | vanishes, n_points, n_seen.clamp(max=n_points))
            particles[row, column] = living[row, place]
            times[row, column] = now
            n_seen = n_seen + ~(appears | vanishes)
            if int(n_living.max()) + 1 == living.shape[1]:
                living = torch.nn.functional.pad(living, (0, living.shape[1]))
            kept = torch.where(vanishes, living[row, n_living - 1], living[row, place])
            living[row, place] = kept  # the last one takes the place of the one that vanished
            living[row, n_living] = torch.where(appears, n_ever, living[row, n_living])
            n_ever = n_ever + appears
            n_living = n_living + appears.long() - vanishes.long()
        return particles[:, :n_points], times[:, :n_points].float()

    def _places(self, labels: Tensor, times: Tensor, generator: torch.Generator) -> Tensor:
        """What is seen: (B, T, 2) float32."""
        s, (n_datasets, n_points), device = self.settings, labels.shape, labels.device
        draws = torch.randn(2, n_datasets, n_points, 2, generator=generator, device=device)
        n_tracks = int(labels.max()) + 1
        place = s.spread * torch.randn(n_datasets, n_tracks, 2, generator=generator, device=device)
        seen_at = times[:, :1].expand(-1, n_tracks).clone()  # of a track not seen yet: any time will do
        row = torch.arange(n_datasets, device=device)
        x = torch.empty(n_datasets, n_points, 2, device=device)
        for t in range(n_points):
            label = labels[:, t]
            rho = torch.exp(-self._theta * (times[:, t] - seen_at[row, label]))[:, None]
            moved = rho * place[row, label] + s.spread * (1 - rho.square()).sqrt() * draws[0, :, t]
            place[row, label], seen_at[row, label] = moved, times[:, t]
            x[:, t] = moved + s.noise * draws[1, :, t]
        return x
