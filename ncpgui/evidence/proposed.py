"""What the posterior says of merges and labels that other programs propose."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from ncpgui.core.project import Project
from ncpgui.core.proposals import NEURON, Proposal
from ncpgui.evidence.merge_split_probability import p_one_neuron
from ncpgui.evidence.units import SortingNumbers, project_numbers


@dataclass(frozen=True)
class Answered:
    """A proposal about some units, and P(it is right); nan where nothing is known.

    A proposal to label several units is one a unit here.
    """

    proposal: Proposal
    probability: float


def answered(project: Project) -> tuple[Answered, ...]:
    """P(right) of each proposal about the units of a project that reviews a sorting, the least likely first.

    Units are as they were given. () where nobody proposed anything.
    """
    proposals = () if project.given is None else project.given.proposals
    if not proposals:
        return ()
    numbers = project_numbers(project, project.unit_of_spike, project.probability)
    found = []
    for one in proposals:
        if one.kind == "merge":
            found.append(Answered(one, _p_merge(project, one.units)))
        else:
            found += [
                Answered(
                    Proposal(one.source, "label", (unit,), one.label), _p_label(one.label, unit, numbers)
                )
                for unit in one.units
            ]
    return tuple(sorted(found, key=lambda one: (one.probability != one.probability, one.probability)))


def _p_merge(project: Project, units: tuple[int, ...]) -> float:
    """P(the units are one neuron); nan where they are not asked about together."""
    places = project.component_of_spike
    homes = {int(place) for unit in units for place in np.unique(places[project.unit_of_spike == unit])}
    if len(homes) > 1:
        return nan
    component = project.component(homes.pop()) if homes else None
    if component is None:
        return nan
    unit = project.unit_of_spike[component.spike_ids[component.sampled]]
    return p_one_neuron(component.posterior, [unit == one for one in units], stands_for=component.spikes_each)


def _p_label(label: str, unit: int, numbers: SortingNumbers) -> float:
    """P(a label is right), P(neuron) and P(pure) taken as independent."""
    if unit not in numbers.units.ids:
        return nan
    known = numbers.units.row(unit)
    p_neuron, p_pure = known["p_neuron"], known["p_pure"]
    if label == "noise":
        return float(1 - p_neuron)
    if label == NEURON:
        return float(p_neuron)
    return float(p_neuron * (p_pure if label == "good" else 1 - p_pure))
