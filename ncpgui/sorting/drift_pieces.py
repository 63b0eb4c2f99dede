"""Units of another sorter that may be pieces of one cell, which looked different wherever the tissue was.

A sorter that does not follow the tissue makes a new unit of a cell when it has moved on. Such pieces take
turns over the places of the tissue (`evidence.drift_turns`). Where one ends and the other begins both fire,
or nearly: their templates, moved back by so little, are alike there, however different they have become far
from it. So pieces are compared at the place where the templates of both are known best. Two cells that take
turns by chance, or because either is seen at some places only, are not alike there, and fire together at
more.

The network has never seen a cell that a sorter cut by place, and may part the pieces in every draw. So each
draw in which pieces are apart gets one beside it in which some of them are one, as probable as this
evidence says. What all spikes say of their times weighs both (`all_spikes`); heaps and turns of two pieces
say nothing more, since they are the evidence here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ncpgui.core.percent import percent
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.drift_turns import turns_nats
from ncpgui.sorting.matched import Matched
from ncpgui.sorting.merge_across_drift import MIN_NATS, together
from ncpgui.sorting.moving_templates import known_best

MAX_UNLIKE = 1.0
"""Relative squared distance of templates, at all places together, from which on units are not compared."""
NATS, NATS_UNLIKE, NATS_TOGETHER = 3.7, -7.6, -1.9
"""Log odds of one cell: of units that take turns, what a relative squared distance where they are known best
adds, and what the share of spikes at places of the other does. Fitted by logistic regression on units of
Tridesclous2 in two simulated recordings of 30 cells, a zigzag over 40 µm and a slow drift over 25 µm."""
MOST_NATS = 3.0
"""One pair of several says no more than this, either way: pieces hold some spikes of other cells."""
ASKED, LEAST = 0.5, 0.25
"""Pairs that are less probably one cell are not asked about together for that, or not joined at all."""
LAGS = 3
"""Samples around the best lag of the templates at all places that are tried at one."""


@dataclass(frozen=True)
class Pieces:
    """Two units, and what places and their templates where they meet say of their being one cell.

    nats : log odds of it; weight : how well the templates are known there, 1 / variance; take_turns : whether
    they do; unlike : squared distance of the templates there, relative to the larger energy
    """

    first: int
    second: int
    nats: float
    weight: float = 1.0
    take_turns: bool = True
    unlike: float = 0.0

    @property
    def p_one(self) -> float:
        """P(they are one cell) by this alone."""
        return float(expit(self.nats))

    @property
    def is_asked(self) -> bool:
        """Whether they are asked about together."""
        return self.take_turns and self.p_one >= ASKED

    @property
    def is_doubtful(self) -> bool:
        """Whether they may be joined, where they are asked about together for whatever reason."""
        return self.take_turns and self.p_one >= LEAST


def drift_pieces(matched: Matched, depth_um: NDArray[np.floating]) -> list[Pieces]:
    """Pairs of units that are alike, the most probable pieces of one cell first.

    depth_um : (K,) of each unit along the axis of the motion
    """
    places, like = matched.places, matched.like
    if places.n_places == 1:
        return []
    at, unit = places.of(matched.sample_index), matched.unit
    counts = known = places.counts(at, unit, matched.n_units)
    if (measured := matched.measured) is not None:
        known = places.counts(at[measured], unit[measured], matched.n_units)
    variance = known_best(matched.moving.waveforms, known, places.at_depth(depth_um))
    found = []
    for first, second in zip(*np.nonzero(np.triu(like.relative <= MAX_UNLIKE, 1)), strict=True):
        here, there = counts[:, first], counts[:, second]
        take_turns = turns_nats(here, there) > MIN_NATS
        both = variance[:, first] + variance[:, second]
        place = int(both.argmin())
        templates = matched.moving.waveforms[place, [first, second]]
        unlike = _unlike(templates, int(like.lag[first, second]))
        nats = NATS + NATS_UNLIKE * unlike + NATS_TOGETHER * together(here, there)
        if not take_turns:  # what else speaks for one cell is no matter of places
            nats = min(nats, 0.0)
        nats = max(min(nats, MOST_NATS), -MOST_NATS)
        found.append(Pieces(int(first), int(second), nats, 1 / float(both[place]), take_turns, unlike))
    return sorted(found, key=lambda one: (-one.nats, one.first, one.second))


def pieces_words(pieces: Sequence[Pieces], ids: NDArray[np.integer]) -> str:
    """Sentence about units that may be pieces of one cell, '' without any; ids : (K,) what each is called."""
    pairs = ", ".join(
        f"{ids[one.first]} and {ids[one.second]} ({percent(one.p_one)}; where they meet, their templates "
        f"differ by {percent(one.unlike)} of their power)"
        for one in pieces
        if one.is_doubtful
    )
    return f"Units that take turns as the tissue moves and may be one cell: {pairs}." if pairs else ""


def _unlike(templates: NDArray[np.float32], lag: int) -> float:
    """Squared distance of two templates (2, T, C) relative to the larger energy, at the best lag near one."""
    first, second = templates.astype(np.float64)
    energy = max(float((first**2).sum()), float((second**2).sum()), 1e-12)
    apart = [((first - np.roll(second, lag + by, axis=0)) ** 2).sum() for by in range(-LAGS, LAGS + 1)]
    return float(min(apart)) / energy


def with_pieces_joined(
    drawn: PosteriorSamples,
    unit: NDArray[np.integer],
    pieces: Sequence[Pieces],
    rng: np.random.Generator,
) -> PosteriorSamples:
    """Add to draws those in which pieces are one cell, after all others.

    A draw that has pieces apart shares its weight with the one beside it, as the probabilities of the pieces
    say; which of several are one is drawn (`_Joining`). Those added have none of `drawn_weight` and no log q.

    unit : (m,) of each point; pieces : of these units, all pairs that are alike
    """
    joining = _Joining(pieces, rng)
    beside, rows, shares = [], [], []
    for row, labels in enumerate(drawn.labels):
        home = {int(one): int(np.bincount(labels[unit == one]).argmax()) for one in np.unique(unit)}
        joined, p_some = joining.of(home)
        if p_some == 0:
            continue
        relabelled = np.arange(int(labels.max()) + 1)
        for group in joined:
            clusters = sorted({home[one] for one in group})
            relabelled[clusters] = clusters[0]
        beside.append(relabelled[labels])
        rows.append(row)
        shares.append(p_some)
    if not rows:
        return drawn
    return drawn.with_beside(np.array(rows), np.stack(beside), np.array(shares))


Group = frozenset[int]


class _Joining:
    """Draws which units are one cell, the most probable pairs first.

    Two groups of units are one with the odds that all pairs between them say, on average, each as much as its
    templates are known: one pair that is alike by chance does not make one cell of two that are not.
    """

    def __init__(self, pieces: Sequence[Pieces], rng: np.random.Generator) -> None:
        self._pairs = {frozenset((one.first, one.second)): one for one in pieces}
        self._doubtful = [one for one in pieces if one.is_doubtful]
        self._usual = float(np.mean([one.weight for one in pieces])) if pieces else 1.0
        self._rng = rng

    def of(self, home: Mapping[int, int]) -> tuple[list[Group], float]:
        """Groups of units of one draw of which at least two are joined, and P(any are).

        home : unit -> its cluster; units of one cluster are one group to begin with
        """
        group_of = {one: frozenset(other for other in home if home[other] == home[one]) for one in home}
        first = dict.fromkeys(self._between(group_of, home))
        p_each = [self._p_one(pair) for pair in first]
        none = np.cumprod([1 - p for p in reversed(p_each)])[::-1]  # of this pair of groups and all after it
        if not p_each:
            return [], 0.0
        some = False
        refused: set[frozenset[Group]] = set()
        for pair in self._between(group_of, home):
            if pair in refused or len(pair) < 2:
                continue
            p = self._p_one(pair)
            if not some:
                p /= 1 - none[list(first).index(pair)]
            if self._rng.random() >= p:
                refused.add(pair)
                continue
            some = True
            together = frozenset().union(*pair)
            group_of |= dict.fromkeys(together, together)
        return list(set(group_of.values())), 1 - float(none[0])

    def _between(self, group_of: Mapping[int, Group], home: Mapping[int, int]) -> Iterator[frozenset[Group]]:
        """Pairs of groups that a doubtful pair of units lies between, as groups are when it is its turn."""
        for one in self._doubtful:
            if one.first in home and one.second in home and group_of[one.first] != group_of[one.second]:
                yield frozenset((group_of[one.first], group_of[one.second]))

    def _p_one(self, pair: frozenset[Group]) -> float:
        first, second = pair
        unlike = Pieces(-1, -1, -MOST_NATS, self._usual)
        between = [self._pairs.get(frozenset(two), unlike) for two in product(first, second)]
        values, weights = zip(*((one.nats, one.weight) for one in between), strict=True)
        return float(expit(np.average(values, weights=weights)))
