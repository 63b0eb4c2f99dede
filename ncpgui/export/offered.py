"""Questions about the units of another program, as merges and splits that other programs can hold.

Curations of SpikeInterface and propositions of phy know whole units only: some are one, or one falls into
parts. An alternative is offered so where that says what it changes but for few spikes, which then stay where
they are. One that moves many spikes from unit to unit is told, and not offered.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Alternative, Component
from ncpgui.core.difference import difference
from ncpgui.core.errors import InputError
from ncpgui.core.given import GivenSorting
from ncpgui.core.posterior import NOT_A_POSTERIOR
from ncpgui.core.project import Project
from ncpgui.evidence.tempered import has_few_draws
from ncpgui.evidence.units import component_gain

MOST_LEFT = 0.05
"""Share of the spikes that may stay where they are although an alternative moves them."""
ANY_GAIN = 1.0
"""Spikes that an answer must be expected to put right for there to be a question."""
FEW_DRAWS = "few draws count here, so that the probabilities are rough"


@dataclass(frozen=True, eq=False)
class OfferedAlternative:
    """One way to sort the units of a question.

    mass, mass_se : its probability and standard error; words : how it differs from the given units
    merges : groups of units that are one; splits : (unit, rows of the spikes of each part but the largest),
    rows among all spikes of the folder
    n_left : spikes that merges and splits leave where they are, although they are elsewhere in this way
    is_given : nothing changes; is_offered : merges and splits say it
    """

    mass: float
    mass_se: float
    words: str
    merges: tuple[tuple[int, ...], ...]
    splits: tuple[tuple[int, tuple[NDArray[np.int64], ...]], ...]
    n_left: int
    is_given: bool
    is_offered: bool


@dataclass(frozen=True, eq=False)
class OfferedQuestion:
    """Units that may be the same neuron, and the ways to sort them, the most probable first.

    units : by number; gain : spikes that an answer is expected to put right; doubt : why the probabilities
    are rough, '' where they are not
    """

    component: int
    units: tuple[int, ...]
    alternatives: tuple[OfferedAlternative, ...]
    gain: float
    doubt: str

    @property
    def is_open(self) -> bool:
        """Whether an answer is expected to put anything right."""
        return len(self.alternatives) > 1 and self.gain >= ANY_GAIN


def reviewed_sorting(project: Project) -> GivenSorting:
    """The sorting that a project reviews.

    Raises
    ------
    InputError
        It reviews none.
    """
    if project.given is None:
        raise InputError(
            "the spikes of this session were found by ncpgui, there are no units of another program; give a "
            "session that 'ncpgui review' wrote"
        )
    return project.given


def offered_questions(project: Project) -> tuple[OfferedQuestion, ...]:
    """Questions about the units as they were given, the one whose answer gains most first.

    Raises
    ------
    InputError
        The project reviews no sorting.
    """
    given = reviewed_sorting(project)
    questions = [_question(project, component, given) for component in project.components]
    return tuple(sorted(questions, key=lambda one: (-one.gain, one.component)))


def _question(project: Project, component: Component, given: GivenSorting) -> OfferedQuestion:
    ids = component.spike_ids
    units, before = np.unique(project.unit_of_spike[ids], return_inverse=True)
    alternatives = [
        _alternative(one, units, before, given.rows[ids], given) for one in component.alternatives
    ]
    posterior = component.posterior
    doubt = FEW_DRAWS if has_few_draws(posterior) else ""
    return OfferedQuestion(
        component.id,
        tuple(units.tolist()),
        tuple(sorted(alternatives, key=lambda alternative: -alternative.mass)),
        component_gain(project, component, before[component.sampled]).gained,
        NOT_A_POSTERIOR if posterior.sampler == "beam" else doubt,
    )


def _alternative(
    alternative: Alternative,
    units: NDArray[np.int64],
    before: NDArray[np.int64],
    rows: NDArray[np.int64],
    given: GivenSorting,
) -> OfferedAlternative:
    """One alternative; units (K,), before (n,) place of the unit of each spike, rows (n,) in the folder."""
    found = difference(before, alternative.labels)
    names = given.called(units.tolist())
    splits = []
    for unit, pieces in found.splits:
        parts = [np.sort(rows[(before == unit) & (alternative.labels == piece)]) for piece in pieces]
        parts.sort(key=len, reverse=True)
        splits.append((int(units[unit]), tuple(parts[1:])))
    n_left = sum(n for *_, n in (*found.moved, *found.unassigned, *found.assigned))
    merged = {unit for group in found.merges for unit in group}
    both = merged & {unit for unit, _ in found.splits}
    changes = bool(found.merges or found.splits)
    few = n_left <= MOST_LEFT * len(before)
    return OfferedAlternative(
        alternative.mass,
        alternative.mass_se,
        found.words([str(names[int(unit)]) for unit in units]),
        tuple(tuple(units[list(group)].tolist()) for group in found.merges),
        tuple(splits),
        n_left,
        is_given=not changes and few,
        is_offered=few and not both,
    )
