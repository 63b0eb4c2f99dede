"""Clusters shared between hypotheses, so that a network is asked about each cluster once.

Hypotheses that sampling walks side by side differ in few clusters: after most points, the clusters of
all rows together are little more than one a row. The pool holds each once; a row holds the indices of
its clusters. What f needs of a cluster and the next point is then computed for the clusters in use,
not for every row and slot.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding
from ncpgui.engine.networks.prefixes import NEVER


class ClusterPool:
    """S partial assignments of the points before n; changed in place by the one sampler that owns it.

    Node d < D is the empty cluster of dataset d; the others are clusters of one dataset.

    sums (C, J), sizes (C,), parts (C, F), dataset (C,) : state of each node, its `cluster` value
    slots (S, K + 1) : node of each cluster of each row; the empty one in slots not taken yet
    n_clusters (S,), row_dataset (S,) : of each row
    """

    def __init__(self, network: ClusteringNetwork, encoding: Encoding, row_dataset: Tensor) -> None:
        joins, context = encoding.tables["joins"], encoding.tables["context"]
        self._network = network
        self._encoding = encoding
        n_datasets, device = len(joins), joins.device
        self.dataset = torch.arange(n_datasets, device=device)
        self.sums = joins.new_zeros(n_datasets, joins.shape[2])
        self.sizes = joins.new_zeros(n_datasets)
        self.parts = context.new_zeros(n_datasets, context.shape[2])
        self.row_dataset = row_dataset
        self.slots = row_dataset[:, None].clone()
        self.n_clusters = torch.zeros_like(row_dataset)

    def conditionals(self, n: int) -> Tensor:
        """log q(c_n = k | c_<n, x) of each row: (S, K + 1), very low where a row has no such choice."""
        network, tables = self._network, self._encoding.tables
        used = self._used()
        nodes = used.nonzero().squeeze(1)
        place = used.cumsum(0) - 1  # of each node among those in use
        dataset, sizes = self.dataset[nodes], self.sizes[nodes]
        ageing = network.ageing(self._encoding, n)
        if ageing is not None:
            self.sums[nodes] = self.sums[nodes] * ageing[dataset]
            parts = network.cluster(self.sums[nodes], sizes) * (sizes > 0)[:, None]
            self.parts[nodes] = parts
        else:
            parts = self.parts[nodes]
        candidate = network.candidate(
            self.sums[:, : network.n_seen][nodes],
            sizes,
            parts,
            tables["joins"][:, n, : network.n_seen][dataset],
        )
        slots = place[self.slots]
        everything = torch.nn.functional.embedding_bag(slots, parts, mode="sum")  # G of each row
        context = tables["context"][:, n][self.row_dataset] + everything
        scores = network.score(context[:, None] + candidate[slots]) / network.log_temperature.exp()
        choice = torch.arange(slots.shape[1], device=slots.device)
        return scores.masked_fill(choice > self.n_clusters[:, None], NEVER).log_softmax(-1)

    def assign(self, n: int, parent: Tensor | None, chosen: Tensor) -> None:
        """Row i goes on from row `parent[i]` (from itself when None) with point n in cluster `chosen[i]`."""
        if parent is not None:
            self.keep(parent)
        rows = torch.arange(len(chosen), device=chosen.device)
        joined = torch.zeros(len(self.sizes), dtype=torch.bool, device=chosen.device)
        joined[self.slots[rows, chosen]] = True
        nodes = joined.nonzero().squeeze(1)  # each of them with the point is one new node
        dataset = self.dataset[nodes]
        new = self._free(len(nodes))
        self.sums[new] = self.sums[nodes] + self._encoding.tables["joins"][:, n][dataset]
        self.sizes[new] = self.sizes[nodes] + 1
        self.dataset[new] = dataset
        self.parts[new] = self._network.cluster(self.sums[new], self.sizes[new])
        place = joined.cumsum(0) - 1
        self.slots[rows, chosen] = new[place[self.slots[rows, chosen]]]
        self.n_clusters = torch.maximum(self.n_clusters, chosen + 1)
        if int(self.n_clusters.max()) == self.slots.shape[1]:
            self.slots = torch.cat([self.slots, self.row_dataset[:, None]], dim=1)

    def keep(self, rows: Tensor) -> None:
        """Go on with the hypotheses `rows` (may repeat)."""
        self.slots, self.n_clusters = self.slots[rows], self.n_clusters[rows]
        self.row_dataset = self.row_dataset[rows]

    def _used(self) -> Tensor:
        used = torch.zeros(len(self.sizes), dtype=torch.bool, device=self.slots.device)
        used[self.slots.flatten()] = True
        return used

    def _free(self, n_nodes: int) -> Tensor:
        """Indices of `n_nodes` nodes that nothing refers to; the pool grows when there are too few."""
        used = self._used()
        used[: len(self._encoding.features)] = True  # the empty clusters
        free = (~used).nonzero().squeeze(1)
        if len(free) < n_nodes:
            n_more = max(n_nodes, len(self.sizes))
            free = torch.cat([free, torch.arange(n_more, device=free.device) + len(self.sizes)])
            self.sums, self.sizes, self.parts, self.dataset = (
                torch.cat([array, array.new_zeros(n_more, *array.shape[1:])])
                for array in (self.sums, self.sizes, self.parts, self.dataset)
            )
        return free[:n_nodes]
