"""A filtered recording and the units in it, before the posterior of any component is sampled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.motion import Motion
from ncpgui.core.stimulus import Stimulus
from ncpgui.evidence.white_noise import WhiteNoise, white_noise
from ncpgui.sorting.components import ComponentDraw
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.found_units import FoundUnits

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed


@dataclass(frozen=True)
class Found:
    """A filtered recording and its units, in components that can be sampled; close it when done.

    stimulus : shown during the recording; white noise weighs what is sampled
    unit_ids : (K,) names of the units where another program made them (`review`), None where matching did
    aside : component -> why nothing can be said of it, of those that are not in `draws`
    """

    pre: Preprocessed
    units: FoundUnits
    draws: tuple[ComponentDraw, ...]
    config: SortingConfig
    model: str
    motion: Motion
    stimulus: Stimulus | None = None
    unit_ids: NDArray[np.int64] | None = None
    aside: Mapping[int, tuple[ComponentDraw, str]] = field(default_factory=dict)

    @property
    def is_given(self) -> bool:
        """Whether the units are a sorting that people have (`review`)."""
        return self.unit_ids is not None

    @cached_property
    def noise(self) -> WhiteNoise | None:
        """White noise that was shown, looked at once for all components; None where it weighs none."""
        return white_noise(self.stimulus) if self.config.stimulus else None

    def close(self) -> None:
        """Close the files of the recording."""
        self.pre.close()
