"""Beam search as the paper's Algorithm 1 reads, on the same network: what the samplers are timed against.

Lines 4 to 16 for all S hypotheses of a beam as one batch: at each point, for k = 1 .. K + 1,

    G_k = G + g(H_k + h_n) - g(H_k);  q_k = exp f(G_k, U)

with g(0) = 0, then the S most probable of all choices go on, and G and H are updated with g(H_k) and
g(H_k + h_n) once more. Nothing is shared between hypotheses, no layer is folded into another, and each
hypothesis carries its labels. Our default network has an f that sees more than G_k and U; its f is
evaluated in the same place.

`recomputed` is the way of the public samplers: G_k as the sum of g over all clusters, anew for each k.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import linear

from ncpgui.engine.networks.cluster_aware_ncp import ClusterAwareNCP
from ncpgui.engine.networks.ncp import NCP
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding

NEVER = -1e9


class LiteralNCP:
    """h_n, U, g and f of the paper's network."""

    def __init__(self, network: NCP, encoding: Encoding) -> None:
        self.network = network
        self.h, self.u = encoding.tables["h"][0], encoding.tables["u"][0]
        parts = [network.f_of_g, network.f_of_u, network.f_of_point]
        self.first_layer = torch.cat([part.weight for part in parts if part is not None], dim=1)

    def g(self, sums: Tensor, sizes: Tensor) -> Tensor:
        """g of clusters H (S, h_dim) of so many points (S,); 0 of an empty one."""
        return self.network.g(self.network._pooled(sums, sizes[:, None])) * (sizes > 0)[:, None]

    def g_with_point(self, total: Tensor, sums: Tensor, sizes: Tensor, k: int, n: int) -> Tensor:
        """G_k (S, ...) with point n in cluster k, from G and all H (S, K + 1, h_dim): line 8."""
        before, size = sums[:, k], sizes[:, k]
        return total + self.g(before + self.h[n], size + 1) - self.g(before, size)

    def beside(self, n: int, u: Tensor, n_after: int) -> Tensor:
        """What f sees besides G_k, the same for all k: U, and h_n where the network has it."""
        pooled = self.network._pooled(u, u.new_full((1,), float(n_after)))
        return pooled if self.network.f_of_point is None else torch.cat([pooled, self.h[n]])

    def f(self, g_k: Tensor, sums: Tensor, sizes: Tensor, n: int, beside: Tensor) -> Tensor:
        """Line 9: f of each hypothesis, (S,)."""
        joined = torch.cat([g_k, beside.expand(len(g_k), -1)], dim=1)
        return self.network.score(linear(joined, self.first_layer, self.network.f_of_u.bias))


class RecomputedNCP(LiteralNCP):
    """The same with g of all clusters at each k."""

    def g_with_point(self, total: Tensor, sums: Tensor, sizes: Tensor, k: int, n: int) -> Tensor:
        joins = torch.arange(sums.shape[1], device=sums.device) == k
        after = (sums + joins[:, None] * self.h[n]).flatten(0, 1)
        return self.g(after, (sizes + joins).flatten()).unflatten(0, sizes.shape).sum(1)


class LiteralClusterAware(LiteralNCP):
    """The same of our default network, whose f sees the clusters before the point, and the candidate."""

    def __init__(self, network: ClusterAwareNCP, encoding: Encoding) -> None:
        self.network = network
        tables = network.finish(encoding).tables
        self.h = self.u = tables["joins"][0]
        self.context = tables["context"][0]

    def g(self, sums: Tensor, sizes: Tensor) -> Tensor:
        return self.network.cluster(sums, sizes.clamp(min=1)) * (sizes > 0)[:, None]

    def g_with_point(self, total: Tensor, sums: Tensor, sizes: Tensor, k: int, n: int) -> Tensor:
        return total

    def beside(self, n: int, u: Tensor, n_after: int) -> Tensor:
        return self.context[n]

    def f(self, g_k: Tensor, sums: Tensor, sizes: Tensor, n: int, beside: Tensor) -> Tensor:
        seen = slice(self.network.n_seen)
        candidate = self.network.candidate(sums[:, seen], sizes, g_k, self.h[n, seen])
        return self.network.score(beside + g_k + candidate)


@torch.inference_mode()
def literal_beam(
    network: ClusteringNetwork, encoding: Encoding, *, width: int, recomputed: bool = False
) -> tuple[Tensor, Tensor]:
    """Return labels (S, N) and log q (S,), the best first; `encoding` in the order to visit, not finished.

    `recomputed`: g of all clusters at each k, of a network `NCP`.
    """
    literal: LiteralNCP
    if isinstance(network, ClusterAwareNCP):
        literal = LiteralClusterAware(network, encoding)
    else:
        literal = (RecomputedNCP if recomputed else LiteralNCP)(network, encoding)
    sharpness = (-network.log_temperature).exp()
    h, n_points = literal.h, len(literal.h)
    u = literal.u.sum(0)
    labels = torch.zeros(1, 0, dtype=torch.int64, device=h.device)
    log_prob, n_clusters = h.new_zeros(1), torch.zeros(1, dtype=torch.int64, device=h.device)
    sums, sizes = h.new_zeros(1, 1, h.shape[1]), h.new_zeros(1, 1)
    total = literal.g(sums[:, 0], sizes[:, 0])
    for n in range(n_points):
        u = u - literal.u[n]
        beside = literal.beside(n, u, n_points - 1 - n)
        scores = []
        for k in range(int(n_clusters.max()) + 1):
            g_k = literal.g_with_point(total, sums, sizes, k, n)
            f_k = literal.f(g_k, sums[:, k], sizes[:, k], n, beside) * sharpness
            scores.append(f_k.masked_fill(k > n_clusters, NEVER))
        log_q = torch.stack(scores, dim=1).log_softmax(1)
        children = (log_prob[:, None] + log_q).flatten()
        best = children.topk(min(width, int((log_q > NEVER / 10).sum()))).indices
        parent, chosen = best // log_q.shape[1], best % log_q.shape[1]
        labels = torch.cat([labels[parent], chosen[:, None]], dim=1)
        rows = torch.arange(len(best), device=h.device)
        sums, sizes, total, n_clusters = sums[parent], sizes[parent], total[parent], n_clusters[parent]
        before = literal.g(sums[rows, chosen], sizes[rows, chosen])
        sums[rows, chosen] += h[n]
        sizes[rows, chosen] += 1
        total = total - before + literal.g(sums[rows, chosen], sizes[rows, chosen])
        n_clusters = torch.maximum(n_clusters, chosen + 1)
        log_prob = children[best]
        if int(n_clusters.max()) == sums.shape[1]:  # H_{K+1} = 0
            sums = torch.nn.functional.pad(sums, (0, 0, 0, 1))
            sizes = torch.nn.functional.pad(sizes, (0, 1))
    order = log_prob.argsort(descending=True, stable=True)
    return labels[order], log_prob[order]
