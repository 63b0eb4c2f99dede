"""Questions by effect: how much an answer is expected to narrow a finding.

The answer to the question of a component says which of its alternatives is right. Draws tell what a finding
is under each. By the law of total variance, the variance that is expected to be left after the answer is that
inside the alternatives; what the answer takes away is the variance of their means. Of few draws the means
differ by chance; what chance makes of it is taken off.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.evidence.draws_by_alternative import alternative_of_draw
from ncpgui.findings.draws import Draws
from ncpgui.findings.finding import Finding, Findings, Key

LEAST_SHARE = 0.01
"""Effects of a smaller share of the variance are not told."""


@dataclass(frozen=True)
class Effect:
    """What the answer to one question is expected to do to one finding.

    component : whose question it is; of, name : of the finding
    share : of its variance, of sorting and data together, that the answer is expected to take away
    """

    component: int
    of: Key
    name: str
    share: float

    @property
    def narrows_to(self) -> float:
        """Expected width of the interval, as a part of the width before."""
        return float(np.sqrt(max(1 - self.share, 0.0)))


def effects(made: Draws, findings: Findings, *, names: Iterable[str] | None = None) -> tuple[Effect, ...]:
    """Effects of the answers on findings that are numbers, the largest first.

    Parameters
    ----------
    made : the draws that the findings are of
    names : of findings that count; all when left out
    """
    wanted = None if names is None else frozenset(names)
    alternatives = _alternatives_of_draws(made)
    found = []
    for (of, name), one in findings.items():
        if one.values.ndim != 1 or (wanted is not None and name not in wanted):
            continue
        for component, alternative in alternatives.items():
            share = _share_taken_away(one, alternative)
            if share >= LEAST_SHARE:
                found.append(Effect(component, of, name, share))
    return tuple(sorted(found, key=lambda one: -one.share))


def questions_by_effect(made: Draws, findings: Findings) -> tuple[tuple[int, float], ...]:
    """Components by how much their answer is expected to narrow the findings: (id, sum of shares)."""
    total: dict[int, float] = {}
    for one in effects(made, findings):
        total[one.component] = total.get(one.component, 0.0) + one.share
    return tuple(sorted(total.items(), key=lambda pair: -pair[1]))


def effect_words(effect: Effect) -> str:
    """``settling component 7 is expected to narrow the interval of unit 12's width to 50 %``."""
    of = "the sorting" if effect.of is None else f"unit {effect.of}"
    if isinstance(effect.of, tuple):
        of = f"units {' and '.join(map(str, effect.of))}"
    return (
        f"settling component {effect.component} is expected to narrow the interval of {effect.name} of {of} "
        f"to {100 * effect.narrows_to:.0f} %"
    )


def _alternatives_of_draws(made: Draws) -> dict[int, NDArray[np.int64]]:
    """Alternative of each component that each draw is: by id, those that are open, (n,)."""
    found = {}
    for rows, one in zip(made.rows, made.posterior.components, strict=True):
        component = one.component
        labels = [alternative.labels[component.sampled] for alternative in component.alternatives]
        of_row = alternative_of_draw(component.posterior, labels, min_spikes=one.min_spikes)
        if len(np.unique(of_row[rows])) > 1:
            found[component.id] = of_row[rows]
    return found


def _share_taken_away(one: Finding, alternative: NDArray[np.int64]) -> float:
    """Share of the variance of a finding that lies between the alternatives."""
    values, group = one.values, alternative[one.draws]
    known = np.isfinite(values)
    values, group = values[known], group[known]
    total = float(one.sd) ** 2
    _, index = np.unique(group, return_inverse=True)
    n, n_alternatives = len(values), int(index.max(initial=-1)) + 1
    if not total > 0 or n_alternatives < 2 or n <= n_alternatives:
        return 0.0
    count = np.bincount(index)
    mean = np.bincount(index, values) / count
    inside = float(((values - mean[index]) ** 2).sum()) / (n - n_alternatives)
    between = float((count * (mean - values.mean()) ** 2).sum()) / n - (n_alternatives - 1) / n * inside
    return float(np.clip(between / total, 0.0, 1.0))
