"""Samples of CCP: whole clusters, one after the other, in O(K) passes (Pakman et al., ICML 2020, sec. 4).

Every pass draws d_k uniformly from the free points, z_k from its prior and all b_i at once, of all samples
side by side, until no sample has free points. Samples come without a probability; `log_prob_estimate`
estimates it for any label vector (sec. 4.4), over the orders in which its clusters could have come.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ncpgui.core.errors import InputError
from ncpgui.core.partition import canonical
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.progress import Progress, reported, silent
from ncpgui.core.seeds import stream
from ncpgui.engine.networks.ccp import CCP
from ncpgui.engine.networks.chains import Chains, Free, size_biased
from ncpgui.engine.networks.latents import First
from ncpgui.engine.networks.pointwise import Encoding
from ncpgui.engine.sampling.memory import in_chunks, rows_at_once
from ncpgui.engine.sampling.points import check_points

_PAIRS_AT_ONCE = 2**17  # (row, draw, free point) of which each layer's values are held: 2**17 x 128 x 4 bytes


def clusterwise_samples(
    network: CCP,
    encoding: Encoding,
    *,
    n_samples: int,
    seed: int,
    max_rows: int | None = None,
    progress: Progress = silent,
) -> PosteriorSamples:
    """Draw independent clusterings of one dataset; log_prob is nan (`log_prob_estimate` takes far longer).

    The same seed gives the same samples whatever the chunks.

    Parameters
    ----------
    encoding : of one dataset
    max_rows : samples drawn side by side; bounds the memory

    Raises
    ------
    InputError
        No samples asked for, more than one dataset, or more than memory holds.
    """
    if n_samples < 1:
        raise InputError(f"at least one posterior sample must be drawn, got {n_samples}")
    encoding = _one_dataset(encoding)
    device, n_points = encoding.features.device, encoding.features.shape[1]
    check_points(encoding, n_samples)
    noise = _Noise(seed, n_samples, n_points, network.z_dim)
    at_once = max_rows or max(1, min(rows_at_once(device), _pairs_at_once(device) // n_points))

    def draw(rows: slice, device: torch.device, report: Progress) -> Tensor:
        return _draw(network, encoding, noise, rows, report)

    labels = np.empty((n_samples, n_points), dtype=np.int64)
    for rows, found in in_chunks(draw, n_rows=n_samples, at_once=at_once, device=device, progress=progress):
        labels[rows] = found.cpu().numpy()
    return PosteriorSamples(labels, np.full(n_samples, np.nan))


@torch.inference_mode()
def log_prob_estimate(
    network: CCP,
    encoding: Encoding,
    labels: NDArray[np.integer],
    *,
    n_draws: int,
    seed: int,
    n_orders: int = 6,
    from_prior: float = 0.2,
    progress: Progress = silent,
) -> NDArray[np.float64]:
    """Log of an unbiased estimate of the probability with which the sampler draws each partition: (S,).

    The probability is the mean over size-biased orders of its clusters of the product of
    mean_{d in s_k} p(b_k | d, s_<k, x) (see `networks.chains`). All K! orders are summed when they are no
    more than `n_orders`, else as many are drawn. Each factor is the mean over `n_draws` draws of (d, z) of
    p(b_k | z) p(z) / r(z), where d runs through the cluster in random order, and
    r = `from_prior` p(z) + (1 - `from_prior`) q(z | b_k): with `from_prior` 1 this is the estimate of the
    paper; q finds the few z that explain a large cluster, and the share of p bounds the weights.

    Logs of unbiased estimates are too low on average, by half their variance when that is small.

    Parameters
    ----------
    encoding : of one dataset; labels : (S, N) int, any numbering

    Raises
    ------
    InputError
        Labels that do not fit the dataset, or numbers of draws or orders below one.
    """
    encoding = _one_dataset(encoding)
    n_points = encoding.features.shape[1]
    rows = canonical(np.atleast_2d(labels))
    if rows.shape[1] != n_points or rows.min() < 0:
        raise InputError(
            f"labels must be one cluster for each of {n_points} points, got shape {rows.shape} and lowest "
            f"label {rows.min()}"
        )
    if n_draws < 1 or n_orders < 1 or not 0 <= from_prior <= 1:
        raise InputError(
            "a probability needs at least one draw and one order and a share from the prior between 0 and "
            f"1, got {n_draws}, {n_orders} and {from_prior}"
        )
    different, place = np.unique(rows, axis=0, return_inverse=True)
    result = np.empty(len(different))
    for i, one in enumerate(reported(different, progress)):
        generator = stream(seed, "log_prob", *one.tolist())
        result[i] = _log_prob(network, encoding, one, n_draws, n_orders, from_prior, generator)
    return result[place.reshape(-1)]


@dataclass(frozen=True)
class _Noise:
    """The random numbers of all samples, step by step, so that chunks do not matter."""

    seed: int
    n_samples: int
    n_points: int
    z_dim: int

    def of_step(self, k: int, rows: slice, encoding: Encoding) -> tuple[Tensor, Tensor, Tensor]:
        """Return uniform (R,) for d_k, normal (R, 1, z_dim) for z_k and uniform (R, N) for the b_i."""
        generator = stream(self.seed, "clusterwise", k)
        arrays = (
            generator.random(self.n_samples, dtype=np.float32)[rows],
            generator.standard_normal((self.n_samples, 1, self.z_dim), dtype=np.float32)[rows],
            generator.random((self.n_samples, self.n_points), dtype=np.float32)[rows],
        )
        first, normal, join = (torch.from_numpy(a).to(encoding.features) for a in arrays)
        return first, normal, join


@torch.inference_mode()
def _draw(network: CCP, encoding: Encoding, noise: _Noise, rows: slice, progress: Progress) -> Tensor:
    """Labels of the samples `rows`, numbered as the clusters came: (R, N) int64."""
    h = encoding.tables["h"][0]
    n_rows, n_points = rows.stop - rows.start, len(h)
    labels = torch.full((n_rows, n_points), -1, device=h.device)
    taken = h.new_zeros(n_rows, network.g_dim)
    active = torch.arange(n_rows, device=h.device)
    k = 0
    while len(active):
        progress(int((labels >= 0).sum()), n_rows * n_points)
        for_first, normal, for_join = noise.of_step(k, rows, encoding)
        free = Free.of(labels[active] < 0, torch.zeros_like(active))
        index = free.draw(for_first[active])
        first = First.at(index[:, None], free, h.dtype)
        scene = network.scene(encoding, free, taken[active], first)
        scores = network.scores(scene, network.prior(scene).draw(normal[active]))
        row = active[free.row]
        joins = for_join[row, free.point] < scores[:, 0].sigmoid()
        joins |= free.point == index[free.row]
        labels[row[joins], free.point[joins]] = k
        cluster = (labels[active] == k).to(h.dtype)
        taken[active] += network.cluster(cluster @ h, cluster.sum(1))
        active = active[(labels[active] < 0).any(1)]
        k += 1
    progress(n_rows * n_points, n_rows * n_points)
    return labels


def _log_prob(
    network: CCP,
    encoding: Encoding,
    labels: NDArray[np.int64],
    n_draws: int,
    n_orders: int,
    from_prior: float,
    generator: np.random.Generator,
) -> float:
    """Log of the estimated probability of one partition, canonical labels (N,)."""
    like = encoding.features
    order_labels, log_share = _orders(torch.from_numpy(labels).to(like.device), n_orders, generator)
    keys = torch.from_numpy(generator.random(order_labels.shape)).to(like.device)
    dataset = torch.zeros(len(order_labels), dtype=torch.int64, device=like.device)
    chains = Chains.of(order_labels, keys, dataset)
    if len(chains.chain) == 0:
        return 0.0
    factors = []
    for part in chains.parts(max(1, _pairs_at_once(like.device) // (n_draws * len(labels)))):
        shape = (len(part.chain), n_draws)
        normal = generator.standard_normal((*shape, network.z_dim), dtype=np.float32)
        prior = generator.random(shape) < from_prior
        factors.append(
            network.log_factor(
                encoding,
                part,
                torch.from_numpy(normal).to(like),
                torch.from_numpy(prior).to(like.device),
                from_prior,
            )
        )
    total = chains.total(torch.cat(factors)) + log_share
    return float(total.logsumexp(0))


def _orders(labels: Tensor, n_orders: int, generator: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Labels numbered by place in each order of the clusters (O, N), and log weights of the orders (O,)."""
    n_clusters = int(labels.max()) + 1
    if math.factorial(min(n_clusters, 20)) > n_orders:
        keys = torch.from_numpy(generator.random((n_orders, len(labels)))).to(labels.device)
        drawn = size_biased(labels.expand(n_orders, -1), keys)
        share = torch.full((n_orders,), -math.log(n_orders), dtype=torch.float64, device=labels.device)
        return drawn, share
    places = torch.tensor(list(permutations(range(n_clusters))), device=labels.device)
    numbered = places[:, labels]
    sizes = torch.nn.functional.one_hot(numbered, n_clusters).sum(1).double()
    free_before = sizes.flip(1).cumsum(1).flip(1)
    return numbered, (sizes / free_before).log().sum(1)


def _one_dataset(encoding: Encoding) -> Encoding:
    if len(encoding.n_points) != 1:
        raise InputError(
            f"clusters are sampled of one dataset at a time, got {len(encoding.n_points)}; "
            "call encoding.dataset(i)"
        )
    return encoding.dataset(0)


def _pairs_at_once(device: torch.device) -> int:
    return _PAIRS_AT_ONCE * (16 if device.type == "cuda" else 1)
