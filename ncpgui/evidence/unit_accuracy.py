"""P(right): a unit is a neuron's spike train, but for a fifth of the spikes of either.

A unit is right if it agrees with its cell by `AGREES`: the spikes of both over those of either, which is how
sortings are compared with the truth. In one draw the cell is the cluster that has most of the unit
(`evidence.support`), together with the spikes of that cell that were never found. How many these are is
expected, not known: the odds of a spike to be lost are taken as log-normal around what is expected.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.component import Component
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.evidence.support import cells_of, units_and_mass

AGREES = 0.8
LOST_SD_NATS = 0.7
"""Of the log odds of a spike to be lost, around what is expected ..."""
AT = np.array([NormalDist().inv_cdf((k + 0.5) / 9) for k in range(9)])
"""... at these many sd, each as probable."""
LEAST_LOST = 1e-4


@dataclass(frozen=True, eq=False)
class Overlaps:
    """How K units and their cells overlap in S draws: spikes.

    weight : (S,) of the draws; size : (K,) of each unit; shared : (S, K) of the unit and its cell; found :
    (S, K) of the cell, in any unit
    """

    weight: NDArray[np.float64]
    size: NDArray[np.float64]
    shared: NDArray[np.float64]
    found: NDArray[np.float64]

    @staticmethod
    def of(
        posterior: PosteriorSamples,
        labels: NDArray[np.integer],
        *,
        stands_for: NDArray[np.floating] | None = None,
        n_units: int | None = None,
    ) -> Overlaps:
        """Count them.

        Parameters
        ----------
        labels : (m,) unit of each point, 0 .. K-1, -1 = none
        stands_for : (m,) spikes that each point stands for; ones when left out
        n_units : K, where the last units may have no point
        """
        unit, n_units, mass = units_and_mass(labels, stands_for, n_units)
        used = np.flatnonzero(posterior.weight > 0)
        size = np.bincount(unit[unit >= 0], mass[unit >= 0], minlength=n_units).astype(np.float64)
        _, shared, found = cells_of(posterior.rows[used], unit, n_units, mass, is_echo=posterior.is_echo)
        return Overlaps(posterior.weight[used], size, shared, found)

    def p_right(self, lost: NDArray[np.floating] | float = 0.0) -> NDArray[np.float64]:
        """P(each unit agrees with its cell by `AGREES`), if it is a neuron: (K,), nan without points.

        lost : (K,) expected share of each cell's spikes that no unit has, < 1
        """
        share = np.clip(lost, LEAST_LOST, 1 - LEAST_LOST)
        p = np.zeros(len(self.size))
        for sd in AT:
            all_of_it = self.found * (1 + share / (1 - share) * np.exp(LOST_SD_NATS * sd))
            either = self.size + all_of_it - self.shared
            p += self.weight @ (self.shared >= AGREES * either) / len(AT)
        return np.where(self.size > 0, np.minimum(p, 1), np.nan)

    @property
    def agreement(self) -> NDArray[np.float64]:
        """Expected agreement of each unit with those spikes of its cell that were found: (K,), nan as P."""
        either = np.maximum(self.size + self.found - self.shared, 1e-12)
        return np.where(self.size > 0, self.weight @ (self.shared / either), np.nan)


@dataclass(frozen=True, eq=False)
class RightUnits:
    """What is known of K units of a component as neurons.

    p_right : (K,) P(right), P(neuron) included, nan where the posterior says nothing; p_neuron : (K,)
    agreement : (K,) expected, with those spikes of its cell that were found; nan as p_right
    lost : (K,) expected share of the spikes of their cells that were never found; n_spikes : (K,)
    """

    p_right: NDArray[np.float64]
    p_neuron: NDArray[np.float64]
    agreement: NDArray[np.float64]
    lost: NDArray[np.float64]
    n_spikes: NDArray[np.int64]


def right_units(
    component: Component,
    labels: NDArray[np.integer],
    p_neuron: NDArray[np.floating],
    lost: NDArray[np.floating] | None = None,
) -> RightUnits:
    """Look at the units of a sorting of the spikes of a component.

    Parameters
    ----------
    labels : (n,) unit of each spike, 0 .. K-1, -1 = none
    p_neuron : (n,) P(the unit that matching found each spike for is of cells)
    lost : (n,) spikes that were lost for each that was found; none when left out
    """
    row = labels + 1
    n_spikes = np.bincount(row, minlength=1)[1:]

    def mean(of_spikes: NDArray[np.floating]) -> NDArray[np.float64]:
        return np.asarray(np.bincount(row, of_spikes, minlength=1)[1:] / np.maximum(n_spikes, 1))

    neuron = mean(p_neuron)
    odds = np.zeros(len(neuron)) if lost is None else mean(lost)
    share = odds / (1 + odds)
    overlaps = Overlaps.of(
        component.posterior,
        labels[component.sampled],
        stands_for=component.spikes_each,
        n_units=len(n_spikes),
    )
    return RightUnits(overlaps.p_right(share) * neuron, neuron, overlaps.agreement, share, n_spikes)
