"""Pointwise sampling: the factors q(c_n = k | c_<n, x) of a posterior (Pakman et al., ICML 2020, sec. 3).

What all pointwise networks share. A network is used in two ways that must agree (a test holds them
equal):

- `log_prob` scores given labels, all prefixes at once, for training;
- `cluster`, `candidate` and `score` are asked point by point by a sampler, which keeps the clusters
  of all hypotheses in a `ClusterPool`.

Both begin with `encode`, which turns the points into an `Encoding`: everything that does not depend
on labels. Shapes: B datasets, S hypotheses (rows, each about one of the datasets), N points, K clusters.

The last layer of the paper's g and the first of f are linear, so the first layer of f is folded: its
value for candidate k is ``context_n + sum over clusters of cluster(H) + candidate(H_k, x_n)``, where
`cluster` is f's first layer applied to g(H), and `candidate` is what changes when x_n joins. A cluster's
parts are then computed once for all hypotheses that share the cluster.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from ncpgui.engine.networks.prefixes import Prefixes


@dataclass(frozen=True)
class Encoding:
    """What a network knows of the points before any label, for B datasets.

    features : (B, N, h_dim), the encoder's output
    tables : name -> (B, N, size), what the network computed for each point. After `finish`: `joins`, what
        a point adds to the sums of its cluster, and `context`, its part of f with that of the points
        after it
    n_points : (B,) int64, points of each dataset; those after it are padding
    """

    features: Tensor
    tables: dict[str, Tensor]
    n_points: Tensor

    @property
    def there(self) -> Tensor:
        """Points that are no padding: (B, N) bool."""
        return torch.arange(self.features.shape[1], device=self.features.device) < self.n_points[:, None]

    def reordered(self, order: Tensor) -> Encoding:
        """Return the datasets each in an order of its own (B, N), or all in one (N,).

        One dataset in several orders (P, N) is P datasets.
        """
        if order.dim() == 1:
            order = order.expand(len(self.n_points), -1)
        dataset = torch.arange(len(order), device=order.device) % len(self.n_points)
        rows = dataset[:, None]
        tables = {name: table[rows, order] for name, table in self.tables.items()}
        return Encoding(self.features[rows, order], tables, self.n_points[dataset])

    def dataset(self, i: int) -> Encoding:
        """Return one dataset without its padding."""
        own = (slice(i, i + 1), slice(int(self.n_points[i])))
        tables = {name: table[own] for name, table in self.tables.items()}
        return Encoding(self.features[own], tables, self.n_points[i : i + 1])

    def to(self, device: torch.device) -> Encoding:
        """Return the encoding on another device."""
        tables = {name: table.to(device) for name, table in self.tables.items()}
        return Encoding(self.features.to(device), tables, self.n_points.to(device))

    def with_tables(self, **tables: Tensor) -> Encoding:
        """Return the encoding with other tables."""
        return replace(self, tables=tables)


def side_by_side(encodings: list[Encoding]) -> Encoding:
    """Return datasets of different numbers of points as one encoding, padded with zeros."""

    def padded(tables: list[Tensor]) -> Tensor:
        longest = max(table.shape[1] for table in tables)
        return torch.cat([nn.functional.pad(t, (0, 0, 0, longest - t.shape[1])) for t in tables])

    names = encodings[0].tables
    return Encoding(
        padded([one.features for one in encodings]),
        {name: padded([one.tables[name] for one in encodings]) for name in names},
        torch.cat([one.n_points for one in encodings]),
    )


def sum_after(values: Tensor, there: Tensor) -> tuple[Tensor, Tensor]:
    """Sum over the points after n, and their number: (B, N, size) -> (B, N, size), (B, N, 1)."""
    present = there[..., None].to(values.dtype)
    kept, count = values * present, present
    after = kept.flip(1).cumsum(1).flip(1) - kept
    return after, count.flip(1).cumsum(1).flip(1) - count


class ClusteringNetwork(nn.Module):
    """What training and samplers need of a pointwise network.

    n_seen : the first `n_seen` numbers of a cluster's sums are all that `candidate` looks at
    log_temperature : log of the temperature that divides the scores; 0 until calibrated
    in_order : the points have an order of their own (in time) and must be visited in it
    takes_times : `encode` makes use of times, (B, N) seconds after the other points, of points in any order,
        and keeps them in the table `seconds` (B, N, 1), nan in datasets that do not tell them
    """

    in_order = False
    takes_times = False
    n_seen: int
    log_temperature: Tensor

    def encode(self, *points: Tensor, n_points: Tensor | None = None) -> Encoding:
        """Encode the points of B datasets in the order in which they will be visited.

        points : what the encoder takes, the first (B, N, ...); n_points : (B,), all N when left out
        """
        raise NotImplementedError

    def finish(self, encoding: Encoding) -> Encoding:
        """Compute the tables that depend on the order of the points; call after reordering."""
        raise NotImplementedError

    def finish_in(self, orders: Tensor, encoding: Encoding) -> Encoding:
        """Finish one dataset, without padding, in several orders (P, N), side by side.

        As `finish` after `Encoding.reordered`; a network may compute once what all orders share.
        """
        return self.finish(encoding.reordered(orders))

    def finish_first(self, order: Tensor, encoding: Encoding, n_first: int) -> Encoding:
        """Finish datasets in orders of their own (B, N), and return the first `n_first` points of them.

        As `finish` after `Encoding.reordered`, and the rest left away; a network may leave it out before.
        """
        finished = self.finish(encoding.reordered(order))
        tables = {name: table[:, :n_first] for name, table in finished.tables.items()}
        return Encoding(finished.features[:, :n_first], tables, finished.n_points.clamp(max=n_first))

    def cluster(self, sums: Tensor, sizes: Tensor) -> Tensor:
        """Return what clusters add to the first layer of f: (..., J), (...) -> (..., F).

        Asked of clusters that have points only.
        """
        raise NotImplementedError

    def candidate(self, sums: Tensor, sizes: Tensor, cluster: Tensor, joins: Tensor) -> Tensor:
        """Return what is added to the first layer of f when a point joins a cluster: (..., F).

        Parameters
        ----------
        sums, sizes : (..., n_seen), (...) of the cluster before the point; zero for the new cluster
        cluster : (..., F), its value of `cluster`; zero for the new cluster
        joins : (..., n_seen), of the point
        """
        raise NotImplementedError

    def joined(self, sums: Tensor, sizes: Tensor, cluster: Tensor, candidate: Tensor) -> Tensor:
        """Return `cluster` of clusters right after a point joined, for samplers: (..., F).

        sums, sizes : with the point; cluster, candidate : before it, and of it, as `candidate` has them
        """
        return self.cluster(sums, sizes)

    def score(self, first: Tensor) -> Tensor:
        """Return f from its first layer, before the non-linearity: (..., F) -> (...)."""
        raise NotImplementedError

    def places(self, encoding: Encoding) -> Tensor:
        """Points of datasets (B, N, D) where near ones are alike and noise has about unit variance."""
        return encoding.features

    def ageing(self, encoding: Encoding, n: int) -> Tensor | None:
        """Factor by which the sums of all clusters shrink between points n - 1 and n: (B, J or 1) or None."""
        return None

    def log_prob(self, encoding: Encoding, labels: Tensor) -> Tensor:
        """log q(c_n | c_<n, x) of canonical labels (B, N), at every n: (B, N), 0 in the padding."""
        joins, context = encoding.tables["joins"], encoding.tables["context"]
        prefixes = Prefixes.of(joins, labels)
        sizes = prefixes.sizes.to(joins.dtype)
        cluster = self.cluster(prefixes.sums, sizes)
        context = context + prefixes.total(cluster)
        dataset, point, choice, event = prefixes.candidates()
        known = (event >= 0).to(joins.dtype)
        state = (dataset, event.clamp(min=0))
        candidate = self.candidate(
            prefixes.sums[..., : self.n_seen][state] * known[:, None],
            sizes[state] * known,
            cluster[state] * known[:, None],
            joins[..., : self.n_seen][dataset, point],
        )
        scores = self.score(context[dataset, point] + candidate) / self.log_temperature.exp()
        return prefixes.log_softmax(scores, (dataset, point, choice), labels)


def all_points(features: Tensor, n_points: Tensor | None) -> Tensor:
    """Return `n_points`, or the full number of each dataset of `features` (B, N, ...) when left out."""
    if n_points is not None:
        return n_points
    return torch.full((len(features),), features.shape[1], device=features.device)
