"""Samples that Open Ephys numbered and did not save: packets were lost, and readers join what is there."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ncpgui.core.numpy_files import read_npy

NUMBERS = "sample_numbers.npy"
_PIECE = 1 << 24


def lost_packets(folder: Path, stream: str | None, sampling_frequency_hz: float) -> str:
    """A sentence about samples that are missing in the files of a stream, else nothing.

    stream : as neo calls it, ``Record Node 101#NAME``; None: the only one there is
    """
    node, _, name = (stream or "").rpartition("#")
    n_lost, n_gaps, first = 0, 0, 0.0
    for file in sorted(folder.rglob(NUMBERS)):
        place = file.parent
        if place.parent.name != "continuous" or (stream and (place.name != name or node not in place.parts)):
            continue
        try:
            numbers = read_npy(file, mapped=True)
        except (OSError, ValueError):
            continue
        if numbers.ndim != 1 or len(numbers) < 2 or numbers.dtype.kind not in "iu":
            continue
        if int(numbers[-1]) - int(numbers[0]) == len(numbers) - 1:
            continue
        for start in range(0, len(numbers) - 1, _PIECE):
            step = np.diff(np.asarray(numbers[start : start + _PIECE + 1], dtype=np.int64))
            gaps = np.flatnonzero(step > 1)
            if len(gaps) and n_gaps == 0:
                first = (start + int(gaps[0]) + 1) / sampling_frequency_hz
            n_gaps += len(gaps)
            n_lost += int((step[gaps] - 1).sum())
    if n_lost == 0:
        return ""
    places = "1 place" if n_gaps == 1 else f"{n_gaps} places"
    return (
        f"{n_lost} samples ({n_lost / sampling_frequency_hz:.3g} s) are missing at {places}, the first at "
        f"{first:.3f} s of what is there: packets were lost, and what is there is joined; seconds behind it "
        "are early by what is missing"
    )
