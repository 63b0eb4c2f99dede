"""NCP: each point joins a cluster or opens one (Pakman et al., ICML 2020, sec. 3 and Algorithm 1).

A network is used in two ways that must agree (a test holds them equal):

- `log_prob` scores given labels, all prefixes at once, for training;
- `start`, `step`, `assign` walk the points one by one, for samplers.

Both begin with `encode`, which turns the points into an `Encoding`: everything that does not
depend on labels. Shapes: B datasets, S hypotheses (rows, each about one of the datasets), N points,
K clusters. Several orders of the same points are several datasets to a sampler.

`NCP` is the paper's network. `ClusterAwareNCP` is our default: f also sees the candidate
cluster's own state beside the point, which learns far faster, because adding one spike to a
cluster of n moves its mean by 1/n only and G hardly differs between the hypotheses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from ncpgui.engine.networks.mlp import mlp

_NEVER = -1e9  # log-probability of a slot that does not exist


@dataclass(frozen=True)
class Encoding:
    """What a network knows of the points before any label, for one dataset or a batch.

    features : (B, N, h_dim), the encoder's output; tables : name -> (B, N, size), per point.
    """

    features: Tensor
    tables: dict[str, Tensor]

    def reordered(self, order: Tensor) -> Encoding:
        """Return all datasets in another order (N,), or one dataset in several orders (B, N)."""
        first = 0 if order.dim() == 2 else slice(None)
        tables = {name: table[first, order] for name, table in self.tables.items()}
        return Encoding(self.features[first, order], tables)


@dataclass(frozen=True)
class ClusterState:
    """S partial assignments of the points before n.

    sums : (S, K, size), sums over each cluster's points; sizes : (S, K); n_clusters : (S,);
    dataset : (S,), which dataset of the encoding the row is about.
    The last slot is empty in every row, so that K grows before it is needed.
    """

    sums: Tensor
    sizes: Tensor
    n_clusters: Tensor
    dataset: Tensor

    @staticmethod
    def empty(dataset: Tensor, size: int, like: Tensor) -> ClusterState:
        """No point assigned yet; sums of `size` numbers, of the type of `like`."""
        n_rows = len(dataset)
        return ClusterState(
            like.new_zeros(n_rows, 4, size),
            like.new_zeros(n_rows, 4),
            torch.zeros(n_rows, dtype=torch.int64, device=like.device),
            dataset,
        )

    def select(self, rows: Tensor) -> ClusterState:
        """Return the hypotheses `rows`, which may repeat."""
        return ClusterState(self.sums[rows], self.sizes[rows], self.n_clusters[rows], self.dataset[rows])

    def add(self, labels: Tensor, value: Tensor) -> ClusterState:
        """Return the state after a point of `value` (S, s) joins cluster `labels` (S,) in each row.

        The first s numbers of the sums are added to. The memory of this state is reused: it must
        not be looked at again.
        """
        rows = torch.arange(len(labels), device=labels.device)
        sums, sizes = self.sums, self.sizes
        sums[rows, labels, : value.shape[1]] += value
        sizes[rows, labels] += 1
        n_clusters = torch.maximum(self.n_clusters, labels + 1)
        if int(n_clusters.max()) == sizes.shape[1]:
            sums, sizes = nn.functional.pad(sums, (0, 0, 0, 4)), nn.functional.pad(sizes, (0, 4))
        return ClusterState(sums, sizes, n_clusters, self.dataset)


class ClusteringNetwork(nn.Module):
    """What training and samplers need of a network."""

    def encode(self, waveforms: Tensor, positions: Tensor, channel_mask: Tensor) -> Encoding:
        """Encode (B, N, n_samples, C) waveforms in the order in which they will be visited."""
        raise NotImplementedError

    def finish(self, encoding: Encoding) -> Encoding:
        """Add the tables that depend on the order of the points; call after reordering."""
        raise NotImplementedError

    def start(self, encoding: Encoding, dataset: Tensor) -> ClusterState:
        """Return empty hypotheses, one about each of `dataset` (S,)."""
        raise NotImplementedError

    def step(self, encoding: Encoding, state: ClusterState, n: int) -> Tensor:
        """log p(c_n = k | c_<n, x): (S, K), normalised over each row's clusters and one new."""
        raise NotImplementedError

    def assign(self, encoding: Encoding, state: ClusterState, n: int, labels: Tensor) -> ClusterState:
        """Return the states after point n takes `labels` (S,)."""
        raise NotImplementedError

    def log_prob(self, encoding: Encoding, labels: Tensor) -> Tensor:
        """log p(c_n | c_<n, x) of given canonical labels (B, N), at every n: (B, N)."""
        raise NotImplementedError


def suffix_mean(values: Tensor) -> tuple[Tensor, Tensor]:
    """Mean over the points after n, and log(1 + their number): (B, N, s) -> (B, N, s), (N, 1)."""
    n_points = values.shape[1]
    after = values.flip(1).cumsum(1).flip(1) - values
    count = torch.arange(n_points - 1, -1, -1, device=values.device, dtype=values.dtype)[:, None]
    return after / count.clamp(min=1), torch.log1p(count)


@dataclass(frozen=True)
class Prefixes:
    """All states that teacher forcing passes through, without a loop over points.

    `events` holds the state of point n's cluster right after n joined it. A candidate row is a
    (dataset, point n, cluster k) with k among the clusters before n or the new one.
    """

    sums: Tensor  # (B, N, size), of the cluster of n, n included
    sizes: Tensor  # (B, N)
    last: Tensor  # (B, N, K), last point before n in cluster k, -1 = none
    n_before: Tensor  # (B, N), clusters before n

    @staticmethod
    def of(values: Tensor, labels: Tensor) -> Prefixes:
        """Prefix sums of `values` (B, N, size) within each cluster of canonical `labels` (B, N)."""
        n_points = labels.shape[1]
        n_slots = int(labels.max()) + 2
        order = torch.argsort(labels, dim=1, stable=True)
        inverse = torch.argsort(order, dim=1)
        one_hot = nn.functional.one_hot(labels, n_slots)
        start = one_hot.sum(1).cumsum(1) - one_hot.sum(1)  # first place of each cluster
        wide = order[..., None].expand_as(values)
        running = torch.cat([torch.zeros_like(values[:, :1]), values.gather(1, wide).cumsum(1)], dim=1)
        after = running.gather(1, inverse[..., None].expand_as(values) + 1)
        first = start.gather(1, labels)
        before_cluster = running.gather(1, first[..., None].expand_as(values))
        point = torch.arange(n_points, device=labels.device)
        seen = torch.where(one_hot > 0, point[None, :, None], -1)
        last = nn.functional.pad(seen, (0, 0, 1, -1), value=-1).cummax(dim=1).values
        highest = nn.functional.pad(labels, (1, -1), value=-1).cummax(dim=1).values
        return Prefixes(after - before_cluster, inverse - first + 1, last, highest + 1)

    def candidates(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Rows (dataset, point, cluster, event): event = point whose `sums` is the cluster's state."""
        k = torch.arange(self.last.shape[2], device=self.last.device)
        exists = k <= self.n_before[..., None]
        dataset, point, cluster = exists.nonzero(as_tuple=True)
        return dataset, point, cluster, self.last[dataset, point, cluster]


def _scatter_log_softmax(scores: Tensor, rows: tuple[Tensor, Tensor, Tensor], shape: torch.Size) -> Tensor:
    """Log-softmax over the candidates of each (dataset, point): (B, N, K), absent ones very low."""
    table = scores.new_full(shape, _NEVER).index_put(rows, scores)
    return table.log_softmax(dim=-1)


class ClusterAwareNCP(ClusteringNetwork):
    """Our default network: f(candidate's own state, h_n, G, U) with means and log counts.

    Each point carries vectors computed once: a metric embedding z, its contributions to the
    first layers of f and g, and its own part of f. A cluster is the mean of what its points
    carry and their number, so that a first layer costs no multiplication in a step.
    """

    def __init__(
        self,
        encoder: nn.Module,
        *,
        h_dim: int = 128,
        metric: int = 64,
        hidden: int = 128,
    ) -> None:
        super().__init__()
        self.encoder = encoder
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
        self.sizes = (metric, hidden, hidden)

    def encode(self, waveforms: Tensor, positions: Tensor, channel_mask: Tensor) -> Encoding:
        """See `ClusteringNetwork`."""
        h = self.encoder(waveforms, positions, channel_mask)
        both = torch.cat([h, self.out_norm(h)], dim=-1)
        tables = {"carried": self.carried(both), "own": self.own(both), "unassigned": self.unassigned(both)}
        return Encoding(h, tables)

    def finish(self, encoding: Encoding) -> Encoding:
        """Fold the unassigned points after n into the point's own part of f."""
        mean, log_count = suffix_mean(encoding.tables["unassigned"])
        own = encoding.tables["own"] + mean + self.unassigned_count(log_count)
        return replace(encoding, tables={"carried": encoding.tables["carried"], "base": own})

    def start(self, encoding: Encoding, dataset: Tensor) -> ClusterState:
        """See `ClusteringNetwork`."""
        carried = encoding.tables["carried"]
        return ClusterState.empty(dataset, carried.shape[-1] + self.sizes[2], carried)

    def step(self, encoding: Encoding, state: ClusterState, n: int) -> Tensor:
        """See `ClusteringNetwork`."""
        metric, hidden, _ = self.sizes
        n_slots = int(state.n_clusters.max()) + 1
        sums, sizes = state.sums[:, :n_slots], state.sizes[:, :n_slots]
        mean = sums[..., : metric + hidden] / sizes.clamp(min=1)[..., None]
        everything = sums[..., metric + 2 * hidden :].sum(1)  # G: g of each cluster is kept in its slot
        base = encoding.tables["base"][:, n][state.dataset] + everything
        z = encoding.tables["carried"][:, n, :metric][state.dataset]
        scores = self._f(mean[..., :metric], mean[..., metric:], sizes, z[:, None], base[:, None])
        slot = torch.arange(n_slots, device=sizes.device)
        scores = scores.masked_fill(slot > state.n_clusters[:, None], _NEVER)
        return scores.log_softmax(-1)

    def assign(self, encoding: Encoding, state: ClusterState, n: int, labels: Tensor) -> ClusterState:
        """See `ClusteringNetwork`; the cluster's g is computed again and kept in its slot."""
        metric, hidden, _ = self.sizes
        added = state.add(labels, encoding.tables["carried"][:, n][state.dataset])
        rows = torch.arange(len(labels), device=labels.device)
        g_sum = added.sums[rows, labels, metric + hidden : metric + 2 * hidden]
        added.sums[rows, labels, metric + 2 * hidden :] = self._g(g_sum, added.sizes[rows, labels])
        return added

    def log_prob(self, encoding: Encoding, labels: Tensor) -> Tensor:
        """See `ClusteringNetwork`."""
        metric, hidden, _ = self.sizes
        carried = encoding.tables["carried"]
        prefixes = Prefixes.of(carried, labels)
        g_after = self._g(prefixes.sums[..., metric + hidden :], prefixes.sizes.to(carried.dtype))
        previous = prefixes.last.gather(2, labels[..., None])  # last point of n's own cluster
        g_before = g_after.gather(1, previous.clamp(min=0).expand_as(g_after)) * (previous >= 0)
        total = (g_after - g_before).cumsum(1)
        everything = nn.functional.pad(total, (0, 0, 1, -1))  # G before n
        base = encoding.tables["base"] + everything
        dataset, point, cluster, event = prefixes.candidates()
        known = event >= 0
        sizes = prefixes.sizes[dataset, event.clamp(min=0)] * known
        mean = prefixes.sums[dataset, event.clamp(min=0), : metric + hidden]
        mean = mean * (known / sizes.clamp(min=1).to(mean.dtype))[:, None]
        scores = self._f(
            mean[:, :metric],
            mean[:, metric:],
            sizes.to(carried.dtype),
            carried[dataset, point, :metric],
            base[dataset, point],
        )
        log_p = _scatter_log_softmax(scores, (dataset, point, cluster), prefixes.last.shape)
        return log_p.gather(2, labels[..., None]).squeeze(2)

    def _g(self, g_sum: Tensor, sizes: Tensor) -> Tensor:
        """g of clusters from the sums of their first-layer contributions and their sizes."""
        count = sizes[..., None]
        return self.g_out((g_sum / count + self.g_count(count.log())).relu())

    def _f(self, z_mean: Tensor, f_mean: Tensor, sizes: Tensor, z: Tensor, base: Tensor) -> Tensor:
        """f of candidates: scores (...,) from cluster means, sizes (0 = the new cluster) and point."""
        is_new = (sizes == 0)[..., None]
        apart = z_mean - z
        difference = self.f_difference(torch.cat([apart.square(), apart.abs()], dim=-1))
        own_state = f_mean + difference + self.f_count(sizes.clamp(min=1)[..., None].log())
        first = (base + torch.where(is_new, self.f_new, own_state)).relu()
        return self.f_out((first + self.f_hidden(first)).relu()).squeeze(-1) / self.log_temperature.exp()


class NCP(ClusteringNetwork):
    """The paper's network: f(G_k, U) with sums (Algorithm 1), h and u from one encoder.

    Sizes of the paper's spike model: h and u of 256, g an MLP with four hidden layers of 256,
    f with layers 512-256-256-256-1 (SM G).
    """

    def __init__(
        self,
        encoder: nn.Module,
        *,
        h_dim: int = 256,
        g_hidden: tuple[int, ...] = (256, 256, 256, 256),
        g_dim: int = 256,
        f_hidden: tuple[int, ...] = (256, 256, 256),
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.g = mlp(h_dim, *g_hidden, g_dim)
        self.f = mlp(g_dim + h_dim, *f_hidden, 1)
        self.log_temperature = nn.Buffer(torch.zeros(()))
        self.h_dim, self.g_dim = h_dim, g_dim

    def encode(self, waveforms: Tensor, positions: Tensor, channel_mask: Tensor) -> Encoding:
        """See `ClusteringNetwork`."""
        h = self.encoder(waveforms, positions, channel_mask)
        return Encoding(h, {"h": h})

    def finish(self, encoding: Encoding) -> Encoding:
        """U_n: sum of the encodings of the points after n."""
        h = encoding.tables["h"]
        return replace(encoding, tables={"h": h, "u": h.flip(1).cumsum(1).flip(1) - h})

    def start(self, encoding: Encoding, dataset: Tensor) -> ClusterState:
        """See `ClusteringNetwork`."""
        return ClusterState.empty(dataset, self.h_dim + self.g_dim, encoding.tables["h"])

    def step(self, encoding: Encoding, state: ClusterState, n: int) -> Tensor:
        """See `ClusteringNetwork`."""
        n_slots = int(state.n_clusters.max()) + 1
        sums = state.sums[:, :n_slots]
        kept = sums[..., self.h_dim :]  # g(H_k) of the clusters as they are
        h = encoding.tables["h"][:, n][state.dataset]
        hypothesis = self.g(sums[..., : self.h_dim] + h[:, None])
        everything = kept.sum(1, keepdim=True) - kept + hypothesis  # G_k
        u = encoding.tables["u"][:, n][state.dataset][:, None].expand(-1, n_slots, -1)
        scores = self.f(torch.cat([everything, u], dim=-1)).squeeze(-1) / self.log_temperature.exp()
        slot = torch.arange(n_slots, device=sums.device)
        return scores.masked_fill(slot > state.n_clusters[:, None], _NEVER).log_softmax(-1)

    def assign(self, encoding: Encoding, state: ClusterState, n: int, labels: Tensor) -> ClusterState:
        """See `ClusteringNetwork`."""
        added = state.add(labels, encoding.tables["h"][:, n][state.dataset])
        rows = torch.arange(len(labels), device=labels.device)
        added.sums[rows, labels, self.h_dim :] = self.g(added.sums[rows, labels, : self.h_dim])
        return added

    def log_prob(self, encoding: Encoding, labels: Tensor) -> Tensor:
        """See `ClusteringNetwork`; g runs at the N events and at every candidate, all at once."""
        h = encoding.tables["h"]
        prefixes = Prefixes.of(h, labels)
        g_after = self.g(prefixes.sums)
        previous = prefixes.last.gather(2, labels[..., None])
        g_before = g_after.gather(1, previous.clamp(min=0).expand_as(g_after)) * (previous >= 0)
        total = nn.functional.pad((g_after - g_before).cumsum(1), (0, 0, 1, -1))
        dataset, point, cluster, event = prefixes.candidates()
        known = (event >= 0)[:, None]
        event = event.clamp(min=0)
        hypothesis = self.g(prefixes.sums[dataset, event] * known + h[dataset, point])
        everything = total[dataset, point] - g_after[dataset, event] * known + hypothesis
        u = encoding.tables["u"][dataset, point]
        scores = self.f(torch.cat([everything, u], dim=-1)).squeeze(-1) / self.log_temperature.exp()
        log_p = _scatter_log_softmax(scores, (dataset, point, cluster), prefixes.last.shape)
        return log_p.gather(2, labels[..., None]).squeeze(2)
