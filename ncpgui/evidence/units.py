"""The numbers of units as they stand: where table, cards, exports and `ncpgui.sort` all get them.

`evidence.support` says what the draws of a component say: whether each unit is pure (hardly a spike of
another cell), complete (hardly a spike of its cell elsewhere), and of which spikes. Here it becomes numbers
of units and of all spikes:

- P(exists) is P(pure and complete at once), in the same draws.
- P(spike) of a sampled spike is the share of the draws in which it is of the cell of its unit; of a spike
  that was not sampled, the mean of its unit's times the probability with which it was assigned.
- Expected false positives are the mean of 1 - P(spike) over the spikes of a unit, expected misses the
  expected share of its cell's spikes that are in other units, or none.
- P(neuron) is that of matching (`Project.p_neuron`), the mean over the unit's spikes: a number of its own.

Spikes of one component were sampled together; nothing is known of two components at once. A unit of several
components that the sorting joined is as pure and as complete as in the worst of them. What a person joined
across components is unknown: nan.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.alternatives import min_unit_size
from ncpgui.core.component import Component
from ncpgui.core.project import Project
from ncpgui.evidence.gain import Gain, gain_of
from ncpgui.evidence.support import unit_support

nan = float("nan")
NUMBERS = ("p_neuron", "p_pure", "p_complete", "p_exists", "false_positives", "misses")
"""Probabilities and shares of `UnitNumbers`, in the order of tables."""
MORE_PROBABLY = 0.5
"""P(exists), P(pure) or P(complete) under which a unit is more probably not as it stands."""


@dataclass(frozen=True)
class UnitNumbers:
    """What is known of one unit; nan where nothing is.

    p_neuron : P(it is one or more cells); p_pure, p_complete, p_exists : see above
    false_positives, misses : expected shares, of the unit's spikes and of its cell's
    is_beyond_cards : it is more probably not as it stands, and no card settles it (`evidence.gain`)
    """

    p_neuron: float = nan
    p_pure: float = nan
    p_complete: float = nan
    p_exists: float = nan
    false_positives: float = nan
    misses: float = nan
    is_beyond_cards: bool = False


@dataclass(frozen=True)
class UnitPart:
    """What one component says of a unit.

    n_spikes : of the unit, here; is_sizeable : whether it counts as a unit here
    probability_sum : of P(spike) over its spikes here
    is_beyond_cards : no card settles the question of this component
    """

    n_spikes: int
    is_sizeable: bool
    p_pure: float
    p_complete: float
    p_exists: float
    misses: float
    probability_sum: float
    is_beyond_cards: bool = False


@dataclass(frozen=True, eq=False)
class ComponentNumbers:
    """Numbers of K units of a component of n spikes; nan where the posterior says nothing.

    p_pure, p_complete, p_exists, misses : (K,) float64; n_spikes, n_sampled : (K,)
    probability : (n,) float32, P(the spike is of the cell of its unit), 0 in no unit
    entropy : (n,) float32, nats, of the unit of each spike
    labels : (n,) the sorting; min_sampled : sampled spikes from which a unit counts as one
    """

    p_pure: NDArray[np.float64]
    p_complete: NDArray[np.float64]
    p_exists: NDArray[np.float64]
    misses: NDArray[np.float64]
    n_spikes: NDArray[np.int64]
    n_sampled: NDArray[np.int64]
    probability: NDArray[np.float32]
    entropy: NDArray[np.float32]
    labels: NDArray[np.int64]
    min_sampled: int

    def part(self, row: int, *, is_beyond_cards: bool = False) -> UnitPart:
        """What this component says of one unit; is_beyond_cards : no card settles its question."""
        return UnitPart(
            int(self.n_spikes[row]),
            bool(self.n_sampled[row] >= self.min_sampled),
            float(self.p_pure[row]),
            float(self.p_complete[row]),
            float(self.p_exists[row]),
            float(self.misses[row]),
            float(self.probability[self.labels == row].sum(dtype=np.float64)),
            is_beyond_cards,
        )


@dataclass(frozen=True, eq=False)
class ProjectNumbers:
    """Numbers of all units of a project, and of all its spikes.

    of_unit : by unit; probability, entropy : (n_spikes,) float32, entropy in nats, nan where unknown
    """

    of_unit: dict[int, UnitNumbers]
    probability: NDArray[np.float32]
    entropy: NDArray[np.float32]


def number_columns(
    of_unit: Mapping[int, UnitNumbers], units: Iterable[int]
) -> dict[str, NDArray[np.float64]]:
    """`NUMBERS` of some units as columns of a table."""
    known = [of_unit[int(unit)] for unit in units]
    return {name: np.array([getattr(one, name) for one in known], dtype=np.float64) for name in NUMBERS}


def component_numbers(
    component: Component,
    labels: NDArray[np.integer],
    assigned: NDArray[np.floating],
    *,
    decided: Collection[int] = (),
) -> ComponentNumbers:
    """Numbers of a sorting of the spikes of a component.

    Parameters
    ----------
    labels : (n,) unit of each spike, 0 .. K-1, -1 = none
    assigned : (n,) probability with which each spike was assigned; used of spikes that were not sampled
    decided : units (labels) that a person decided on. Of one that no draw has (P(exists) = 0), the decision
        speaks alone: it is there, and all of its spikes are its
    """
    unit, sampled = np.asarray(labels, dtype=np.int64), component.sampled
    n_units = int(unit.max(initial=-1)) + 1
    reference = unit[sampled]
    found = unit_support(component.posterior, reference, stands_for=component.spikes_each, n_units=n_units)
    seen = reference >= 0
    n_sampled = np.bincount(reference[seen], minlength=n_units)
    weight = component.spikes_each
    sums = np.bincount(reference[seen], (weight * found.probability)[seen], minlength=n_units)
    mean = sums / np.bincount(reference[seen], weight[seen], minlength=n_units).clip(1e-12)
    mean[n_sampled == 0] = np.nan
    probability = np.append(mean, 0.0)[unit] * np.where(unit >= 0, assigned, 0.0)
    entropy = _entropy_nats(probability)
    probability[sampled], entropy[sampled] = found.probability, found.entropy_nats
    shares = np.array([found.p_pure, found.p_complete, found.p_exists, found.misses])
    alone = np.isin(np.arange(n_units), list(decided)) & (found.p_exists == 0)
    shares[:, alone] = np.array([1.0, 1.0, 1.0, 0.0])[:, None]
    of_alone = np.append(alone, False)[unit]
    probability[of_alone], entropy[of_alone] = 1, 0
    pure, complete, exists, misses = shares
    return ComponentNumbers(
        pure,
        complete,
        exists,
        misses,
        np.bincount(unit[unit >= 0], minlength=n_units),
        n_sampled,
        probability.astype(np.float32),
        entropy.astype(np.float32),
        unit,
        min_unit_size(component.posterior.n_points),
    )


def united(parts: Iterable[UnitPart], *, p_neuron: float = nan) -> UnitNumbers:
    """Numbers of a unit of several components: the least of those in which it is sizeable.

    The part with most of its spikes counts in any case; shares are means over its spikes.
    """
    ordered = sorted(parts, key=lambda part: -part.n_spikes)
    if not ordered:
        return UnitNumbers(p_neuron=p_neuron)
    counted = [part for k, part in enumerate(ordered) if k == 0 or part.is_sizeable]
    n = sum(part.n_spikes for part in ordered)
    p_exists = float(np.min([part.p_exists for part in counted]))
    return UnitNumbers(
        p_neuron=p_neuron,
        p_pure=float(np.min([part.p_pure for part in counted])),
        p_complete=float(np.min([part.p_complete for part in counted])),
        p_exists=p_exists,
        false_positives=1 - sum(part.probability_sum for part in ordered) / n,
        misses=sum(part.misses * part.n_spikes for part in counted) / sum(part.n_spikes for part in counted),
        is_beyond_cards=ordered[0].is_beyond_cards and p_exists < MORE_PROBABLY,
    )


def project_numbers(
    project: Project,
    units: NDArray[np.int64],
    assigned: NDArray[np.float32],
    *,
    decided: Collection[int] = (),
) -> ProjectNumbers:
    """Numbers of a sorting: (n_spikes,) unit of each spike, -1 = none, and P(it was assigned right).

    decided : units that a person decided on
    """
    n = len(units)
    probability, entropy = np.full(n, np.nan, np.float32), np.full(n, np.nan, np.float32)
    parts: dict[int, list[UnitPart]] = {unit: [] for unit in np.unique(units[units >= 0]).tolist()}
    for component in project.components:
        here = units[component.spike_ids]
        ids, labels = np.unique(here, return_inverse=True)
        n_none = int(np.count_nonzero(ids < 0))
        found = component_numbers(
            component,
            labels.reshape(-1) - n_none,
            assigned[component.spike_ids],
            decided=np.flatnonzero(np.isin(ids[n_none:], list(decided))).tolist(),
        )
        probability[component.spike_ids], entropy[component.spike_ids] = found.probability, found.entropy
        beyond = component_gain(project, component, found.labels[component.sampled]).is_settled_by_no_card
        for row, unit in enumerate(ids[n_none:].tolist()):
            parts[unit].append(found.part(row, is_beyond_cards=beyond))
    spikes = spikes_of_units(units)
    for unit in _joined_by_hand(project, spikes):
        parts[unit] = []
        probability[units == unit] = entropy[units == unit] = np.nan
    of_unit = {unit: united(found, p_neuron=p_neuron(project, spikes[unit])) for unit, found in parts.items()}
    return ProjectNumbers(of_unit, probability, entropy)


def component_gain(project: Project, component: Component, labels: NDArray[np.integer]) -> Gain:
    """What the answer to the question of a component is expected to gain; spikes of noise count for nothing.

    labels : (m,) unit of each sampled spike as it stands, -1 = none
    """
    share = None if project.p_neuron is None else project.p_neuron[component.spike_ids[component.sampled]]
    return gain_of(component, labels, share=share, min_spikes=project.min_cluster_spikes)


def p_neuron(project: Project, spike_ids: NDArray[np.integer]) -> float:
    """P(the unit of some spikes is one or more cells), the mean over them; nan where nothing is known."""
    if project.p_neuron is None or len(spike_ids) == 0:
        return nan
    return float(project.p_neuron[spike_ids].mean(dtype=np.float64))


def joined_by_hand(components: NDArray[np.integer], initial: NDArray[np.integer]) -> bool:
    """Whether the parts of a unit in several components were not one unit before any curation.

    components : (n,) id of the component of each of its spikes, -1 = none; initial : (n,) their units before
    curation, -1 = none.
    """
    if len(components) == 0 or (components == components[0]).all():
        return False
    parts = {int(one): int(one) for one in np.unique(components[components >= 0])}
    if len(parts) < 2:
        return False
    known = (initial >= 0) & (components >= 0)
    pairs = np.unique(np.stack([components, initial], axis=1)[known], axis=0)
    for unit in np.unique(pairs[:, 1]):
        together = {parts[int(one)] for one in pairs[pairs[:, 1] == unit, 0]}
        parts = {c: min(together) if part in together else part for c, part in parts.items()}
    return len(set(parts.values())) > 1


def spikes_of_units(units: NDArray[np.int64]) -> dict[int, NDArray[np.int64]]:
    """Spikes of each unit, increasing; units : (n_spikes,) of each spike, -1 = none."""
    order = np.argsort(units, kind="stable")
    order = order[units[order] >= 0]
    ids, starts = np.unique(units[order], return_index=True)
    return dict(zip(ids.tolist(), np.split(order, starts[1:]), strict=len(ids) > 0))


def _joined_by_hand(project: Project, spikes: Mapping[int, NDArray[np.int64]]) -> list[int]:
    """Units that a person joined across components."""
    of_spike, initial = project.component_of_spike, project.unit_of_spike
    return [unit for unit, ids in spikes.items() if joined_by_hand(of_spike[ids], initial[ids])]


def _entropy_nats(probability: NDArray[np.floating]) -> NDArray[np.float64]:
    """Entropy of a yes or no: (n,)."""
    p = np.clip(np.stack([probability, 1 - probability]), 1e-300, 1)
    return np.maximum(-(p * np.log(p)).sum(axis=0), 0)
