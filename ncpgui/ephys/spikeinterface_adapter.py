"""What comes from SpikeInterface beside reading and filtering: templates, whitening, matching, motion.

Names of SpikeInterface that may move are named here only.

Everything runs in fixed pieces of `PIECE_S` seconds, so that the number of jobs changes nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spikeinterface.core import (
    BaseRecording,
    BaseRecordingSegment,
    ChannelSparsity,
    NumpySorting,
    Templates,
    estimate_templates_with_accumulator,
)
from spikeinterface.preprocessing import whiten

from ncpgui.core.motion import Motion
from ncpgui.ephys.preprocessing import Preprocessed

PIECE_S = 1.0
WHITENING_RADIUS_UM = 100.0
WHITENING_SEED = 0
REPAIRED_PRESETS = {"dredge": {"batching_mode": "full"}}
"""What SpikeInterface 0.105 calls "offline" there, which its own function refuses."""
INTERPOLATION_UM = 20.0
RIGID_UM = 800.0
"""Contacts that reach over less move together: presets look at windows of 400 µm."""
SHANK_GAP_UM = 1e6
"""Shanks are set this far apart, so that none is whitened or matched with another."""


class FilteredRecording(BaseRecording):  # type: ignore[misc]
    """Filtered traces of ncpgui, noise sd, on the good channels, as a recording of SpikeInterface."""

    def __init__(self, pre: Preprocessed, *, shank_gap_um: float = SHANK_GAP_UM) -> None:
        good = np.setdiff1d(np.arange(pre.n_channels), pre.bad_channels)
        super().__init__(pre.sampling_frequency_hz, good, np.dtype(np.float32))
        self.add_recording_segment(_FilteredSegment(pre, good))
        places = pre.probe.positions_um[good].copy()
        assert pre.probe.shank is not None
        places[:, 0] += shank_gap_um * np.unique(pre.probe.shank[good], return_inverse=True)[1]
        self.set_dummy_probe_from_locations(places)
        self.set_property("noise_level_mad_raw", np.ones(len(good)))
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
    inside = (sample_index >= n_before) & (sample_index < recording.get_num_samples() - n_after)
    if not inside.any():
        return np.zeros((n_units, n_before + n_after, recording.get_num_channels()), np.float32)
    sorting = NumpySorting.from_samples_and_labels(
        [np.asarray(sample_index)[inside]],
        [np.asarray(unit)[inside]],
        recording.sampling_frequency,
        unit_ids=np.arange(n_units),
    )
    means = estimate_templates_with_accumulator(
        recording,
        sorting.to_spike_vector(),
        sorting.unit_ids,
        n_before,
        n_after,
        return_in_uV=False,
        **_jobs(),
    )
    return np.nan_to_num(np.asarray(means, dtype=np.float32))


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
            "parameters": {"threshold": threshold, "approx_rank": 3, "jitter_factor": 4},
            "engine": "numpy",
        },
        pipeline_kwargs={"slices": list(_slices(recording, stretches))},
        job_kwargs=_jobs(),
    )
    order = np.lexsort((found["cluster_index"], found["sample_index"]))
    return found["sample_index"][order].astype(np.int64), found["cluster_index"][order].astype(np.int64)


def estimated_motion(pre: Preprocessed, preset: str, axis: int) -> Motion:
    """Motion along an axis of the probe by a preset of SpikeInterface; no bins where that fails.

    Contacts of all shanks are taken as one column.
    """
    from spikeinterface.preprocessing import compute_motion  # loads torch

    direction = "xy"[axis]
    recording = FilteredRecording(pre, shank_gap_um=0.0)
    reach_um = float(np.ptp(recording.get_channel_locations()[:, axis]))
    settings: dict[str, Any] = {"direction": direction, **REPAIRED_PRESETS.get(preset, {})}
    if reach_um < RIGID_UM:
        settings["rigid"] = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what went wrong is said by the motion that is not there
        found, info = compute_motion(
            recording,
            preset=preset,
            estimate_motion_kwargs=settings,
            output_motion_info=True,
            raise_error=False,
            **_jobs(),
        )
    peaks = {
        "peak_time_s": info["peaks"]["sample_index"] / pre.sampling_frequency_hz,
        "peak_depth_um": np.asarray(info["peak_locations"][direction], np.float64),
    }
    if found is None:
        return Motion(axis=axis, preset=preset, **peaks)
    return Motion(
        time_s=np.asarray(found.temporal_bins_s[0], np.float64),
        depth_um=np.asarray(found.spatial_bins_um, np.float64),
        displacement_um=np.asarray(found.displacement[0], np.float64),
        axis=axis,
        preset=preset,
        **peaks,
    )


def interpolation_kernel(from_um: NDArray[np.floating], to_um: NDArray[np.floating]) -> NDArray[np.float32]:
    """Weights of values at contacts (C, 2) in values at other points (n, 2): (C, n), by kriging."""
    from spikeinterface.preprocessing import get_spatial_interpolation_kernel

    kernel = get_spatial_interpolation_kernel(
        from_um, to_um, method="kriging", sigma_um=INTERPOLATION_UM, p=2, force_extrapolate=True
    )
    return np.asarray(kernel, np.float32)


def moved_back(pre: Preprocessed, motion: Motion) -> Preprocessed:
    """Traces as the contacts would see them, had the tissue stayed; in noise sd measured anew.

    Values between contacts are interpolated, which takes from noise and from small spikes alike: for finding
    and clustering spikes, not for their templates.
    """
    from spikeinterface.core.motion import Motion as Displacement
    from spikeinterface.preprocessing import scale
    from spikeinterface.sortingcomponents.motion import InterpolateMotionRecording

    good = np.setdiff1d(np.arange(pre.n_channels), pre.bad_channels)
    steady = InterpolateMotionRecording(
        scale(FilteredRecording(pre), gain=pre.noise_sd[good], dtype="float32"),
        Displacement(motion.displacement_um, motion.time_s, motion.depth_um, direction="xy"[motion.axis]),
        border_mode="force_extrapolate",
        spatial_interpolation_method="kriging",
        sigma_um=INTERPOLATION_UM,
        p=2,
    )
    return pre.seen_through(steady)


def _slices(
    recording: BaseRecording, stretches: Sequence[tuple[int, int]] | None
) -> Iterator[tuple[int, int, int]]:
    """Stretches cut into pieces of `PIECE_S`, as SpikeInterface wants them."""
    step = round(PIECE_S * recording.sampling_frequency)
    for first, end in stretches or [(0, recording.get_num_samples())]:
        for begin in range(first, end, step):
            yield 0, begin, min(begin + step, end)


def _jobs() -> dict[str, Any]:
    return {"n_jobs": 1, "progress_bar": False, "chunk_duration": f"{PIECE_S:g}s"}
