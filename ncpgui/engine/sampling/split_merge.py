"""Moves that split a cluster in two or merge two of them, taken with the odds that q itself gives.

A draw of q opens its clusters one after the other; where it missed one, or opened one too many, sweeps that
move single points hardly come back. A move here changes a whole cluster (Metropolis-Hastings, as the
split-merge moves of Jain and Neal, J. Comp. Graph. Stat. 2004): it leaves the law it is asked for as it is.

A split draws two points of a cluster, lets two means that begin there settle among its points, and draws the
side of each point by its distances from them. A merge draws two clusters and a point of each. Where the two
means settle depends on the two points and on those of both sides only, so that the probability of the way
back is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ncpgui.core.partition import canonical
from ncpgui.core.progress import Progress, reported, silent

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
LogProbability = Callable[[Labels, NDArray[np.int64]], Floats]
"""Log-probability (R,) of label vectors (R, N), canonical, of the draws (R,)."""

_ROUNDS = 4  # in which two means settle
_LEAST = 1e-3  # probability of either side, however far a point is from the other
_WIDTHS = (1.0, 2.0)  # sd of the points around the means, of which a move takes one


@dataclass(frozen=True)
class Moved:
    """Label vectors after the moves.

    labels : (S, N), canonical ; log_prob : (S,), of them
    """

    labels: Labels
    log_prob: Floats


def split_and_merged(
    log_probability: LogProbability,
    labels: NDArray[np.integer],
    log_prob: Floats,
    places: NDArray[np.floating],
    *,
    n_moves: int,
    generator: np.random.Generator,
    free: NDArray[np.bool_] | None = None,
    progress: Progress = silent,
) -> Moved:
    """Propose `n_moves` splits or merges to each label vector, one after the other.

    Parameters
    ----------
    log_probability : the law that the moves leave as it is, nats, up to a constant of each draw
    labels : (S, N), canonical; log_prob : (S,), what `log_probability` says of them
    places : (N, D), in whose distances points are near; noise has about unit variance
    free : (N,) bool, points that may move; clusters with others are neither split nor merged. All when left
        out
    """
    found, log_prob = labels.astype(np.int64), log_prob.copy()
    may_move = np.ones(labels.shape[1], bool) if free is None else free
    at = np.asarray(places, np.float64)
    for _ in reported(range(n_moves), progress):
        made = {row: _proposal(one, at, may_move, generator) for row, one in enumerate(found)}
        luck = np.log(generator.random(len(found)))
        proposals = {row: proposal for row, proposal in made.items() if proposal is not None}
        if not proposals:
            continue
        rows = np.array(list(proposals))
        proposed = np.stack([proposal.labels for proposal in proposals.values()])
        odds = np.array([proposal.log_odds for proposal in proposals.values()])
        score = log_probability(proposed, rows)
        taken = luck[rows] < score - log_prob[rows] + odds
        found[rows[taken]], log_prob[rows[taken]] = proposed[taken], score[taken]
    return Moved(found, log_prob)


@dataclass(frozen=True)
class _Proposal:
    """Other labels (N,), canonical, and the log probability of proposing the way back less that of this."""

    labels: Labels
    log_odds: float


def _proposal(
    labels: Labels, places: Floats, free: NDArray[np.bool_], generator: np.random.Generator
) -> _Proposal | None:
    """A split or a merge, each half of the time; None where there is nothing to split or merge."""
    width = _WIDTHS[generator.integers(len(_WIDTHS))]
    clusters = _that_may_change(labels, free)
    if generator.random() < 0.5:
        large = [k for k in clusters if np.count_nonzero(labels == k) > 1]
        return _split(labels, places, clusters, large, width, generator) if large else None
    return _merge(labels, places, clusters, width, generator) if len(clusters) > 1 else None


def _that_may_change(labels: Labels, free: NDArray[np.bool_]) -> list[int]:
    """Clusters of which each point is free."""
    return sorted(set(labels.tolist()) - set(labels[~free].tolist()))


def _split(
    labels: Labels,
    places: Floats,
    clusters: list[int],
    large: list[int],
    width: float,
    generator: np.random.Generator,
) -> _Proposal:
    """Part one of the `large` clusters, those of more than one point."""
    members = np.flatnonzero(labels == large[generator.integers(len(large))])
    anchors = generator.choice(len(members), 2, replace=False)
    first = _p_first(places[members], anchors, width)
    is_first = generator.random(len(members)) < first
    is_first[anchors] = True, False
    proposed = labels.copy()
    proposed[members[~is_first]] = labels.max() + 1
    n_first = int(is_first.sum())
    n_pairs = (len(clusters) + 1) * len(clusters)
    there = (
        -np.log(len(large)) - np.log(len(members) * (len(members) - 1)) + _log_sides(first, is_first, anchors)
    )
    back = -np.log(n_pairs) - np.log(n_first * (len(members) - n_first))
    return _Proposal(canonical(proposed), float(back - there))


def _merge(
    labels: Labels, places: Floats, clusters: list[int], width: float, generator: np.random.Generator
) -> _Proposal:
    """Make one of two of the clusters that may change."""
    pair = generator.choice(clusters, 2, replace=False)
    members = np.flatnonzero(np.isin(labels, pair))
    is_first = labels[members] == pair[0]
    anchors = np.array([generator.choice(np.flatnonzero(side)) for side in (is_first, ~is_first)])
    proposed = labels.copy()
    proposed[members] = pair[0]
    n_large = sum(np.count_nonzero(proposed == k) > 1 for k in clusters)
    n_first = int(is_first.sum())
    first = _p_first(places[members], anchors, width)
    there = -np.log(len(clusters) * (len(clusters) - 1)) - np.log(n_first * (len(members) - n_first))
    back = -np.log(n_large) - np.log(len(members) * (len(members) - 1)) + _log_sides(first, is_first, anchors)
    return _Proposal(canonical(proposed), float(back - there))


def _p_first(places: Floats, anchors: NDArray[np.int64], width: float) -> Floats:
    """Probability (M,) that each point is drawn to the side of the first anchor, whatever the sides are."""
    means = places[anchors]
    p = np.full(len(places), 0.5)
    for _ in range(_ROUNDS):
        nearer = (np.square(places - means[1]) - np.square(places - means[0])).sum(1) / (2 * width**2)
        p = expit(nearer)
        p[anchors] = 1, 0
        means = np.stack([p @ places / p.sum(), (1 - p) @ places / (1 - p).sum()])
    nearer = (np.square(places - means[1]) - np.square(places - means[0])).sum(1) / (2 * width**2)
    return np.asarray(np.clip(expit(nearer), _LEAST, 1 - _LEAST))


def _log_sides(first: Floats, is_first: NDArray[np.bool_], anchors: NDArray[np.int64]) -> float:
    """Log-probability that the points but the anchors are drawn to the sides on which they are."""
    each = np.log(np.where(is_first, first, 1 - first))
    return float(each.sum() - each[anchors].sum())
