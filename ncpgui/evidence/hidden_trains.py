"""Whether the firing times of one unit are those of two cells: pairs closer than a refractory period.

A cell leaves hardly any pairs of spikes closer than its refractory period: a share of those that chance would
make, from spikes of others and noise. In a unit of two cells each spike of one meets those of the other.
With a share q of the spikes in the smaller one, that is 2 q (1 - q) of what chance makes; cells that a
stimulus drives in turn meet less often, and one of two spikes that overlap is lost.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from ncpgui.core.heaps import MOST_NATS
from ncpgui.core.spike_pairs import pairs_within
from ncpgui.evidence.refractory import CHANCE_MS

CLOSE_MS = (0.7, 1.5)
"""Shorter than the refractory period of most neurons; matching loses one of two spikes that are closer."""
OF_ONE = np.array([0.003, 0.01, 0.03, 0.1])
"""Shares of what chance makes that the pairs of one cell are, each as probable ..."""
OF_TWO = np.array([0.03, 0.06, 0.12, 0.25, 0.5])
"""... and those of two."""


def hidden_train_nats(fired: NDArray[np.integer], sampling_frequency_hz: float) -> float:
    """Log Bayes factor of two cells against one, by close pairs; fired : (n,) samples, not decreasing.

    At most `MOST_NATS` either way.
    """
    per_ms = sampling_frequency_hz / 1000
    n_close, n_chance = 0, 0
    for _, _, apart in pairs_within(np.asarray(fired, dtype=np.int64), CHANCE_MS[1] * per_ms):
        n_close += int(((apart > CLOSE_MS[0] * per_ms) & (apart <= CLOSE_MS[1] * per_ms)).sum())
        n_chance += int((apart > CHANCE_MS[0] * per_ms).sum())
    by_chance = n_chance * (CLOSE_MS[1] - CLOSE_MS[0]) / (CHANCE_MS[1] - CHANCE_MS[0])
    one, two = (
        logsumexp(n_close * np.log(shares) - shares * by_chance) - np.log(len(shares))
        for shares in (OF_ONE, OF_TWO)
    )
    return float(np.clip(two - one, -MOST_NATS, MOST_NATS))
