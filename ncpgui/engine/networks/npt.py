"""NPT, neural particle tracking: NCP with a memory that fades (Pakman et al., ICML 2020, SM F).

The points come in order of time, and their clusters move. What a point adds to its cluster is forgotten
at a rate b that is learnt:

    H_k,t = sum_{t' <= t: c_t' = k} exp(-b (t - t')) h(x_t')
    U_t = sum_{t' > t} exp(-b (t' - t)) u(x_t')
    q(c_t = k | c_<t, x) = softmax_k f(G_k, U_t)

where t is the time of a point, and G_k is that of `NCP` with the faded sums. `NPT` is the paper's network.
`ClusterAwareNPT` is our default: as in `ClusterAwareNCP`, f also sees the candidate cluster's own state,
and sums are divided by faded counts. Both may have several rates, over which the features are divided
(one rate a feature at most): from counts that fade at different rates, f can tell how often a track was
seen from how long ago.

Networks with `sees_future` False have U = 0 and can follow tracks as they arrive (`sampling.tracking`).
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn

from ncpgui.core.errors import InputError
from ncpgui.engine.networks.cluster_aware_ncp import ClusterAwareNCP
from ncpgui.engine.networks.ncp import NCP
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding
from ncpgui.engine.networks.prefixes import Prefixes

_FORGOTTEN = 1e-15  # a cluster whose faded count is far below it has mean zero; its square must not vanish
_LEAST_COUNT = 1e-4  # faded counts far below it look the same to f


def fading_sums(values: Tensor, kept: Tensor) -> Tensor:
    """s_n = kept_n s_{n-1} + values_n along the second axis, in log2(N) passes (Hillis & Steele 1986).

    Nothing grows on the way, whatever the rates and times: only products of `kept` occur.

    Parameters
    ----------
    values : (B, N, J); kept : (B, N, J or 1) on [0, 1], the share of the sum that is left at n
    """
    reach = 1
    while reach < values.shape[1]:
        before = (0, 0, reach, 0)
        values = values + kept * nn.functional.pad(values[:, :-reach], before)
        kept = kept * nn.functional.pad(kept[:, :-reach], before)
        reach *= 2
    return values


class FadingNetwork(ClusteringNetwork):
    """What both networks do with time; `encode` takes points and their times (B, N), which never fall.

    log_rate : (R,) log of the decay rates; column_rate : (J,) which of them each column of `joins` has
    sees_future : U is there; else zero
    in_order : points must be visited in the order of their times
    """

    in_order = True
    log_rate: nn.Parameter
    column_rate: Tensor
    sees_future: bool

    def kept(self, time: Tensor, column_rate: Tensor) -> Tensor:
        """Share of each column that is left after `time`: (...) -> (..., J), or (..., 1) for one rate."""
        kept = torch.exp(-self.log_rate.exp() * time[..., None].clamp(min=0))
        return kept if len(self.log_rate) == 1 else kept[..., column_rate]

    def ageing(self, encoding: Encoding, n: int) -> Tensor | None:
        """See `ClusteringNetwork`: by how much the sums shrink from point n - 1 to n: (B, J or 1)."""
        if n == 0:
            return None
        times = encoding.tables["times"]
        return self.kept((times[:, n] - times[:, n - 1])[:, 0], self.column_rate)

    def log_prob(self, encoding: Encoding, labels: Tensor) -> Tensor:
        """See `ClusteringNetwork`: all points and candidates in one pass.

        A cluster's faded sum at n is that of its last point, faded since then; g is therefore computed for
        each cluster at each point.
        """
        joins, context, times = (encoding.tables[name] for name in ("joins", "context", "times"))
        prefixes = self._prefixes(joins, times[..., 0], labels)
        dataset, point, choice, event = prefixes.candidates()
        known = event >= 0
        state = (dataset, event.clamp(min=0))
        since = (times[dataset, point] - times[state])[:, 0]
        there = known[:, None].to(joins.dtype)
        sums = prefixes.sums[state] * self.kept(since, self.column_rate) * there
        sizes = (prefixes.sizes[state] * known).to(joins.dtype)
        cluster = self.cluster(sums, sizes) * there
        place = dataset * context.shape[1] + point
        everything = torch.zeros_like(context).flatten(0, 1).index_add(0, place, cluster)  # G
        first = (context.flatten(0, 1) + everything)[place]
        seen = self.n_seen
        first = first + self.candidate(sums[:, :seen], sizes, cluster, joins[..., :seen][dataset, point])
        scores = self.score(first) / self.log_temperature.exp()
        return prefixes.log_softmax(scores, (dataset, point, choice), labels)

    def _prefixes(self, joins: Tensor, times: Tensor, labels: Tensor) -> Prefixes:
        """`Prefixes` whose sums have faded to the time of their last point."""
        order = torch.argsort(labels, dim=1, stable=True)  # by cluster, in time within each
        inverse = torch.argsort(order, dim=1)
        time, label = times.gather(1, order), labels.gather(1, order)
        goes_on = nn.functional.pad(label[:, 1:] == label[:, :-1], (1, 0))
        gap = nn.functional.pad(time.diff(dim=1), (1, 0)) * goes_on
        kept = self.kept(gap, self.column_rate) * goes_on[..., None]
        sums = fading_sums(joins.gather(1, order[..., None].expand_as(joins)), kept)
        sums = sums.gather(1, inverse[..., None].expand_as(sums))
        return replace(Prefixes.of(joins[..., :0], labels), sums=sums)

    def _future(self, values: Tensor, encoding: Encoding, column_rate: Tensor) -> Tensor:
        """Faded sum of `values` (B, N, J) over the points after n: (B, N, J); zero if it is not seen."""
        if not self.sees_future:
            return torch.zeros_like(values)
        present = values * encoding.there[..., None]
        gap = encoding.tables["times"][..., 0].diff(dim=1)
        kept = self.kept(gap, column_rate)  # (B, N - 1, J), from n to n + 1
        backward = nn.functional.pad(kept, (0, 0, 0, 1)).flip(1)
        inclusive = fading_sums(present.flip(1), backward).flip(1)
        return nn.functional.pad(kept * inclusive[:, 1:], (0, 0, 0, 1))


def _log_rates(rates: tuple[float, ...]) -> nn.Parameter:
    if not rates or min(rates) <= 0:
        raise InputError(f"decay rates must be positive, at least one, got {rates}")
    return nn.Parameter(torch.tensor(rates).log())


def _divided(size: int, n_rates: int) -> Tensor:
    """Which rate each of `size` features has, in equal parts: (size,) int64."""
    if n_rates > size:
        raise InputError(
            f"{n_rates} decay rates are too many for {size} features; give one a feature at most"
        )
    return torch.arange(size) * n_rates // size


class NPT(FadingNetwork, NCP):
    """The paper's network (SM F): see the module, and `NCP` for g, f and the sizes.

    Parameters
    ----------
    encoder : h, points -> (B, N, h_dim); u_encoder : u, h serves when left out
    rates : what the decay rates b begin with, per unit of time; the paper has one
    sees_future : False for U = 0
    """

    def __init__(
        self,
        encoder: nn.Module,
        u_encoder: nn.Module | None = None,
        *,
        h_dim: int = 128,
        g_hidden: tuple[int, ...] = (256, 256, 256),
        g_dim: int = 256,
        f_hidden: tuple[int, ...] = (256, 256, 256),
        f_sees_point: bool = False,
        rates: tuple[float, ...] = (0.1,),
        sees_future: bool = True,
    ) -> None:
        super().__init__(
            encoder,
            u_encoder,
            h_dim=h_dim,
            g_hidden=g_hidden,
            g_dim=g_dim,
            f_hidden=f_hidden,
            f_sees_point=f_sees_point,
        )
        self.log_rate = _log_rates(rates)
        self.column_rate = nn.Buffer(_divided(h_dim, len(rates)), persistent=False)
        self.sees_future = sees_future

    def encode(self, *points: Tensor, n_points: Tensor | None = None) -> Encoding:
        """See `ClusteringNetwork`; the last of `points` are the times (B, N)."""
        encoding = super().encode(*points[:-1], n_points=n_points)
        return encoding.with_tables(**encoding.tables, times=points[-1][..., None])

    def finish(self, encoding: Encoding) -> Encoding:
        """See `ClusteringNetwork`: U after each point, through the first layer of f."""
        h = encoding.tables["h"]
        context = self.f_of_u(self._future(encoding.tables["u"], encoding, self.column_rate))
        if self.f_of_point is not None:
            context = context + self.f_of_point(h)
        return encoding.with_tables(joins=h, context=context, times=encoding.tables["times"])


class ClusterAwareNPT(FadingNetwork, ClusterAwareNCP):
    """Our default network: `ClusterAwareNCP` with means over faded counts, and the logs of these counts.

    Parameters
    ----------
    encoder, h_dim, metric, hidden : as in `ClusterAwareNCP`
    rates : what the decay rates b begin with, per unit of time
    sees_future : False for U = 0
    """

    def __init__(
        self,
        encoder: nn.Module,
        *,
        h_dim: int = 128,
        metric: int = 64,
        hidden: int = 128,
        rates: tuple[float, ...] = (0.03, 0.1, 0.3, 1.0),
        sees_future: bool = True,
    ) -> None:
        super().__init__(encoder, h_dim=h_dim, metric=metric, hidden=hidden)
        self.n_rates = len(rates)
        self.log_rate = _log_rates(rates)
        self.unassigned_count = nn.Linear(self.n_rates, hidden, bias=False)
        self.g_count = nn.Linear(self.n_rates, hidden)
        self.f_count = nn.Linear(self.n_rates + 1, hidden)
        counts, of_hidden = torch.arange(self.n_rates), _divided(hidden, self.n_rates)
        carried = [_divided(metric, self.n_rates), of_hidden, of_hidden]
        self.column_rate = nn.Buffer(torch.cat([counts, *carried]), persistent=False)
        self.future_rate = nn.Buffer(torch.cat([counts, of_hidden]), persistent=False)
        self.n_seen = self.n_rates + metric + hidden
        self.sees_future = sees_future

    def encode(self, *points: Tensor, n_points: Tensor | None = None) -> Encoding:
        """See `ClusteringNetwork`; the last of `points` are the times (B, N)."""
        encoding = super().encode(*points[:-1], n_points=n_points)
        tables = {**encoding.tables, "times": points[-1][..., None]}
        for name in ("joins", "unassigned"):
            tables[name] = nn.functional.pad(tables[name], (self.n_rates, 0), value=1.0)  # counts go first
        return encoding.with_tables(**tables)

    def finish(self, encoding: Encoding) -> Encoding:
        """See `ClusteringNetwork`: the faded mean and counts of the points after n, in n's part of f."""
        tables = encoding.tables
        future = self._future(tables["unassigned"], encoding, self.future_rate)
        mean = self._mean(future, slice(self.n_rates, None), self.future_rate)
        count = self.unassigned_count(future[..., : self.n_rates].log1p())
        context = tables["own"] + mean + count
        return encoding.with_tables(joins=tables["joins"], context=context, times=tables["times"])

    def cluster(self, sums: Tensor, sizes: Tensor) -> Tensor:
        """See `ClusteringNetwork`: g of the faded mean and the log counts."""
        own = self._mean(sums, slice(self.n_seen, None), self.column_rate)
        return self.g_out((own + self.g_count(self._log_count(sums))).relu())

    def candidate(self, sums: Tensor, sizes: Tensor, cluster: Tensor, joins: Tensor) -> Tensor:
        """See `ClusteringNetwork`: the cluster's own state and its distance from the point."""
        mean = self._mean(sums, slice(self.n_rates, self.n_seen), self.column_rate)
        apart = mean[..., : self.metric] - joins[..., self.n_rates : self.n_rates + self.metric]
        difference = self.f_difference(torch.cat([apart.square(), apart.abs()], dim=-1))
        log_size = sizes[..., None].clamp(min=1).log()
        count = self.f_count(torch.cat([self._log_count(sums), log_size], dim=-1))
        return torch.where(sizes[..., None] == 0, self.f_new, mean[..., self.metric :] + difference + count)

    def _log_count(self, sums: Tensor) -> Tensor:
        return (sums[..., : self.n_rates] + _LEAST_COUNT).log()

    def _mean(self, sums: Tensor, columns: slice, column_rate: Tensor) -> Tensor:
        """Means of some columns of faded sums (..., J), whose first ones are the faded counts."""
        share = (sums[..., : self.n_rates] + _FORGOTTEN).reciprocal()
        return sums[..., columns] * share[..., column_rate[columns]]
