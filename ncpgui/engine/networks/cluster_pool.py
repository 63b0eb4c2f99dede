"""Clusters shared between hypotheses, so that a network is asked about each cluster once.

Hypotheses that sampling walks side by side differ in few clusters: after most points, the clusters of
all rows together are little more than one a row. The pool holds each once; a row holds the indices of
its clusters. What f needs of a cluster and the next point is then computed for the clusters in use,
not for every row and slot.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding
from ncpgui.engine.networks.prefixes import NEVER


class ClusterPool:
    """S partial assignments of the points before n; changed in place by the one sampler that owns it.

    At each point `conditionals` is asked first, then `assign`. Node d < D is the empty cluster of dataset
    d; the others are clusters of one dataset.

    sums (C, J + 1), parts (C, F), dataset (C,) : state of each node: the sums over its points and, last,
        their number; its `cluster` value; where it belongs
    slots (S, K + 1) : node of each cluster of each row; the empty one in slots not taken yet
    n_clusters (S,), row_dataset (S,) : of each row
    """

    def __init__(self, network: ClusteringNetwork, encoding: Encoding, row_dataset: Tensor) -> None:
        self._network = network
        self.look_at(encoding)
        joins, context = self._tables["joins"], self._tables["context"]
        n_datasets, device = len(joins), joins.device
        self._sharpness = (-network.log_temperature).exp()
        self._sums = joins.new_zeros(n_datasets, joins.shape[2])
        self._parts = context.new_zeros(n_datasets, context.shape[2])
        self._dataset = torch.arange(n_datasets, device=device)
        self._used = torch.ones(n_datasets, dtype=torch.bool, device=device)
        self._slots = row_dataset[:, None].clone()
        self.row_dataset = row_dataset
        self.n_clusters = torch.zeros_like(row_dataset)

    def look_at(self, encoding: Encoding) -> None:
        """Take the points to come from another encoding (finished) of the same datasets."""
        joins = nn.functional.pad(encoding.tables["joins"], (0, 1), value=1.0)
        self._encoding = encoding
        self._tables = {"joins": joins, "context": encoding.tables["context"]}

    def conditionals(self, n: int) -> Tensor:
        """log q(c_n = k | c_<n, x) of each row: (S, K + 1), very low where a row has no such choice."""
        network, (n_rows, n_slots) = self._network, self._slots.shape
        all_slots = self._slots.flatten()
        self._used = torch.zeros_like(self._used).index_fill_(0, all_slots, True)
        nodes = self._used.nonzero().squeeze(1)
        ageing = network.ageing(self._encoding, n)
        if ageing is not None:
            self._age(ageing, nodes)
        sums, parts = self._sums.index_select(0, nodes), self._parts.index_select(0, nodes)
        joins = self._of_point("joins", n, self._dataset, nodes)
        seen = slice(network.n_seen)
        candidate = network.candidate(sums[:, seen], sums[:, -1], parts, joins[:, seen])
        self._candidate = candidate
        self._place = self._used.cumsum(0).sub_(1)  # of each node among those in use
        slots = self._place.index_select(0, all_slots)
        everything = nn.functional.embedding_bag(slots.view(n_rows, n_slots), parts, mode="sum")  # G
        everything += self._of_point("context", n, self.row_dataset)
        exists = torch.arange(n_slots, device=slots.device) <= self.n_clusters[:, None]
        choice = exists.flatten().nonzero().squeeze(1)  # most rows have fewer clusters than there are slots
        first = candidate.index_select(0, slots.index_select(0, choice))
        first += everything.index_select(0, choice.div(n_slots, rounding_mode="floor"))
        scores = network.score(first).mul_(self._sharpness)
        table = scores.new_full((n_rows * n_slots,), NEVER).index_copy_(0, choice, scores)
        return table.view(n_rows, n_slots).log_softmax(-1)

    def assign(self, n: int, parent: Tensor | None, chosen: Tensor) -> None:
        """Row i goes on from row `parent[i]` (from itself when None) with point n in cluster `chosen[i]`."""
        free = (~self._used).nonzero().squeeze(1)
        if parent is not None:
            self.keep(parent)
        chosen = chosen[:, None]
        picked = self._slots.gather(1, chosen)
        joined = torch.zeros_like(self._used).index_fill_(0, picked.squeeze(1), True)
        nodes = joined.nonzero().squeeze(1)  # each of them with the point is one new node
        if len(free) < len(nodes):
            free = torch.cat([free, self._grown(len(nodes))])
        new = free[: len(nodes)]
        sums = self._sums.index_select(0, nodes) + self._of_point("joins", n, self._dataset, nodes)
        parts = self._parts.index_select(0, nodes)
        candidate = self._candidate.index_select(0, self._place.index_select(0, nodes))
        self._sums.index_copy_(0, new, sums)
        self._parts.index_copy_(0, new, self._network.joined(sums[:, :-1], sums[:, -1], parts, candidate))
        if len(self._tables["joins"]) > 1:
            self._dataset.index_copy_(0, new, self._dataset.index_select(0, nodes))
        place = joined.cumsum(0).sub_(1)
        self._slots.scatter_(1, chosen, new.take(place.take(picked)))
        self.n_clusters = torch.maximum(self.n_clusters, chosen.squeeze(1) + 1)
        if int(self.n_clusters.max()) == self._slots.shape[1]:
            self._slots = torch.cat([self._slots, self.row_dataset[:, None]], dim=1)

    def keep(self, rows: Tensor) -> None:
        """Go on with the hypotheses `rows` (may repeat)."""
        self._slots = self._slots.index_select(0, rows)
        self.n_clusters = self.n_clusters.index_select(0, rows)
        self.row_dataset = self.row_dataset.index_select(0, rows)

    def _of_point(self, table: str, n: int, dataset: Tensor, nodes: Tensor | None = None) -> Tensor:
        """What point n of the dataset of each node (or row) has in a table."""
        values = self._tables[table][:, n]
        if len(values) == 1:
            return values  # one dataset: the same for all
        return values.index_select(0, dataset if nodes is None else dataset.index_select(0, nodes))

    def _age(self, ageing: Tensor, nodes: Tensor) -> None:
        """Shrink the sums of `nodes`, but not their sizes, and compute their `cluster` values again."""
        sums = self._sums.index_select(0, nodes)
        factor = ageing.expand(-1, sums.shape[1] - 1)
        sums[:, :-1] *= factor.index_select(0, self._dataset.index_select(0, nodes))
        parts = self._network.cluster(sums[:, :-1], sums[:, -1]) * (sums[:, -1:] > 0)
        self._sums.index_copy_(0, nodes, sums)
        self._parts.index_copy_(0, nodes, parts)

    def _grown(self, at_least: int) -> Tensor:
        """Make room for more nodes; return their indices."""
        n_before = len(self._sums)
        n_more = max(at_least, n_before)

        def longer(array: Tensor) -> Tensor:
            return torch.cat([array, array.new_zeros(n_more, *array.shape[1:])])

        self._sums, self._parts = longer(self._sums), longer(self._parts)
        self._dataset, self._used = longer(self._dataset), longer(self._used)
        return torch.arange(n_before, n_before + n_more, device=self._sums.device)
