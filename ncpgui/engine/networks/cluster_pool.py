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

    sums (C, J), sizes (C, 1), parts (C, F), dataset (C,) : state of each node, its `cluster` value
    slots (S, K + 1) : node of each cluster of each row; the empty one in slots not taken yet
    n_clusters (S,), row_dataset (S,) : of each row
    """

    def __init__(self, network: ClusteringNetwork, encoding: Encoding, row_dataset: Tensor) -> None:
        joins, context = encoding.tables["joins"], encoding.tables["context"]
        self._network = network
        self._encoding = encoding
        n_datasets, device = len(joins), joins.device
        self._seen = joins.new_zeros(n_datasets, network.n_seen)  # the sums that `candidate` looks at
        self._rest = joins.new_zeros(n_datasets, joins.shape[2] - network.n_seen)
        self._sizes = joins.new_zeros(n_datasets)
        self._parts = context.new_zeros(n_datasets, context.shape[2])
        self._dataset = torch.arange(n_datasets, device=device)
        self._used = torch.ones(n_datasets, dtype=torch.bool, device=device)
        self._slots = row_dataset[:, None].clone()
        self.row_dataset = row_dataset
        self.n_clusters = torch.zeros_like(row_dataset)

    def conditionals(self, n: int) -> Tensor:
        """log q(c_n = k | c_<n, x) of each row: (S, K + 1), very low where a row has no such choice."""
        network, (n_rows, n_slots) = self._network, self._slots.shape
        self._used = torch.zeros_like(self._used).index_fill_(0, self._slots.flatten(), True)
        nodes = self._used.nonzero().squeeze(1)
        place = self._used.cumsum(0).sub_(1)  # of each node among those in use
        seen, sizes = self._seen.index_select(0, nodes), self._sizes.index_select(0, nodes)
        parts = self._parts.index_select(0, nodes)
        ageing = network.ageing(self._encoding, n)
        if ageing is not None:
            seen, parts = self._aged(ageing, nodes, seen, sizes)
        joins = self._of_point("joins", n, self._dataset, nodes)[:, : network.n_seen]
        candidate = network.candidate(seen, sizes, parts, joins)
        slots = place.index_select(0, self._slots.flatten())
        everything = nn.functional.embedding_bag(slots.view(n_rows, n_slots), parts, mode="sum")  # G
        context = self._of_point("context", n, self.row_dataset) + everything
        exists = torch.arange(n_slots, device=slots.device) <= self.n_clusters[:, None]
        choice = exists.flatten().nonzero().squeeze(1)  # most rows have fewer clusters than there are slots
        first = candidate.index_select(0, slots.index_select(0, choice))
        first += context.index_select(0, choice.div(n_slots, rounding_mode="floor"))
        scores = network.score(first) / network.log_temperature.exp()
        table = scores.new_full((n_rows * n_slots,), NEVER).index_copy_(0, choice, scores)
        return table.view(n_rows, n_slots).log_softmax(-1)

    def assign(self, n: int, parent: Tensor | None, chosen: Tensor) -> None:
        """Row i goes on from row `parent[i]` (from itself when None) with point n in cluster `chosen[i]`."""
        free = (~self._used).nonzero().squeeze(1)
        if parent is not None:
            self.keep(parent)
        picked = self._slots.gather(1, chosen[:, None])
        joined = torch.zeros_like(self._used).index_fill_(0, picked.squeeze(1), True)
        nodes = joined.nonzero().squeeze(1)  # each of them with the point is one new node
        if len(free) < len(nodes):
            free = torch.cat([free, self._grown(len(nodes))])
        new = free[: len(nodes)]
        joins = self._of_point("joins", n, self._dataset, nodes)
        sizes = self._sizes.index_select(0, nodes) + 1
        seen = self._seen.index_select(0, nodes) + joins[:, : self._network.n_seen]
        rest = self._rest.index_select(0, nodes) + joins[:, self._network.n_seen :]
        self._seen.index_copy_(0, new, seen)
        self._rest.index_copy_(0, new, rest)
        self._sizes.index_copy_(0, new, sizes)
        self._dataset.index_copy_(0, new, self._dataset.index_select(0, nodes))
        self._parts.index_copy_(0, new, self._network.cluster(torch.cat([seen, rest], 1), sizes))
        place = joined.cumsum(0).sub_(1)
        self._slots.scatter_(1, chosen[:, None], new[place[picked]])
        self.n_clusters = torch.maximum(self.n_clusters, chosen + 1)
        if int(self.n_clusters.max()) == self._slots.shape[1]:
            self._slots = torch.cat([self._slots, self.row_dataset[:, None]], dim=1)

    def keep(self, rows: Tensor) -> None:
        """Go on with the hypotheses `rows` (may repeat)."""
        self._slots, self.n_clusters = self._slots.index_select(0, rows), self.n_clusters[rows]
        self.row_dataset = self.row_dataset[rows]

    def _of_point(self, table: str, n: int, dataset: Tensor, nodes: Tensor | None = None) -> Tensor:
        """What point n of the dataset of each node (or row) has in a table of the encoding."""
        values = self._encoding.tables[table][:, n]
        if len(values) == 1:
            return values  # one dataset: the same for all
        return values.index_select(0, dataset if nodes is None else dataset.index_select(0, nodes))

    def _aged(self, ageing: Tensor, nodes: Tensor, seen: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor]:
        """Shrink the sums of `nodes`; return what `candidate` sees of them, and their `cluster` values."""
        factor = ageing[self._dataset[nodes]]
        seen, rest = seen * factor, self._rest.index_select(0, nodes) * factor
        self._seen.index_copy_(0, nodes, seen)
        self._rest.index_copy_(0, nodes, rest)
        parts = self._network.cluster(torch.cat([seen, rest], 1), sizes) * (sizes > 0)[:, None]
        return seen, parts

    def _grown(self, at_least: int) -> Tensor:
        """Make room for more nodes; return their indices."""
        n_before = len(self._sizes)
        n_more = max(at_least, n_before)

        def longer(array: Tensor) -> Tensor:
            return torch.cat([array, array.new_zeros(n_more, *array.shape[1:])])

        self._seen, self._rest, self._parts = longer(self._seen), longer(self._rest), longer(self._parts)
        self._sizes, self._dataset, self._used = (
            longer(self._sizes),
            longer(self._dataset),
            longer(self._used),
        )
        return torch.arange(n_before, n_before + n_more, device=self._sizes.device)
