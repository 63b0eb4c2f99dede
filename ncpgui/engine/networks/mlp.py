"""The fully connected block used by all networks."""

from __future__ import annotations

from itertools import pairwise

from torch import Tensor, nn


def mlp(*sizes: int) -> nn.Sequential:
    """Linear layers of the given sizes with ReLU between them (none after the last)."""
    layers: list[nn.Module] = []
    for n_in, n_out in pairwise(sizes):
        layers += [nn.Linear(n_in, n_out), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class ResidualMLP(nn.Module):
    """x + W2 relu(W1 norm(x)): (..., size) -> (..., size)."""

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.body = mlp(size, hidden, size)

    def forward(self, x: Tensor) -> Tensor:
        """Return x plus the block's correction."""
        return x + self.body(self.norm(x))
