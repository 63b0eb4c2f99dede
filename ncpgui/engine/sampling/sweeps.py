"""Sweeps over samples: each point may leave its cluster for another, given all the other labels.

A draw of q assigns its first points when hardly any cluster is known, and nothing moves them later. The
factor of the last point, q(c_n | all other labels, x), is that about which the network knows most. Moves
that leave this conditional as it is (Metropolis-Hastings, as of Dirichlet mixtures: Neal, J. Comp. Graph.
Stat. 2000, algorithm 5) change nothing where q is the posterior; elsewhere they mend what the order did.

A point proposes a cluster by the votes of all samples: how often the points of that cluster are with it. Most
propose the cluster in which they are, and the network need not be asked about them.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.progress import Progress, silent
from ncpgui.core.seeds import stream_seed
from ncpgui.engine.device import torch_generator
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding

N_SWEEPS = 2
_POINTS_AT_ONCE = 32
_P_NEW = 0.02  # proposals of a new cluster
_P_ANY = 0.02  # proposals of any cluster, whatever the votes
_VOTERS = 100  # samples whose votes count
_PLACES_AT_ONCE = 2**26  # samples times clusters times points; bounds the memory


@torch.inference_mode()
def swept(
    network: ClusteringNetwork,
    encoding: Encoding,
    samples: PosteriorSamples,
    *,
    seed: int,
    n_sweeps: int = N_SWEEPS,
    clamped: NDArray[np.integer] | None = None,
    points_at_once: int = _POINTS_AT_ONCE,
    progress: Progress = silent,
) -> PosteriorSamples:
    """Propose another cluster to each free point of each sample, once a sweep.

    Points are visited in random order, some at once: those of a block move as if all others stayed.

    Parameters
    ----------
    encoding : of one dataset, not finished, as the samples were drawn
    samples : their weights, and log q of what was drawn, stay as they are
    clamped : (N,) int, -1 for each point that is free; all are when left out
    points_at_once : 1 for the exact conditionals
    """
    device = encoding.features.device
    generator = torch_generator(stream_seed(seed, "sweeps"), device)
    is_free = np.ones(samples.n_points, bool) if clamped is None else np.asarray(clamped) < 0
    free = torch.from_numpy(np.flatnonzero(is_free)).to(device)
    labels = torch.from_numpy(samples.labels.astype(np.int64)).to(device)
    voters = _members(labels[:_VOTERS], encoding.features.dtype).flatten(0, 1)
    n_at_once = max(1, _PLACES_AT_ONCE // (int(samples.n_clusters.max()) * samples.n_points))
    parts = [_Clusters(network, encoding, part, voters) for part in labels.split(n_at_once)]
    done, n_moves = 0, n_sweeps * len(free) * len(parts)
    for part in parts:
        for _ in range(n_sweeps):
            order = torch.randperm(len(free), generator=generator, device=device)
            for points in free[order].split(points_at_once):
                progress(done, n_moves)
                part.propose(points, generator)
                done += len(points)
    progress(n_moves, n_moves)
    swept_labels = torch.cat([part.labels for part in parts]).cpu().numpy()
    return PosteriorSamples(swept_labels, samples.log_prob, samples.weight)


class _Clusters:
    """S samples of one dataset and the sums of their clusters; changed in place by `swept`.

    labels (S, N): slot of each point
    sums (S, M, J + 1): of the points in each slot, their number last
    members (S, M, N): 1 where a point is in a slot
    voters (V, N): the same of all clusters of the samples that vote
    """

    def __init__(
        self, network: ClusteringNetwork, encoding: Encoding, labels: Tensor, voters: Tensor
    ) -> None:
        self._network = network
        joins, self._context = _tables_of_the_last(network, encoding)
        self._joins = torch.nn.functional.pad(joins, (0, 1), value=1.0)
        self._sharpness = (-network.log_temperature).exp()
        self.labels = labels.clone()
        self._members = _members(labels, joins.dtype)
        self._sums = self._members @ self._joins
        self._voters = voters

    def propose(self, points: Tensor, generator: torch.Generator) -> None:
        """Propose a cluster to each of `points` (P,) in every sample; take it with the odds that it has."""
        n_slots = self._sums.shape[1]
        own = self.labels[:, points]
        votes = self._votes(points, own)
        u = torch.rand(votes.shape, generator=generator, device=votes.device)
        proposed = (votes.log() - (-u.clamp_min(1e-12).log()).log()).argmax(-1)  # Gumbel: a draw of the votes
        alone = votes.gather(2, own[..., None])[..., 0] == 0
        current = torch.where(alone, n_slots, own)  # to stay alone is to open a new cluster
        i, p = (proposed != current).nonzero(as_tuple=True)
        if not len(i):
            return
        here, there = current[i, p], proposed[i, p]
        joins = self._joins[points[p]]
        parts = self._parts(self._sums)
        without = self._sums[i, own[i, p]] - joins
        part_without = self._parts(without)
        everything = parts.sum(1)[i] - parts[i, own[i, p]] + part_without + self._context[points[p]]
        slot, exists = there.clamp(max=n_slots - 1), (there < n_slots)[:, None]
        stays = self._score(without, part_without, everything, joins)
        goes = self._score(self._sums[i, slot] * exists, parts[i, slot] * exists, everything, joins)
        odds = goes - stays + votes[i, p, here].log() - votes[i, p, there].log()
        luck = torch.rand(len(i), generator=generator, device=odds.device)
        taken = luck.log() < odds
        self._move(points, own, i[taken], p[taken], there[taken])

    def _votes(self, points: Tensor, own: Tensor) -> Tensor:
        """Probabilities of proposals (S, P, M + 1), the new one last, whatever the point's own cluster."""
        n_samples, n_slots, n_points = self._members.shape
        together = self._voters.T @ self._voters[:, points]  # samples in which they share a cluster
        together[points, torch.arange(len(points), device=points.device)] = 0
        votes = self._members.view(-1, n_points) @ together
        votes = votes.view(n_samples, n_slots, -1).transpose(1, 2)
        size = self._sums[:, None, :, -1].expand_as(votes).clone()
        size.scatter_add_(2, own[..., None], -torch.ones_like(votes[..., :1]))
        exists = (size > 0.5).to(votes.dtype)
        votes = votes * exists
        share = votes / votes.sum(-1, keepdim=True).clamp_min(1e-6)
        evenly = exists / exists.sum(-1, keepdim=True).clamp_min(1)
        return torch.nn.functional.pad((1 - _P_ANY) * share + _P_ANY * evenly, (0, 1), value=_P_NEW)

    def _parts(self, sums: Tensor) -> Tensor:
        """Value of `cluster` of sums (..., J + 1), zero where there is no point."""
        sizes = sums[..., -1].round()
        value = self._network.cluster(sums[..., :-1], sizes.clamp(min=1))
        return value * (sizes > 0.5)[..., None]

    def _score(self, sums: Tensor, part: Tensor, everything: Tensor, joins: Tensor) -> Tensor:
        """Log-odds (R,) that the point of each row joins the cluster of `sums` (R, J + 1), `part` (R, F)."""
        seen = slice(self._network.n_seen)
        candidate = self._network.candidate(sums[:, seen], sums[:, -1].round(), part, joins[:, seen])
        return self._network.score(everything + candidate) * self._sharpness

    def _move(self, points: Tensor, own: Tensor, i: Tensor, p: Tensor, to: Tensor) -> None:
        """Put point `points[p]` of sample i into slot `to`; `n_slots` is an empty one of its own."""
        n_slots = self._sums.shape[1]
        new = (to == n_slots).nonzero().squeeze(1)
        if len(new):
            to = to.clone()
            to[new] = self._empty_slots(i[new])
        point = points[p]
        joins = self._joins[point]
        before = own[i, p]
        self._sums.index_put_((i, before), -joins, accumulate=True)
        self._sums.index_put_((i, to), joins, accumulate=True)
        self._sums[self._sums[..., -1] < 0.5] = 0  # no trace of rounding where nothing is left
        self._members[i, before, point] = 0
        self._members[i, to, point] = 1
        self.labels[i, point] = to

    def _empty_slots(self, samples: Tensor) -> Tensor:
        """Empty slots for `samples`, sorted, which may repeat: another each time; made if lacking."""
        first = torch.searchsorted(samples, samples)
        rank = torch.arange(len(samples), device=samples.device) - first
        empty = self._sums[..., -1] < 0.5
        lacking = int(rank.max()) + 1 - int(empty[samples].sum(1).min())
        if lacking > 0:
            self._sums = torch.nn.functional.pad(self._sums, (0, 0, 0, lacking))
            self._members = torch.nn.functional.pad(self._members, (0, 0, 0, lacking))
            empty = torch.nn.functional.pad(empty, (0, lacking), value=True)
        slots = empty.to(torch.int8).argsort(dim=1, descending=True, stable=True)  # the empty ones first
        return slots[samples, rank]


def _members(labels: Tensor, dtype: torch.dtype) -> Tensor:
    """1 where a point is in a cluster: labels (S, N) -> (S, K, N)."""
    clusters = torch.arange(int(labels.max()) + 1, device=labels.device)
    return (labels[:, None] == clusters[:, None]).to(dtype)


def _tables_of_the_last(network: ClusteringNetwork, encoding: Encoding) -> tuple[Tensor, Tensor]:
    """`joins` and `context` of each point where no other comes after it: (N, J), (N, F)."""
    n_points = encoding.features.shape[1]
    alone = Encoding(
        encoding.features[0, :, None],
        {name: table[0, :, None] for name, table in encoding.tables.items()},
        torch.ones(n_points, dtype=torch.int64, device=encoding.features.device),
    )
    finished = network.finish(alone).tables
    return finished["joins"][:, 0], finished["context"][:, 0]
