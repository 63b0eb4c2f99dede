"""Decisions as evidence: what a person knows conditions the draws of a posterior.

A decision is an event: it holds in some draws and not in others. Given the decision, those in which it holds
keep their weights in proportion and the rest have none: Bayes' rule, with no approximation beyond that the
draws are finitely many. What has probability near one changes nothing else. `n_effective` says how many
draws are left to speak; when they are few, new ones are to be drawn under the same decisions. When they are
hardly any, the decision changes nothing until then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import CurationError
from ncpgui.core.posterior import PosteriorSamples, effective_draws
from ncpgui.evidence.support import TOLERATED, cells_of

FEW_DRAWS = 30.0
"""Effective draws under which new ones are wanted."""
TOO_FEW_DRAWS = 5.0
"""Effective draws that say nothing of anything else: a decision that leaves fewer waits for new ones."""


@dataclass(frozen=True, eq=False)
class PointEvent:
    """Something that a person has decided about points of a posterior.

    kind : "neuron": the points of `first` are one cell, and all of it (a unit is accepted);
        "same": `first` and `second` are of one cell (a merge, or must-link);
        "different": they are not (a split, or never-merge)
    first, second : (m,) bool, points
    words : as menus and cards name it, such as "31 accepted"
    """

    kind: Literal["neuron", "same", "different"]
    first: NDArray[np.bool_]
    second: NDArray[np.bool_] | None = None
    words: str = ""


@dataclass(frozen=True, eq=False)
class Conditioned:
    """Draws given decisions.

    weight : (S,) of the draws, summing to one
    probability : of each decision, given those before it; 0 of one that was left out
    """

    weight: NDArray[np.float64]
    probability: tuple[float, ...]

    @property
    def n_effective(self) -> float:
        """Draws of equal weight that would say as much."""
        return float(1 / (self.weight**2).sum())


def holds(
    posterior: PosteriorSamples, event: PointEvent, *, stands_for: NDArray[np.floating] | None = None
) -> NDArray[np.bool_]:
    """Whether a decision holds in each draw: (S,).

    stands_for : (m,) spikes that each point stands for; ones when left out
    """
    mass = np.ones(posterior.n_points) if stands_for is None else np.asarray(stands_for, dtype=float)
    first, shared, cell = cells_of(
        posterior.rows, np.where(event.first, 0, -1), 1, mass, is_echo=posterior.is_echo
    )
    if event.kind == "neuron":
        unit = float(mass[event.first].sum())
        return np.asarray((shared >= (1 - TOLERATED) * np.maximum(unit, cell))[:, 0])
    assert event.second is not None
    second, _, _ = cells_of(posterior.rows, np.where(event.second, 0, -1), 1, mass)
    same = (first == second)[:, 0]
    return np.asarray(same if event.kind == "same" else ~same)


def conditioned(
    posterior: PosteriorSamples,
    events: Sequence[PointEvent],
    *,
    stands_for: NDArray[np.floating] | None = None,
    leave_out: bool = False,
) -> Conditioned:
    """Return the posterior given decisions, taken one after the other.

    leave_out : whether to go on without a decision that hardly any draw obeys (`TOO_FEW_DRAWS`, or one in
        twenty of few draws): what these few have beside it is chance

    Raises
    ------
    CurationError
        No draw obeys all of them; it names the first that cannot hold beside those before it.
    """
    weight = posterior.weight.copy()
    probability: list[float] = []
    for number, event in enumerate(events):
        kept = weight * holds(posterior, event, stands_for=stands_for)
        share = float(kept.sum())
        if leave_out and _says_nothing(kept, weight):
            probability.append(0.0)
            continue
        if share <= 0:
            before = ", ".join(one.words or one.kind for one in events[:number])
            beside = f" beside {before}" if before else ""
            raise CurationError(
                f"no draw of the posterior has {event.words or event.kind}{beside}; take one of these "
                "decisions back, or sample again under them"
            )
        probability.append(share)
        weight = kept / share
    return Conditioned(weight, tuple(probability))


def _says_nothing(kept: NDArray[np.float64], before: NDArray[np.float64]) -> bool:
    """Whether hardly any draw is left, of weights that were more `before`."""
    left = effective_draws(kept)
    enough = min(TOO_FEW_DRAWS, len(before) / 20)
    return left < enough and left < 0.5 * effective_draws(before)
