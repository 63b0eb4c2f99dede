"""What was fired just before and just after a spike, before any label is known.

A neuron that bursts fires large and small spikes: the small ones follow a large one by milliseconds. Their
shapes alone look like those of two neurons. The spikes just before them, how far these lie from them and how
long ago they were fired, tell that it is one. So each point looks at a few points before it in time and at a
few after it, and forgets them exponentially.

It depends on no label and on no order: it is computed once for all draws.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

N_NEIGHBOURS = 4
"""Points on either side in time that are looked at."""
_FORGOTTEN_MS = (2.0, 60.0)  # of the hidden numbers at first, log-spaced
_SCALES_MS = (3.0, 10.0, 40.0)  # of the intervals that are told
_MOST_MS = 1000.0  # longer intervals are taken for it: all is forgotten
_FAR = 60.0  # scores are clipped there, as for the attention


class NeighboursInTime(nn.Module):
    """Features of points (B, N, size) -> features that know the points before and after them in time.

    Of the points before it, point i is told ``sum_j r(x_i, x_j, t_i - t_j) exp(-(t_i - t_j) / tau)`` over the
    last four. The two layers of r are learnt, and so is a time tau for each of its numbers. The same holds
    for the next four. Datasets that do not tell their times are left as they are. It is silent until trained:
    a network may get it later.

    Parameters
    ----------
    size : of the features; n_scores : C, of the principal scores; hidden : of the layers
    """

    def __init__(self, size: int, n_scores: int, hidden: int = 48) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.own = nn.Linear(size + n_scores, 2 * hidden)  # as seen by those before | after it
        self.other = nn.Linear(size + n_scores, 2 * hidden, bias=False)
        self.apart = nn.Linear(n_scores + len(_SCALES_MS), 2 * hidden, bias=False)
        self.second = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(2))
        low, high = (math.log(ms) for ms in _FORGOTTEN_MS)
        self.log_ms = nn.Parameter(torch.linspace(low, high, hidden).repeat(2, 1))
        self.out = nn.Linear(2 * hidden, size)
        for silent in self.out.parameters():
            nn.init.zeros_(silent)

    def forward(self, features: Tensor, scores: Tensor, seconds: Tensor, there: Tensor) -> Tensor:
        """Return the features with what each point is told of those before and after it.

        Parameters
        ----------
        features : (B, N, size); scores : (B, N, C)
        seconds : (B, N), nan in datasets that do not tell their times
        there : (B, N) bool, False in the padding
        """
        told = there & (~seconds.isnan() | ~there).all(1, keepdim=True)
        t = seconds.double().where(told, torch.inf)
        order = t.argsort(dim=1, stable=True)
        ms = 1000 * t.gather(1, order)
        x = torch.cat([self.norm(features), scores.clamp(-_FAR, _FAR)], dim=-1)
        x = x.gather(1, order[..., None].expand_as(x))
        place = x[..., features.shape[-1] :]
        own, other = (layer(x).chunk(2, dim=-1) for layer in (self.own, self.other))
        apart = self.apart.weight.chunk(2)
        sums: list[list[Tensor]] = [[], []]
        for step in range(1, min(N_NEIGHBOURS, x.shape[1] - 1) + 1):
            gap = (
                (ms[:, step:] - ms[:, :-step])
                .nan_to_num(nan=_MOST_MS)
                .clamp(max=_MOST_MS)
                .to(x.dtype)[..., None]
            )
            near = torch.cat([torch.exp(-gap / scale) for scale in _SCALES_MS], dim=-1)
            seen = torch.cat([(place[:, step:] - place[:, :-step]).square().log1p(), near], dim=-1)
            here = (gap < _MOST_MS).to(x.dtype)
            for side in (0, 1):  # those before, those after
                mine, its = (slice(step, None), slice(None, -step))[:: 1 - 2 * side]
                first = own[side][:, mine] + other[side][:, its] + nn.functional.linear(seen, apart[side])
                r = self.second[side](first.relu()).relu()
                r = r * torch.exp(-gap * (-self.log_ms[side]).exp()) * here
                pad = (0, 0, *((step, 0), (0, step))[side])
                sums[side].append(nn.functional.pad(r, pad))
        nothing = own[0].new_zeros(own[0].shape)
        both = self.out(torch.cat([sum(side, start=nothing) for side in sums], dim=-1))
        back = order.argsort(1)[..., None].expand_as(both)
        return features + both.gather(1, back) * told[..., None]
