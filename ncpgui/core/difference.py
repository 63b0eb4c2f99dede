"""How one sorting of some spikes differs from another, in a curator's words; every spike is accounted for.

Two or more sizeable clusters of `a` that lie in one of `b` are merged; two or more of `b` that lie in one
of `a` are a split. Any other cluster of `a` goes on as the cluster of `b` with which it shares most
spikes, if that shares most with it too. A spike that these do not place was moved; one without a cluster
in `b` was unassigned, one without in `a` assigned. So the words are "same units" exactly when nothing
changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncpgui.core.alternatives import sizeable_clusters
from ncpgui.core.counted import count

MIN_SHARE = 0.6
"""Share of its spikes with which a cluster lies in another."""
NEW = -1
_MOVES_TOLD = 2


@dataclass(frozen=True)
class Difference:
    """How sorting `b` differs from sorting `a`, by the clusters of `a`.

    merges : groups of clusters that are one in `b`; splits : (cluster, parts in `b`);
    moved : (from cluster, to cluster or `NEW`, spikes), most spikes first;
    unassigned : (cluster, spikes) that have no cluster in `b`; assigned : (to cluster or `NEW`, spikes)
    that have one in `b` only; n_twice : spikes without one in `b` that were found in two units at once, which
    none of the others counts.
    """

    merges: tuple[tuple[int, ...], ...] = ()
    splits: tuple[tuple[int, tuple[int, ...]], ...] = ()
    moved: tuple[tuple[int, int, int], ...] = ()
    unassigned: tuple[tuple[int, int], ...] = ()
    assigned: tuple[tuple[int, int], ...] = ()
    n_twice: int = 0

    @property
    def n_unassigned(self) -> int:
        """Spikes that have a cluster in `a` only."""
        return sum(n for _, n in self.unassigned)

    @property
    def n_assigned(self) -> int:
        """Spikes that have a cluster in `b` only."""
        return sum(n for _, n in self.assigned)

    def words(self, names: Sequence[str] | None = None) -> str:
        """The difference in words, with `names` of the clusters of `a`; what is lost comes first."""

        def name(cluster: int) -> str:
            if cluster == NEW:
                return "new"
            return names[cluster] if names is not None else str(cluster + 1)

        parts = []
        if self.n_twice:
            parts.append(f"leaves out {count(self.n_twice, 'spike')} found twice")
        if self.unassigned:
            owner = f" of {name(self.unassigned[0][0])}" if len(self.unassigned) == 1 else ""
            parts.append(f"unassigns {count(self.n_unassigned, 'spike')}{owner}")
        parts += [f"merges {' + '.join(map(name, group))}" for group in self.merges]
        parts += [f"splits {name(cluster)} in {len(into)}" for cluster, into in self.splits]
        ways: dict[tuple[int, int], int] = {}
        for a, b, n in self.moved:  # to both parts of a split it is one way
            ways[a, b] = ways.get((a, b), 0) + n
        told = sorted(ways.items(), key=lambda way: -way[1])
        parts += [f"moves {count(n, 'spike')} {name(a)} → {name(b)}" for (a, b), n in told[:_MOVES_TOLD]]
        rest = sum(n for _, n in told[_MOVES_TOLD:])
        if rest:
            parts.append(f"moves {rest} more")
        if self.assigned:
            target = f" to {name(self.assigned[0][0])}" if len(self.assigned) == 1 else ""
            parts.append(f"assigns {count(self.n_assigned, 'spike')}{target}")
        return ", ".join(parts) if parts else "same units"


def difference(a: ArrayLike, b: ArrayLike, again: NDArray[np.integer] | None = None) -> Difference:
    """Describe sorting `b` from sorting `a`: (n,) int each, -1 = unassigned.

    again : (k,) positions of spikes that were found a second time, in another unit
    """
    first, second = np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64)
    n_twice = 0
    if again is not None:
        twice = again[(first[again] >= 0) & (second[again] < 0)]
        first, second, n_twice = np.delete(first, twice), np.delete(second, twice), len(twice)
    full = _table(first, second)
    table, lost, gained = full[:-1, :-1], full[:-1, -1], full[-1, :-1]
    large_a, large_b = sizeable_clusters(first), sizeable_clusters(second)
    into = _containers(table, full[:-1].sum(axis=1), large_a)
    out_of = _containers(table.T, full[:, :-1].sum(axis=0), large_b)
    merges = _gathered(into)
    splits = {out_of[pieces[0]]: pieces for pieces in _gathered(out_of)}
    homes: list[set[int]] = [set() for _ in range(len(table))]
    stands_for: dict[int, int] = {}
    for group in merges:
        for k in group:
            homes[k].add(into[k])
        stands_for[into[group[0]]] = group[0]
    for source, pieces in splits.items():
        homes[source].update(pieces)
        stands_for.update((piece, source) for piece in pieces if piece not in stands_for)
    pairs = np.argwhere(table)
    largest_first = np.argsort(-table[tuple(pairs.T)], kind="stable")
    for k, target in pairs[largest_first].tolist():
        if not homes[k] and target not in stands_for:
            homes[k].add(target)
            stands_for[target] = k
    moved = [
        (k, stands_for.get(target, NEW), int(table[k, target]))
        for k, target in pairs.tolist()
        if target not in homes[k]
    ]
    moved.sort(key=lambda item: -item[2])
    return Difference(
        tuple(merges),
        tuple(sorted(splits.items())),
        tuple(moved),
        tuple((int(k), int(lost[k])) for k in np.argsort(-lost, kind="stable") if lost[k]),
        tuple((stands_for.get(int(k), NEW), int(gained[k])) for k in np.flatnonzero(gained)),
        n_twice,
    )


def _table(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """Spikes by cluster of `a` and of `b`, the unassigned in the last row and column."""
    n_rows, n_columns = int(a.max(initial=-1)) + 2, int(b.max(initial=-1)) + 2
    row, column = np.where(a < 0, n_rows - 1, a), np.where(b < 0, n_columns - 1, b)
    cells = np.bincount(row * n_columns + column, minlength=n_rows * n_columns)
    return cells.reshape(n_rows, n_columns).astype(np.int64)


def _containers(
    table: NDArray[np.int64], sizes: NDArray[np.int64], clusters: NDArray[np.int64]
) -> dict[int, int]:
    """Column that holds `MIN_SHARE` of each of `clusters` (rows of `table`), where there is one."""
    if table.shape[1] == 0:
        return {}
    best = table.argmax(axis=1)
    return {int(k): int(best[k]) for k in clusters if table[k, best[k]] >= MIN_SHARE * sizes[k] > 0}


def _gathered(container: dict[int, int]) -> list[tuple[int, ...]]:
    """Components of two and more clusters that have the same container, in order of it."""
    groups: dict[int, list[int]] = {}
    for cluster, place in sorted(container.items()):
        groups.setdefault(place, []).append(cluster)
    return [tuple(groups[place]) for place in sorted(groups) if len(groups[place]) > 1]
