"""Points that see each other: attention between all points of a dataset, before any label is known.

A spike by itself is a place with noise. What tells that it opens a cluster is that many others lie about it
and none of them about the clusters that are there. Each head looks at the points near in the principal scores
of the dataset, within a reach that it learns, and takes their mean: the spikes of one cloud then carry nearly
the same features, and two clouds that are far apart carry clearly different ones (set attention: Lee et al.,
ICML 2019; for amortized clustering Lee et al., arXiv 2010.15727).

The attention depends on no label and on no order: it is computed once for all draws.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ncpgui.engine.networks.mlp import ResidualMLP

_REACHES = (0.4, 0.7, 1.2, 3.0)  # of the heads at first, in units of the scores
_FAR = 60.0  # scores are clipped there: beyond it a point is alone in any case


class PointAttention(nn.Module):
    """One block: features of points (B, N, size) -> features that know the points about them.

    A head weighs point j as seen from point i by ``q_i k_j - |s_i - s_j|^2 / (2 r^2) - b (t_i - t_j)^2`` with
    scores s, places t along time or the way of the tissue, and a learnt reach r and rate b. Beside the points
    it may look at nothing, which takes the more of its weight, the fewer points are near: so it knows how
    dense the points are. A block is silent until trained: a network may get it later.

    Parameters
    ----------
    size : of the features, a multiple of the number of heads (4)
    n_scores : C, of the principal scores by which points are near
    """

    def __init__(self, size: int, n_scores: int) -> None:
        super().__init__()
        self.n_heads = len(_REACHES)
        self.head = size // self.n_heads
        self._width = self.head + n_scores + 4  # 47 would do at our sizes; 48 are faster
        self.norm = nn.LayerNorm(size)
        self.to_heads = nn.Linear(size, 3 * size, bias=False)
        self.log_reach = nn.Parameter(torch.tensor(_REACHES).log())
        self.log_rate = nn.Parameter(torch.zeros(self.n_heads))
        self.nothing = nn.Parameter(torch.full((self.n_heads,), -4.0))
        self.nothing_per_point = nn.Parameter(torch.full((self.n_heads,), 0.5))
        self.out = nn.Linear(self.n_heads * (self.head + 2 * n_scores + 1), size)
        self.after = ResidualMLP(size, 2 * size)
        for silent in (*self.out.parameters(), *self.after.body[-1].parameters()):
            nn.init.zeros_(silent)

    def forward(self, features: Tensor, scores: Tensor, along: Tensor, there: Tensor) -> Tensor:
        """Return the features with what each point sees of the others.

        Parameters
        ----------
        features : (B, N, size)
        scores : (B, N, C); along : (B, N), 0 .. 1, nan in datasets without times
        there : (B, N) bool, False in the padding
        """
        n_datasets, n_points = features.shape[:2]
        scores = scores.clamp(-_FAR, _FAR)
        along = along.nan_to_num()
        query, key, value = self.to_heads(self.norm(features)).chunk(3, dim=-1)
        query, key, value = (self._by_head(part) for part in (query, key, value))
        place, square, near = self._nearness(scores, along)
        one = torch.ones_like(square)
        zero = torch.zeros_like(square)
        nothing = (
            self.nothing[:, None, None]
            + self.nothing_per_point[:, None, None]
            * (there.sum(1).clamp(min=1).log().to(features.dtype)[:, None, None, None])
        )
        # q k = query key / sqrt(head) + 2 near s_i s_j - near |s_j|^2; for nothing: near |s_i|^2 + its own
        query = torch.cat([query / self.head**0.5, 2 * near * place, one, square + nothing], dim=-1)
        key = torch.cat([key, place, -square, zero], dim=-1)
        wide = scores[:, None].expand(-1, self.n_heads, -1, -1)
        value = torch.cat([value, wide, one], dim=-1)
        query, key, value = self._even(query), self._even(key), self._even(value)
        alone = torch.zeros_like(key[:, :, :1])
        alone[..., self.head + place.shape[-1] + 1] = 1
        key = torch.cat([key, alone], dim=2)
        value = torch.cat([value, torch.zeros_like(value[:, :, :1])], dim=2)
        seen_at_all = nn.functional.pad(there, (0, 1), value=True)[:, None, None]
        seen = nn.functional.scaled_dot_product_attention(query, key, value, seen_at_all, scale=1.0)
        n_scores = scores.shape[-1]
        mean, centre, part = seen[..., : self.head + n_scores + 1].split([self.head, n_scores, 1], dim=-1)
        shift = centre - part * wide  # towards where the points about it are, in part
        told = torch.cat([mean, centre, shift, part], dim=-1)
        told = told.transpose(1, 2).reshape(n_datasets, n_points, -1)
        result: Tensor = self.after(features + self.out(told))
        return result

    def _by_head(self, values: Tensor) -> Tensor:
        """(B, N, size) -> (B, heads, N, head)."""
        return values.unflatten(-1, (self.n_heads, self.head)).transpose(1, 2)

    def _nearness(self, scores: Tensor, along: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Place (B, heads, N, C + 1), its weighed square (B, heads, N, 1), and weights (heads, 1, C + 1)."""
        of_scores = 0.5 * (-2 * self.log_reach).exp()[:, None, None].expand(-1, 1, scores.shape[-1])
        near = torch.cat([of_scores, self.log_rate.exp()[:, None, None]], dim=-1)
        place = torch.cat([scores, along[..., None]], dim=-1).to(scores.dtype)
        place = place[:, None].expand(-1, self.n_heads, -1, -1)
        return place, (near * place.square()).sum(-1, keepdim=True), near

    def _even(self, values: Tensor) -> Tensor:
        """Pad the last axis, so that queries, keys and values have one size."""
        return nn.functional.pad(values, (0, self._width - values.shape[-1]))
