"""Spike detection: peaks beyond a threshold, one per neighbourhood (SpikeInterface, locally exclusive)."""

from __future__ import annotations

import logging
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.progress import Progress, reported, show, silent
from ncpgui.core.so_far import N_STRETCHES, SpikesSoFar
from ncpgui.core.spikes import SpikeEvents
from ncpgui.ephys.preprocessing import Preprocessed

log = logging.getLogger(__name__)

PHASES_MS = 1.5
"""A peak this near to a larger one of the other sign is another phase of its spike."""
N_LOOKED_AT = 5
"""Pieces in which the sides of spikes are counted."""
FEWEST_PEAKS, MOST = 20, 2.0
"""Of so many spikes on the other side, and so many times as many as on this one, a hint is given."""
PEAK_SIGNS = ("neg", "pos", "both")
FOUND_LATE = "its spikes are found by a later, smaller phase, half a millisecond late: sort"
SEEN_LATE = "units are looked at by a later, smaller phase of their spikes: review"


def detect_spikes(
    pre: Preprocessed,
    *,
    threshold_sd: float = 5.0,
    exclude_ms: float = 0.4,
    radius_um: float = 60.0,
    peak_sign: str = "neg",
    progress: Progress = silent,
) -> SpikeEvents:
    """Find peaks beyond `threshold_sd`, the largest within `exclude_ms` and `radius_um`.

    The recording is searched piece by piece; where they end changes nothing. What is blanked in it
    is said.

    Parameters
    ----------
    peak_sign : "neg" finds troughs, "pos" positive peaks, "both" either, whichever is larger

    Raises
    ------
    InputError
        A threshold or window that is not positive, or an unknown sign.
    RecordingError
        NaN or infinite samples.
    """
    from ncpgui.ephys.spikeinterface_adapter import find_peaks

    for name, value in (("threshold_sd", threshold_sd), ("exclude_ms", exclude_ms)):
        if not value > 0:
            raise InputError(f"{name} must be positive, got {value}")
    if radius_um < 0:
        raise InputError(f"radius_um must not be negative, got {radius_um}")
    if peak_sign not in PEAK_SIGNS:
        raise InputError(f"peak_sign must be 'neg', 'pos' or 'both', got '{peak_sign}'")
    bounds = {"threshold_sd": threshold_sd, "exclude_ms": exclude_ms, "radius_um": radius_um}
    found: list[NDArray[np.void]] = []
    counted = np.zeros((N_STRETCHES, pre.n_channels), np.int64)
    total = -(-pre.n_samples // pre.piece_samples)
    for piece in reported(range(total), progress, "detecting spikes"):
        start = piece * pre.piece_samples
        stop = min(start + pre.piece_samples, pre.n_samples)
        found.append(find_peaks(pre.in_noise_sd, start, stop, peak_sign=peak_sign, **bounds))
        stretch = found[-1]["sample_index"] * N_STRETCHES // pre.n_samples
        np.add.at(counted, (stretch, pre.good_channels[found[-1]["channel_index"]]), 1)
        show(progress, partial(_so_far, pre, stop, counted))
    for sentence in pre.blanked():
        log.warning("%s", sentence)
    hint = inverted(pre, threshold_sd, exclude_ms=exclude_ms, radius_um=radius_um, peak_sign=peak_sign)
    if hint:
        log.warning("%s", hint)
    peaks = np.concatenate(found)
    peaks = peaks[np.lexsort((peaks["channel_index"], peaks["sample_index"]))]
    if peak_sign == "both":
        peaks = peaks[_main_phases(peaks, pre, radius_um)]
    return SpikeEvents(
        sample_index=peaks["sample_index"],
        channel=pre.good_channels[peaks["channel_index"]],
        amplitude=peaks["amplitude"],
        sampling_frequency_hz=pre.sampling_frequency_hz,
        n_samples=pre.n_samples,
    )


def _so_far(pre: Preprocessed, stop: int, n_spikes: NDArray[np.int64]) -> SpikesSoFar:
    rate = pre.sampling_frequency_hz
    return SpikesSoFar(pre.probe, stop / rate, pre.n_samples / rate, n_spikes.copy())


def inverted(
    pre: Preprocessed,
    threshold_sd: float,
    *,
    exclude_ms: float,
    radius_um: float,
    peak_sign: str,
    then: str = FOUND_LATE,
    stretches: NDArray[np.integer] | None = None,
) -> str:
    """A sentence where most spikes point to the other side, else nothing; a few pieces are looked at.

    stretches : (m, 2) of the recording that some are looked at of; pieces of all of it when left out
    then : what comes of it if the recording is inverted, and the verb of what is to be done with it
    """
    if peak_sign == "both":
        return ""
    from ncpgui.ephys.spikeinterface_adapter import find_peaks

    if stretches is None:
        begin = np.arange(0, pre.n_samples, pre.piece_samples)
        stretches = np.column_stack([begin, np.minimum(begin + pre.piece_samples, pre.n_samples)])
    n = {"neg": 0, "pos": 0}
    for row in np.unique(np.linspace(0, len(stretches) - 1, N_LOOKED_AT).astype(int)):
        start, stop = stretches[row].tolist()
        bounds = {"threshold_sd": threshold_sd, "exclude_ms": exclude_ms, "radius_um": radius_um}
        peaks = find_peaks(pre.in_noise_sd, start, stop, peak_sign="both", **bounds)
        peaks = peaks[np.lexsort((peaks["channel_index"], peaks["sample_index"]))]
        sizes = peaks["amplitude"][_main_phases(peaks, pre, radius_um)]
        n["neg"] += int((sizes < 0).sum())
        n["pos"] += int((sizes > 0).sum())
    other = "pos" if peak_sign == "neg" else "neg"
    if n[other] < FEWEST_PEAKS or n[other] < MOST * n[peak_sign]:
        return ""
    way = "upwards" if other == "pos" else "downwards"
    return (
        f"{n[other]} of {n['neg'] + n['pos']} spikes that were looked at point {way}; if the recording is "
        f"inverted, {then} it with --peak-sign {other}, or both"
    )


def _main_phases(peaks: NDArray[np.void], pre: Preprocessed, radius_um: float) -> NDArray[np.bool_]:
    """Peaks (n,) in order of time that are not a smaller phase of another's spike."""
    places = pre.in_noise_sd.get_channel_locations()
    near = np.linalg.norm(places[:, None] - places[None], axis=2) <= radius_um
    times, channels, sizes = (peaks[name] for name in ("sample_index", "channel_index", "amplitude"))
    reach = PHASES_MS * pre.sampling_frequency_hz / 1000
    main = np.ones(len(peaks), bool)
    for step in range(1, len(peaks)):
        close = np.flatnonzero(times[step:] - times[:-step] <= reach)
        if len(close) == 0:
            break
        close = close[sizes[close] * sizes[close + step] < 0]
        close = close[near[channels[close], channels[close + step]]]
        first_is_smaller = np.abs(sizes[close]) < np.abs(sizes[close + step])
        main[np.where(first_is_smaller, close, close + step)] = False
    return main
