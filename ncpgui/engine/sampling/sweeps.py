"""Sweeps over samples: each point may leave its cluster for another, given all the other labels.

A draw of q assigns its first points when hardly any cluster is known, and nothing moves them later. The
factor of the last point, q(c_n | all other labels, x), is that about which the network knows most. Moves
that leave this conditional as it is (Metropolis-Hastings, as of Dirichlet mixtures: Neal, J. Comp. Graph.
Stat. 2000, algorithm 5) change nothing where q is the posterior; elsewhere they mend what the order did.

A point proposes a cluster by votes: how often the points of that cluster are with it in samples of the other
half, as they were drawn. Most propose the cluster in which they are, and the network need not be asked.

Some points propose at once, by the votes of all other points; their proposals are taken one after the other,
each with the odds given all labels as they are by then. So every single move leaves its conditional as it is,
however many propose at once: what a proposal rests on (points that do not propose, and samples that are
independent of this one) does not depend on where the point is, nor on where it goes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

from ncpgui.core.one_core import on_one_core
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.core.progress import Progress, silent
from ncpgui.core.seeds import stream_seed
from ncpgui.engine.compiled.moves import Proposed, Samples, take
from ncpgui.engine.compiled.ncp import Weights
from ncpgui.engine.compiled.proposals import LEAST_UNIFORM, Drawn, count, draw, votes_of
from ncpgui.engine.device import one_core
from ncpgui.engine.networks.as_arrays import columns, serves, tells_times, weights_of
from ncpgui.engine.networks.pointwise import ClusteringNetwork, Encoding

N_SWEEPS = 2
N_SWEEPS_IN_TIME = 4  # where the network follows clusters in time; 8 are no better
_AT_ONCE = 1 / 16  # of the points, that propose at once, which have no vote
_MOST_AT_ONCE = 128
_P_NEW = 0.02  # proposals of a new cluster
_P_ANY = 0.02  # proposals of any cluster, whatever the votes
_VOTERS = 50  # samples of each half whose votes count
_AHEAD = 3  # proposals of a sample that are evaluated before it is known whether the first is taken
_PLACES_AT_ONCE = 2**26  # samples times clusters times points; bounds the memory
_MEMBERS_AT_ONCE = 2**18  # samples times clusters times points whose table is held while it is summed


@torch.inference_mode()
@one_core()
@on_one_core
def swept(
    network: ClusteringNetwork,
    encoding: Encoding,
    samples: PosteriorSamples,
    *,
    seed: int,
    n_sweeps: int | None = None,
    clamped: NDArray[np.integer] | None = None,
    points_at_once: int | None = None,
    progress: Progress = silent,
) -> PosteriorSamples:
    """Propose another cluster to each free point of each sample, once a sweep, in random order.

    Each of some independent draws of the posterior is one afterwards, if the network has its conditionals.

    Parameters
    ----------
    encoding : of one dataset, not finished, as the samples were drawn
    n_sweeps : `N_SWEEPS` when left out, `N_SWEEPS_IN_TIME` of points that tell their times to a network that
        reads them
    samples : their weights and orders stay; their log q does not, for nobody knows it of what they are then
    clamped : (N,) int, -1 for each point that is free; all are when left out
    points_at_once : that propose at once; a 16th of all when left out, one of less than 32
    """
    device = encoding.features.device
    generator = torch.Generator(device=device).manual_seed(stream_seed(seed, "sweeps"))
    is_free = np.ones(samples.n_points, bool) if clamped is None else np.asarray(clamped) < 0
    free = torch.from_numpy(np.flatnonzero(is_free)).to(device)
    if len(free) == 0:
        return samples
    at_once = points_at_once or max(1, min(int(samples.n_points * _AT_ONCE), _MOST_AT_ONCE))
    parts = _parts_of(network, encoding, torch.from_numpy(samples.labels.astype(np.int64)).to(device))
    if n_sweeps is None:
        n_sweeps = N_SWEEPS_IN_TIME if tells_times(encoding) else N_SWEEPS
    done, n_moves = 0, n_sweeps * len(free) * len(parts)
    for part in parts:
        for _ in range(n_sweeps):
            order = torch.randperm(len(free), generator=generator, device=device)
            for points in free[order].split(at_once):
                progress(done, n_moves)
                part.propose(points, generator)
                done += len(points)
    progress(n_moves, n_moves)
    swept_labels = torch.cat([part.labels for part in parts]).cpu().numpy()
    unknown = np.full(samples.n_samples, np.nan)
    return PosteriorSamples(swept_labels, unknown, samples.weight, samples.order)


def _parts_of(network: ClusteringNetwork, encoding: Encoding, labels: Tensor) -> list[_Clusters]:
    """Samples (S, N) in parts that fit into memory; each half of the samples votes for the other."""
    n_samples, n_points = labels.shape
    n_clusters, half = int(labels.max()) + 1, n_samples // 2
    dtype = encoding.features.dtype
    n_voters = max(1, min(_VOTERS, _PLACES_AT_ONCE // (n_clusters * n_points)))
    first, second = (
        _members(rows[:n_voters], n_clusters, dtype).flatten(0, 1) for rows in (labels[:half], labels[half:])
    )
    n_at_once = max(1, _PLACES_AT_ONCE // (n_clusters * max(n_points, len(second))))
    parts = []
    for start in range(0, n_samples, n_at_once):
        part = labels[start : start + n_at_once]
        n_first = min(max(half - start, 0), len(part))
        voters = [(n_first, second), (len(part) - n_first, first)]
        parts.append(_Clusters(network, encoding, part, voters))
    return parts


@dataclass(frozen=True)
class _Proposals:
    """Proposals (R,) that change something; those of a sample side by side, in the order of their turn.

    sample, point : whose they are; there : slot that is proposed, -1 for a new one
    odds : log probability of proposing the way back, less that of this way
    luck : log of a random number in (0, 1)
    """

    sample: Tensor
    point: Tensor
    there: Tensor
    odds: Tensor
    luck: Tensor

    def __getitem__(self, rows: Tensor) -> _Proposals:
        return _Proposals(
            self.sample[rows], self.point[rows], self.there[rows], self.odds[rows], self.luck[rows]
        )


class _Clusters:
    """S samples of one dataset and the sums of their clusters; changed in place by `swept`.

    voters : for one group of the samples after the other, how many they are, and the clusters (V, N) of the
        samples that vote for them

    labels (S, N): slot of each point
    sums (S, M, J + 1): of the points in each slot, their number last
    parts (S, M, F): the network's value of `cluster` of each slot, zero where it is empty; total (S, F)
    shared (S, M, V) of each group: points that each slot has in common with the clusters that vote
    """

    def __init__(
        self, network: ClusteringNetwork, encoding: Encoding, labels: Tensor, voters: list[tuple[int, Tensor]]
    ) -> None:
        self._network = network
        joins, self._context = _tables_of_the_last(network, encoding)
        self._joins = pad(joins, (0, 1), value=1.0)
        self._sharpness = (-network.log_temperature).exp()
        self.labels = labels.clone()
        n_clusters = int(labels.max()) + 1
        self._sums = _of_members(labels, n_clusters, self._joins)
        self._parts = self._values(self._sums)
        self._total = self._parts.sum(1)
        ends = np.cumsum([n for n, _ in voters]).tolist()
        self._groups = [
            (slice(end - n, end), clusters) for end, (n, clusters) in zip(ends, voters, strict=True)
        ]
        self._shared = [_of_members(labels[rows], n_clusters, clusters.T) for rows, clusters in self._groups]
        self._weights = None
        if serves(network, [encoding]):
            n_points = len(joins)
            self._voters = [
                clusters.T.nonzero()[:, 1].view(n_points, -1).numpy() for _, clusters in self._groups
            ]
            timed = tells_times(encoding)
            self._weights = weights_of(network, timed=timed)
            self._joins = torch.from_numpy(columns(network, joins, timed=timed))
            sums, sizes = self._sums[..., :-1], self._sums[..., -1:]
            self._sums = torch.from_numpy(columns(network, sums, sizes, timed=timed))

    def propose(self, points: Tensor, generator: torch.Generator) -> None:
        """Propose a cluster to each of `points` (P,) in every sample; take it with the odds that it has."""
        self._total = self._parts.sum(1)  # no trace of rounding
        if self._weights is not None:
            self._propose_compiled(self._weights, points, generator)
            return
        left = self._proposals(points, generator)
        while len(left.sample):
            place = torch.arange(len(left.sample), device=points.device)
            turn = place - torch.searchsorted(left.sample, left.sample)
            near = place[turn < _AHEAD]
            taken = near[self._are_taken(left[near])]
            sample = left.sample[taken]
            is_first = torch.ones_like(sample, dtype=torch.bool)
            is_first[1:] = sample[1:] != sample[:-1]
            taken, sample = taken[is_first], sample[is_first]
            self._move(left[taken])
            last = torch.full_like(self.labels[:, 0], _AHEAD - 1)  # turn of the last that is settled
            last[sample] = turn[taken]
            left = left[turn > last[left.sample]]

    def _proposals(self, points: Tensor, generator: torch.Generator) -> _Proposals:
        n_slots = self._sums.shape[1]
        own = self.labels[:, points]
        size = self._sums[..., -1]
        others = size.scatter_add(1, own, -torch.ones_like(own, dtype=size.dtype)) > 0.5
        votes = self._votes(points, own, others)
        u = torch.rand(votes.shape, generator=generator, device=votes.device)
        proposed = (votes / -u.clamp_min(LEAST_UNIFORM).log()).argmax(-1)  # a draw of the votes
        alone = size.gather(1, own) < 1.5
        current = torch.where(alone, n_slots, own)  # to stay alone is to open a new cluster
        back = votes.gather(2, current[..., None])[..., 0]  # none where only `points` are with it
        i, p = ((proposed != current) & (back > 0)).nonzero(as_tuple=True)
        there = proposed[i, p]
        return _Proposals(
            i,
            points[p],
            torch.where(there < n_slots, there, -1),
            back[i, p].log() - votes[i, p, there].log(),
            torch.rand(len(i), generator=generator, device=votes.device).log(),
        )

    def _votes(self, points: Tensor, own: Tensor, exists: Tensor) -> Tensor:
        """Probabilities of proposals (S, P, M + 1), the new one last, wherever `points` are.

        own : (S, P), their slots; exists : (S, M), slots in which there are other points
        """
        n_slots = exists.shape[1]
        result = []
        for (rows, clusters), shared in zip(self._groups, self._shared, strict=True):
            theirs = clusters[:, points]
            votes = shared.flatten(0, 1) @ theirs
            votes = votes - _members(own[rows], n_slots, theirs.dtype).flatten(0, 1) @ (theirs.T @ theirs)
            result.append(votes.view(-1, n_slots, len(points)))
        votes = torch.cat(result).transpose(1, 2).clamp(min=0) * exists[:, None]
        share = votes / votes.sum(-1, keepdim=True).clamp_min(1e-6)
        evenly = exists.to(share.dtype) / exists.sum(-1, keepdim=True).clamp_min(1)
        return pad((1 - _P_ANY) * share + _P_ANY * evenly[:, None], (0, 1), value=_P_NEW)

    def _are_taken(self, proposals: _Proposals) -> Tensor:
        """Tell whether each proposal (R,) would be taken if it were the next."""
        i, point, there = proposals.sample, proposals.point, proposals.there
        own, joins = self.labels[i, point], self._joins[point]
        without = self._sums[i, own] - joins
        part_without = self._values(without)
        everything = self._total[i] - self._parts[i, own] + part_without + self._context[point]
        exists = (there >= 0)[:, None]
        stays = self._score(without, part_without, everything, joins)
        goes = self._score(self._sums[i, there] * exists, self._parts[i, there] * exists, everything, joins)
        return proposals.luck < goes - stays + proposals.odds

    def _values(self, sums: Tensor) -> Tensor:
        """Value of `cluster` of sums (..., J + 1), zero where there is no point."""
        sizes = sums[..., -1].round()
        value = self._network.cluster(sums[..., :-1], sizes.clamp(min=1))
        return value * (sizes > 0.5)[..., None]

    def _score(self, sums: Tensor, part: Tensor, everything: Tensor, joins: Tensor) -> Tensor:
        """Log-odds (R,) that the point of each row joins the cluster of `sums` (R, J + 1), `part` (R, F)."""
        seen = slice(self._network.n_seen)
        candidate = self._network.candidate(sums[:, seen], sums[:, -1].round(), part, joins[:, seen])
        return self._network.score(everything + candidate) * self._sharpness

    def _propose_compiled(self, weights: Weights, points: Tensor, generator: torch.Generator) -> None:
        """Propose, and take proposals or not, those of a sample one after the other."""
        n_samples, n_slots, n_points = len(self.labels), self._sums.shape[1], len(points)
        uniform = torch.rand((n_samples, n_points, n_slots + 1), generator=generator).numpy()
        at, labels, sizes = points.numpy(), self.labels.numpy(), self._sums.numpy()[..., -1]
        own = [
            (rows.start, labels[rows], voters)
            for (rows, _), voters in zip(self._groups, self._voters, strict=True)
        ]
        room = np.empty((2, n_slots + 1), np.float32)
        most = n_samples * n_points
        sample, point, there = np.empty((3, most), np.int64)
        drawn = Drawn(sample, point, there, np.empty(most, np.float32))
        n = 0
        for (start, mine, voters), shared in zip(own, self._shared, strict=True):
            count(shared.numpy(), mine, at, voters, np.float32(-1))
            rows = slice(start, start + len(mine))
            votes = votes_of(shared.numpy(), at, voters)
            probabilities = np.float32(_P_NEW), np.float32(_P_ANY)
            n = draw(votes, mine, sizes[rows], at, uniform[rows], *probabilities, room, (start, n), drawn)
        luck = torch.rand(n, generator=generator).log().numpy()
        proposed = Proposed(point[:n], there[:n], drawn.odds[:n], luck)
        ends = np.searchsorted(sample[:n], np.arange(n_samples), side="right")
        turn = np.concatenate([[0], ends[:-1]])
        while True:
            tables = (self.labels, self._sums, self._parts, self._total, self._joins, self._context)
            if take(weights, Samples(*(one.contiguous().numpy() for one in tables)), proposed, turn, ends):
                break
            self._add_slot()
        for (_, mine, voters), shared in zip(own, self._shared, strict=True):
            count(shared.numpy(), mine, at, voters, np.float32(1))

    def _move(self, proposals: _Proposals) -> None:
        """Put each point where it is proposed; one of each sample at most."""
        i, point, there = proposals.sample, proposals.point, proposals.there
        is_new = there < 0
        if is_new.any():
            there = there.masked_scatter(is_new, self._empty_slots(i[is_new]))
        own, joins = self.labels[i, point], self._joins[point]
        left = self._sums[i, own] - joins
        left = left * (left[:, -1:] > 0.5)  # no trace of rounding where nothing is left
        for slot, sums in ((own, left), (there, self._sums[i, there] + joins)):
            value = self._values(sums)
            self._total[i] += value - self._parts[i, slot]
            self._sums[i, slot], self._parts[i, slot] = sums, value
        self._count(i, point, own, there)
        self.labels[i, point] = there

    def _count(self, sample: Tensor, point: Tensor, own: Tensor, there: Tensor) -> None:
        """Count points that have gone from `own` to `there` (R,) among those that slots share with voters."""
        for (rows, clusters), shared in zip(self._groups, self._shared, strict=True):
            mine = (sample >= rows.start) & (sample < rows.stop)
            one, theirs = sample[mine] - rows.start, clusters.T[point[mine]]
            shared.index_put_((one, own[mine]), -theirs, accumulate=True)
            shared.index_put_((one, there[mine]), theirs, accumulate=True)

    def _empty_slots(self, samples: Tensor) -> Tensor:
        """Return an empty slot of each of `samples` (R,); all samples get one more where one lacks it."""
        if (self._sums[samples, :, -1] > 0.5).all(1).any():
            self._add_slot()
        return (self._sums[samples, :, -1] < 0.5).to(torch.int8).argmax(1)

    def _add_slot(self) -> None:
        self._sums, self._parts = (pad(table, (0, 0, 0, 1)) for table in (self._sums, self._parts))
        self._shared = [pad(table, (0, 0, 0, 1)) for table in self._shared]


def _members(labels: Tensor, n_clusters: int, dtype: torch.dtype) -> Tensor:
    """1 where a point is in a cluster: labels (S, N) -> (S, K, N)."""
    clusters = torch.arange(n_clusters, device=labels.device)
    return (labels[:, None] == clusters[:, None]).to(dtype)


def _of_members(labels: Tensor, n_clusters: int, values: Tensor) -> Tensor:
    """Sums of `values` (N, J) over the points of each cluster of labels (S, N): (S, K, J)."""
    n_at_once = max(1, _MEMBERS_AT_ONCE // (n_clusters * labels.shape[1]))
    result = values.new_empty(len(labels), n_clusters, values.shape[1])
    for start in range(0, len(labels), n_at_once):
        rows = slice(start, start + n_at_once)
        result[rows] = _members(labels[rows], n_clusters, values.dtype) @ values
    return result


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
