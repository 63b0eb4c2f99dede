"""Encoder of points of a few numbers: (B, N, D) -> (B, N, h_dim)."""

from __future__ import annotations

from torch import Tensor, nn

from ncpgui.engine.networks.mlp import mlp


class PointEncoder(nn.Module):
    """A multilayer perceptron, each point by itself.

    Parameters
    ----------
    n_dims : numbers of a point
    hidden, h_dim : layers; the paper's 2D Gaussian model has the defaults (SM G)
    scale : points are multiplied by it first; networks like inputs near 1
    skip : add a linear map of the point, which a mean over points keeps exactly
    """

    def __init__(
        self,
        *,
        n_dims: int = 2,
        hidden: tuple[int, ...] = (256, 256, 256),
        h_dim: int = 128,
        scale: float = 1.0,
        skip: bool = False,
    ) -> None:
        super().__init__()
        self.body = mlp(n_dims, *hidden, h_dim)
        self.skip = nn.Linear(n_dims, h_dim, bias=False) if skip else None
        self.scale = scale

    def forward(self, points: Tensor) -> Tensor:
        """Encode points: (B, N, n_dims) -> (B, N, h_dim)."""
        scaled = points * self.scale
        features: Tensor = self.body(scaled)
        return features if self.skip is None else features + self.skip(scaled)
