"""What every diagnostic asks of a posterior, learned or known: draws, and the probability of a clustering.

Diagnostics see the protocol `Posterior` only, so that each runs alike on a network and on `ExactPosterior`,
which is right (temperature 1), too sure (< 1) or too unsure (> 1) as wanted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, Protocol, TypeVar, runtime_checkable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ncpgui.core.errors import InputError
from ncpgui.core.partition import all_partitions, canonical
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.progress import Progress, reported, silent
from ncpgui.core.seeds import stream, stream_seed
from ncpgui.engine.generative.batch import Batch, GenerativeModel
from ncpgui.engine.networks.ccp import CCP
from ncpgui.engine.networks.cluster_pool import ClusterPool
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding
from ncpgui.engine.networks.prefixes import NEVER
from ncpgui.engine.sampling.by_network import sample_posteriors
from ncpgui.engine.sampling.clusterwise import log_prob_estimate
from ncpgui.engine.sampling.sweeps import swept

Points = tuple[Tensor, ...]
"""What a network's `encode` takes; the first is (B, N, ...)."""

MOST_ENUMERATED = 9
"""Points of the largest set whose partitions are all scored: 21147 of them; 10 points have 115975."""


_DRAWS = 64  # of the latent, for each cluster of a clustering whose probability is estimated

_FEW = 203  # partitions, those of 6 points

AnyNetwork = TypeVar("AnyNetwork", ClusteringNetwork, CCP)


class ExactModel(GenerativeModel, Protocol):
    """A generative model that scores every clustering: 2D Gaussians, spikes of finite templates."""

    def log_joint(self, x: Tensor, labels: Tensor, /) -> Tensor:
        """log p(c, x) of points x (N, ...) for label vectors (S, N), canonical: (S,) float64."""
        ...

    def last_point(self, x: Tensor, labels: Tensor, /) -> Tensor:
        """p(c_N = k | c_1:N-1, x) given the labels (N - 1,) of all but the last: (K + 1,) float64."""
        ...


class Posterior(Protocol):
    """A law q(c | x) over the clusterings of the points of one dataset, whose arrays are (1, N, ...)."""

    def sample(self, points: Points, n_samples: int, seed: int) -> PosteriorSamples:
        """Draw independent clusterings, with their log-probability where the law knows it.

        A law that depends on the order of the points visits them for all draws in one random order.
        """
        ...

    def log_prob(
        self, points: Points, labels: NDArray[np.integer], order: NDArray[np.integer] | None = None
    ) -> NDArray[np.float64]:
        """log q(c | x) of label vectors (S, N), canonical: (S,), nats.

        order : (N,), in which the points are visited, as they are given when left out; a law without an
            order takes no notice
        """
        ...


@runtime_checkable
class ManyDatasets(Protocol):
    """A posterior that samples many datasets side by side, faster than one after the other."""

    def sample_many(
        self, points: Points, n_samples: int, seed: int, progress: Progress = silent
    ) -> NDArray[np.int64]:
        """Draw `n_samples` clusterings of each of B datasets of N points: (B, S, N), canonical."""
        ...


@runtime_checkable
class AllPartitions(Protocol):
    """A posterior that scores all partitions of few points at once, faster than as label vectors."""

    def log_prob_of_all(
        self, points: Points, order: NDArray[np.integer] | None = None
    ) -> NDArray[np.float64]:
        """log q(c | x) of `every_partition` of one dataset: (Bell number,); `order` as in `Posterior`."""
        ...


def log_prob_of_likely(
    posterior: Posterior,
    points: Points,
    log_p: NDArray[np.float64],
    order: NDArray[np.integer] | None = None,
) -> NDArray[np.float64]:
    """log q(c | x) of `every_partition` of one dataset: (Bell number,), nats; -inf if not asked for.

    A posterior that cannot score all partitions at once is asked, where they are many, for the likely ones
    only, which hold 99.9 % of the exact law `log_p`.
    """
    if isinstance(posterior, AllPartitions):
        return posterior.log_prob_of_all(points, order)
    if len(log_p) <= _FEW:
        return posterior.log_prob(points, every_partition(points[0].shape[1]), order)
    place = np.argsort(-log_p)
    likely = place[: 1 + np.searchsorted(np.exp(log_p[place]).cumsum(), 0.999)]
    result = np.full(len(log_p), -np.inf)
    result[likely] = posterior.log_prob(points, every_partition(points[0].shape[1])[likely], order)
    return result


def datasets(model: GenerativeModel, n_datasets: int, n_points: int, seed: int, *names: str | int) -> Batch:
    """Draw datasets of a model, by a seed and the name of what looks at them."""
    generator = torch.Generator().manual_seed(stream_seed(seed, *names))
    return model.sample(n_datasets, n_points, generator)


def draw(
    posterior: Posterior, batch: Batch, n_samples: int, seed: int, progress: Progress = silent
) -> NDArray[np.int64]:
    """Draw `n_samples` clusterings of each dataset of a batch without padding: (B, S, N), canonical."""
    if isinstance(posterior, ManyDatasets):
        return posterior.sample_many(batch.points, n_samples, seed, progress)
    result = np.empty((len(batch.labels), n_samples, batch.labels.shape[1]), dtype=np.int64)
    for i in reported(range(len(result)), progress):
        result[i] = posterior.sample(one(batch.points, i), n_samples, stream_seed(seed, "dataset", i)).labels
    return result


def one(points: Points, i: int) -> Points:
    """Dataset `i` of several: arrays (1, N, ...)."""
    return tuple(array[i : i + 1] for array in points)


@lru_cache(maxsize=4)
def every_partition(n_points: int) -> NDArray[np.int64]:
    """All partitions of `n_points` as canonical labels: (Bell number, N), read-only.

    Raises
    ------
    InputError
        More points than can be enumerated.
    """
    if not 1 <= n_points <= MOST_ENUMERATED:
        raise InputError(f"all partitions are listed of 1 to {MOST_ENUMERATED} points, got {n_points}")
    labels = np.stack(list(all_partitions(n_points)))
    labels.flags.writeable = False
    return labels


@dataclass(frozen=True)
class ExactPosterior:
    """p(c | x)^(1 / temperature), normalised, of an exact model: all partitions of N <= 9 points.

    Right at temperature 1, too sure below and too unsure above: the known laws on which diagnostics are
    tested. It has no order.
    """

    model: ExactModel
    temperature: float = 1.0

    def log_prob_of_all(
        self, points: Points, order: NDArray[np.integer] | None = None
    ) -> NDArray[np.float64]:
        """See `AllPartitions`."""
        log_joint = self.model.log_joint(points[0][0], torch.tensor(every_partition(points[0].shape[1])))
        return (log_joint / self.temperature).log_softmax(0).numpy()

    def sample(self, points: Points, n_samples: int, seed: int) -> PosteriorSamples:
        """See `Posterior`."""
        log_prob = self.log_prob_of_all(points)
        p = np.exp(log_prob)
        chosen = stream(seed, "exact").choice(len(p), n_samples, p=p / p.sum())
        return PosteriorSamples(every_partition(points[0].shape[1])[chosen], log_prob[chosen])

    def log_prob(
        self, points: Points, labels: NDArray[np.integer], order: NDArray[np.integer] | None = None
    ) -> NDArray[np.float64]:
        """See `Posterior`."""
        every = torch.tensor(every_partition(points[0].shape[1]))
        both = torch.cat([torch.from_numpy(labels.astype(np.int64)), every])
        log_joint = self.model.log_joint(points[0][0], both) / self.temperature
        return (log_joint[: len(labels)] - log_joint[len(labels) :].logsumexp(0)).numpy()


@dataclass(frozen=True)
class NetworkPosterior(Generic[AnyNetwork]):
    """What a network draws by the sampler that fits it.

    max_rows : hypotheses walked or scored side by side
    n_orders : random orders over which draws are divided, where the network has any
    """

    network: AnyNetwork
    max_rows: int = 1024
    n_orders: int = 1

    def sample(self, points: Points, n_samples: int, seed: int) -> PosteriorSamples:
        """See `Posterior`."""
        return self._drawn([self._encode(points)], n_samples, [seed])[0]

    def sample_many(
        self, points: Points, n_samples: int, seed: int, progress: Progress = silent
    ) -> NDArray[np.int64]:
        """See `ManyDatasets`: each dataset in an order of its own, where there is one."""
        n_datasets, n_points = points[0].shape[:2]
        result = np.empty((n_datasets, n_samples, n_points), dtype=np.int64)
        at_once = max(1, self.max_rows // n_samples)
        for start in reported(range(0, n_datasets, at_once), progress):
            datasets = range(start, min(start + at_once, n_datasets))
            encoding = self._encode(tuple(array[datasets.start : datasets.stop] for array in points))
            found = self._drawn(
                [encoding.dataset(i) for i in range(len(datasets))],
                n_samples,
                [stream_seed(seed, "dataset", i) for i in datasets],
            )
            result[datasets.start : datasets.stop] = [samples.labels for samples in found]
        return result

    def _drawn(self, encodings: list[Encoding], n_samples: int, seeds: list[int]) -> list[PosteriorSamples]:
        return sample_posteriors(
            self.network, encodings, n_samples=n_samples, seeds=seeds, n_orders=self.n_orders
        )

    def _encode(self, points: Points) -> Encoding:
        device = next(self.network.parameters()).device
        with torch.inference_mode():
            return self.network.encode(*(array.to(device) for array in points))


class ClusterwisePosterior(NetworkPosterior[CCP]):
    """The posterior of a network that draws whole clusters; probabilities are estimates, in any order."""

    def log_prob(
        self, points: Points, labels: NDArray[np.integer], order: NDArray[np.integer] | None = None
    ) -> NDArray[np.float64]:
        """See `Posterior`: estimates, of which one clustering has the same each time."""
        return log_prob_estimate(self.network, self._encode(points), labels, n_draws=_DRAWS, seed=0)


@dataclass(frozen=True)
class PointwisePosterior(NetworkPosterior[ClusteringNetwork]):
    """The posterior of a pointwise network (NCP and its kin), points visited in one order.

    n_sweeps : of the draws, where the points have no order of their own; None is what fits the network
    """

    n_sweeps: int | None = 0

    def log_prob(
        self, points: Points, labels: NDArray[np.integer], order: NDArray[np.integer] | None = None
    ) -> NDArray[np.float64]:
        """See `Posterior`: teacher forcing, all prefixes at once.

        Raises
        ------
        InputError
            With sweeps: what is drawn then is no longer of q, and of no law that is known.
        """
        self._refuse_sweeps()
        n_points = labels.shape[1]
        order = np.arange(n_points) if order is None else np.asarray(order, dtype=np.int64)
        encoding = self._encode(points)
        device = encoding.features.device
        result = np.empty(len(labels))
        with torch.inference_mode():
            encoding = self.network.finish(encoding.reordered(torch.from_numpy(order).to(device)))
            for rows in np.array_split(np.arange(len(labels)), -(-len(labels) * n_points // 16384)):
                given = torch.from_numpy(canonical(labels[rows][:, order])).to(device)
                log_prob = self.network.log_prob(_repeated(encoding, len(rows)), given)
                result[rows] = log_prob.double().sum(1).cpu().numpy()
        return result

    def _refuse_sweeps(self) -> None:
        if self.n_sweeps != 0:
            raise InputError("swept draws are of no law whose probability is known; ask with n_sweeps=0")

    def _drawn(self, encodings: list[Encoding], n_samples: int, seeds: list[int]) -> list[PosteriorSamples]:
        found = super()._drawn(encodings, n_samples, seeds)
        if self.n_sweeps == 0 or self.network.in_order:
            return found
        return [
            swept(self.network, encoding, samples, seed=seed, n_sweeps=self.n_sweeps)
            for encoding, samples, seed in zip(encodings, found, seeds, strict=True)
        ]

    def log_prob_of_all(
        self, points: Points, order: NDArray[np.integer] | None = None
    ) -> NDArray[np.float64]:
        """See `AllPartitions`: every prefix is asked for once, and every cluster computed once."""
        self._refuse_sweeps()
        n_points = points[0].shape[1]
        order = np.arange(n_points) if order is None else np.asarray(order, dtype=np.int64)
        encoding = self._encode(points)
        device = encoding.features.device
        with torch.inference_mode():
            encoding = self.network.finish(encoding.reordered(torch.from_numpy(order).to(device)))
            pool = ClusterPool(self.network, encoding, torch.zeros(1, dtype=torch.int64, device=device))
            log_prob = torch.zeros(1, dtype=torch.float64, device=device)
            for n in range(n_points):
                conditionals = pool.conditionals(n).double()
                parent, cluster = (conditionals > NEVER / 10).nonzero(as_tuple=True)  # in the order of labels
                log_prob = log_prob[parent] + conditionals[parent, cluster]
                pool.assign(n, parent, cluster)
        every = every_partition(n_points)
        return log_prob.cpu().numpy()[_index(canonical(every[:, order]), every)]


def _repeated(encoding: Encoding, n_rows: int) -> Encoding:
    """One dataset as `n_rows` equal ones, without copies."""
    tables = {name: table.expand(n_rows, -1, -1) for name, table in encoding.tables.items()}
    return Encoding(encoding.features.expand(n_rows, -1, -1), tables, encoding.n_points.expand(n_rows))


def _index(labels: NDArray[np.int64], ordered: NDArray[np.int64]) -> NDArray[np.int64]:
    """Row of `ordered` (in the order of labels) that each row of `labels` is."""
    digits = 10 ** np.arange(labels.shape[1] - 1, -1, -1)
    return np.searchsorted(ordered @ digits, labels @ digits)


def posterior_of(network: object) -> Posterior:
    """Return the posterior of a trained network.

    Raises
    ------
    InputError
        A kind of network that has no posterior here.
    """
    if isinstance(network, ClusteringNetwork):
        return PointwisePosterior(network)
    if isinstance(network, CCP):
        return ClusterwisePosterior(network)
    raise InputError(f"no posterior is known for a network of type {type(network).__name__}")
