"""Units between rounds of matching, as they are shown to whoever looks while it goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.so_far import UnitsSoFar
from ncpgui.sorting.moving_templates import MovingBank

if TYPE_CHECKING:
    from ncpgui.ephys.preprocessing import Preprocessed

N_SHOWN = 60
"""Units whose waveforms are shown: more are not seen at a glance."""


def units_so_far(
    pre: Preprocessed, bank: MovingBank, unit: NDArray[np.int64], *, round: int, n_rounds: int
) -> UnitsSoFar:
    """Templates of a round where the tissue was for most of the time, and how many spikes each unit has.

    unit : (n,) of each spike, a row of the bank; round : as of `UnitsSoFar`
    """
    templates = bank.usual.waveforms
    n_spikes = np.bincount(unit[unit >= 0], minlength=bank.n_units)
    largest = np.ptp(templates, axis=1).argmax(axis=1) if len(templates) else np.zeros(0, np.int64)
    contact = pre.good_channels[largest]
    shown = np.argsort(-n_spikes, kind="stable")[:N_SHOWN]
    waveforms = pre.unwhitened(templates[shown])[np.arange(len(shown)), :, contact[shown]]
    return UnitsSoFar(pre.probe, round, n_rounds, contact, n_spikes, shown, waveforms)
