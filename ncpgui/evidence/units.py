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

Spikes of one component were sampled together; of two components at once no more is known than which cells go
on in the other as the tissue moves (`Component.elsewhere`): a unit whose cell does is not complete. A unit of
several components that the sorting joined is as pure and as complete as in the worst of them. What a person
joined across components is unknown: nan.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.alternatives import min_unit_size
from ncpgui.core.component import Component
from ncpgui.core.project import Project
from ncpgui.core.unit_table import UnitTable, stacked
from ncpgui.evidence.gain import Gain, gain_of
from ncpgui.evidence.support import TOLERATED, unit_support

nan = float("nan")
NUMBERS = ("p_neuron", "p_pure", "p_complete", "p_exists", "false_positives", "misses")
"""Probabilities and expected shares of units, columns of a `UnitTable` in the order of tables: see above."""
MORE_PROBABLY = 0.5
"""P(exists), P(pure) or P(complete) under which a unit is more probably not as it stands."""


@dataclass(frozen=True, eq=False)
class SortingNumbers:
    """Numbers of a sorting of the n spikes of a component, or of a project.

    units : of a component, by label: n_spikes; is_sizeable, whether it has so many sampled spikes that it
        counts as a unit; p_pure, p_complete, p_exists, misses; probability_sum, of P(spike) over its spikes.
        Of a project, by unit: `NUMBERS`, and is_beyond_cards: it is more probably not as it stands, and no
        card settles that (`evidence.gain`)
    probability : (n,) float32, P(the spike is of the cell of its unit); entropy : (n,) float32, nats, of the
        unit of each spike, where it was asked for. Of a component, P is 0 in no unit. Numbers are nan where
        nothing is known
    """

    units: UnitTable
    probability: NDArray[np.float32]
    entropy: NDArray[np.float32]


def component_numbers(
    component: Component,
    labels: NDArray[np.integer],
    assigned: NDArray[np.floating],
    *,
    decided: Collection[int] = (),
    entropy: bool = True,
) -> SortingNumbers:
    """Numbers of a sorting of the spikes of a component.

    Parameters
    ----------
    labels : (n,) unit of each spike, 0 .. K-1, -1 = none
    assigned : (n,) probability with which each spike was assigned; used of spikes that were not sampled
    decided : units (labels) that a person decided on. Of one that no draw has (P(exists) = 0), the decision
        speaks alone: it is there, and all of its spikes are its
    entropy : whether to compute it: files have it, no panel shows it
    """
    unit, sampled = np.asarray(labels, dtype=np.int64), component.sampled
    n_units = int(unit.max(initial=-1)) + 1
    reference = unit[sampled]
    found = unit_support(
        component.posterior,
        reference,
        stands_for=component.spikes_each,
        n_units=n_units,
        membership=entropy,
    )
    seen = reference >= 0
    n_sampled = np.bincount(reference[seen], minlength=n_units)
    weight = component.spikes_each
    sums = np.bincount(reference[seen], (weight * found.probability)[seen], minlength=n_units)
    mean = sums / np.bincount(reference[seen], weight[seen], minlength=n_units).clip(1e-12)
    mean[n_sampled == 0] = np.nan
    probability = np.append(mean, 0.0)[unit] * np.where(unit >= 0, assigned, 0.0)
    nats = _entropy_nats(probability) if entropy else np.full(len(unit), nan)
    probability[sampled] = found.probability
    if entropy:
        nats[sampled] = found.entropy_nats
    shares = np.array([found.p_pure, found.p_complete, found.p_exists, found.misses])
    inside = unit >= 0
    n_spikes = np.bincount(unit[inside], minlength=n_units)
    if component.elsewhere is not None:
        gone = np.bincount(unit[inside], component.elsewhere[inside], minlength=n_units) / n_spikes.clip(1)
        shares[1:3] *= gone <= TOLERATED
        shares[3] = 1 - (1 - shares[3]) * (1 - gone)
    alone = np.isin(np.arange(n_units), list(decided)) & (found.p_exists == 0)
    shares[:, alone] = np.array([1.0, 1.0, 1.0, 0.0])[:, None]
    of_alone = np.append(alone, False)[unit]
    probability[of_alone] = 1
    nats[of_alone & entropy] = 0
    units = UnitTable(
        np.arange(n_units),
        {
            "n_spikes": n_spikes,
            "is_sizeable": n_sampled >= min_unit_size(component.posterior.n_points),
            **dict(zip(("p_pure", "p_complete", "p_exists", "misses"), shares, strict=True)),
            "probability_sum": np.bincount(unit[inside], probability[inside], minlength=n_units),
        },
    )
    return SortingNumbers(units, probability.astype(np.float32), nats.astype(np.float32))


def united(units: Sequence[int], parts: Sequence[UnitTable], *, p_neuron: Sequence[float]) -> UnitTable:
    """Numbers of units of several components: the least of those in which a unit is sizeable.

    The part with most of its spikes counts in any case; shares are means over its spikes. Of a unit without
    parts, P(neuron) alone is known.

    Parameters
    ----------
    parts : what each component says (`SortingNumbers.units`) of its units, by their numbers, and
        is_beyond_cards; units that are not asked for may be among them
    p_neuron : of each unit
    """
    numbers = {name: np.full(len(units), nan) for name in NUMBERS}
    numbers["p_neuron"] = np.array(p_neuron, dtype=np.float64)
    is_beyond = np.zeros(len(units), dtype=bool)
    some = stacked(*parts) if parts else UnitTable(np.zeros(0, np.int64), {})
    some = some.take(np.isin(some.ids, units))
    if len(some):
        some = some.take(np.lexsort((-some["n_spikes"], some.ids)))  # unit by unit, the largest part first
        ids, starts = np.unique(some.ids, return_index=True)
        counts = some["is_sizeable"].copy()
        counts[starts] = True
        n_spikes, n_counted = some["n_spikes"], np.where(counts, some["n_spikes"], 0)
        place = {unit: row for row, unit in enumerate(units)}
        at = np.array([place[unit] for unit in ids.tolist()])
        for name in ("p_pure", "p_complete", "p_exists"):
            numbers[name][at] = np.minimum.reduceat(np.where(counts, some[name], np.inf), starts)
        sure = np.add.reduceat(some["probability_sum"], starts) / np.add.reduceat(n_spikes, starts)
        missed = np.add.reduceat(np.where(counts, some["misses"] * n_spikes, 0.0), starts)
        numbers["false_positives"][at] = 1 - sure
        numbers["misses"][at] = missed / np.add.reduceat(n_counted, starts)
        is_beyond[at] = some["is_beyond_cards"][starts] & (numbers["p_exists"][at] < MORE_PROBABLY)
    return UnitTable(np.array(units, dtype=np.int64), {**numbers, "is_beyond_cards": is_beyond})


def project_numbers(
    project: Project,
    units: NDArray[np.int64],
    assigned: NDArray[np.float32],
    *,
    decided: Collection[int] = (),
) -> SortingNumbers:
    """Numbers of a sorting: (n_spikes,) unit of each spike, -1 = none, and P(it was assigned right).

    decided : units that a person decided on
    """
    n = len(units)
    probability, entropy = np.full(n, np.nan, np.float32), np.full(n, np.nan, np.float32)
    spikes = spikes_of_units(units)
    by_hand = _joined_by_hand(project, spikes)
    parts = []
    for component in project.components:
        here = units[component.spike_ids]
        ids, labels = np.unique(here, return_inverse=True)
        n_none = int(np.count_nonzero(ids < 0))
        labels, ids = labels.reshape(-1) - n_none, ids[n_none:]
        found = component_numbers(
            component,
            labels,
            assigned[component.spike_ids],
            decided=np.flatnonzero(np.isin(ids, list(decided))).tolist(),
        )
        probability[component.spike_ids], entropy[component.spike_ids] = found.probability, found.entropy
        beyond = component_gain(project, component, labels[component.sampled]).is_settled_by_no_card
        known = ~np.isin(ids, by_hand)
        parts.append(part_of_units(found.units, ids, is_beyond_cards=beyond).take(known))
    for unit in by_hand:
        probability[spikes[unit]] = entropy[spikes[unit]] = np.nan
    p = [p_neuron(project, spike_ids) for spike_ids in spikes.values()]
    return SortingNumbers(united(list(spikes), parts, p_neuron=p), probability, entropy)


def part_of_units(
    of_component: UnitTable, units: Sequence[int] | NDArray[np.int64], *, is_beyond_cards: bool = False
) -> UnitTable:
    """What a component says of its units, by their numbers.

    is_beyond_cards : no card settles its question
    """
    beyond = np.full(len(of_component), is_beyond_cards)
    return UnitTable(np.array(units, dtype=np.int64), {**of_component.columns, "is_beyond_cards": beyond})


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
    if (components == components[:1]).all():
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
