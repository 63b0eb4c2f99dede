"""Chains of clusters: a clustering as its clusters one after the other, and what is free before each.

CCP draws clusters s_1, s_2, ... whole. Before s_k the points of s_1 .. s_{k-1} are taken and the others
are free; a first point d_k is drawn uniformly from the free ones, and others join it.

**In which order do the clusters come?** A partition is a set; a chain is a sequence. Since d_k is uniform
over the free points, cluster s comes next with probability |s| / (free points): the order is *size-biased*
at random, whatever the network. It is the order of first appearance in a random permutation of the points:
the first point of the permutation is uniform over all points, so its cluster comes first with probability
|s| / N; given that cluster, the permutation of the points outside it is again uniform, and the argument
repeats. The first point of each cluster in the permutation is uniform over the cluster: that is d_k. So
one random permutation gives the order and all first points, and for the true posterior

    p(s_1, .., s_K, d_1, .., d_K | x) = p(partition | x) prod_k 1 / |I_k|,   I_k the points free before s_k,

which does not depend on d: the uniform posterior over d_k is exact where the network is. Summing over the
d_k of each cluster, p(s_1 .. s_K | x) = p(partition | x) prod_k |s_k| / |I_k|, and summing the model's
p(s_k | s_<k, x) = 1/|I_k| sum_{d in s_k} p(b_k | d, s_<k, x) over all orders,

    p(partition | x) = E over size-biased orders of  prod_k mean_{d in s_k} p(b_k | d, s_<k, x).

Everything here is on this scale: `prod_k mean_d p(b_k | d, ...)`, whose expectation is the probability of
the partition, so that figures compare with those of the pointwise networks.

Shapes: L chains, R rows (each the moment before one cluster of one chain), P free points of all rows
together, one entry each (rows are ragged: early ones have many free points, late ones few), W draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor


@dataclass(frozen=True)
class Free:
    """The points free before each of R clusters, ragged.

    dataset : (R,) int64, which dataset each row is about
    row, point : (P,) int64, free points: row `row[p]`, point `point[p]` of its dataset; ordered by row
    """

    dataset: Tensor
    row: Tensor
    point: Tensor

    @staticmethod
    def of(free: Tensor, dataset: Tensor) -> Free:
        """Rows of a mask (R, N) bool, each about a dataset (R,) int64."""
        row, point = free.nonzero(as_tuple=True)
        return Free(dataset, row, point)

    @property
    def count(self) -> Tensor:
        """Free points of each row: (R,) int64."""
        return torch.bincount(self.row, minlength=len(self.dataset))

    def rows(self, start: int, stop: int) -> tuple[Free, slice]:
        """Rows `start` .. `stop` - 1 by themselves, and which of the free points are theirs."""
        first, last = torch.searchsorted(
            self.row, torch.tensor([start, stop], device=self.row.device)
        ).tolist()
        own = slice(first, last)
        return Free(self.dataset[start:stop], self.row[own] - start, self.point[own]), own

    def of_points(self, table: Tensor) -> Tensor:
        """Entries of the free points in a table of all points: (B, N, ...) -> (P, ...)."""
        return table[self.dataset[self.row], self.point]

    def sum(self, values: Tensor) -> Tensor:
        """Sum over the free points of each row: (P, ...) -> (R, ...)."""
        total = values.new_zeros(len(self.dataset), *values.shape[1:])
        return total.index_add(0, self.row, values)

    def logsumexp(self, values: Tensor) -> Tensor:
        """Log of the sum of exponentials over the free points of each row: (P, W) -> (R, W)."""
        index = self.row[:, None].expand_as(values)
        lowest = values.new_full((len(self.dataset), values.shape[1]), torch.finfo(values.dtype).min)
        top = lowest.scatter_reduce(0, index, values.detach(), reduce="amax")
        return self.sum((values - top[self.row]).exp()).log() + top

    def draw(self, uniform: Tensor) -> Tensor:
        """One free point of each row, from numbers on [0, 1): (R,) -> (R,) int64."""
        count = self.count
        place = (uniform * count).long().clamp(max=count - 1)
        return self.point[count.cumsum(0) - count + place]


@dataclass(frozen=True)
class Chains:
    """L clusterings as chains, and the R moments of them at which something is left to decide.

    A cluster before which one point is free is that point, with probability one: it has no row.

    labels : (L, N) int64, place of each point's cluster in its chain, -1 = padding
    chain : (R,) int64, the chain of each row; k : (R,) int64, which of its clusters is next
    free : the points free before it
    member : (P,) bool, whether they are in it
    members : (L, N) int64, points in the order of their clusters, at random within a cluster
    start, n_members : (R,) int64, where those of the row's cluster begin, and how many they are
    """

    labels: Tensor
    chain: Tensor
    k: Tensor
    free: Free
    member: Tensor
    members: Tensor
    start: Tensor
    n_members: Tensor

    @staticmethod
    def of(labels: Tensor, keys: Tensor, dataset: Tensor | None = None) -> Chains:
        """Chains of clusterings whose clusters are numbered in the order of the chain.

        Parameters
        ----------
        labels : (L, N) int64, 0 .. K - 1, -1 = padding; see `size_biased`
        keys : (L, N), random numbers that order the points within a cluster
        dataset : (L,) int64, the dataset of each chain; chain i is about dataset i when left out
        """
        if dataset is None:
            dataset = torch.arange(len(labels), device=labels.device)
        there = labels >= 0
        n_clusters = int(labels.max()) + 1
        sizes = torch.nn.functional.one_hot(labels.where(there, n_clusters), n_clusters + 1).sum(1)[:, :-1]
        n_free = sizes.flip(1).cumsum(1).flip(1)
        chain, k = ((n_free > 1) & (sizes > 0)).nonzero(as_tuple=True)
        row_labels = labels[chain]
        free = Free.of(row_labels >= k[:, None], dataset[chain])
        by_key = keys.argsort(dim=1)
        by_cluster = labels.where(there, n_clusters).gather(1, by_key).argsort(dim=1, stable=True)
        return Chains(
            labels=labels,
            chain=chain,
            k=k,
            free=free,
            member=row_labels[free.row, free.point] == k[free.row],
            members=by_key.gather(1, by_cluster),
            start=(sizes.cumsum(1) - sizes)[chain, k],
            n_members=sizes[chain, k],
        )

    def parts(self, n_rows: int) -> Iterator[Chains]:
        """Yield the chains with `n_rows` of their rows at a time."""
        for start in range(0, len(self.chain), n_rows):
            rows = slice(start, min(start + n_rows, len(self.chain)))
            free, own = self.free.rows(rows.start, rows.stop)
            yield replace(
                self,
                chain=self.chain[rows],
                k=self.k[rows],
                free=free,
                member=self.member[own],
                start=self.start[rows],
                n_members=self.n_members[rows],
            )

    def first_points(self, n_draws: int) -> Tensor:
        """d_k of each draw, members of the row's cluster in random order, over and over: (R, W) int64.

        Each draw is uniform over the cluster; with W >= |s_k| draws every member has its turn.
        """
        place = torch.arange(n_draws, device=self.start.device) % self.n_members[:, None]
        return self.members[self.chain[:, None], self.start[:, None] + place]

    def taken_before(self, parts: Tensor) -> Tensor:
        """Sum over the clusters before each row's own: (L, K, F) of clusters -> (R, F)."""
        return (parts.cumsum(1) - parts)[self.chain, self.k]

    def total(self, values: Tensor) -> Tensor:
        """Sum over the rows of each chain: (R,) -> (L,)."""
        return values.new_zeros(len(self.labels)).index_add(0, self.chain, values)


def size_biased(labels: Tensor, keys: Tensor) -> Tensor:
    """Number the clusters of each row by first appearance when points are sorted by `keys`.

    With independent random keys the order is size-biased at random (see the module).

    Parameters
    ----------
    labels : (L, N) int64, -1 = padding; keys : (L, N)

    Returns
    -------
    (L, N) int64, -1 = padding
    """
    there = labels >= 0
    n_clusters = int(labels.max()) + 1
    keys = keys.masked_fill(~there, torch.inf)
    first = keys.new_full((len(labels), n_clusters), torch.inf)
    first = first.scatter_reduce(1, labels.clamp(min=0), keys, reduce="amin")
    rank = first.argsort(dim=1, stable=True).argsort(dim=1)
    return rank.gather(1, labels.clamp(min=0)).where(there, -1)
