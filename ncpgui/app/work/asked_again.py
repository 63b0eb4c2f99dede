"""What a component is when it is sampled again, so that late samples of another are dropped."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.workspace import Workspace
from ncpgui.core.component import Clamp, Component
from ncpgui.core.spikes import UNASSIGNED
from ncpgui.curation.conditioned import accepted_labels, clamp_of
from ncpgui.curation.decision import Decision

NO_SPIKES = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Asked:
    """What a component is when it is sampled again: the samples are of this, and of nothing else.

    component : as it was sampled; units : (n,) unit of each of its spikes; decisions : what was decided.
    """

    component: Component
    units: NDArray[np.int64]
    decisions: tuple[Decision, ...]

    @staticmethod
    def of(workspace: Workspace, component: Component) -> Asked:
        """The component as it stands."""
        units = workspace.state.clustering.unit_of_spike[component.spike_ids]
        given = workspace.state.components.given_of(component.id)
        return Asked(component, units, () if given is None else given.decisions)

    @cached_property
    def held(self) -> Clamp:
        """What stays as it is; found where it is sampled: it takes longer than an edit may."""
        return clamp_of(self.component, self.units, self.decisions)

    @property
    def is_all_accepted(self) -> bool:
        """Whether no spike is free, so that there is nothing to sample."""
        return bool((accepted_labels(self.component, self.decisions) >= 0).all())

    @property
    def given(self) -> tuple[int, ...]:
        """Units of which something was decided."""
        about = np.concatenate([NO_SPIKES, *(ids for one in self.decisions for ids in one.sets)])
        units = self.units[np.isin(self.component.spike_ids, about) & (self.units != UNASSIGNED)]
        return tuple(np.unique(units).tolist())

    def is_still_so(self, workspace: Workspace) -> bool:
        """Whether nobody edited the component since; labels and other components do not matter."""
        if workspace.state.components.sampled(self.component.id) is not self.component:
            return False
        now = Asked.of(workspace, self.component)
        same = [one.key for one in now.decisions] == [one.key for one in self.decisions]
        return same and np.array_equal(now.units, self.units)
