"""Our default network: f also sees the candidate cluster's own state beside the point.

It learns far faster than the paper's (`ncp`), because adding one spike to a cluster of n moves its mean by
1/n only and G hardly differs between the hypotheses.
"""

from __future__ import annotations

import math
from typing import cast

import torch
from torch import Tensor, nn

from ncpgui.core.errors import InputError
from ncpgui.engine.compiled.ncp import DISTANCE_UNIT, MOST_DISTANT, PRIOR_POINTS
from ncpgui.engine.networks.density import NEIGHBOURS, log_distances
from ncpgui.engine.networks.mlp import mlp
from ncpgui.engine.networks.moving_clusters import MovingClusters, TimeFeatures
from ncpgui.engine.networks.neighbours_in_time import NeighboursInTime
from ncpgui.engine.networks.pair_context import PairContext
from ncpgui.engine.networks.point_attention import PointAttention
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding, all_points, sum_after
from ncpgui.engine.networks.principal_components import in_white_noise, principal_scores
from ncpgui.engine.networks.seen_way import along_way

_SCORE_UNIT = 4.0  # noise sd: about how far apart units are that are hard to tell
_SCORE_PAIRS = 12
_SEEN_SCORES = 12  # components by which points of a dataset see each other
N_OF_DISTANCE = 4  # numbers that tell f of two squared distances


class ClusterAwareNCP(ClusteringNetwork):
    """Our default network: f(candidate's own state, h_n, G, U) with means and log counts.

    Each point carries vectors computed once: a metric embedding z, its contributions to the
    first layers of f and g, and its own part of f. A cluster is the mean of what its points
    carry and their number, so that a first layer costs no multiplication in a step.

    Parameters
    ----------
    encoder : points -> (B, N, h_dim)
    metric : size of z; hidden : of the layers of f and g
    pairs : size of what a point sees of each unassigned point (`PairContext`); 0 for u(x_i) alone
    components : principal components of the dataset (`principal_scores`) on which clusters and points are
        compared besides, and as which a point sees the unassigned ones; 0 for none
    whitened : components of the points in white noise (`in_white_noise`), on which clusters know their spread
    time_knots : numbers of knots by which clusters know how they move (`moving_clusters`), on whitened
        components; none for a network to which points have no times
    along_way : whether knots are along the way of the tissue (`seen_way`), and not along time
    attention : blocks of `PointAttention`, in which the points see each other; 0 for none
    mahalanobis : whether f sees the distance of a point from a cluster on all components at once, in units of
        the cluster's spread, where the cluster is now and where it is on the whole. Its square grows with the
        odds of two Gaussians, so that what lies far off costs as many nats as it should
    density : whether f is told how dense the points lie about each of them (`density`)
    neighbours_in_time : whether points see those fired just before and after them (`neighbours_in_time`)

    Raises
    ------
    InputError
        `time_knots` of components that are not whitened, or less than two knots; a way without them;
        attention or density without components; a Mahalanobis distance without a spread; neighbours in time
        without times.
    """

    def __init__(
        self,
        encoder: nn.Module,
        *,
        h_dim: int = 128,
        metric: int = 64,
        hidden: int = 128,
        pairs: int = 0,
        components: int = 0,
        whitened: bool = False,
        time_knots: tuple[int, ...] = (),
        along_way: bool = False,
        attention: int = 0,
        mahalanobis: bool = False,
        density: bool = False,
        neighbours_in_time: bool = False,
    ) -> None:
        super().__init__()
        if attention and not (0 < components <= _SEEN_SCORES and along_way == bool(time_knots)):
            raise InputError(
                "attention is between points near in their principal components and along the way; give 1 to "
                f"{_SEEN_SCORES} components and, with time_knots, along_way; got components = {components}, "
                f"time_knots = {time_knots} and along_way = {along_way}"
            )
        if along_way and not time_knots:
            raise InputError("along_way is of a network that knows time; give time_knots")
        if time_knots and not (components and whitened and min(time_knots) >= 2):
            raise InputError(
                f"time_knots must be 2 or more each, of a network with whitened components, got {time_knots} "
                f"with components = {components} and whitened = {whitened}"
            )
        if mahalanobis and not (components and whitened):
            raise InputError(
                "a Mahalanobis distance is in units of a cluster's spread; give the network whitened "
                f"components, got components = {components} and whitened = {whitened}"
            )
        if density and not components:
            raise InputError("points lie dense in their principal components; give the network components")
        if neighbours_in_time and not time_knots:
            raise InputError("neighbours in time are of a network that knows time; give time_knots")
        self.encoder = encoder
        self.pairs = PairContext(2 * h_dim, pairs, hidden) if pairs else None
        self.out_norm = nn.LayerNorm(h_dim)
        self.carried = nn.Linear(2 * h_dim, metric + 2 * hidden, bias=False)  # z | to f | to g
        self.own = nn.Linear(2 * h_dim, hidden)
        self.unassigned = nn.Linear(2 * h_dim, hidden, bias=False)
        self.unassigned_count = nn.Linear(1, hidden, bias=False)
        self.g_count = nn.Linear(1, hidden)
        self.g_out = nn.Linear(hidden, hidden, bias=False)
        self.f_difference = nn.Linear(2 * metric, hidden, bias=False)
        self.f_count = nn.Linear(1, hidden)
        self.f_new = nn.Parameter(torch.zeros(hidden))
        self.f_hidden = mlp(hidden, hidden)
        self.f_out = nn.Linear(hidden, 1, bias=False)
        self.log_temperature = nn.Buffer(torch.zeros(()))
        self.metric, self.hidden, self.components, self.whitened = metric, hidden, components, whitened
        self.n_moments = components * (2 if whitened else 1)
        # The first follows the place in the metric too, whose squares clusters then need.
        values = [components + (metric if i == 0 else 0) for i in range(len(time_knots))]
        moving = [MovingClusters(n, v, hidden) for n, v in zip(time_knots, values, strict=True)]
        self.moving = nn.ModuleList(moving)
        self.takes_times, self.along_way = bool(time_knots), along_way
        self._moving_columns = [one.n_columns for one in moving] + ([metric] if time_knots else [])
        self.n_seen = metric + hidden + self.n_moments + sum(self._moving_columns)
        if components:
            self.of_scores = nn.Linear(components, 2 * hidden, bias=False)  # to f | own part of f
            self.f_apart = nn.Linear(2 * components, hidden, bias=False)
            self.score_pairs = PairContext(components, _SCORE_PAIRS, hidden, "score_")
            nn.init.zeros_(self.of_scores.weight)  # silent at first, as the pairs are
            nn.init.zeros_(self.f_apart.weight)
        if whitened:
            self.log_spread = nn.Parameter(torch.full((components,), -2 * math.log(_SCORE_UNIT / 2)))
            self.f_spread = nn.Linear(2 * components, hidden, bias=False)
            nn.init.zeros_(self.f_spread.weight)
        self.f_distance = nn.Linear(N_OF_DISTANCE, hidden, bias=False) if mahalanobis else None
        if self.f_distance is not None:
            nn.init.zeros_(self.f_distance.weight)
        self.of_density = nn.Linear(2 * len(NEIGHBOURS), 2 * hidden, bias=False) if density else None
        if self.of_density is not None:
            nn.init.zeros_(self.of_density.weight)
        blocks = [PointAttention(h_dim, _SEEN_SCORES) for _ in range(attention)]
        self.attention = nn.ModuleList(blocks)
        self.in_time = NeighboursInTime(h_dim, _SEEN_SCORES) if neighbours_in_time else None
        if time_knots:
            self.time_features = TimeFeatures(time_knots)
            n_time = self.time_features.n_features
            self.of_time = nn.Linear(n_time, 2 * hidden, bias=False)  # to f | own part of f
            self.pairs_of_time = nn.Linear(n_time, 3 * _SCORE_PAIRS, bias=False)
            nn.init.zeros_(self.of_time.weight)
            nn.init.zeros_(self.pairs_of_time.weight)

    def encode(self, *points: Tensor, n_points: Tensor | None = None) -> Encoding:
        """See `ClusteringNetwork`; the last of `points` may be times, nan in datasets without them."""
        points, seconds = _without_times(points)
        h = self.encoder(*points)
        encoding = Encoding(h, {}, all_points(h, n_points))
        if not self.components:
            return self._carrying(encoding, h, [], None, {}, None)
        there = encoding.there
        seen_scores = self._scores(points[0], there).to(h.dtype)
        scores = seen_scores[..., : self.components]
        if seconds is None:
            seconds = torch.full_like(h[..., 0], torch.nan)
        along = along_way(scores * _SCORE_UNIT, seconds, there) if self.along_way else seconds
        if self.in_time is not None:
            h = self.in_time(h, seen_scores, seconds, there)
        for block in self.attention:
            h = block(h, seen_scores, along, there)
        tables = self.score_pairs.tables(scores)
        time = None
        if self.moving:
            time = self.time_features(seconds, along, there).to(h.dtype)
            tables |= {"along": along[..., None], **self._paired_in_time(tables, time)}
        seen = [scores, scores.square()] if self.whitened else [scores]
        dense = None if self.of_density is None else log_distances(seen_scores, there).to(h.dtype)
        return self._carrying(encoding, h, seen, time, tables, dense)

    def _carrying(
        self,
        encoding: Encoding,
        h: Tensor,
        seen: list[Tensor],
        time: Tensor | None,
        tables: dict[str, Tensor],
        dense: Tensor | None,
    ) -> Encoding:
        """Return the points with what each carries into a cluster and what it tells f by itself.

        seen : principal scores (B, N, components) and what else clusters sum of them; none for a network
            without components
        dense : (B, N, 2 * len(NEIGHBOURS)) of `log_distances`; None for a network that is not told
        """
        both = torch.cat([h, self.out_norm(h)], dim=-1)
        carried, own = self.carried(both), self.own(both)
        z, own_state, to_g = carried.split([self.metric, self.hidden, self.hidden], dim=-1)
        if seen:
            to_f, to_own = self.of_scores(seen[0]).split(self.hidden, dim=-1)
            own_state, own = own_state + to_f, own + to_own
        if dense is not None and self.of_density is not None:
            to_f, to_own = self.of_density(dense).split(self.hidden, dim=-1)
            own_state, own = own_state + to_f, own + to_own
        if time is not None:
            place = torch.cat([seen[0], z], dim=-1)
            seen = [
                *seen,
                *(
                    one.columns(hat, place[..., : one.n_values])
                    for one, hat in zip(self.ways(), self.time_features.hats(time), strict=True)
                ),
                z.square(),
            ]
            to_f, to_own = self.of_time(time).split(self.hidden, dim=-1)
            own_state, own = own_state + to_f, own + to_own
        if self.pairs is not None:
            tables = tables | self.pairs.tables(both)
        joins = torch.cat([z, own_state, *seen, to_g], dim=-1)
        return encoding.with_tables(joins=joins, own=own, unassigned=self.unassigned(both), **tables)

    def places(self, encoding: Encoding) -> Tensor:
        """See `ClusteringNetwork`: principal scores, noise sd."""
        if not self.components:
            return encoding.features
        start = self.metric + self.hidden
        return _SCORE_UNIT * encoding.tables["joins"][..., start : start + self.components]

    def ways(self) -> list[MovingClusters]:
        """How clusters move, by each number of knots; none of a network that does not know time."""
        return cast("list[MovingClusters]", list(self.moving))

    def _paired_in_time(self, tables: dict[str, Tensor], time: Tensor) -> dict[str, Tensor]:
        """Tables of `score_pairs` to which the times are added: points see each other in time too."""
        names = self.score_pairs.names
        parts = self.pairs_of_time(time).split(_SCORE_PAIRS, dim=-1)
        return {name: tables[name] + part for name, part in zip(names, parts, strict=True)}

    def finish(self, encoding: Encoding) -> Encoding:
        """See `ClusteringNetwork`: the mean and number of the unassigned points, in the point's part of f."""
        return self._finished(encoding, [context(encoding) for context in self._pair_contexts()])

    def finish_in(self, orders: Tensor, encoding: Encoding) -> Encoding:
        """See `ClusteringNetwork`: what points see of each other is computed once for all orders."""
        contexts = self._pair_contexts()
        if len(orders) == 1 or not contexts:
            return super().finish_in(orders, encoding)
        seen = [context.in_orders(orders, encoding) for context in contexts]
        return self._finished(encoding.reordered(orders), seen)

    def finish_first(self, order: Tensor, encoding: Encoding, n_first: int) -> Encoding:
        """See `ClusteringNetwork`: only what the first points see of all others is computed."""
        contexts = self._pair_contexts()
        names = ["unassigned", *(name for context in contexts for name in context.names)]
        whole = _only(encoding, names).reordered(order)
        seen = [context(whole, n_first) for context in contexts]
        first = encoding.reordered(order[:, :n_first])
        first = Encoding(first.features, first.tables, first.n_points.clamp(max=n_first))
        return self._finished(first, seen, whole)

    def _pair_contexts(self) -> list[PairContext]:
        return [
            *([self.pairs] if self.pairs is not None else []),
            *([self.score_pairs] if self.components else []),
        ]

    def _finished(self, encoding: Encoding, seen: list[Tensor], whole: Encoding | None = None) -> Encoding:
        """Tables of points in order, given what they have `seen` of the points to come.

        whole : all points in this order, where `encoding` has the first of them only
        """
        whole = encoding if whole is None else whole
        n_first = encoding.features.shape[1]
        after = sum_after(whole.tables["unassigned"], whole.there)
        total, count = (values[:, :n_first] for values in after)
        unassigned = total / count.clamp(min=1) + self.unassigned_count(count.log1p())
        context = encoding.tables["own"] + sum(seen, start=unassigned)
        return encoding.with_tables(joins=encoding.tables["joins"], context=context)

    def cluster(self, sums: Tensor, sizes: Tensor) -> Tensor:
        """See `ClusteringNetwork`: g of the mean of what the points carry for it, and of their number."""
        count = sizes[..., None]
        first = sums[..., self.n_seen :] / count + self.g_count(count.log())
        if self.moving:
            z, _, moments, *ways, z_square = self._split(sums[..., : self.n_seen])
            mean, variance = self._place(z / count, moments / count, z_square / count)
            for moving, way in zip(self.ways(), ways, strict=True):
                v = moving.n_values
                first = first + moving.cluster(way, count, mean[..., :v], variance[..., :v])
        return self.g_out(first.relu())

    def _split(self, columns: Tensor) -> tuple[Tensor, ...]:
        """Metric, part of f, moments, and what follows motion, of sums or of what a point adds to them."""
        return columns.split([self.metric, self.hidden, self.n_moments, *self._moving_columns], dim=-1)

    def _place(self, z: Tensor, moments: Tensor, z_square: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of scores and metric: (..., components + metric) twice."""
        mean = torch.cat([moments[..., : self.components], z], dim=-1)
        square = torch.cat([moments[..., self.components :], z_square], dim=-1)
        return mean, (square - mean.square()).clamp(min=0)

    def candidate(self, sums: Tensor, sizes: Tensor, cluster: Tensor, joins: Tensor) -> Tensor:
        """See `ClusteringNetwork`: the cluster's own state and its distance from the point."""
        count = sizes[..., None].clamp(min=1)
        z, own_state, moments, *ways = self._split(sums)
        z, own_state, moments = z / count, own_state / count, moments / count
        point_z, _, point_moments, *point_ways = self._split(joins)
        x, mean = point_moments[..., : self.components], moments[..., : self.components]
        variance = (moments[..., self.components :] - mean.square()).clamp(min=0) if self.whitened else None
        whole_apart, whole_variance = (mean - x).square(), variance
        if self.moving:
            at = torch.cat([x, point_z], dim=-1)
            mean, variance = self._place(z, moments, ways.pop() / count)
            for moving, way, point in zip(self.ways(), ways, point_ways, strict=False):
                v = moving.n_values
                place = moving.at(way, point, count, mean[..., :v], variance[..., :v])
                own_state = own_state + moving.seen(place, at[..., :v])
                mean = torch.cat([place.mean, mean[..., v:]], dim=-1)
                variance = torch.cat([place.variance, variance[..., v:]], dim=-1)
            mean, z = mean.split([self.components, self.metric], dim=-1)
            variance = variance[..., : self.components].clamp(min=0)
        apart = z - point_z
        difference = self.f_difference(torch.cat([apart.square(), apart.abs()], dim=-1))
        own_state = own_state + difference + self.f_count(count.log())
        if self.components:
            squared = (mean - x).square()
            near = torch.cat([squared.log1p(), squared / (1 + squared)], dim=-1)
            own_state = own_state + self.f_apart(near)
            if variance is not None and whole_variance is not None:
                spread = self._spread(variance, count)
                own_state = own_state + self._of_spread(squared, spread)
                if self.f_distance is not None:
                    on_the_whole = whole_apart / self._spread(whole_variance, count)
                    own_state = own_state + self.f_distance(_of_distances(squared / spread, on_the_whole))
        return torch.where(sizes[..., None] == 0, self.f_new, own_state)

    def _scores(self, points: Tensor, there: Tensor) -> Tensor:
        if self.whitened:
            points = in_white_noise(points if points.dim() == 4 else points.flatten(2)[..., None], there)
        sees_more = bool(self.attention) or self.in_time is not None
        n_components = _SEEN_SCORES if sees_more else self.components
        return principal_scores(points, there, n_components) / _SCORE_UNIT

    def _spread(self, variance: Tensor, count: Tensor) -> Tensor:
        """A cluster's variance along each axis; that of few points is drawn to a learnt one."""
        return (count * variance + PRIOR_POINTS * self.log_spread.exp()) / (count + PRIOR_POINTS)

    def _of_spread(self, squared: Tensor, spread: Tensor) -> Tensor:
        """What squared distances along each axis add, in units of the spread, and the spread itself."""
        return self.f_spread(torch.cat([(squared / spread).log1p(), spread.log()], dim=-1))

    def score(self, first: Tensor) -> Tensor:
        """See `ClusteringNetwork`."""
        first = first.relu_()
        return self.f_out((first + self.f_hidden(first)).relu_()).squeeze(-1)


def _of_distances(*squared: Tensor) -> Tensor:
    """What f is told of distances on all axes at once, by their squares along each in units of the spread."""
    d = torch.stack([one.sum(-1) for one in squared], dim=-1)
    return torch.cat([d.log1p(), d.clamp(max=MOST_DISTANT) / DISTANCE_UNIT], dim=-1)


def _only(encoding: Encoding, names: list[str]) -> Encoding:
    """The encoding with some of its tables."""
    return encoding.with_tables(**{name: encoding.tables[name] for name in names})


def _without_times(points: tuple[Tensor, ...]) -> tuple[tuple[Tensor, ...], Tensor | None]:
    """Times, one number a point, from what the encoder takes; None where there are none."""
    last = points[-1]
    if len(points) > 1 and last.dim() == 2 and last.is_floating_point():
        return points[:-1], last
    return points, None
