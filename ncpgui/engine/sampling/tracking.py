"""Tracks of a moving world: sampled in the order of time, all at once or as the observations arrive.

Networks with a memory that fades (`networks.npt`) visit the points in the order of their times, so there
are no random orders to average over. `track_samples` draws when all has been seen. A `Tracker` draws
while it goes on, and never looks ahead: its labels are a draw from prod_t q(c_t | c_<t, x_<=t), where no
label is revised by what is seen after it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ncpgui.core.errors import InputError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.progress import Progress, silent
from ncpgui.core.seeds import stream
from ncpgui.engine.networks.cluster_pool import ClusterPool
from ncpgui.engine.networks.npt import FadingNetwork
from ncpgui.engine.networks.pointwise import Encoding
from ncpgui.engine.sampling import rules
from ncpgui.engine.sampling.points import check_points
from ncpgui.engine.sampling.sequential import Rule, Step, walk


class Sighting(NamedTuple):
    """What each of S samples makes of one observation.

    labels : (S,) int64, the track it was given
    probabilities : (S, K + 1) float64, of each track of the sample and then of a new one; zero where a
        sample has no such track
    p_new : mean over samples of the probability that nobody saw this track before
    """

    labels: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    p_new: float


def track_samples(
    network: FadingNetwork,
    encoding: Encoding,
    *,
    n_samples: int,
    seed: int,
    progress: Progress = silent,
) -> PosteriorSamples:
    """Draw label vectors of one dataset from q(c | x), visiting its points in the order of time.

    Parameters
    ----------
    encoding : of one dataset, not finished

    Raises
    ------
    InputError
        No samples asked for, or more than memory holds.
    """
    _check_number(n_samples)
    n_points = encoding.features.shape[1]
    check_points(encoding, n_samples)
    device = encoding.features.device
    drawn = stream(seed, "tracks").random((n_points, n_samples), dtype=np.float32)
    with torch.inference_mode():
        finished = network.finish(encoding)
    labels, log_prob = walk(
        network,
        finished,
        rules.ancestral(torch.from_numpy(drawn.T).to(device)),
        dataset=torch.zeros(n_samples, dtype=torch.int64, device=device),
        progress=progress,
    )
    return PosteriorSamples(labels.cpu().numpy(), log_prob.double().cpu().numpy())


class Tracker:
    """Follows tracks as their observations arrive; see the module.

    The same seed gives the labels that `track_samples` draws when all has been seen. Time and memory of an
    observation grow with the number of tracks so far, not with the number of observations but for the
    labels that are kept.

    Parameters
    ----------
    network : trained with `sees_future` False
    n_samples : hypotheses that are followed side by side

    Raises
    ------
    InputError
        The network looks ahead, or no samples are asked for.
    """

    def __init__(self, network: FadingNetwork, *, n_samples: int = 100, seed: int = 0) -> None:
        _check_number(n_samples)
        if network.sees_future:
            raise InputError(
                "this network sees the future of each observation; to follow tracks as they arrive, use one "
                "trained with sees_future = false"
            )
        self._network = network
        self._random = stream(seed, "tracks")
        self._row = torch.zeros(n_samples, dtype=torch.int64, device=network.log_rate.device)
        self._log_prob = torch.zeros(n_samples, dtype=network.log_rate.dtype, device=self._row.device)
        self._labels: list[NDArray[np.int64]] = []
        self._time = -math.inf
        self._pool: ClusterPool | None = None

    @property
    def labels(self) -> NDArray[np.int64]:
        """Labels of all observations so far in each sample: (S, T), canonical."""
        return np.stack(self._labels, axis=1) if self._labels else np.zeros((len(self._row), 0), np.int64)

    def samples(self) -> PosteriorSamples:
        """All that was drawn so far, as samples of equal weight."""
        return PosteriorSamples(self.labels, self._log_prob.double().cpu().numpy())

    @torch.inference_mode()
    def observe(self, place: Sequence[float] | NDArray[np.floating], time: float) -> Sighting:
        """Give the next observation to a track in every sample.

        Parameters
        ----------
        place : (D,) finite numbers, what the network's encoder takes
        time : of the observation, in the unit of the training data

        Raises
        ------
        InputError
            The time lies before that of the last observation, or numbers that are not finite.
        """
        place_row = self._checked(place, time)
        pool = self._arrived(place_row, 0.0 if self._pool is None else time - self._time)
        self._time = time
        conditionals = pool.conditionals(1)
        uniform = torch.from_numpy(self._random.random(len(self._row), dtype=np.float32))
        rule: Rule = rules.ancestral(uniform[:, None].to(self._row.device))
        row = torch.arange(len(self._row), device=self._row.device)
        choice = rule(Step(0, row, self._row, self._log_prob, conditionals))
        n_tracks = pool.n_clusters.clone()
        pool.assign(1, None, choice.cluster)
        self._log_prob = choice.log_prob
        self._labels.append(choice.cluster.cpu().numpy())
        probabilities = conditionals.double().exp()
        p_new = probabilities.gather(1, n_tracks[:, None]).mean()
        return Sighting(self._labels[-1], probabilities.cpu().numpy(), float(p_new))

    def _checked(self, place: Sequence[float] | NDArray[np.floating], time: float) -> Tensor:
        """The place as (1, 1, D)."""
        values = np.asarray(place, dtype=np.float64)
        if values.ndim != 1 or not np.isfinite(values).all():
            raise InputError(f"an observation must be a row of finite numbers, got {place}")
        if not np.isfinite(time):
            raise InputError(f"the time of an observation must be a finite number, got {time}")
        if time < self._time:
            raise InputError(
                f"observations must come in the order of time, got one at {time} after one at {self._time}; "
                "sort them"
            )
        return torch.from_numpy(values).to(self._log_prob)[None, None]

    def _arrived(self, place: Tensor, gap: float) -> ClusterPool:
        """The hypotheses, whose encoding now holds the observation before (at time 0) and this one."""
        new = self._network.finish(self._network.encode(place, torch.full_like(place[..., 0], gap)))
        tables = {name: table.repeat(1, 2, 1) for name, table in new.tables.items()}
        tables["times"][:, 0] = 0
        pair = Encoding(new.features.repeat(1, 2, 1), tables, new.n_points + 1)
        if self._pool is None:
            self._pool = ClusterPool(self._network, pair, self._row)
        self._pool.look_at(pair)
        return self._pool


def _check_number(n_samples: int) -> None:
    if n_samples < 1:
        raise InputError(f"at least one sample must be drawn, got {n_samples}")
