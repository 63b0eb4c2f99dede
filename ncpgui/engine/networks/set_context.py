"""Lets every spike know the whole set: attention through a few inducing points.

Induced set attention (Lee et al., Set Transformer, ICML 2019). The map is equivariant to the
order of the points, so that a clustering network on top of it is a posterior as before: its
conditionals see the whole data set x through the encoding, and labels still enter one by one.
The cost is linear in the number of points.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ncpgui.engine.networks.mlp import ResidualMLP


class SetContext(nn.Module):
    """One layer of induced set attention followed by a residual MLP: (B, N, size) -> same."""

    def __init__(self, size: int, *, n_inducing: int = 24, n_heads: int = 4) -> None:
        super().__init__()
        self.inducing = nn.Parameter(torch.randn(n_inducing, size) / size**0.5)
        self.norm = nn.LayerNorm(size)
        self.gather = _Attention(size, n_heads)
        self.refine = ResidualMLP(size, 2 * size)
        self.spread = _Attention(size, n_heads)
        self.update = ResidualMLP(size, 2 * size)

    def forward(self, x: Tensor) -> Tensor:
        """Add to each point what it learns from the others."""
        normed = self.norm(x)
        inducing = self.inducing.expand(len(x), -1, -1)
        summary = self.refine(inducing + self.gather(inducing, normed))
        return self.update(x + self.spread(normed, summary))


class _Attention(nn.Module):
    """Multi-head attention of queries (B, Q, size) over a set (B, N, size)."""

    def __init__(self, size: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.query = nn.Linear(size, size)
        self.key_value = nn.Linear(size, 2 * size)
        self.out = nn.Linear(size, size)

    def forward(self, queries: Tensor, points: Tensor) -> Tensor:
        key, value = self.key_value(points).chunk(2, dim=-1)
        q, k, v = (self._heads(t) for t in (self.query(queries), key, value))
        mixed = nn.functional.scaled_dot_product_attention(q, k, v)
        return self.out(mixed.transpose(1, 2).flatten(2))

    def _heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
