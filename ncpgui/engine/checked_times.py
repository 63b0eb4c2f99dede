"""Times of spikes as they are given to `cluster`: refused where they cannot be times in seconds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncpgui.core.arguments import array
from ncpgui.core.errors import InputError

_MIN_JUDGED = 20  # spikes from which on the unit of their times is judged
_USUAL_INTERVAL_S = (2e-4, 100.0)


def checked_times(times_s: ArrayLike, n_spikes: int) -> NDArray[np.float64]:
    """Return the times of `n_spikes` spikes in seconds, the first at 0: (n_spikes,) float64.

    Raises
    ------
    InputError
        Another shape; no numbers, NaN or infinite; a spike before the one that it follows; whole numbers
        only, which are samples and not seconds.
    """
    times = array(times_s, "times_s")
    if times.shape != (n_spikes,):
        raise InputError(
            f"times_s must be one time in seconds for each of {n_spikes} spikes, got shape {times.shape}; "
            f"give ({n_spikes},), or leave times_s out"
        )
    times = times.astype(np.float64)
    finite = np.isfinite(times)
    if not finite.all():
        raise InputError(
            f"times_s must be finite, but the time of spike {int(np.flatnonzero(~finite)[0])} is NaN or "
            "infinite; leave that spike out, or leave times_s out"
        )
    back = np.flatnonzero(np.diff(times) < 0)
    if len(back):
        later = int(back[0]) + 1
        raise InputError(
            f"times_s must not go back, but spike {later} is at {times[later]:g} s after one at "
            f"{times[later - 1]:g} s; sort the spikes by time, waveforms and times alike"
        )
    if n_spikes >= _MIN_JUDGED and times[-1] > times[0] and (times == np.round(times)).all():
        raise InputError(
            f"times_s must be in seconds, but all are whole numbers up to {times[-1]:.0f}, as samples are; "
            "divide by the sampling frequency"
        )
    return times - times[0]


def odd_interval(times: NDArray[np.float64]) -> str | None:
    """Say so where the mean interval of spikes is none of seconds; None as a rule."""
    if len(times) < _MIN_JUDGED:
        return None
    interval = float(times[-1] - times[0]) / (len(times) - 1)
    low, high = _USUAL_INTERVAL_S
    if low <= interval <= high:
        return None
    return f"spikes are {interval:.2g} s apart on average; if times_s are not in seconds, convert them"
