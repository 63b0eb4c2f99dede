"""NCP: each point joins a cluster or opens one (Pakman et al., ICML 2020, sec. 3 and Algorithm 1).

`NCP` is the paper's network; our default is in `cluster_aware_ncp`.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ncpgui.core.errors import InputError
from ncpgui.engine.networks.mlp import mlp
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding, all_points, sum_after


class NCP(ClusteringNetwork):
    """The paper's network (sec. 3): q(c_n = k | c_<n, x) = softmax_k f(G_k, U).

    =====================================  ============================  =================
    equation                               here                          shape
    =====================================  ============================  =================
    H_k = sum_{i: c_i = k} h(x_i)          sums of `joins`               (K, h_dim)
    G = sum_k g(H_k)                       sum of `cluster`              (f_hidden[0],)
    G_k = G + g(H_k + h_n) - g(H_k)        G + `candidate`               (f_hidden[0],)
    U = sum_{i > n} u(x_i)                 in `context`                  (f_hidden[0],)
    f(G_k, U)                              `score`                       scalar
    =====================================  ============================  =================

    G, G_k and U appear after the first layer of f, which is linear (see `pointwise`); g(0) = 0.

    Parameters
    ----------
    encoder : h, points -> (B, N, h_dim)
    u_encoder : u, points -> (B, N, h_dim); h serves when left out
    g_hidden, g_dim, f_hidden : layers of g and f; the spike model of the paper has the defaults (SM G)
    f_sees_point : f(G_k, U, h_n), as in the paper's public code
    pooling : "sum", or "mean" for (mean, log n) in place of H and U, which carries to other N
    """

    def __init__(
        self,
        encoder: nn.Module,
        u_encoder: nn.Module | None = None,
        *,
        h_dim: int = 256,
        g_hidden: tuple[int, ...] = (256, 256, 256),
        g_dim: int = 256,
        f_hidden: tuple[int, ...] = (256, 256, 256),
        f_sees_point: bool = False,
        pooling: str = "sum",
    ) -> None:
        super().__init__()
        if pooling not in ("sum", "mean"):
            raise InputError(f"pooling must be 'sum' or 'mean', got '{pooling}'")
        self.mean_pooling = pooling == "mean"
        pooled = h_dim + self.mean_pooling
        self.encoder = encoder
        self.u_encoder = u_encoder
        self.g = mlp(pooled, *g_hidden, g_dim)
        self.f_of_g = nn.Linear(g_dim, f_hidden[0], bias=False)
        self.f_of_u = nn.Linear(pooled, f_hidden[0])
        self.f_of_point = nn.Linear(h_dim, f_hidden[0], bias=False) if f_sees_point else None
        self.f_rest = mlp(*f_hidden, 1)
        self.f_rest[-1].register_parameter("bias", None)  # the same for all candidates: softmax cancels it
        self.log_temperature = nn.Buffer(torch.zeros(()))
        self.n_seen = h_dim

    def encode(self, *points: Tensor, n_points: Tensor | None = None) -> Encoding:
        """See `ClusteringNetwork`: h_i and u_i of every point."""
        h = self.encoder(*points)
        u = h if self.u_encoder is None else self.u_encoder(*points)
        return Encoding(h, {"h": h, "u": u}, all_points(h, n_points))

    def finish(self, encoding: Encoding) -> Encoding:
        """See `ClusteringNetwork`: U after each point, through the first layer of f."""
        h = encoding.tables["h"]
        context = self.f_of_u(self._pooled(*sum_after(encoding.tables["u"], encoding.there)))
        if self.f_of_point is not None:
            context = context + self.f_of_point(h)
        return encoding.with_tables(joins=h, context=context)

    def cluster(self, sums: Tensor, sizes: Tensor) -> Tensor:
        """See `ClusteringNetwork`: g(H)."""
        return self.f_of_g(self.g(self._pooled(sums, sizes[..., None])))

    def candidate(self, sums: Tensor, sizes: Tensor, cluster: Tensor, joins: Tensor) -> Tensor:
        """See `ClusteringNetwork`: g(H_k + h_n) - g(H_k)."""
        return self.cluster(sums + joins, sizes + 1) - cluster

    def joined(self, sums: Tensor, sizes: Tensor, cluster: Tensor, candidate: Tensor) -> Tensor:
        """See `ClusteringNetwork`: g(H_k + h_n), which the candidate holds already."""
        return cluster + candidate

    def score(self, first: Tensor) -> Tensor:
        """See `ClusteringNetwork`: the layers of f after the first."""
        return self.f_rest(first.relu_()).squeeze(-1)

    def _pooled(self, sums: Tensor, count: Tensor) -> Tensor:
        if not self.mean_pooling:
            return sums
        return torch.cat([sums / count.clamp(min=1), count.log1p()], dim=-1)
