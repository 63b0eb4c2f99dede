"""What an answer to a question is expected to gain: spikes that would be in a wrong unit without it.

A question is which of the alternatives of a component is right. Each draw is one of them at most
(`evidence.draws_by_alternative`). If alternative k is the answer, only its draws are left, and its sorting is
used if fewer spikes are wrong then than in the one in use. With W(z | k) the expected number of spikes in a
wrong unit of sorting z (`evidence.misassigned_spikes`) over the draws of k, n_k the effective number of
these, and P(k) their weight,

    gain = sum_k P(k) max(0, W(in use | k) - n_k / (n_k - 1) W(k | k)).

The sorting of k is made of its own draws and agrees with them better than with the truth; the factor makes up
for that, as for a variance. One draw alone is no answer: it gains nothing. Neither do draws that are no
alternative: nobody can answer what no card says. What is `left` is the expected number of wrong spikes after
the answer. Where that is more than one in ten, no card settles the question.

What a unit may be, a neuron or noise, is a question too: a label puts its spikes right if the less probable
answer is true (`label_gain`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncpgui.core.component import Component
from ncpgui.core.posterior import PosteriorSamples, effective_draws
from ncpgui.evidence.draws_by_alternative import CountedPoints, alternative_of_draw, as_draws_see
from ncpgui.evidence.misassigned_spikes import wrong_in_draws
from ncpgui.evidence.support import TOLERATED

FEW_LEFT = 5.0
"""Wrong spikes after the answer that are no question, whatever share of the spikes they are."""


@dataclass(frozen=True)
class Gain:
    """Expected spikes in a wrong unit: `gained` by an answer, and `left` after it, of `n_spikes`."""

    gained: float
    left: float
    n_spikes: float

    @property
    def wrong(self) -> float:
        """Expected spikes in a wrong unit as it stands."""
        return self.gained + self.left

    @property
    def is_settled_by_no_card(self) -> bool:
        """Whether too many spikes would be in a wrong unit even if the right card were known."""
        return self.left > max(FEW_LEFT, TOLERATED * self.n_spikes)


def label_gain(p_neuron: ArrayLike, n_spikes: ArrayLike) -> NDArray[np.float64]:
    """Spikes that a label of units, as neuron or noise, is expected to put right: (K,)."""
    p = np.asarray(p_neuron, dtype=np.float64)
    return np.asarray(np.minimum(p, 1 - p) * np.asarray(n_spikes), dtype=np.float64)


def gain_of(
    component: Component,
    in_use: NDArray[np.integer],
    *,
    share: NDArray[np.floating] | None = None,
    min_spikes: int = 0,
) -> Gain:
    """What the answer to the question of a component is expected to gain.

    in_use : (m,) unit of each sampled spike as it stands, -1 = none
    share : (m,) of each that counts, such as P(neuron); ones when left out
    min_spikes : sampled spikes below which clusters are no units
    """
    alternatives = [alternative.labels[component.sampled] for alternative in component.alternatives]
    mass = component.spikes_each if share is None else component.spikes_each * share
    return expected_gain(component.posterior, in_use, alternatives, mass=mass, min_spikes=min_spikes)


def expected_gain(
    posterior: PosteriorSamples,
    in_use: NDArray[np.integer],
    alternatives: Sequence[NDArray[np.integer]],
    *,
    mass: NDArray[np.floating] | None = None,
    min_spikes: int = 0,
) -> Gain:
    """What an answer is expected to gain.

    in_use : (m,) unit of each point as it stands, -1 = none; alternatives : (m,) each, alternatives
    mass : (m,) spikes that each point stands for, ones when left out
    min_spikes : points below which clusters are no units
    """
    seen = as_draws_see(posterior, alternatives)
    counted = CountedPoints(posterior.rows, [in_use, *alternatives, *seen], mass)
    alternative_of = alternative_of_draw(posterior, alternatives, min_spikes=min_spikes, counted=counted)
    now = wrong_in_draws(counted.table(in_use, weighed=True))
    gained = 0.0
    for index, alternative in enumerate(alternatives):
        if np.array_equal(alternative, in_use):
            continue  # an answer that changes nothing
        rows = np.flatnonzero((alternative_of == index) & (posterior.weight > 0))
        weight = posterior.weight[rows]
        n_effective = effective_draws(weight)
        if len(rows) < 2 or n_effective <= 1:
            continue
        then = wrong_in_draws(counted.table(alternative, weighed=True)[rows])
        then *= n_effective / (n_effective - 1)
        gained += max(0.0, float(weight @ (now[rows] - then)))
    n_spikes = float(posterior.n_points if mass is None else mass.sum())
    return Gain(gained, max(0.0, float(posterior.weight @ now) - gained), n_spikes)
