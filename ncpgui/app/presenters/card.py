"""One way to sort the component on screen, as a card: its numbers and its words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.colors import Color
from ncpgui.app.presenters.card_change import CardChange
from ncpgui.app.words import count, thousands
from ncpgui.core.component import (
    ECHOES,
    STIMULUS,
    TIMES,
    WAVEFORMS,
)
from ncpgui.core.percent import percent_of_draws
from ncpgui.core.posterior import NOT_A_POSTERIOR, Sampler


@dataclass(frozen=True, eq=False)
class CardUnit:
    """A unit of a card: its share of the spikes and its mean waveform.

    It is no row of a `UnitTable`: what using a card would make has no number yet.

    share : of the largest unit of any card; mean : (32, C) noise sd on the contacts of the question, None
    when not at hand
    """

    name: str
    color: Color
    n_spikes: int
    share: float
    is_changed: bool
    mean: NDArray[np.float32] | None

    @property
    def waveform(self) -> NDArray[np.float32] | None:
        """(32,) its mean where it is largest."""
        return (
            None if self.mean is None else self.mean[:, np.nan_to_num(np.abs(self.mean)).max(axis=0).argmax()]
        )


@dataclass(frozen=True, eq=False)
class Card:
    """One way to sort the component.

    index : of the alternative, None for a sorting made by hand; mass, mass_se : its probability;
    evidence : the same before any decision, by each kind of evidence (`core.component.masses_by_evidence`);
    words : its difference from the sorting in use, every spike accounted for; units, n_unassigned : what
    using it gives, spikes of this component without a unit; is_shown : drawn by the other panels now;
    is_in_use : it is the current sorting; as_given : it is that of the folder that is reviewed;
    given : the condition of its probability, '' without one; before : its probability before any decision,
    None where nothing was decided; sampler : "beam" where its probability is that among the vectors of a
    beam, which are no posterior;
    is_edited : the current sorting is this one but for single spikes; n_wrong : spikes expected in a wrong
    unit of the sorting in use, where a unit of it is more probably not pure, or not complete; else 0;
    change : what it would join or part, or, of the sorting in use, what the most probable other card would
    """

    index: int | None
    mass: float
    mass_se: float
    words: str
    units: tuple[CardUnit, ...]
    n_unassigned: int
    is_shown: bool
    is_in_use: bool
    given: str = ""
    evidence: Mapping[str, float] = field(default_factory=dict)
    as_given: bool = False
    sampler: Sampler = "draws"
    before: float | None = None
    is_edited: bool = False
    n_wrong: float = 0.0
    change: CardChange | None = None

    @property
    def key(self) -> str:
        """Digit that shows it."""
        return "" if self.index is None else str(self.index + 1)

    @property
    def percent(self) -> str:
        """Its probability, as people read it."""
        return percent_of_draws(self.mass)

    @property
    def error(self) -> str:
        """Monte Carlo standard error, in percent; of a beam, which has none, that it is one."""
        if self.sampler == "beam":
            return "of the beam"
        return f"± {100 * self.mass_se:.0f}" if self.mass_se >= 0.01 else "± <1"

    @property
    def was(self) -> str:
        """Its probability before any decision, in words; '' where it is the same."""
        told = "" if self.before is None else percent_of_draws(self.before)
        return "" if told in ("", self.percent) else f"was {told}"

    @property
    def beside(self) -> tuple[str, ...]:
        """What is written beside its probability, the longest words first, for where there is little room."""
        return (f"{self.error} · {self.was}", self.was) if self.was else (self.error,)

    @property
    def of_what(self) -> str:
        """Its probability with what it is a share of, and how exact it is."""
        if self.sampler == "beam":
            return f"{self.percent} of the beam: {NOT_A_POSTERIOR}"
        was = f", {self.was} before any decision" if self.was else ""
        return f"{self.percent} of the posterior ({self.error} % Monte Carlo error){was}"

    @property
    def why(self) -> tuple[str, ...]:
        """What beside the waveforms says most for it or against it: a sentence, and the same shorter.

        () where waveforms say the same as all evidence together.
        """
        steps = [*self.evidence.items()]
        if len({percent_of_draws(mass) for _, mass in steps}) < 2:
            return ()
        changes = [(_logit(after) - _logit(before), name) for (_, before), (name, after) in pairwise(steps)]
        change, name = max(changes, key=lambda one: abs(one[0]))
        long, short = {
            TIMES: ("all spikes speak", "all spikes"),
            STIMULUS: ("the stimulus speaks", "stimulus"),
            ECHOES: ("echoes speak", "echoes"),
        }[name]
        side = "for it" if change > 0 else "against it"
        return f"{long} {side}", f"{short} {side}"

    @property
    def evidence_help(self) -> str:
        """What each kind of evidence makes of it, one after the other; '' where all kinds say the same."""
        if not self.why:
            return ""
        words = {
            WAVEFORMS: "network alone",
            TIMES: "with all spikes and their times",
            STIMULUS: "with the stimulus",
            ECHOES: "with echoes of other units",
        }
        return ", ".join(f"{words[name]} {percent_of_draws(mass)}" for name, mass in self.evidence.items())

    @property
    def title(self) -> str:
        """Number of units in words."""
        return count(len(self.units), "unit") + (", as given" if self.as_given else "")

    @property
    def conditions(self) -> tuple[str, ...]:
        """That its probability is conditional, the longest words first, for where there is little room."""
        return (self.given, "given decisions", "given") if self.given else ()

    @property
    def line(self) -> str:
        """What is written under the title."""
        if not self.is_in_use:
            return self.words
        wrong = f"about {count(max(round(self.n_wrong), 1), 'spike')} in a wrong unit" if self.n_wrong else ""
        edited = "edited by hand" if self.is_edited else ""
        rest = self.unassigned if self.n_unassigned else ""
        return ", ".join(filter(None, ("as the units are now", edited, wrong, rest)))

    @property
    def unassigned(self) -> str:
        """Spikes without a unit, in words."""
        return f"{thousands(self.n_unassigned)} unassigned"

    @property
    def counts(self) -> str:
        """Spikes of each unit, and those of none."""
        parts = [f"{unit.name}: {thousands(unit.n_spikes)}" for unit in self.units]
        return " · ".join([*parts, self.unassigned])


def _logit(p: float) -> float:
    """Log odds of a probability, which no few draws make 0 or 1."""
    known = min(max(p, 0.001), 0.999)
    return float(np.log(known / (1 - known)))
