"""What comes from SpikeInterface beside reading and filtering: templates, whitening, matching.

Names of SpikeInterface that may move are named here only.

Everything runs in fixed pieces of `PIECE_S` seconds, so that the number of jobs changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spikeinterface.core import (
    BaseRecording,
    BaseRecordingSegment,
    ChannelSparsity,
    Templates,
)
from spikeinterface.preprocessing import whiten

from ncpgui.ephys.preprocessing import Preprocessed

PIECE_S = 1.0
WHITENING_RADIUS_UM = 100.0
WHITENING_SEED = 0
SHANK_GAP_UM = 1e6
"""Shanks are set this far apart, so that none is whitened or matched with another."""


class FilteredRecording(BaseRecording):  # type: ignore[misc]
    """Filtered traces of ncpgui, noise sd, on the good channels, as a recording of SpikeInterface."""

    def __init__(self, pre: Preprocessed) -> None:
        good = np.setdiff1d(np.arange(pre.n_channels), pre.bad_channels)
        super().__init__(pre.sampling_frequency_hz, good, np.dtype(np.float32))
        self.add_recording_segment(_FilteredSegment(pre, good))
        places = pre.probe.positions_um[good].copy()
        assert pre.probe.shank is not None
        places[:, 0] += SHANK_GAP_UM * np.unique(pre.probe.shank[good], return_inverse=True)[1]
        self.set_dummy_probe_from_locations(places)
        self._serializability.update(memory=False, json=False, pickle=False)


class _FilteredSegment(BaseRecordingSegment):  # type: ignore[misc]
    def __init__(self, pre: Preprocessed, good: NDArray[np.integer]) -> None:
        super().__init__(sampling_frequency=pre.sampling_frequency_hz)
        self._pre, self._good = pre, good

    def get_num_samples(self) -> int:
        return self._pre.n_samples

    def get_traces(
        self, start_frame: int, end_frame: int, channel_indices: Any = None
    ) -> NDArray[np.float32]:
        traces = self._pre.traces(int(start_frame), int(end_frame))[:, self._good]
        return traces if channel_indices is None else traces[:, channel_indices]


def whitened(pre: Preprocessed) -> BaseRecording:
    """Traces of the good channels with noise of sd 1 that neighbours do not share, computed when read."""
    return whiten(
        FilteredRecording(pre),
        dtype="float32",
        mode="local",
        radius_um=WHITENING_RADIUS_UM,
        seed=WHITENING_SEED,
    )


def filtered_templates(pre: Preprocessed, waveforms: NDArray[np.float32]) -> NDArray[np.float32]:
    """Templates of `whitened` traces (K, T, n good channels) as they are in the filtered ones: (K, T, C)."""
    result = np.zeros((*waveforms.shape[:2], pre.n_channels), np.float32)
    if len(waveforms):
        good = np.setdiff1d(np.arange(pre.n_channels), pre.bad_channels)
        whitening = np.asarray(whitened(pre)._kwargs["W"], dtype=np.float64)
        result[:, :, good] = waveforms @ np.linalg.inv(whitening)
    return result


def mean_waveforms(
    recording: BaseRecording,
    sample_index: NDArray[np.integer],
    unit: NDArray[np.integer],
    *,
    n_units: int,
    n_before: int,
    n_after: int,
) -> NDArray[np.float32]:
    """Mean of the traces around the spikes of each unit: (n_units, n_before + n_after, C), zero for none."""
    times, units = np.asarray(sample_index, np.int64), np.asarray(unit, np.int64)
    n_samples, n_times = recording.get_num_samples(), n_before + n_after
    inside = (times >= n_before) & (times < n_samples - n_after) & (units >= 0)
    order = np.flatnonzero(inside)[np.argsort(times[inside], kind="stable")]
    times, units = times[order], units[order]
    sums = np.zeros((n_units, n_times, recording.get_num_channels()))
    step = round(PIECE_S * recording.sampling_frequency)
    for start in range(0, n_samples, step):
        low, high = np.searchsorted(times, [start, start + step])
        if low == high:
            continue
        first = max(0, start - n_before)
        traces = recording.get_traces(start_frame=first, end_frame=min(n_samples, start + step + n_after))
        for time, own in zip((times[low:high] - n_before - first).tolist(), units[low:high], strict=True):
            sums[own] += traces[time : time + n_times]
    n_spikes = np.bincount(units, minlength=n_units)
    return (sums / np.maximum(n_spikes, 1)[:, None, None]).astype(np.float32)


def find_spikes(
    recording: BaseRecording,
    waveforms: NDArray[np.float32],
    *,
    n_before: int,
    threshold: float,
    stretches: Sequence[tuple[int, int]] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Spikes of templates in traces (`wobble`): sample of each and row of its template, in order of time.

    Parameters
    ----------
    waveforms : (K, T, C) float32, zero where a template is not seen; each is seen somewhere
    threshold : of the gain in squared error that a spike must bring
    stretches : samples (first, end) to look at; everything when left out
    """
    from spikeinterface.sortingcomponents.matching import find_spikes_from_templates  # loads torch

    if len(waveforms) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    seen = (waveforms != 0).any(axis=1)
    dense = Templates(
        templates_array=waveforms,
        sampling_frequency=recording.sampling_frequency,
        nbefore=n_before,
        channel_ids=recording.channel_ids,
        unit_ids=np.arange(len(waveforms)),
        probe=recording.get_probe(),
        is_in_uV=False,
    )
    found = find_spikes_from_templates(
        recording,
        dense.to_sparse(ChannelSparsity(seen, dense.unit_ids, dense.channel_ids)),
        method="wobble",
        method_kwargs={
            "parameters": {
                "threshold": threshold,
                "approx_rank": 3,
                "jitter_factor": 4,
                "shared_memory": False,
            },
            "engine": "numpy",
            "shared_memory": False,
        },
        pipeline_kwargs=None if stretches is None else {"slices": [(0, a, b) for a, b in stretches]},
        job_kwargs=_jobs(),
    )
    order = np.lexsort((found["cluster_index"], found["sample_index"]))
    return found["sample_index"][order].astype(np.int64), found["cluster_index"][order].astype(np.int64)


def _jobs() -> dict[str, Any]:
    return {"n_jobs": 1, "progress_bar": False, "chunk_duration": f"{PIECE_S:g}s"}
