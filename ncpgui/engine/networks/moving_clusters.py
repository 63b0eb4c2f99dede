"""Clusters whose place moves: where a cluster was at the time of a point, and how it got there.

Recordings drift, so that the spikes of a unit lie along a way and not around a place. A cluster keeps, beside
its plain sums, sums weighted by hats: piecewise linear functions of time, 1 at one of some equidistant knots
and 0 at the others. They add up as all sums of a cluster do. With weights k(t, t') = sum_m hat_m(t) hat_m(t')
of its points, which are large near the time t, their mean is where the cluster was then. Few knots average
over many points, many knots follow a jump: one way starts from the other. How far the tissue is along its way
(`seen_way`) may take the place of time, and serves better where the tissue comes back.

Datasets that do not tell their times have hats of zero, and everything here is then zero.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from ncpgui.engine.compiled.ways import FEW_POINTS

SHARE_UNIT = 20.0  # of the parameter, so that it is soon learnt
N_WINDOWS = 20
_GAPS_MS = (3.0, 10.0, 40.0)  # scales of the intervals to the spikes before and after


def time_windows(along: Tensor, there: Tensor) -> Tensor:
    """Which of some windows of equally many points each point lies in: (B, N) int64, as `along` rises.

    An order of the points that goes through the windows follows clusters along their way, within each in any
    order. Datasets that do not tell their times have one window; the padding comes after the last.

    along : (B, N), seconds or how far the tissue is along its way, nan in datasets that do not tell
    """
    known = (~along.isnan() | ~there).all(1, keepdim=True)
    rank = along.where(there & known, torch.inf).argsort(1).argsort(1)
    window = rank * N_WINDOWS // there.sum(1, keepdim=True).clamp(min=1)
    return torch.where(there, window * known, N_WINDOWS)


class TimeFeatures(nn.Module):
    """What the time of a point says by itself: (B, N) seconds -> (B, N, n_features), float32.

    Whether it is known, the hats of each of `knots` at its place along time or the way of the tissue, and the
    intervals to the points before and after it.
    """

    def __init__(self, knots: tuple[int, ...]) -> None:
        super().__init__()
        self.knots = knots
        self.n_features = 1 + sum(knots) + 2 * (1 + len(_GAPS_MS))

    def forward(self, seconds: Tensor, along: Tensor, there: Tensor) -> Tensor:
        """Seconds (B, N) and their place along what knots are spaced on, which may be themselves.

        Both are nan in datasets that do not tell; there (B, N) bool, False in the padding.
        """
        known = (~seconds.isnan() | ~there).all(1, keepdim=True)
        use = there & known
        t, at = (values.double().where(use, torch.inf) for values in (seconds, along))
        start = at.amin(1, keepdim=True)
        end = at.where(use, -torch.inf).amax(1, keepdim=True)
        span = (end - start).where(known, 1.0).clamp(min=1e-9)
        part = ((at - start) / span).where(use, 0.0).float()
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


class Place(NamedTuple):
    """Where clusters were at a time.

    mean, variance : (..., V), of the points of the cluster about the way at that time
    moved : (..., V), variance of the way itself; near : (..., 1), points of the cluster near in time
    """

    mean: Tensor
    variance: Tensor
    moved: Tensor
    near: Tensor


class MovingClusters(nn.Module):
    """Where clusters were at the times of points, by one number of knots; they stay put until trained.

    A point carries hat_m(t) (1, x) for each knot, M (V + 1) columns that are summed in its cluster. The mean
    of those near in time is drawn to the cluster's mean the more, the less its place differs between knots
    beyond what noise does (empirical Bayes, each value by itself): a cluster that stays is judged as before.

    Parameters
    ----------
    n_knots : M; n_values : V, of a point's place; hidden : of the first layers of f and g
    """

    def __init__(self, n_knots: int, n_values: int, hidden: int) -> None:
        super().__init__()
        self.n_knots, self.n_values = n_knots, n_values
        self.n_columns = n_knots * (n_values + 1)
        self.share = nn.Parameter(torch.zeros(()))  # of the way that is believed, over SHARE_UNIT
        self.log_weight = nn.Parameter(torch.tensor(-0.7))  # of the mean beside the points near in time
        self.to_f = nn.Linear(2 * n_values + 1, hidden, bias=False)
        self.to_g = nn.Linear(n_values, hidden, bias=False)
        nn.init.zeros_(self.to_f.weight)
        nn.init.zeros_(self.to_g.weight)

    def columns(self, hats: Tensor, values: Tensor) -> Tensor:
        """Return what each point carries: hats (..., M), values (..., V) -> (..., M (V + 1))."""
        with_one = nn.functional.pad(values, (1, 0), value=1.0)
        return (hats[..., None] * with_one[..., None, :]).flatten(-2)

    def at(self, sums: Tensor, point: Tensor, count: Tensor, mean: Tensor, variance: Tensor) -> Place:
        """Return where clusters were when the points were.

        Parameters
        ----------
        sums, point : (..., M (V + 1)), of the clusters and of the points; count : (..., 1), at least 1
        mean, variance : (..., V), of the clusters about the way that is known so far
        """
        states, hats = self._states(sums), self._states(point)[..., 0]
        near = (hats[..., None] * states).sum(-2)
        moved = self._moved(states, count, mean, variance)
        left = (variance - moved).clamp(min=0) + 0.1 * variance + 1e-4
        weight = self.log_weight.exp() * left / (moved + 1e-3 * left)
        shift = (near[..., 1:] - near[..., :1] * mean) / (near[..., :1] + weight)
        share, is_told = SHARE_UNIT * self.share, hats.sum(-1, keepdim=True)  # hats add up to 1
        return Place(mean + share * shift, variance - share * is_told * moved, moved * is_told, near[..., :1])

    def seen(self, place: Place, x: Tensor) -> Tensor:
        """What f is told besides of points x (..., V) and clusters at their time: (..., hidden)."""
        squared = (place.mean - x).square()
        is_told = (place.near > 0).to(x.dtype)
        parts = [squared.log1p() * is_told, place.moved.log1p(), place.near.log1p()]
        return self.to_f(torch.cat(parts, dim=-1))

    def cluster(self, sums: Tensor, count: Tensor, mean: Tensor, variance: Tensor) -> Tensor:
        """Return what is added to the first layer of g: (..., hidden)."""
        states = self._states(sums)
        is_told = (states[..., 0].sum(-1, keepdim=True) > 0).to(sums.dtype)
        return self.to_g(self._moved(states, count, mean, variance).log1p() * is_told)

    def _states(self, columns: Tensor) -> Tensor:
        """(..., M (V + 1)) -> (..., M, V + 1), the weights first."""
        return columns.unflatten(-1, (self.n_knots, self.n_values + 1))

    def _moved(self, states: Tensor, count: Tensor, mean: Tensor, variance: Tensor) -> Tensor:
        """Variance of the place over time, less what noise makes of it: (..., V)."""
        weight = states[..., :1]
        about = states[..., 1:] - weight * mean[..., None, :]
        between = (about.square() / weight.clamp(min=1e-6)).sum(-2) / count
        n_known = (weight / (weight + 1)).sum(-2)  # knots with points
        chance = (n_known - 1).clamp(min=0) / count
        moved = (between - chance * variance).clamp(min=0) / (1 - chance).clamp(min=0.1)
        return moved * (count / (count + FEW_POINTS))
