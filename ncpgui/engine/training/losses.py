"""What training minimises, as sums over points: the parts of a batch add up to the whole.

- Pointwise networks (NCP, NPT): -log q(c_n | c_<n, x) for the labels drawn with the data (Pakman et al.,
  ICML 2020, sec. 3.2), all points and prefixes in one pass. The points are encoded once and scored in several
  orders, since q should not depend on the order; points that come in time have theirs only.
- Networks of clusters (CCP): a bound of -log p(partition | x) with several draws of its latent (SM A).

A process of several gets the whole batch and scores its own datasets. Random numbers are drawn for all of
them where the loss is to be the one that a single process finds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ncpgui.core.seeds import stream_seed
from ncpgui.engine.generative.batch import Batch, canonical_labels
from ncpgui.engine.networks.ccp import CCP
from ncpgui.engine.networks.moving_clusters import N_WINDOWS, time_windows
from ncpgui.engine.networks.pointwise import ClusteringNetwork
from ncpgui.engine.networks.registry import Network


@dataclass(frozen=True)
class Loss:
    """Sums over the points that are there, of the datasets that were scored.

    total : scalar with gradient, nats
    disagreement : scalar with gradient, nats squared: variance of -log q(c | x) over the orders, summed over
        datasets; zero of one order. The true posterior has none
    beginnings : scalar with gradient, nats: of the first points of further orders, a mean over these; zero
        where none were asked for
    n_right : scalar, points whose label got a probability above 1/2 (a mean over orders); None where
        single points have no probability
    """

    total: Tensor
    disagreement: Tensor
    beginnings: Tensor
    n_right: Tensor | None


def batch_loss(
    network: Network,
    batch: Batch,
    *,
    seed: int,
    n_orders: int = 1,
    importance_samples: int = 16,
    own: slice | None = None,
    n_beginnings: int = 0,
    beginning_points: int = 0,
) -> Loss:
    """Score a network on a batch, or on the part of it that is one process's own.

    Parameters
    ----------
    seed : of the orders and of latent draws
    n_orders : orders of the points, the first as drawn; for pointwise networks without time
    importance_samples : draws of the latent, for networks of clusters
    own : datasets of the batch that are scored, all when left out
    n_beginnings, beginning_points : further orders, of which so many points are scored at first: nearly all
        clusters are opened there. For pointwise networks without time
    """
    own = slice(0, len(batch.labels)) if own is None else own
    if isinstance(network, CCP):
        # Its noise has as many rows as the datasets have clusters: each process draws its own.
        generator = _generator(batch, stream_seed(seed, "latent", own.start))
        return _clusterwise(network, _part(batch, own), importance_samples, generator)
    if network.in_order:
        orders = []
    else:
        generator = _generator(batch, stream_seed(seed, "orders"))
        orders = [random_order(batch.labels, generator)[own] for _ in range(n_orders - 1)]
        turn = None
        if network.takes_times:
            turn = _turns(batch, generator)[own]
        begun = [
            (random_order(batch.labels, generator)[own], _turns(batch, generator)[own])
            for _ in range(n_beginnings)
        ]
        return _pointwise(network, _part(batch, own), orders, turn, begun, beginning_points)
    return _pointwise(network, _part(batch, own), orders)


def random_order(labels: Tensor, generator: torch.Generator) -> Tensor:
    """Draw an order of the points for each dataset, the padding (label -1) last: (B, N) -> (B, N) int64."""
    keys = torch.rand(labels.shape, generator=generator, device=generator.device)
    return (keys + 2 * (labels < 0)).argsort(dim=1)


def _pointwise(
    network: ClusteringNetwork,
    batch: Batch,
    orders: list[Tensor],
    turn: Tensor | None = None,
    begun: Sequence[tuple[Tensor, Tensor]] = (),
    n_first: int = 0,
) -> Loss:
    """Mean over a first order and `orders` (B, N) of the sums over points.

    turn : (B, 1), how datasets with times are visited first (`_in_windows`); as drawn without it
    begun : orders (B, N), each with such turns, of which the first `n_first` points are scored
    """
    encoding = network.encode(*batch.points, n_points=batch.n_points)
    first, window = None, None
    if turn is not None:
        window = time_windows(encoding.tables["along"][..., 0], encoding.there)
        as_drawn = torch.arange(batch.labels.shape[1], device=turn.device).expand_as(batch.labels)
        first = _in_windows(window, as_drawn, turn)
    nll, n_right = [], []
    for order in (first, *orders):
        visited = encoding if order is None else encoding.reordered(order)
        labels = batch.labels if order is None else _renumbered(batch.labels.gather(1, order))
        log_prob = network.log_prob(network.finish(visited), labels)
        nll.append(-log_prob.sum(1))
        n_right.append(((log_prob > math.log(0.5)) & (labels >= 0)).sum().to(log_prob.dtype))
    each = torch.stack(nll)  # (P, B)
    disagreement = each.var(0).sum() if len(nll) > 1 else each.new_zeros(())
    beginnings = each.new_zeros(())
    if begun:  # side by side: one pass over all of them
        order = torch.cat([order for order, _ in begun])
        if window is not None:
            turns = torch.cat([its_turn for _, its_turn in begun])
            order = _in_windows(window.repeat(len(begun), 1), order, turns)
        labels = _renumbered(batch.labels.repeat(len(begun), 1).gather(1, order[:, :n_first]))
        log_prob = network.log_prob(network.finish_first(order, encoding, n_first), labels)
        beginnings = -log_prob.sum() / len(begun)
    return Loss(each.mean(0).sum(), disagreement, beginnings, torch.stack(n_right).mean())


def _turns(batch: Batch, generator: torch.Generator) -> Tensor:
    """How each dataset is visited if it has times: (B, 1), 0 .. 3; see `_in_windows`."""
    return torch.randint(4, (len(batch.labels), 1), generator=generator, device=generator.device)


def _in_windows(window: Tensor, order: Tensor, turn: Tensor) -> Tensor:
    """Orders (B, N), with the padding last, that go through windows of time where datasets have them.

    window : (B, N), of each point (`time_windows`); turn : (B, 1), 1 for windows forward, 2 for backward,
        others for none; within them as in `order`
    """
    window = window.gather(1, order)
    sign = (turn == 1).long() - (turn == 2).long()
    key = torch.where(window < N_WINDOWS, window * sign, N_WINDOWS)
    return order.gather(1, key.argsort(dim=1, stable=True))


def _clusterwise(network: CCP, batch: Batch, n_samples: int, generator: torch.Generator) -> Loss:
    mean = network.loss(batch.points, batch.labels, n_samples=n_samples, generator=generator)
    return Loss(mean * batch.n_points.sum(), mean.new_zeros(()), mean.new_zeros(()), None)


def _renumbered(labels: Tensor) -> Tensor:
    """Canonical labels, where -1 stays."""
    there = labels >= 0
    return canonical_labels(labels.where(there, labels.shape[1])).where(there, -1)


def _part(batch: Batch, own: slice) -> Batch:
    return Batch(tuple(array[own] for array in batch.points), batch.labels[own])


def _generator(batch: Batch, seed: int) -> torch.Generator:
    return torch.Generator(device=batch.labels.device).manual_seed(seed)
