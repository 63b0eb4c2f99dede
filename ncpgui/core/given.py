"""The finished sorting of another program that a project began with."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

PHY, SPIKEINTERFACE = "phy", "spikeinterface"


@dataclass(frozen=True)
class GivenSorting:
    """Where the units of a project come from, and what they and their spikes are called there.

    path : folder of the sorting; kind : `PHY` (Kilosort too) or `SPIKEINTERFACE`
    rows : (n_spikes,) int64, place of each spike of the project among those of the folder; spikes of the
        folder that no recording has (`ephys.strays`) are in none
    digest : of what was read there (`ephys.given_folder`); another one: somebody changed it since
    labels : unit -> good, mua or noise, as it was labelled; names : unit -> its id there, where that is
        text
    """

    path: str
    kind: str
    rows: NDArray[np.int64]
    digest: str
    labels: dict[int, str] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
