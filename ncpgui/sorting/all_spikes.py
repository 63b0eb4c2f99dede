"""All spikes of a component weigh its draws, not only those sampled: by heaps, places, times and fields.

A draw says of the sampled spikes which are of one neuron. Each other spike goes with the sampled one that is
nearest to it in the coordinates, among those that matching gave to the same unit. So every draw is a sorting
of all spikes. What it parts of a unit of matching, and units that it has as one, are two heaps or one
(`core.heaps`), fire at the same places of the tissue or take turns (`evidence.drift_turns`), and
keep a refractory period together, or apart (`evidence.refractory`). Where nobody knows how the tissue moved,
one may end when the other begins, as in tissue that jumps (`evidence.drift_jumps`). Where white noise was
shown, they respond to it as one cell or as two (`evidence.fields`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.alternatives import min_unit_size
from ncpgui.core.heaps import heap_quantities, two_heaps_nats
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence import drift_jumps, drift_turns
from ncpgui.evidence.fields import Responses
from ncpgui.evidence.refractory import ClosePairs, two_trains_nats
from ncpgui.evidence.tempered import STIMULUS_PART, power_of, widened
from ncpgui.sorting.config import SortingConfig

SPIKES_AT_ONCE = 4096
SAID_TWICE = 0.5
"""Power of the likelihood of refractory periods where the network has read the times: it was trained on such
periods, so that the same times would count twice. Of 0.4, 0.5, 0.6, 0.75 and 1 the one with the best log
scores on the sets of the development of `benchmarks/clustering/final_sets.py`."""


def weighed_by_all_spikes(
    posterior: PosteriorSamples,
    sampled: NDArray[np.int64],
    coordinates: NDArray[np.float32],
    company: NDArray[np.integer],
    fired: NDArray[np.int64],
    *,
    sampling_frequency_hz: float,
    config: SortingConfig,
    place: NDArray[np.integer] | None = None,
    seen: NDArray[np.bool_] | None = None,
    responses: Responses | None = None,
    times_read: bool = False,
    pieces: Collection[Sequence[int]] = (),
    known: NDArray[np.bool_] | None = None,
) -> PosteriorSamples:
    """Posterior given where all spikes of the component lie, when they were fired, and what they respond to.

    `config` says what of it counts.

    Parameters
    ----------
    sampled : (m,) positions of the posterior's points among the n spikes
    coordinates : (n, d) of all spikes
    company : (n,) unit that matching gave each spike to, -1 = none
    fired : (n,) samples, not decreasing, as far apart as spikes were in time (`Clock.apart`)
    place : (n,) of the tissue when each was fired, from 0 on; one for all when left out
    seen : (n,) spikes whose coordinates are their own and not made up: the others are in no heap; all of them
        when left out
    responses : of all spikes to white noise; None where there was none
    times_read : whether the network that drew was told when the sampled spikes were fired
    pieces : pairs of units of matching whose shapes and places weighed the draws before (`drift_pieces`)
    known : (n,) spikes that were read, where some were not: parts of a unit are of these, since a draw does
        not say where another is; units as a whole are of all spikes
    """
    shown = responses if config.stimulus else None
    if not (config.heaps or config.firing_times or shown is not None):
        return posterior
    followed = nearest_sampled(sampled, coordinates, company)
    near = None if shown is None else shown.near_fields(_groups(posterior, company, followed))
    if not (config.heaps or config.firing_times or near is not None):
        return posterior
    spikes = Spikes(
        coordinates,
        fired,
        np.zeros(len(company), dtype=np.int64) if place is None else place,
        next((one for one in (seen, known) if one is not None), np.ones(len(company), dtype=np.bool_)),
        sampling_frequency_hz,
        config,
        near,
        times_read,
    )
    said = {frozenset(pair) for pair in pieces}
    shapes, times, stimulus = parted_nats(posterior, sampled, spikes, company, followed, said, known).T
    weighed = posterior.weighed(power_of(posterior.weight, shapes) * shapes + times)
    weighed = weighed.changed(weight=widened(posterior.weight, weighed.weight))
    if not stimulus.any():
        return weighed
    stimulus *= power_of(weighed.weight, stimulus, part=STIMULUS_PART)
    return weighed.weighed(np.zeros(len(stimulus)), stimulus_nats=stimulus)


def _groups(
    posterior: PosteriorSamples, company: NDArray[np.integer], followed: NDArray[np.int64]
) -> Iterator[NDArray[np.bool_]]:
    """Units of matching, and clusters of the draw that has most, (n,) bool each: some have the fields."""
    finest = posterior.rows[posterior.n_clusters.argmax()][followed]
    for labels in (company, finest):
        yield from (labels == label for label in np.unique(labels[labels >= 0]))


@dataclass(frozen=True, eq=False)
class Spikes:
    """What is known of n spikes, in order of time; see `weighed_by_all_spikes`.

    place : None where nobody knows how the tissue moved
    responses : to white noise; None where there was none
    times_read : by whoever drew; refractory periods then count by the power `SAID_TWICE`
    """

    coordinates: NDArray[np.float32]
    fired: NDArray[np.int64]
    place: NDArray[np.integer] | None
    seen: NDArray[np.bool_]
    sampling_frequency_hz: float
    config: SortingConfig
    responses: Responses | None = None
    times_read: bool = False

    def of(self, rows: NDArray[np.integer]) -> Spikes:
        """Some of them."""
        return replace(
            self,
            coordinates=self.coordinates[rows],
            fired=self.fired[rows],
            place=None if self.place is None else self.place[rows],
            seen=self.seen[rows],
            responses=None if self.responses is None else self.responses.of(rows),
        )

    @cached_property
    def pairs(self) -> ClosePairs:
        """Those of them that were fired shortly after each other."""
        return ClosePairs.of(self.fired, sampling_frequency_hz=self.sampling_frequency_hz)

    def two_neurons_nats(self, first: NDArray[np.bool_], second: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Log likelihood ratios of two sets of them, (n,) bool, two neurons against one, nats: (3,).

        By heaps and places, by times, and by the stimulus.
        """
        shapes, times = 0.0, 0.0
        if self.config.heaps:
            parts = [part & self.seen for part in (first, second)]
            shapes += float(two_heaps_nats(heap_quantities(*(self.coordinates[part] for part in parts))))
            if self.place is not None:
                n_places = int(self.place.max(initial=0)) + 1
                at = [np.bincount(self.place[part], minlength=n_places) for part in parts]
                shapes += drift_turns.two_neurons_nats(*at)
        if self.config.firing_times:
            counts = self.pairs.counts(first, second)
            power = SAID_TWICE if self.times_read else 1.0
            times += power * two_trains_nats(counts, self.pairs.ratio)
            if self.place is None:
                times += drift_jumps.two_neurons_nats(first, second, self.fired)
        stimulus = 0.0 if self.responses is None else self.responses.two_cells_nats(first, second)
        return np.array([shapes, times, stimulus])


def parted_nats(
    posterior: PosteriorSamples,
    sampled: NDArray[np.int64],
    spikes: Spikes,
    company: NDArray[np.integer],
    followed: NDArray[np.int64],
    pieces: Collection[frozenset[int]] = (),
    read: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]:
    """Log likelihoods of what each draw parts and joins, against the units of matching: (S, 3), nats.

    By heaps and places, by times, and by the stimulus.

    A part of a unit is its spikes that are in one cluster of the draw; the largest is the unit's home. Each
    other part is compared with every larger one, and each unit with every larger one that has the same home:
    the nearest of them speaks. Parts of few sampled spikes are no units, and say nothing.

    followed : (n,) the point of the posterior that each spike goes with; others as `weighed_by_all_spikes`
    pieces : pairs of units of whose shapes and places nothing is said; read : `known` of that
    """
    known = company >= 0
    names, sizes = np.unique(company[known & (company[sampled][followed] == company)], return_counts=True)
    names = names[np.argsort(-sizes, kind="stable")]
    nats = np.zeros((posterior.n_samples, 3))
    home = np.zeros((posterior.n_samples, len(names)), dtype=np.int64)
    for column, unit in enumerate(names):
        points = np.flatnonzero(company[sampled] == unit)
        is_member = (company == unit) & (company[sampled][followed] == unit)
        members = np.flatnonzero(is_member if read is None else is_member & read)
        compared = Compared(spikes.of(members), np.searchsorted(points, followed[members]))
        least = min_unit_size(len(points))
        cuts, row = np.unique(posterior.labels[:, points], axis=0, return_inverse=True)
        parts = [np.bincount(cut) for cut in cuts]
        home[:, column] = np.array([sizes.argmax() for sizes in parts])[row.reshape(-1)]
        ranked = [np.argsort(-sizes, kind="stable") for sizes in parts]
        of_cut = [
            compared.parted([cut == part for part in order if sizes[part] >= least])
            for cut, sizes, order in zip(cuts, parts, ranked, strict=True)
        ]
        nats += np.array(of_cut)[row.reshape(-1)]
    compared = Compared(spikes, np.arange(len(company)))
    units = [company == unit for unit in names]
    for draw, homes in enumerate(home):
        for k in range(1, len(names)):
            larger = [j for j in range(k) if homes[j] == homes[k]]
            if larger:
                said = [frozenset((int(names[j]), int(names[k]))) in pieces for j in larger]
                nats[draw] -= compared.nearest([units[j] for j in larger], units[k], said)
    return nats


class Compared:
    """Compares parts of some spikes, the same ones once.

    point : (n,) which of m points each spike goes with, those that parts are of
    """

    def __init__(self, spikes: Spikes, point: NDArray[np.int64]) -> None:
        self._spikes, self._point = spikes, point
        self._known: dict[tuple[bytes, bytes], NDArray[np.float64]] = {}

    def parted(self, parts: Sequence[NDArray[np.bool_]]) -> NDArray[np.float64]:
        """Log likelihood ratios of parts, (m,) bool each, the largest first, against one neuron: (3,)."""
        nearest = [self.nearest(parts[:k], part) for k, part in enumerate(parts) if k]
        return np.sum(nearest, axis=0) if nearest else np.zeros(3)

    def nearest(
        self,
        others: Sequence[NDArray[np.bool_]],
        part: NDArray[np.bool_],
        said: Sequence[bool] | None = None,
    ) -> NDArray[np.float64]:
        """Log likelihood ratios of a part against its being one neuron with the nearest of others: (3,).

        The nearest by all of them together. Where shapes and places of any pair were `said`, all others are
        one neuron, and only times and the stimulus say whether the part is of it.
        """
        if said is not None and any(said):
            return self._compared(np.logical_or.reduce(others), part) * [0, 1, 1]
        ratios = [self._compared(other, part) for other in others]
        return min(ratios, key=np.sum)

    def _compared(self, first: NDArray[np.bool_], second: NDArray[np.bool_]) -> NDArray[np.float64]:
        key = first.tobytes(), second.tobytes()
        if key not in self._known:
            self._known[key] = self._spikes.two_neurons_nats(first[self._point], second[self._point])
        return self._known[key]


def nearest_sampled(
    sampled: NDArray[np.int64], coordinates: NDArray[np.float32], company: NDArray[np.integer]
) -> NDArray[np.int64]:
    """Row of `sampled` of the spike that each spike goes with: (n,); sampled ones go with themselves.

    The nearest of its company; of all, where none of its company was sampled. Options as
    `weighed_by_all_spikes`.
    """
    result = np.zeros(len(coordinates), dtype=np.int64)
    for unit in np.unique(company):
        members = np.flatnonzero(company == unit)
        rows = np.flatnonzero(company[sampled] == unit)
        rows = rows if len(rows) else np.arange(len(sampled))
        known = coordinates[sampled[rows]].astype(np.float64)
        square = (known**2).sum(axis=1)
        for first in range(0, len(members), SPIKES_AT_ONCE):
            some = members[first : first + SPIKES_AT_ONCE]
            result[some] = rows[(square - 2 * coordinates[some].astype(np.float64) @ known.T).argmin(axis=1)]
    result[sampled] = np.arange(len(sampled))
    return result
