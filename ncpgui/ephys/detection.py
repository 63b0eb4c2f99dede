"""Spike detection: troughs under a threshold, one per neighbourhood (SpikeInterface, locally exclusive)."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError
from ncpgui.core.probe import Probe
from ncpgui.core.progress import Progress, silent
from ncpgui.core.spikes import SpikeEvents
from ncpgui.ephys.preprocessing import Preprocessed

# Shanks are set this far apart where SpikeInterface looks for neighbours, so that a spike on one
# never silences another.
_SHANK_GAP_UM = 1e6


def detect_spikes(
    pre: Preprocessed,
    *,
    threshold_sd: float = 5.0,
    exclude_ms: float = 0.4,
    radius_um: float = 60.0,
    progress: Progress = silent,
) -> SpikeEvents:
    """Find troughs deeper than `threshold_sd`, the deepest within `exclude_ms` and `radius_um`.

    Pieces are searched one after the other with margins, so that the result does not depend on
    where they end.

    Raises
    ------
    InputError
        A threshold or window that is not positive.
    RecordingError
        NaN or infinite samples.
    """
    for name, value in (("threshold_sd", threshold_sd), ("exclude_ms", exclude_ms)):
        if not value > 0:
            raise InputError(f"{name} must be positive, got {value}")
    if radius_um < 0:
        raise InputError(f"radius_um must not be negative, got {radius_um}")
    exclude = exclude_ms * pre.sampling_frequency_hz / 1000
    margin = int(exclude) + 3
    positions = _apart(pre.probe)
    found: list[NDArray[np.void]] = []
    total = -(-pre.n_samples // pre.piece_samples)
    for piece in range(total):
        progress(piece, total, "detecting spikes")
        start = piece * pre.piece_samples
        stop = min(start + pre.piece_samples, pre.n_samples)
        first, last = max(0, start - margin), min(pre.n_samples, stop + margin)
        peaks = _search(
            pre.traces(first, last),
            positions,
            sampling_frequency_hz=pre.sampling_frequency_hz,
            threshold_sd=threshold_sd,
            exclude_ms=exclude_ms,
            radius_um=radius_um,
        )
        peaks["sample_index"] += first
        found.append(peaks[(peaks["sample_index"] >= start) & (peaks["sample_index"] < stop)])
    progress(total, total, "detecting spikes")
    peaks = np.concatenate(found)
    peaks = peaks[np.lexsort((peaks["channel_index"], peaks["sample_index"]))]
    return SpikeEvents(
        sample_index=peaks["sample_index"],
        channel=peaks["channel_index"],
        amplitude=peaks["amplitude"],
        sampling_frequency_hz=pre.sampling_frequency_hz,
        n_samples=pre.n_samples,
    )


def _search(
    traces: NDArray[np.float32],
    positions_um: NDArray[np.float64],
    *,
    sampling_frequency_hz: float,
    threshold_sd: float,
    exclude_ms: float,
    radius_um: float,
) -> NDArray[np.void]:
    """Peaks of one piece: structured array with sample_index, channel_index, amplitude."""
    from spikeinterface.core import NumpyRecording
    from spikeinterface.sortingcomponents.peak_detection import detect_peaks

    _keep_compiled()
    recording = NumpyRecording([traces], sampling_frequency_hz)
    recording.set_dummy_probe_from_locations(positions_um)
    return np.array(
        detect_peaks(
            recording,
            method="locally_exclusive",
            method_kwargs={
                "peak_sign": "neg",
                "detect_threshold": threshold_sd,
                "exclude_sweep_ms": exclude_ms,
                "radius_um": radius_um,
                "noise_levels": np.ones(traces.shape[1], dtype=np.float32),
            },
            job_kwargs={"n_jobs": 1, "chunk_size": len(traces), "progress_bar": False},
        )
    )


@cache
def _keep_compiled() -> None:
    """Let numba keep SpikeInterface's compiled search on disk: compiling it takes 5 s in each process."""
    from spikeinterface.sortingcomponents.peak_detection import locally_exclusive

    with suppress(AttributeError, RuntimeError, OSError):  # another version, or nowhere to write
        locally_exclusive.detect_peaks_numba_locally_exclusive_on_chunk.enable_caching()


def _apart(probe: Probe) -> NDArray[np.float64]:
    """Contact positions with the shanks far from each other: (n_channels, 2) µm."""
    assert probe.shank is not None
    _, shank = np.unique(probe.shank, return_inverse=True)
    return probe.positions_um + np.column_stack([shank * _SHANK_GAP_UM, np.zeros(len(shank))])
