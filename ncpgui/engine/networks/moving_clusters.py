"""Clusters whose place moves: where a cluster was at the time of a point, and how it got there.

Recordings drift, so that the spikes of a unit lie along a way and not around a place. A cluster keeps, beside
its plain sums, sums weighted by hats: piecewise linear functions of time, 1 at one of some equidistant knots
and 0 at the others. They add up as all sums of a cluster do. With weights k(t, t') = sum_m hat_m(t) hat_m(t')
of its points, which are large near the time t, their mean is where the cluster was then. Few knots average
over many points, many knots follow a jump: f sees both.

Datasets that do not tell their times have hats of zero, and everything here is then zero.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

_PRIOR_POINTS = 3  # points that the learnt spread counts beside those of a cluster
_GAPS_MS = (3.0, 10.0, 40.0)  # scales of the intervals to the spikes before and after


class TimeFeatures(nn.Module):
    """What the time of a point says by itself: (B, N) seconds -> (B, N, n_features), float32.

    Whether it is known, the hats of each of `knots`, and the intervals to the points before and after it.
    """

    def __init__(self, knots: tuple[int, ...]) -> None:
        super().__init__()
        self.knots = knots
        self.n_features = 1 + sum(knots) + 2 * (1 + len(_GAPS_MS))

    def forward(self, seconds: Tensor, there: Tensor) -> Tensor:
        """Seconds (B, N), nan in datasets that do not tell; there (B, N) bool, False in the padding."""
        known = (~seconds.isnan() | ~there).all(1, keepdim=True)
        use = there & known
        t = seconds.double().where(use, torch.inf)
        start = t.amin(1, keepdim=True)
        end = t.where(use, -torch.inf).amax(1, keepdim=True)
        span = (end - start).where(known, 1.0).clamp(min=1e-9)
        part = ((t - start) / span).where(use, 0.0).float()
        hats = [hat_functions(part, n) for n in self.knots]
        order = t.argsort(1)
        gap = t.gather(1, order).diff(dim=1).nan_to_num(nan=torch.inf)
        gaps = torch.stack([nn.functional.pad(gap, pad, value=torch.inf) for pad in ((1, 0), (0, 1))], -1)
        gaps = gaps.gather(1, order.argsort(1)[..., None].expand_as(gaps)) * 1000
        near = [torch.exp(-gaps / scale) for scale in _GAPS_MS]
        log_gap = gaps.clamp(0.1, 1e4).log10() / 4
        features = torch.cat([torch.ones_like(t)[..., None], *hats, log_gap, *near], dim=-1)
        return features.float() * use[..., None]

    def hats(self, features: Tensor) -> list[Tensor]:
        """Take the hats of each of `knots` out of the features."""
        return list(features[..., 1 : 1 + sum(self.knots)].split(list(self.knots), dim=-1))


def hat_functions(part: Tensor, n_knots: int) -> Tensor:
    """Piecewise linear functions of time, 1 at one knot and 0 at the others: (...) on [0, 1] -> (..., M)."""
    knot = torch.arange(n_knots, device=part.device)
    return (1 - (part[..., None] * (n_knots - 1) - knot).abs()).clamp(min=0)


class MovingClusters(nn.Module):
    """What hats of one number of knots add to the first layers of f and g; zero until trained.

    A point carries hat_m(t) (1, x) for each knot, M (C + 1) columns that are summed in its cluster.

    Parameters
    ----------
    n_knots : M; n_scores : C, components that move; hidden : of the first layers of f and g
    log_spread : (C,) what the log variance about the way begins with
    """

    def __init__(self, n_knots: int, n_scores: int, hidden: int, log_spread: float) -> None:
        super().__init__()
        self.n_knots, self.n_scores = n_knots, n_scores
        self.n_columns = n_knots * (n_scores + 1)
        self.log_weight = nn.Parameter(
            torch.zeros(())
        )  # of the cluster's mean beside the points near in time
        self.log_spread = nn.Parameter(torch.full((n_scores,), log_spread))
        self.to_f = nn.Linear(5 * n_scores + 1, hidden, bias=False)
        self.to_g = nn.Linear(n_scores, hidden, bias=False)
        nn.init.zeros_(self.to_f.weight)
        nn.init.zeros_(self.to_g.weight)

    def columns(self, hats: Tensor, scores: Tensor) -> Tensor:
        """Return what each point carries: hats (..., M), scores (..., C) -> (..., M (C + 1))."""
        with_one = nn.functional.pad(scores, (1, 0), value=1.0)
        return (hats[..., None] * with_one[..., None, :]).flatten(-2)

    def candidate(
        self, sums: Tensor, count: Tensor, mean: Tensor, mean_square: Tensor, point: Tensor, x: Tensor
    ) -> Tensor:
        """Return what is added to f when a point joins: (..., hidden).

        sums, point : (..., M (C + 1)), of the cluster and of the point; count : (..., 1), at least 1
        mean, mean_square : (..., C) of the cluster's scores; x : (..., C), the point's
        """
        states, hats = self._states(sums), self._states(point)[..., 0]
        near = (hats[..., None] * states).sum(-2)
        weight = self.log_weight.exp()
        place = (near[..., 1:] + weight * mean) / (near[..., :1] + weight)
        along = _mean_squares(states)
        variance = (count * mean_square - along).clamp(min=0)
        spread = (variance + _PRIOR_POINTS * self.log_spread.exp()) / (count + _PRIOR_POINTS)
        squared = (place - x).square()
        moved = self._moved(along, count, mean)
        parts = [
            squared.log1p(),
            squared / (1 + squared),
            (squared / spread).log1p(),
            spread.log(),
            moved,
            near[..., :1].log1p(),
        ]
        is_told = hats.sum(-1, keepdim=True)  # hats add up to 1
        return self.to_f(torch.cat(parts, dim=-1) * is_told)

    def cluster(self, sums: Tensor, count: Tensor, mean: Tensor) -> Tensor:
        """Return what is added to the first layer of g: (..., hidden)."""
        states = self._states(sums)
        is_told = (states[..., 0].sum(-1, keepdim=True) > 0).to(sums.dtype)
        return self.to_g(self._moved(_mean_squares(states), count, mean) * is_told)

    def _states(self, columns: Tensor) -> Tensor:
        """(..., M (C + 1)) -> (..., M, C + 1), the weights first."""
        return columns.unflatten(-1, (self.n_knots, self.n_scores + 1))

    @staticmethod
    def _moved(along: Tensor, count: Tensor, mean: Tensor) -> Tensor:
        """Log variance of the cluster's place over time: (..., C)."""
        return (along / count - mean.square()).clamp(min=0).log1p()


def _mean_squares(states: Tensor) -> Tensor:
    """Sum over knots of the weight times the squared mean about it: (..., M, C + 1) -> (..., C)."""
    weight = states[..., :1]
    return (states[..., 1:].square() / weight.clamp(min=1e-6)).sum(-2)


def first_log_spread(score_unit: float) -> float:
    """Log variance of noise of sd 1 in scores of that unit, doubled: what clusters begin with."""
    return -2 * math.log(score_unit / 2)
