"""Components: units that are asked about together, because some of their spikes may be of one neuron.

Two units are in doubt when all evidence (`unit_distances.distances`: waveforms, shapes, times) leaves them
less than `DOUBTFUL` sd apart, when one may be an echo of the other (`echoes.echo_pairs`), when both may be
pieces of a cell that moved (`drift_pieces`), and when a cell of one may go on in the other as the tissue
moves (`FoundUnits.alike`). Components are the connected parts of the graph of doubts. They stay small enough
to be asked about: doubts are taken the closest pair first, those of the other three kinds before all, and one
that would bring together more than `MAX_UNITS` units, or units that the contacts around none of them all see,
is *cut*. A unit without doubts is a component of its own: it may still be two neurons.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Echoes
from ncpgui.core.partition import rows_of_clusters
from ncpgui.core.probe import Probe
from ncpgui.core.seeds import stream
from ncpgui.sorting.channel_partition import contacts_around
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.drift_pieces import Pieces
from ncpgui.sorting.echoes import EchoPair, echo_pairs
from ncpgui.sorting.found_units import FoundUnits
from ncpgui.sorting.parts import nearest_measured
from ncpgui.sorting.unit_distances import distances

log = logging.getLogger(__name__)

DOUBTFUL = 6.0
"""Units closer than this, in sd of their spikes, are asked about together: of 700 spikes one is mistaken."""
MAX_UNITS = 6
FAIR_SHARE = 0.5
"""Part of the drawn spikes that is divided among the units evenly, the rest by their number of spikes."""

ALONE_SHARE = 0.5
"""Part of `spikes_per_group` that is enough for a component of one unit."""


@dataclass(frozen=True)
class ComponentDraw:
    """Units of a component before the posterior is sampled.

    id : its number; units : (k,) increasing
    contacts : (C,) channels of the waveforms, aligned on the first
    spike_ids : (n,) rows of all spikes of its units; sampled : (m,) increasing positions in `spike_ids`
    measured : (n,) bool, as of `Matched`
    follows : (n,) int64, position of the spike that each one is (`Matched.again`), of the nearest of its unit
        where that is in another component; its own where it was found once. None where all were
    cut_from, echoes, elsewhere : as of `Component`
    proposed : groups of its units that somebody proposes to merge
    pieces : pairs of its units that are alike where tissue moved; some may be pieces of one cell
    """

    id: int
    units: NDArray[np.int64]
    contacts: NDArray[np.int64]
    spike_ids: NDArray[np.int64]
    sampled: NDArray[np.int64]
    cut_from: tuple[int, ...] = ()
    echoes: tuple[Echoes, ...] = ()
    proposed: tuple[tuple[int, ...], ...] = ()
    pieces: tuple[Pieces, ...] = ()
    measured: NDArray[np.bool_] | None = None
    follows: NDArray[np.int64] | None = None
    elsewhere: NDArray[np.float32] | None = None

    @property
    def again(self) -> NDArray[np.bool_]:
        """Which spikes were found before, in another unit: (n,)."""
        if self.follows is None:
            return np.zeros(len(self.spike_ids), dtype=bool)
        return np.asarray(self.follows != np.arange(len(self.follows)))

    def rest(self, known: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Positions in `spike_ids` of the spikes that were not drawn; of those that are `known` (n,)."""
        left = np.ones(len(self.spike_ids), dtype=bool) if known is None else known.copy()
        left[self.sampled] = False
        return np.flatnonzero(left & ~self.again)


@dataclass(frozen=True)
class Doubts:
    """Components as lists of units, in order of their first, and pairs of units whose doubt was cut."""

    components: list[list[int]]
    cut: list[tuple[int, int]]

    def cut_from(self, number: int) -> tuple[int, ...]:
        """Numbers of the components that a doubt would join with one, were it not cut."""
        home = {unit: k for k, members in enumerate(self.components) for unit in members}
        ends = [(home[first], home[second]) for first, second in self.cut]
        return tuple(sorted({b if a == number else a for a, b in ends if number in (a, b)}))


def draw_components(
    units: FoundUnits,
    probe: Probe,
    config: SortingConfig,
    *,
    bad_channels: tuple[int, ...] = (),
    apart: Collection[int] = (),
    together: Collection[tuple[int, ...]] = (),
    pieces: Collection[Pieces] = (),
) -> list[ComponentDraw]:
    """Put the units into components, and draw at most `spikes_per_group` spikes of each, half for one unit.

    The draw depends on the seed, the number of the component and its units, on nothing else. Units of which
    nothing can be said (`apart`) are components of their own.
    Groups of units that somebody proposes to merge (`together`) are in doubt, whatever the distance, and so
    are `pieces` of a cell that moved. Where not all spikes were measured (`Matched`), only those that
    were are drawn, and none that is another found again.
    """

    def contacts(members: list[int]) -> NDArray[np.int64] | None:
        return contacts_of(members, units, probe, config, bad_channels)

    pairs = distances(units.matched, sampling_frequency_hz=units.sampling_frequency_hz)
    echoes = echo_pairs(
        units.matched, sampling_frequency_hz=units.sampling_frequency_hz, n_samples=units.n_samples
    )
    doubtful = [(one.source, one.echo) for one in echoes]
    doubtful += [pair for group in together for pair in pairwise(group)]
    doubtful += [(one.first, one.second) for one in pieces if one.is_asked]
    doubtful += [] if units.alike is None else units.alike.pairs
    doubtful += [(a, b) for distance, a, b in pairs if distance < DOUBTFUL]
    doubts = connected(
        units.n_units,
        [(a, b) for a, b in doubtful if a not in apart and b not in apart],
        fits=lambda members: len(members) <= MAX_UNITS and contacts(members) is not None,
    )
    if doubts.cut:
        pairs_of = ", ".join(f"{first} and {second}" for first, second in doubts.cut)
        log.warning("components would be too large; units in doubt that are asked about apart: %s", pairs_of)
    result = []
    rows = rows_of_clusters(units.unit, units.n_units)
    for number, members in enumerate(doubts.components):
        channels = contacts(members)
        assert channels is not None
        ids = np.sort(np.concatenate([rows[unit] for unit in members]))
        rng = stream(config.seed, "component", number)
        share = ALONE_SHARE if len(members) == 1 else 1
        there = None if units.matched.measured is None else units.matched.measured[ids]
        follows = _followed(units, ids)
        may_be_drawn = np.ones(len(ids), dtype=bool) if there is None else there.copy()
        if follows is not None:
            may_be_drawn &= follows == np.arange(len(ids))
        drawn_from = np.flatnonzero(may_be_drawn)
        most = max(1, int(share * config.spikes_per_group))
        sampled = drawn_from[drawn_fairly(units.unit[ids[drawn_from]], most, rng)]
        result.append(
            ComponentDraw(
                number,
                np.array(members),
                channels,
                ids,
                sampled,
                doubts.cut_from(number),
                tuple(_here(one, ids) for one in echoes if {one.echo, one.source} <= set(members)),
                tuple(group for group in together if set(group) <= set(members)),
                tuple(one for one in pieces if {one.first, one.second} <= set(members)),
                there,
                follows,
                _elsewhere(units, members, ids),
            )
        )
    return result


def _elsewhere(
    units: FoundUnits, members: list[int], spike_ids: NDArray[np.int64]
) -> NDArray[np.float32] | None:
    """`Component.elsewhere` of a component of these units and spikes."""
    if units.alike is None:
        return None
    place = units.matched.places.of(units.matched.sample_index[spike_ids])
    share = units.alike.elsewhere(members)[place, units.unit[spike_ids]]
    return share.astype(np.float32) if share.any() else None


def _followed(units: FoundUnits, spike_ids: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """`ComponentDraw.follows` of a component of these spikes."""
    if units.matched.again is None:
        return None
    other = units.matched.again[spike_ids]
    if (other < 0).all():
        return None
    place = np.minimum(np.searchsorted(spike_ids, other), len(spike_ids) - 1)
    nearest = nearest_measured(units.matched.sample_index[spike_ids], units.unit[spike_ids], other < 0)
    return np.where((other >= 0) & (spike_ids[place] == other), place, nearest)


def _here(pair: EchoPair, spike_ids: NDArray[np.int64]) -> Echoes:
    """A pair by the positions of its spikes in a component."""
    spikes, sources = (np.searchsorted(spike_ids, ids) for ids in (pair.spikes, pair.sources))
    return Echoes(spikes, sources, pair.probability)


def connected(n_units: int, pairs: list[tuple[int, int]], *, fits: Callable[[list[int]], bool]) -> Doubts:
    """Join units by pairs, in their order, as long as what comes out fits."""
    home = [[unit] for unit in range(n_units)]
    cut = []
    for first, second in pairs:
        if home[first] is home[second]:
            continue
        together = sorted(home[first] + home[second])
        if not fits(together):
            cut.append((first, second))
            continue
        for unit in together:
            home[unit] = together
    components = [members for unit, members in enumerate(home) if members[0] == unit]
    cut = [pair for pair in dict.fromkeys(cut) if home[pair[0]] is not home[pair[1]]]
    return Doubts(components, cut)


def contacts_of(
    members: list[int],
    units: FoundUnits,
    probe: Probe,
    config: SortingConfig,
    bad_channels: tuple[int, ...] = (),
) -> NDArray[np.int64] | None:
    """Contacts on which all these units are seen at their main channel: (C,), None if there are none.

    The first is where the units are deepest, each measured by its own depth.
    """
    depth = units.depth_sd[members]
    share = (depth / np.maximum(depth.max(axis=1, keepdims=True), 1e-9)).sum(axis=0)
    share[list(bad_channels)] = -1
    for reference in np.argsort(-share, kind="stable")[: len(members)]:
        channels = contacts_around(int(reference), probe, config, bad_channels)
        if np.isin(units.main_channel[members], channels).all():
            return channels
    return None


def drawn_fairly(units: NDArray[np.integer], most: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Positions of at most so many spikes, drawn from all units: (m,) increasing.

    A unit gets an even part of half of them where it has as many, and its part of the rest.
    """
    if len(units) <= most:
        return np.arange(len(units))
    names, sizes = np.unique(units, return_counts=True)
    even = np.minimum(sizes, int(FAIR_SHARE * most / len(names)))
    left = sizes - even
    up_to = (most - even.sum()) * np.cumsum(left) // left.sum()  # so that together they are `most`
    wanted = even + np.diff(up_to, prepend=0)
    chosen = [
        rng.choice(np.flatnonzero(units == name), count, replace=False)
        for name, count in zip(names, wanted, strict=True)
    ]
    return np.sort(np.concatenate(chosen)).astype(np.int64)
