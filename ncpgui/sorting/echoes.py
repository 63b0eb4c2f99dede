"""Units that may be echoes of others: found over the whole recording, and asked about with the draws.

`evidence.echoes` says of two trains whether one is an echo of the other. Trains are compared where one can
be: the larger unit is seen on the channel on which the smaller one is largest. The larger of two is the
source, by the energy that templates have close to the time of a spike: a template that is longer holds the
spikes of both.

A network that sees waveforms has a neuron and its echo as two in every draw. So each draw gets copies beside
it in which echoes are in the clusters of their sources (`with_echoes`). A pair is one neuron with the
probability of its times, whatever the draw has else. Of several pairs the more probable one is an echo
wherever the less probable one is, so that there are as many copies as pairs, and each has its probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Alternative, Echoes
from ncpgui.core.partition import by_size, rows_of_clusters
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.echoes import Locked, echo_probability, locked, may_be_locked, near_samples
from ncpgui.sorting.component_alternatives import MAX_SHOWN, MIN_MASS
from ncpgui.sorting.config import SortingConfig

if TYPE_CHECKING:
    from ncpgui.sorting.matched import Matched

DOUBTFUL = 0.05
"""P(echo) from which on two units are asked about together; less is synchrony of two neurons."""
CLOSE_MS = 0.5
"""Part of a template, before and after the time of a spike, whose energy says which unit is larger."""
LEAST_COPY = 1e-6


@dataclass(frozen=True, eq=False)
class EchoPair:
    """A unit that may be an echo of another one.

    echo, source : units; spikes, sources : (k,) rows of the spikes that matching found
    probability : P(these spikes are echoes); p_all : P(all spikes of the unit are, of this or other units)
    """

    echo: int
    source: int
    spikes: NDArray[np.int64]
    sources: NDArray[np.int64]
    probability: float
    p_all: float


def echo_pairs(matched: Matched, *, sampling_frequency_hz: float, n_samples: int) -> list[EchoPair]:
    """Units that may be echoes, the most probable pair first; a unit may have echoes of several others.

    What is locked to one unit, that of most, is not asked about with another.
    """
    from ncpgui.sorting.coincidences import n_together  # loads numba

    rows = rows_of_clusters(matched.unit, matched.n_units)
    fired = matched.fired
    energy, pairs = _places(matched, sampling_frequency_hz)
    larger: dict[int, list[int]] = {}
    for echo, source in pairs:
        larger.setdefault(echo, []).append(source)

    n_near = n_together(fired, matched.unit, matched.n_units, near_samples(sampling_frequency_hz))

    def most_locked(echo: int, own: NDArray[np.int64], sources: list[int]) -> tuple[int, Locked] | None:
        found = [
            (source, one)
            for source in sources
            if may_be_locked(n_near[echo, source], len(own), len(rows[source]))
            and (one := locked(fired[own], fired[rows[source]], **told))
            and one.p_echo >= DOUBTFUL
        ]
        return max(found, key=lambda one: len(one[1].spikes), default=None)

    told: dict[str, Any] = {
        "sampling_frequency_hz": sampling_frequency_hz,
        "n_samples": n_samples,
        "n_pairs": len(pairs),
    }
    result = []
    for echo, sources in larger.items():
        left, found = rows[echo], list[tuple[int, Locked, NDArray[np.int64]]]()
        while (most := most_locked(echo, left, sources)) is not None:
            found.append((*most, left[most[1].spikes]))
            left = np.delete(left, most[1].spikes)
        n, n_left = len(rows[echo]), len(left)
        p_all = echo_probability(n, n - n_left, sum(one.by_chance for _, one, _ in found) / max(n, 1))
        result += [
            EchoPair(echo, source, spikes, rows[source][one.sources], one.p_echo, p_all)
            for source, one, spikes in found
        ]
    return sorted(result, key=lambda pair: (-pair.probability, -energy[pair.source]))


def _places(
    matched: Matched, sampling_frequency_hz: float
) -> tuple[NDArray[np.float64], list[tuple[int, int]]]:
    """Energy of each unit; pairs of a smaller one and a larger that is seen where the smaller is largest."""
    waveforms, n_before = matched.bank.waveforms, matched.bank.n_before
    reach = round(CLOSE_MS * sampling_frequency_hz / 1000)
    close = waveforms[:, max(0, n_before - reach) : n_before + reach + 1]
    by_channel = np.square(close, dtype=np.float64).sum(axis=1)
    energy = by_channel.sum(axis=1)
    is_larger = energy > energy[:, None]
    is_seen = (by_channel > 0).T[by_channel.argmax(axis=1)]
    return energy, [(int(unit), int(larger)) for unit, larger in np.argwhere(is_larger & is_seen)]


def with_echoes(
    posterior: PosteriorSamples,
    alternatives: tuple[Alternative, ...],
    sampled: NDArray[np.int64],
    followed: NDArray[np.int64],
    echoes: Sequence[Echoes],
    config: SortingConfig,
) -> tuple[PosteriorSamples, tuple[Alternative, ...]]:
    """Draws and alternatives of a component of n spikes, and beside them those in which echoes are no spikes.

    In such a draw an echo is in the cluster of its source; in such an alternative it is in no unit, so that a
    spike is in its train once.

    Parameters
    ----------
    posterior, alternatives : by all other evidence; sampled : (m,) positions of the posterior's points
    followed : (n,) point of the posterior that each spike goes with
    echoes : pairs of the component, the most probable first
    """
    p = np.array([1.0, *(one.probability for one in echoes), 0.0])
    shares = p[:-1] - p[1:]  # of the copies in which no pair is one, the first, the first two, ...
    copies = np.flatnonzero(shares > LEAST_COPY).tolist()
    shares /= shares[copies].sum()
    rows, echo_of = [posterior.rows], np.full(len(sampled), -1)
    for one in echoes:
        points, sources = _points(sampled, followed, one)
        rows.append(rows[-1].copy())
        rows[-1][:, points] = rows[-2][:, sources]
        echo_of[points] = sources
    n = posterior.n_samples

    def first_only(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate([values * (k == copies[0]) for k in copies])

    def repeated(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.tile(values, len(copies))

    drawn = posterior.weight if posterior.drawn_weight is None else posterior.drawn_weight
    every = PosteriorSamples(
        np.concatenate([rows[k] for k in copies]),
        np.concatenate([posterior.log_prob, np.full(n * (len(copies) - 1), np.nan)]),
        np.concatenate([posterior.weight * shares[k] for k in copies]),
        None if posterior.order is None else np.tile(posterior.order, len(copies)),
        first_only(drawn),
        posterior.sampler,
        None if posterior.stimulus_nats is None else repeated(posterior.stimulus_nats),
        first_only(posterior.weight),
        echo_of,
    )
    found = [
        _as_copy(one, float(shares[k]), k == copies[0], [pair.spikes for pair in echoes[:k]], sampled, config)
        for one in alternatives
        for k in copies
    ]
    found.sort(key=lambda one: -one.mass)
    return every, tuple([one for one in found if one.mass >= MIN_MASS][:MAX_SHOWN] or found[:1])


def _points(
    sampled: NDArray[np.int64], followed: NDArray[np.int64], pair: Echoes
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Points of the echoes that were sampled, and those that their sources go with."""
    there = np.isin(pair.spikes, sampled)
    return np.searchsorted(sampled, pair.spikes[there]), followed[pair.sources[there]]


def _as_copy(
    alternative: Alternative,
    share: float,
    is_first: bool,
    echoes: list[NDArray[np.int64]],
    sampled: NDArray[np.int64],
    config: SortingConfig,
) -> Alternative:
    """An alternative with these echoes (positions) in no unit, and a share of its mass."""
    labels = alternative.labels.copy()
    for spikes in echoes:
        unit = (
            np.bincount(labels[spikes][labels[spikes] >= 0]).argmax() if (labels[spikes] >= 0).any() else -1
        )
        labels[spikes] = -1
        if np.count_nonzero(labels[sampled] == unit) < config.min_cluster_spikes:
            labels[labels == unit] = -1
    number, former = by_size(labels)
    alone = 1.0 if is_first else 0.0
    by_less = {
        name: None if (mass := getattr(alternative, name)) is None else alone * mass
        for name in ("mass_waveforms", "mass_without_stimulus")
    }
    return replace(
        alternative,
        labels=number.astype(np.int32),
        probability=np.where(labels < 0, 0, alternative.probability).astype(np.float32),
        mass=share * alternative.mass,
        mass_se=share * alternative.mass_se,
        p_exists=alternative.p_exists[former[: number.max(initial=-1) + 1]],
        mass_without_echoes=alone * alternative.mass,
        **by_less,
    )
