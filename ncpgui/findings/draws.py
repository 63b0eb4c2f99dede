"""Joint draws of a whole recording: `ncpgui.draws(session)` gives sortings of SpikeInterface, one a draw.

- *Components* are drawn independently, each by the weights of its draws given what was decided. Among n draws
  each sample is there as often as its weight says, but for rounding to the next whole number up or down.
- *Units* have the numbers that they have in use (`component_draws`). Of units whose doubt was cut,
  because their component would be too large, nothing is known together: they are drawn apart, and are one
  where the caller says how probable that is (`p_same`).
- *Spikes that were not sampled* go with the sampled spike that they are most like.
- *Spikes that may be of no neuron* are left out with this probability: what is left over of larger units, and
  echoes. Whether a unit as a whole is noise is no part of it: `p_neuron` of the unit says so.
- *Spikes that were missed* are modelled, and not put in: each unit has `missed_per_found`, spikes of its cell
  that matching missed for each that it found. It is drawn: log-normal around what is expected.
- *Second cells* that the network did not see: a unit whose waveforms may be two heaps, or whose spikes are as
  close as those of two cells, is two units in as many draws as this is probable (`second_cells`).
- *What a person decided* holds in every draw: accepted units keep their spikes, and so do units whose merge
  or split no draw has; units called noise are left out, as are spikes that were taken out of their unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.arguments import number, whole_number
from ncpgui.core.errors import InputError
from ncpgui.core.project import Project
from ncpgui.core.seeds import stream
from ncpgui.core.spikes import UNASSIGNED
from ncpgui.curation.clustering import unit_codes
from ncpgui.curation.conditioned import given_components
from ncpgui.curation.curated_sorting import CuratedSorting
from ncpgui.ephys.numpy_sortings import numpy_sorting
from ncpgui.evidence.unit_accuracy import LOST_SD_NATS
from ncpgui.findings.component_draws import ComponentDraws, followed_points
from ncpgui.findings.recorded import annotate_recorded
from ncpgui.findings.second_cells import SecondCell, second_cells
from ncpgui.session.decided import DecidedSession, decided, read_decided

if TYPE_CHECKING:
    from spikeinterface.core import BaseSorting


@dataclass(frozen=True, eq=False)
class JointPosterior:
    """The posterior over sortings of a whole recording, as it stands.

    project : with its components given what was decided
    in_use : (n_spikes,) unit of each spike as it stands, -1 = none; those that no component has stay so
    components : of those that were sampled
    p_own : (n_spikes,) P(each spike is not a left-over of another unit's, and no echo)
    missed : (n_spikes,) spikes that are expected to have been missed for each that was found
    left_out : (n_spikes,) bool, spikes that a person took out, or called noise
    hidden : units that may hide a second cell; it has the number `first_hidden` + place of the unit there
    """

    project: Project
    in_use: NDArray[np.int64]
    components: tuple[ComponentDraws, ...]
    p_own: NDArray[np.float64]
    missed: NDArray[np.float64]
    left_out: NDArray[np.bool_]
    hidden: Mapping[int, SecondCell] = field(default_factory=dict)
    first_hidden: int = 0

    @cached_property
    def units(self) -> NDArray[np.int64]:
        """Units in use, increasing; those called noise are not among them."""
        kept = self.in_use[~self.left_out]
        return np.unique(kept[kept >= 0])

    @cached_property
    def doubtful(self) -> NDArray[np.int64]:
        """Spikes that may be of no neuron."""
        return np.flatnonzero(self.p_own < 1)

    @property
    def cut(self) -> tuple[tuple[int, int], ...]:
        """Pairs of components that have units in doubt with each other, and are drawn apart."""
        pairs = {
            (min(one.component.id, other), max(one.component.id, other))
            for one in self.components
            for other in one.component.cut_from
        }
        return tuple(sorted(pairs))

    def sorting_of(self, rows: Sequence[int]) -> NDArray[np.int64]:
        """Unit of each spike if these are the draws of the components: (n_spikes,), -1 = none."""
        units = self.in_use.copy()
        for one, row in zip(self.components, rows, strict=True):
            units[one.component.spike_ids] = one.units(row)
        units[self.left_out] = UNASSIGNED
        return units


def joint_posterior(source: object, *, seed: int = 0) -> JointPosterior:
    """The joint posterior of a session (its file, or as read), a project, or a sorting of `ncpgui.sort`.

    Raises
    ------
    InputError
        It holds no posterior.
    SessionError
        The file cannot be read.
    """
    session = _session_of(source)
    project, decisions = session.as_it_stands, session.decisions
    in_use = decisions.unit_of_spike
    held = _held(session, decisions)
    first_new = max(project.highest_unit, int(in_use.max(initial=-1))) + 1
    components, hidden = [], dict[int, SecondCell]()
    for one in project.components:
        drawn = ComponentDraws(
            component=one,
            followed=followed_points(one, project.waveforms.get(one.id), stream(seed, "followed", one.id)),
            in_use=in_use[one.spike_ids],
            first_new=first_new,
            held=held,
            min_spikes=project.min_cluster_spikes,
        )
        components.append(drawn)
        first_new += drawn.n_new
        waveforms = project.waveforms.get(one.id)
        if waveforms is not None and waveforms.coordinates is not None:
            free = np.where(np.isin(drawn.in_use, list(held)), UNASSIGNED, drawn.in_use)
            hidden |= second_cells(
                one,
                waveforms.coordinates,
                free,
                project.fired[one.spike_ids],
                sampling_frequency_hz=project.spikes.sampling_frequency_hz,
            )
    noise = [unit for unit, label in decisions.labels.items() if label == "noise"]
    taken_out = (in_use < 0) & (project.unit_of_spike >= 0)
    p_own = np.where(np.isin(in_use, list(held)), 1.0, _p_own(project, in_use))
    missed = np.zeros(len(in_use)) if project.lost is None else project.lost.astype(np.float64)
    return JointPosterior(
        project,
        in_use,
        tuple(components),
        p_own,
        missed,
        np.isin(in_use, noise) | taken_out,
        hidden,
        first_new,
    )


@dataclass(frozen=True, eq=False)
class Draws(Sequence["BaseSorting"]):
    """Sortings of SpikeInterface, each a draw from the joint posterior, made when they are asked for.

    rows : (n_components, n) sample of each component in each draw
    p_same : P(two units are one neuron), where the caller knows it
    """

    posterior: JointPosterior
    rows: NDArray[np.int64]
    seed: int
    p_same: Mapping[tuple[int, int], float] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.rows.shape[1]

    @overload
    def __getitem__(self, index: int) -> BaseSorting: ...
    @overload
    def __getitem__(self, index: slice) -> list[BaseSorting]: ...
    def __getitem__(self, index: int | slice) -> BaseSorting | list[BaseSorting]:
        if isinstance(index, slice):
            return [self[k] for k in range(len(self))[index]]
        return self._made(range(len(self))[index])

    def __iter__(self) -> Iterator[BaseSorting]:
        return (self._made(k) for k in range(len(self)))

    def unit_of_spike(self, index: int) -> NDArray[np.int64]:
        """Unit of each spike of the project in a draw, those left out by chance too: (n_spikes,)."""
        posterior = self.posterior
        units = posterior.sorting_of(self.rows[:, index].tolist())
        for place, (unit, cell) in enumerate(posterior.hidden.items()):
            ids = cell.drawn(stream(self.seed, "second", index, unit))
            units[ids[units[ids] == unit]] = posterior.first_hidden + place
        rng = stream(self.seed, "joined", index)
        for (first, second), p in self.p_same.items():
            if rng.random() < p:
                units[units == second] = first
        return units

    @cached_property
    def p_there(self) -> dict[int, float]:
        """Share of all draws in which each unit in use is there, by the weights: no chance is in it."""
        absent = dict.fromkeys(self.posterior.units.tolist(), 1.0)
        for one in self.posterior.components:
            there = dict.fromkeys(np.unique(one.in_use[one.in_use >= 0]).tolist(), 0.0)
            weight = one.component.posterior.weight
            for row in np.flatnonzero(weight > 0).tolist():
                for unit in np.unique(one.units(row)).tolist():
                    if unit in there:
                        there[unit] += float(weight[row])
            for unit, p in there.items():
                if unit in absent:
                    absent[unit] *= max(1 - p, 0.0)
        in_none = self.posterior.project.component_of_spike < 0
        for unit in np.unique(self.posterior.in_use[in_none]).tolist():
            absent[unit] = 0.0
        return {unit: 1 - absent[unit] for unit in self.posterior.units.tolist()}

    @cached_property
    def in_use(self) -> BaseSorting:
        """The sorting in use, with as many spikes missed as are expected."""
        units = np.where(self.posterior.left_out, UNASSIGNED, self.posterior.in_use)
        sorting, _, missed = self._sorting(units)
        if len(missed):
            sorting.set_property("missed_per_found", missed)
        return sorting

    def _made(self, index: int) -> BaseSorting:
        posterior, project = self.posterior, self.posterior.project
        rng = stream(self.seed, "draw", index)
        units = self.unit_of_spike(index)
        doubtful = posterior.doubtful
        units[doubtful[rng.random(len(doubtful)) >= posterior.p_own[doubtful]]] = UNASSIGNED
        sorting, kept, missed = self._sorting(units)
        ids = sorting.unit_ids
        if len(ids):
            at = [stream(self.seed, "missed", index, unit).normal() for unit in ids.tolist()]
            sorting.set_property("missed_per_found", missed * np.exp(LOST_SD_NATS * np.array(at)))
            sorting.set_property("is_new", ~np.isin(ids, posterior.units))
            sorting.set_property("is_divided", self._divided(ids))
            if project.p_neuron is not None:
                row = np.searchsorted(ids, units[kept])
                share = np.bincount(row, project.p_neuron[kept]) / np.bincount(row)
                sorting.set_property("p_neuron", share)
        gone = np.setdiff1d(posterior.units, ids).tolist()
        sorting.annotate(ncpgui_draw=index, ncpgui_not_there=gone)
        return sorting

    def _divided(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of the units of a draw (n_units,) are two that one in use was divided into."""
        divided = np.zeros(len(ids), dtype=np.bool_)
        for place, unit in enumerate(self.posterior.hidden):
            second = ids == self.posterior.first_hidden + place
            if second.any():
                divided |= second | (ids == unit)
        return divided

    def _sorting(
        self, units: NDArray[np.int64]
    ) -> tuple[BaseSorting, NDArray[np.int64], NDArray[np.float64]]:
        """A sorting, its spikes, and how many each of its units is expected to have missed for each found.

        units : (n_spikes,) of each spike, -1 = none
        """
        project = self.posterior.project
        kept = np.flatnonzero(units >= 0)
        unit_index, ids = unit_codes(units[kept])
        first = project.recording.first_sample
        sorting, _ = numpy_sorting(
            project.spikes.sample_index[kept] + first,
            unit_index,
            ids,
            sampling_frequency_hz=project.spikes.sampling_frequency_hz,
            segment_start=project.recording.whole_clock.segment_start,
        )
        annotate_recorded(sorting, project)
        missed = np.bincount(unit_index, self.posterior.missed[kept]) / np.maximum(np.bincount(unit_index), 1)
        return sorting, kept, missed


def draws(
    source: object, n: int = 100, seed: int = 0, *, p_same: Mapping[tuple[int, int], float] | None = None
) -> Draws:
    """Draw whole sortings from the posterior that a session holds.

    Parameters
    ----------
    source : a session (its file, or as read), or a sorting that `ncpgui.sort` made
    n : draws; they are made one by one, when they are asked for
    seed : the same seed gives the same draws
    p_same : P(two units are one neuron), by pairs of units of different components: nothing is known of these
        together. The second of a pair becomes the first with this probability

    Returns
    -------
    a sequence of NumpySorting, each with the units that are there in this draw, by their numbers in use; new
    ones have higher numbers. Properties of units: `missed_per_found` (spikes of the cell that were missed for
    each that was found), `is_new`, `is_divided` (it was one with another, by spikes that both may hold), and
    `p_neuron`. Annotations: `ncpgui_draw`, its number, and
    `ncpgui_not_there`, units in use that are not there.

    Raises
    ------
    InputError
        It holds no posterior, a number that makes no sense, or units that are not there.
    SessionError
        The file cannot be read.
    """
    n, seed = whole_number(n, "n", least=1), whole_number(seed, "seed")
    posterior = joint_posterior(source, seed=seed)
    pairs = {pair: number(p, "p_same") for pair, p in ({} if p_same is None else p_same).items()}
    for pair, p in pairs.items():
        missing = [unit for unit in pair if unit not in posterior.units]
        if missing or not 0 <= p <= 1:
            raise InputError(
                f"p_same is the probability, 0 to 1, that two units in use are one neuron, got {pair}: {p}; "
                f"the units are {', '.join(map(str, posterior.units[:10]))}"
            )
    rows = [
        _systematic(one.component.posterior.weight, n, stream(seed, "rows", one.component.id))
        for one in posterior.components
    ]
    return Draws(posterior, np.array(rows, dtype=np.int64).reshape(len(rows), n), seed, pairs)


def _systematic(weight: NDArray[np.float64], n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw n samples by their weights, in random order: each floor(n w) or ceil(n w) times: (n,)."""
    ends = np.cumsum(weight)
    places = (np.arange(n) + rng.random()) / n * ends[-1]
    found = np.searchsorted(ends, places, side="right")
    last = int(np.flatnonzero(weight > 0)[-1])
    return np.asarray(rng.permutation(np.minimum(found, last)), dtype=np.int64)


def _session_of(source: object) -> DecidedSession:
    if isinstance(source, (str, Path)):
        return read_decided(source)
    if isinstance(source, DecidedSession):
        return source
    project = source if isinstance(source, Project) else getattr(source, "ncpgui_project", None)
    if not isinstance(project, Project):
        raise InputError(
            "draws are made of a session, its file, or a sorting of ncpgui.sort, got "
            f"{type(source).__name__}; a sorting that was saved and loaded has no posterior: give the session"
        )
    return decided(project)


def _held(session: DecidedSession, decisions: CuratedSorting) -> frozenset[int]:
    """Units that are the same in every draw: accepted ones, and those of decisions that no draw has."""
    held = set(decisions.accepted)
    for one in given_components(session.project, session.history):
        if any(condition.probability == 0 for condition in one.conditions):
            for decision in one.decisions:
                for ids in decision.sets:
                    held |= set(np.unique(decisions.unit_of_spike[ids]).tolist())
    return frozenset(held - {UNASSIGNED})


def _p_own(project: Project, in_use: NDArray[np.int64]) -> NDArray[np.float64]:
    """P(each spike is a spike of its own, if its unit is a neuron): (n_spikes,).

    `Project.p_neuron` has the probability that the unit is a neuron as a factor, as most of its spikes show.
    """
    if project.p_neuron is None:
        return np.ones(len(in_use))
    most = np.zeros(int(in_use.max(initial=-1)) + 2)
    np.maximum.at(most, in_use, project.p_neuron)
    return np.minimum(project.p_neuron / np.maximum(most[in_use], 1e-12), 1.0)
