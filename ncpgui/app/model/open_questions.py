"""What is worth asking: spikes of a component that are expected to be wrong, and when nothing is asked.

Two doubts make a question. The draws say that the spikes could be sorted otherwise (`is_sure` says when they
do not). Or a unit as it stands may not be a neuron's train, P(right) (`evidence.unit_accuracy`): spikes of
its cell may have been lost, or it may be no neuron at all, which no other sorting of these spikes would mend.
A person accepts it, or labels it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Component
from ncpgui.core.percent import percent
from ncpgui.evidence.gain import label_gain
from ncpgui.evidence.unit_accuracy import right_units

SURE = 0.99
"""A component whose sorting in use has this probability settles itself, ..."""
LIKELY = 0.9
"""and so does one that has more than this, ..."""
MANY_WRONG = 20.0
"""if fewer spikes are expected to be wrong than a unit has; ..."""
WRONG_SHARE, FEW_WRONG = 0.05, 1.0
"""both unless this share of its spikes is expected to be wrong, and no fewer than this: single spikes are no
question."""
RIGHT, AGREES = 0.85, 0.9
"""A unit of less P(right) is a question, and one that is expected to agree less with its cell, ..."""
NOISE = 0.01
"""... unless it is a neuron with no more than this: it is noise, and called so."""
MAY_BE_NONE, MUCH_LOST = 0.8, 0.1
"""P(neuron) under which words say that it may be none, share from which on that spikes may be lost."""


@dataclass(frozen=True)
class UnitDoubt:
    """How far a unit as it stands may be wrong, whichever way the spikes of its component are sorted.

    p_right : P(it agrees with its cell by four fifths), P(neuron) included; p_neuron
    agreement : expected, with those spikes of its cell that were found
    lost : expected share of the spikes of its cell that were not
    n_wrong : expected spikes of its cell in no unit, and of itself that the label makes wrong, of a unit that
    is a neuron or noise
    n_gained : expected spikes that a label puts right, of n_wrong: those that were lost are lost with any
    """

    p_right: float
    p_neuron: float
    agreement: float
    lost: float
    n_wrong: float
    n_gained: float = 0.0

    @property
    def is_question(self) -> bool:
        """Whether a person is to look at it."""
        return self.p_neuron > NOISE and (self.p_right < RIGHT or self.agreement < AGREES)

    @property
    def words(self) -> str:
        """The doubt, after the name of the unit."""
        if self.p_neuron < MAY_BE_NONE:
            return f"may be no neuron (P {percent(self.p_neuron)})"
        if self.lost >= MUCH_LOST:
            return f"may have lost {percent(self.lost)} of its spikes"
        return "may be a part of a neuron, or more than one"


def unit_doubts(
    component: Component,
    labels: NDArray[np.integer],
    p_neuron: NDArray[np.floating] | None,
    lost: NDArray[np.floating] | None,
) -> tuple[UnitDoubt, ...]:
    """Doubts of K units; none where matching says nothing of its spikes.

    labels : (n,) units as they are, 0 .. K-1, -1 = none; p_neuron, lost : (n,) as of `Project`
    """
    if p_neuron is None:
        return ()
    units = right_units(component, labels, p_neuron, lost)
    n_missing = units.n_spikes * units.lost / (1 - units.lost)
    n_gained = label_gain(units.p_neuron, units.n_spikes)
    n_wrong = units.p_neuron * n_missing + n_gained
    rows = zip(units.p_right, units.p_neuron, units.agreement, units.lost, n_wrong, n_gained, strict=True)
    return tuple(UnitDoubt(*(float(value) for value in row)) for row in rows)


def is_sure(component: Component, in_use: int | None, wrong: float) -> bool:
    """Whether the draws leave nothing to ask; in_use : index of the alternative that is used, None of none.

    wrong : spikes that are expected to be in a wrong unit
    """
    if in_use is None:
        return False
    mass = component.alternatives[in_use].mass
    if wrong >= max(FEW_WRONG, WRONG_SHARE * len(component.spike_ids)):
        return False
    return mass >= SURE or (mass > LIKELY and wrong < MANY_WRONG)
