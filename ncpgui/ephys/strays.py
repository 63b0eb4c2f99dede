"""Strays: spikes of a finished sorting before the first sample of its recording, or past the last.

Kilosort writes some, where the first batch was shifted or the last one padded. They are set aside if they are
few; many mean that the recording is another one, or is read in a wrong way.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import RecordingError

FEW_SPIKES, FEW_SHARE, MOST_SHARE = 10, 0.01, 0.25
"""Strays are few up to 10 spikes or 1 % of all, and never more than a quarter."""


def set_aside(times: NDArray[np.int64], n_samples: int, place: Path) -> tuple[NDArray[np.int64], str]:
    """Places in `times` of the spikes that a recording has, in order of time (stable), and what is said.

    times : (n,) samples as they are in the files of `place`
    returns : (n_inside,) int64; a sentence about the strays, empty without any

    Raises
    ------
    RecordingError
        Too many spikes lie outside.
    """
    early, late = times < 0, times >= n_samples
    outside = early | late
    n = int(outside.sum())
    rows = np.flatnonzero(~outside)
    rows = rows[np.argsort(times[rows], kind="stable")].astype(np.int64)
    if n == 0:
        return rows, ""
    worst = int(times.min() if early.any() else times.max())
    if n > max(FEW_SHARE * len(times), min(FEW_SPIKES, MOST_SHARE * len(times))):
        raise RecordingError(
            f"{place}: {n} of {len(times)} spikes are outside: a spike at sample {worst} lies outside the "
            f"recording of {n_samples} samples; check that it is the recording of these spikes, and its "
            "sampling frequency, dtype and number of channels"
        )
    where = [
        f"{int(of.sum())} {words}"
        for of, words in ((early, "before its first sample"), (late, "past its last sample"))
        if of.any()
    ]
    return rows, (
        f"{n} of {len(times)} spikes lie outside the recording of {n_samples} samples ({', '.join(where)}; "
        f"one is at sample {worst}): they are set aside, and a write-back keeps them"
    )


def with_strays(
    reviewed: NDArray[np.int64], rows: NDArray[np.int64], units: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Cluster of every spike of the folder; strays go where most of their cluster went."""
    clusters = reviewed.copy()
    clusters[rows] = units
    strays = np.setdiff1d(np.arange(len(reviewed)), rows)
    for cluster in np.unique(reviewed[strays]).tolist():
        went, counts = np.unique(units[reviewed[rows] == cluster], return_counts=True)
        if len(went):
            clusters[strays[reviewed[strays] == cluster]] = went[counts.argmax()]
    return clusters
