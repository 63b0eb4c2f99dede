"""P(each spike belongs to its unit) from its cleaned waveform: its unit against at most five others and none.

*Another unit.* The gain of the own template less that of another (`sorting.peeling`) is normal, with one mean
and sd where the spike is of the own unit and another pair where it is of the other. Both are measured: they
are those of each template planted in the noise that is left of the recording (`sorting.gain_noise`), so that
noise correlated in time needs no further factor. Beyond either mean a lead says no more than the mean.

*None.* Noise that is let through, and what is left of other spikes (`chance_spikes`).

Before its waveform is seen, a spike is of a unit in proportion to the spikes of that unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.sorting.chance_spikes import NoneFit

if TYPE_CHECKING:
    from ncpgui.sorting.matched import Matched

MIN_SD = 1e-6
MAX_NATS = 50.0
SPIKES_AT_ONCE = 1 << 20
"""Of millions of spikes, so that what is computed on the way takes little memory."""


def spike_probability(matched: Matched, none: NoneFit) -> NDArray[np.float32]:
    """P(each spike is of its unit, and of no other candidate nor of none): (n,)."""
    n_spikes = np.maximum(np.bincount(matched.unit, minlength=matched.n_units), 1)
    against = none.odds.copy()
    for place in range(1, matched.like.candidates.shape[1]):
        other = matched.like.candidates[matched.unit, place]
        with_other = np.flatnonzero(other >= 0)
        for first in range(0, len(with_other), SPIKES_AT_ONCE):
            rows = with_other[first : first + SPIKES_AT_ONCE]
            nats = _evidence(matched, place, rows)
            nats += np.log(n_spikes[matched.unit[rows]] / n_spikes[other[rows]])
            against[rows] += np.exp(-np.clip(nats, -MAX_NATS, MAX_NATS))
    return np.asarray(1 / (1 + against), dtype=np.float32)


def _evidence(matched: Matched, place: int, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Log likelihood ratio of spikes `rows`, their unit against its candidate at `place`: (len(rows),)."""
    like, noise = matched.like, matched.noise
    mean, sd = noise.lead[:, place], noise.lead_sd[:, place]
    other_mean, other_sd = -mean, sd.copy()
    for k, other in enumerate(like.candidates[:, place]):
        back = like.place(int(other), k) if other >= 0 else None
        if back is not None:
            other_mean[k], other_sd[k] = -noise.lead[other, back], noise.lead_sd[other, back]
    unit = matched.unit[rows]
    mean, other_mean = mean[unit], other_mean[unit]
    sd, other_sd = sd[unit] + MIN_SD, other_sd[unit] + MIN_SD
    lead = (matched.gain[rows, 0] - matched.gain[rows, place]).astype(np.float64)
    lead = np.clip(lead, np.minimum(mean, other_mean), np.maximum(mean, other_mean))
    own = -0.5 * ((lead - mean) / sd) ** 2 - np.log(sd)
    return np.asarray(own + 0.5 * ((lead - other_mean) / other_sd) ** 2 + np.log(other_sd))
