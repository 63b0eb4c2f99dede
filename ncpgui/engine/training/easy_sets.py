"""Spikes that anybody can cluster: a network that joins units 6 and more noise sd apart is not kept.

Held-out sets of the generative model are mostly of few units that are hard to tell, and a network may become
better on them while it forgets what is easy. These sets have 1 to 12 units, 6 to 40 noise sd apart, 50 to
3000 spikes in unequal parts, white or coloured noise, tissue that stays or moves. Their shapes are splines
through random knots, which no training draws.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from sklearn.metrics import adjusted_rand_score

from ncpgui.core.waveform_format import N_SAMPLES, TROUGH_SAMPLE
from ncpgui.engine.networks.pointwise import ClusteringNetwork
from ncpgui.engine.sampling.by_network import sample_posteriors

_ANGLES = np.arange(6) * np.pi / 3
_PROBES = (
    np.vstack([[0, 0], 30 * np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])]),
    np.array([[0, 0], [25, 0], [0, 25], [25, 25]], float),
    np.column_stack([np.zeros(7), 20.0 * np.array([0, 1, -1, 2, -2, 3, -3])]),
)
_N_SPIKES = (50, 150, 400, 1000, 3000)
_MOST_TRIES = 2000


class EasySet(NamedTuple):
    """waveforms (N, 32, C) float32, noise sd; positions (C, 2) float32, um; seconds, labels (N,)."""

    waveforms: NDArray[np.float32]
    positions: NDArray[np.float32]
    seconds: NDArray[np.float64]
    labels: NDArray[np.int64]


def easy_set(seed: int, number: int) -> EasySet:
    """Draw one set; `number` runs through the probes, noises and motions."""
    rng = np.random.default_rng([seed, number])
    positions = _PROBES[number % len(_PROBES)]
    coloured, moves = bool(number // 3 % 2), bool(number // 6 % 2)
    n_spikes, apart_sd = int(rng.choice(_N_SPIKES)), float(np.exp(rng.uniform(np.log(6), np.log(40))))
    units = _units(rng, positions, 1 + number % 12, apart_sd)
    share = rng.dirichlet(np.full(len(units), rng.choice([1.0, 5.0])))
    labels = rng.choice(len(units), n_spikes, p=(share + 0.02) / (share + 0.02).sum())
    seconds = np.sort(rng.uniform(0, 120, n_spikes))
    way_um = 10.0 * moves * np.sin(2 * np.pi * seconds / rng.uniform(100, 400))
    waves = np.empty((n_spikes, N_SAMPLES, len(positions)))
    for k, unit in enumerate(units):
        mine = labels == k
        waves[mine] = unit.at(positions, way_um[mine])
    waves += _noise(rng, waves.shape, coloured)
    return EasySet(waves.astype(np.float32), positions.astype(np.float32), seconds, labels)


class _Unit(NamedTuple):
    """A wave (T,) of a place (2,), um, that falls off as a bell."""

    wave: NDArray[np.float64]
    place: NDArray[np.float64]
    reach_um: float

    def at(self, positions: NDArray[np.float64], way_um: NDArray[np.float64]) -> NDArray[np.float64]:
        """Templates (n, T, C) when the tissue has moved along y."""
        place = self.place + np.column_stack([np.zeros_like(way_um), way_um])
        distance = np.linalg.norm(positions - place[:, None], axis=-1)
        fall: NDArray[np.float64] = np.exp(-0.5 * (distance / self.reach_um) ** 2)
        return self.wave[:, None] * fall[:, None, :]


def _units(
    rng: np.random.Generator, positions: NDArray[np.float64], n_units: int, apart_sd: float
) -> list[_Unit]:
    """Draw units that are all so far apart; fewer where there is no room."""
    found: list[_Unit] = []
    still = np.zeros(1)
    for _ in range(_MOST_TRIES):
        knots = np.array([-8, -4, -2, 0, 2, 4, 8, 14, 22]) + TROUGH_SAMPLE
        values = np.array([0, *rng.normal(0, 0.3, 2), -1, *rng.normal(0, 0.5, 4), 0])
        sample = np.arange(N_SAMPLES)
        wave = CubicSpline(knots, values)(sample) * ((sample >= knots[0]) & (sample <= knots[-1]))
        wave *= rng.uniform(6, max(16.0, 1.2 * apart_sd)) / max(1.0, -wave.min())
        one = _Unit(wave, rng.uniform(-12, 12, 2), rng.uniform(18, 45))
        shape = one.at(positions, still)[0]
        if all(np.linalg.norm(shape - other.at(positions, still)[0]) >= apart_sd for other in found):
            found.append(one)
            if len(found) == n_units:
                break
    return found


def _noise(rng: np.random.Generator, shape: tuple[int, ...], coloured: bool) -> NDArray[np.float64]:
    """White noise of 1 sd, or one that follows itself with a correlation of 0.7 from sample to sample."""
    noise = rng.standard_normal((shape[0], shape[1] + 20, shape[2]))
    if coloured:
        for i in range(1, noise.shape[1]):
            noise[:, i] = 0.7 * noise[:, i - 1] + (1 - 0.7**2) ** 0.5 * noise[:, i]
    return noise[:, 20:]


@torch.inference_mode()
def easy_ari(network: ClusteringNetwork, *, n_sets: int, seed: int, n_samples: int = 8) -> float:
    """Mean adjusted Rand index of draws with the truth, half of the sets without times.

    The index of one set is the mean over its draws; a perfect network has nearly 1.
    """
    found = []
    for number in range(n_sets):
        one = easy_set(seed, number)
        points: list[torch.Tensor] = [
            torch.from_numpy(one.waveforms)[None],
            torch.from_numpy(one.positions)[None],
            torch.ones(1, len(one.positions), dtype=torch.bool),
        ]
        if network.takes_times and number // 12 % 2:
            points.append(torch.from_numpy(one.seconds)[None])
        device = next(network.parameters()).device
        encoding = network.encode(*(part.to(device) for part in points))
        (samples,) = sample_posteriors(network, [encoding], n_samples=n_samples, seeds=[seed])
        found.append(np.mean([adjusted_rand_score(row, one.labels) for row in samples.labels]))
    return float(np.mean(found))
