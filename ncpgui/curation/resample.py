"""Resample: the posterior of a component as it was sampled again, given what was accepted.

It is an edit like others: it is written down with all its numbers, so that undo, redo and opening
the session again give each posterior back to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from ncpgui.core.component import Alternative
from ncpgui.core.errors import CurationError
from ncpgui.core.posterior import PosteriorSamples
from ncpgui.curation.state import Edit, State


@dataclass(frozen=True, eq=False)
class Resample:
    """Put another posterior, and its alternatives, in the place of those of a component.

    unit_ids : units whose spikes were held together while it was sampled: its condition; words : what this
    does, for menus and the journal.
    """

    name: ClassVar[str] = "resample"
    component_id: int
    unit_ids: tuple[int, ...]
    posterior: PosteriorSamples
    alternatives: tuple[Alternative, ...]
    words: str = "sample again"

    def __post_init__(self) -> None:
        if any(
            one.labels.ndim != 1 or one.labels.shape != one.probability.shape for one in self.alternatives
        ):
            raise CurationError("an alternative needs one cluster and one probability of each spike")

    def plan(self, now: State) -> Edit:
        """The component gets this posterior; it must be sampled, and have these spikes."""
        component = now.posteriors.get(self.component_id)
        if component is None:
            raise CurationError(
                f"component {self.component_id} is not sampled, its posterior cannot be replaced; "
                "use the session that the history is of"
            )
        for n, n_here, what in (
            (self.posterior.n_points, len(component.sampled), "sampled"),
            *((len(a.labels), len(component.spike_ids), "in all") for a in self.alternatives),
        ):
            if n != n_here:
                raise CurationError(
                    f"the posterior sampled again is of {n} spikes, component {self.component_id} has "
                    f"{n_here} {what}; use the session that the history is of"
                )
        after = replace(
            component, posterior=self.posterior, alternatives=self.alternatives, given=self.unit_ids
        )
        return Edit(self, component_before=component, component_after=after)
