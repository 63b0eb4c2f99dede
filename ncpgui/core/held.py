"""What was decided of a component, as its posterior is sampled again under it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Held:
    """Spikes that stay together or apart in all draws.

    labels : (n,) int32, spikes of the component with one label stay together, and apart from other labels;
        -1 = free
    must_link, cannot_link : pairs of sampled spikes, positions in `Component.sampled`, that share a cluster,
        or do not; of all other spikes they say nothing
    """

    labels: NDArray[np.int32]
    must_link: Pairs = ()
    cannot_link: Pairs = ()

    @property
    def is_all(self) -> bool:
        """Whether no spike is free."""
        return bool((self.labels >= 0).all())
