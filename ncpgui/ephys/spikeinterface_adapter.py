"""What comes from SpikeInterface beside reading: filters, peaks, whitening, matching, motion.

Names of SpikeInterface that may move are named here only.

Everything runs in fixed pieces of `PIECE_S` seconds, so that the number of jobs changes nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spikeinterface.core import (
    BaseRecording,
    ChannelSparsity,
    Templates,
    get_random_data_chunks,
)
from spikeinterface.preprocessing import bandpass_filter, phase_shift, scale, whiten
from spikeinterface.preprocessing.basepreprocessor import BasePreprocessor, BasePreprocessorSegment

from ncpgui.core.ahead import N_THREADS
from ncpgui.core.motion import Motion
from ncpgui.core.probe import Probe
from ncpgui.ephys.band_pass import SideBySide
from ncpgui.ephys.piece_loops import PIECE_S, piece_loop

__all__ = ["BasePreprocessor", "BasePreprocessorSegment", "BaseRecording"]

try:
    from spikeinterface.core.time_series_tools import get_random_sample_slices

    SLICES = "slices"
except ImportError:  # up to 0.104
    from spikeinterface.core.recording_tools import get_random_recording_slices as get_random_sample_slices

    SLICES = "recording_slices"

WHITENING_RADIUS_UM = 100.0
WHITENING_CHUNK_S = 0.5
"""Of SpikeInterface; of a shorter recording all is measured."""
WHITENING_SEED = 0
REPAIRED_PRESETS = {"dredge": {"batching_mode": "full"}}
"""What SpikeInterface 0.105 calls "offline" there, which its own function refuses."""
STRETCH_S = 300
"""Recordings of more than two of these are compared with themselves in stretches of this length: to compare
all seconds with all others takes memory and time with the square of the length."""
INTERPOLATION_UM = 20.0
RIGID_UM = 800.0
"""Contacts that reach over less move together: presets look at windows of 400 µm."""
SHANK_GAP_UM = 1e6
"""Shanks are set this far apart, so that none is whitened or matched with another."""


def place_contacts(recording: BaseRecording, probe: Probe, channels: NDArray[np.integer]) -> None:
    """Give a recording the contacts of its channels, with shanks far from each other."""
    assert probe.shank is not None
    places = probe.positions_um[channels].copy()
    places[:, 0] += SHANK_GAP_UM * np.unique(probe.shank[channels], return_inverse=True)[1]
    recording.set_dummy_probe_from_locations(places)


def random_slices(
    recording: BaseRecording, n_slices: int, n_samples: int, seed: int
) -> list[tuple[int, int, int]]:
    """Seeded stretches of a recording of one segment: (segment, first, end)."""
    return [
        (int(segment), int(first), int(end))
        for segment, first, end in get_random_sample_slices(
            recording, num_chunks_per_segment=n_slices, chunk_size=n_samples, seed=seed
        )
    ]


def in_phase(recording: BaseRecording) -> BaseRecording:
    """The same recording as if all channels were sampled at once, where it says that they were not."""
    if "inter_sample_shift" not in recording.get_property_keys():
        return recording
    return phase_shift(recording)


def band_passed(recording: BaseRecording, low_hz: float, high_hz: float, order: int) -> BaseRecording:
    """Traces between two frequencies, forward and backward filtered, float32."""
    return SideBySide(
        bandpass_filter(recording, freq_min=low_hz, freq_max=high_hz, filter_order=order, dtype="float32")
    )


def scaled(recording: BaseRecording, gain: NDArray[np.floating]) -> BaseRecording:
    """Traces times a gain for each channel, float32."""
    return scale(recording, gain=np.asarray(gain, np.float32), offset=np.zeros(len(gain), np.float32))


def find_peaks(
    recording: BaseRecording,
    first: int,
    end: int,
    *,
    peak_sign: str,
    threshold_sd: float,
    exclude_ms: float,
    radius_um: float,
) -> NDArray[np.void]:
    """Peaks from sample `first` to `end` of traces in noise sd, the largest within a time and a radius.

    Structured array with sample_index, channel_index, amplitude. What lies beyond the ends is looked at too,
    so that they change nothing.
    """
    from spikeinterface.sortingcomponents.peak_detection import detect_peaks

    _keep_compiled()
    with piece_loop() as job_kwargs:
        found = detect_peaks(
            recording,
            method="locally_exclusive",
            method_kwargs={
                "peak_sign": peak_sign,
                "detect_threshold": threshold_sd,
                "exclude_sweep_ms": exclude_ms,
                "radius_um": radius_um,
                "noise_levels": np.ones(recording.get_num_channels(), dtype=np.float32),
            },
            pipeline_kwargs={SLICES: [(0, first, end)]},
            job_kwargs=job_kwargs,
        )
    return np.array(found)


@cache
def _keep_compiled() -> None:
    """Let numba keep SpikeInterface's compiled search on disk: compiling it takes 5 s in each process."""
    from spikeinterface.sortingcomponents.peak_detection import locally_exclusive

    with suppress(AttributeError, RuntimeError, OSError):  # another version, or nowhere to write
        locally_exclusive.detect_peaks_numba_locally_exclusive_on_chunk.enable_caching()


def _use_grid_places() -> None:
    """Let SpikeInterface find places of peaks in a third of the time; up to 0.103 they are somewhere else."""
    with suppress(ImportError):
        from ncpgui.ephys.grid_places import use_grid_places

        use_grid_places()


def whitening_matrix(traces: BaseRecording) -> NDArray[np.float32]:
    """What traces are multiplied with, for noise of sd 1 that neighbours do not share: (C, C)."""
    options: dict[str, int] = {"seed": WHITENING_SEED}
    if traces.get_num_samples() < WHITENING_CHUNK_S * traces.sampling_frequency:
        options["chunk_size"] = traces.get_num_samples() - 1
    found = whiten(traces, dtype="float32", mode="local", radius_um=WHITENING_RADIUS_UM, **options)
    measured = get_random_data_chunks(traces, concatenated=True, **options)
    known = (measured != 0).mean(axis=0)  # what is blanked has no variance
    return np.asarray(np.asarray(found._kwargs["W"]) * np.sqrt(known), np.float32)


def find_spikes(
    recording: BaseRecording,
    waveforms: NDArray[np.float32],
    *,
    n_before: int,
    least_gain: NDArray[np.floating] | float,
    matcher: str | type,
    stretches: Sequence[tuple[int, int]] | None = None,
    n_jobs: int = 1,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Spikes of templates in traces: sample of each and row of its template, in order of time.

    Parameters
    ----------
    waveforms : (K, T, C) float32, zero where a template is not seen; each is seen somewhere
    least_gain : gain in squared error that a spike of each template (K,) must bring, or of any of them, where
        the matcher takes one (such a class)
    matcher : "tdc-peeler", "circus-omp", or a class of the kind of SpikeInterface's wobble
    stretches : samples (first, end) to look at; everything when left out
    n_jobs : pieces at a time, on threads; the result is the same with any
    """
    from spikeinterface.sortingcomponents.matching import find_spikes_from_templates  # loads torch
    from spikeinterface.sortingcomponents.matching.method_list import matching_methods

    if len(waveforms) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    method = str(matcher)
    if isinstance(matcher, type):
        method = matcher.__name__
        matching_methods[method] = matcher
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
    with piece_loop(n_jobs) as job_kwargs:
        found = find_spikes_from_templates(
            recording,
            dense.to_sparse(ChannelSparsity(seen, dense.unit_ids, dense.channel_ids)),
            method=method,
            method_kwargs=_matcher_settings(matcher, least_gain, waveforms.shape[2]),
            pipeline_kwargs={SLICES: list(_slices(recording, stretches))},
            job_kwargs=job_kwargs,
        )
    order = np.lexsort((found["cluster_index"], found["sample_index"]))
    return found["sample_index"][order].astype(np.int64), found["cluster_index"][order].astype(np.int64)


def estimated_motion(
    traces: BaseRecording, positions_um: NDArray[np.floating], preset: str, axis: int
) -> Motion:
    """Motion along an axis of the probe by a preset of SpikeInterface; no bins where that fails.

    traces : in noise sd; positions_um (C, 2) : of their channels, those of all shanks as one column
    """
    from spikeinterface.preprocessing import compute_motion  # loads torch

    _keep_compiled()
    _use_grid_places()
    recording, settings = _for_motion(traces, positions_um, preset, axis)
    with warnings.catch_warnings(), piece_loop(N_THREADS) as job_kwargs:
        warnings.simplefilter("ignore")  # what went wrong is said by the motion that is not there
        found, info = compute_motion(
            recording,
            preset=preset,
            estimate_motion_kwargs=settings,
            output_motion_info=True,
            raise_error=False,
            **job_kwargs,
        )
    return _as_motion(found, info["peaks"]["sample_index"], info["peak_locations"], recording, preset, axis)


def motion_of_spikes(
    traces: BaseRecording,
    positions_um: NDArray[np.floating],
    preset: str,
    axis: int,
    sample_index: NDArray[np.integer],
    channel: NDArray[np.integer],
    height_sd: NDArray[np.floating],
) -> Motion:
    """The same by spikes that are known, in order of time, each at a contact and so high there: (n,)."""
    from spikeinterface.preprocessing.motion import get_motion_parameters_preset
    from spikeinterface.sortingcomponents.motion import estimate_motion
    from spikeinterface.sortingcomponents.peak_localization import localize_peaks

    _use_grid_places()
    recording, settings = _for_motion(traces, positions_um, preset, axis)
    parameters = get_motion_parameters_preset(preset)
    kinds = [(name, np.int64) for name in ("sample_index", "channel_index", "segment_index")]
    peaks = np.zeros(len(sample_index), dtype=[*kinds[:2], ("amplitude", np.float64), kinds[2]])
    peaks["sample_index"], peaks["channel_index"], peaks["amplitude"] = sample_index, channel, height_sd
    with warnings.catch_warnings(), piece_loop() as job_kwargs:
        warnings.simplefilter("ignore")
        places = localize_peaks(
            recording, peaks, method_kwargs=parameters["localize_peaks_kwargs"], job_kwargs=job_kwargs
        )
        try:
            found = estimate_motion(
                recording, peaks, places, **(parameters["estimate_motion_kwargs"] | settings)
            )
        except Exception:  # of many kinds, as `compute_motion` takes them
            found = None
    return _as_motion(found, sample_index, places, recording, preset, axis)


def _for_motion(
    traces: BaseRecording, positions_um: NDArray[np.floating], preset: str, axis: int
) -> tuple[BaseRecording, dict[str, Any]]:
    """Traces whose channels are one column, and how a preset estimates their motion."""
    recording = traces.frame_slice(None, None)  # the same traces: a clone would filter them anew
    recording.set_dummy_probe_from_locations(positions_um)
    recording.set_property("noise_level_mad_raw", np.ones(len(positions_um)))
    settings = motion_settings(
        preset,
        direction="xy"[axis],
        reach_um=float(np.ptp(recording.get_channel_locations()[:, axis])),
        duration_s=recording.get_num_samples() / recording.sampling_frequency,
    )
    return recording, settings


def _as_motion(
    found: Any,
    sample_index: NDArray[np.integer],
    places: NDArray[Any],
    recording: BaseRecording,
    preset: str,
    axis: int,
) -> Motion:
    """Motion as SpikeInterface has it, None where it found none, and the spikes that it is of."""
    peaks = {
        "peak_time_s": sample_index / recording.sampling_frequency,
        "peak_depth_um": np.asarray(places["xy"[axis]], np.float64),
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


def motion_settings(preset: str, *, direction: str, reach_um: float, duration_s: float) -> dict[str, Any]:
    """How a preset estimates the motion of a recording that is so long, under contacts that reach so far."""
    settings: dict[str, Any] = {"direction": direction, **REPAIRED_PRESETS.get(preset, {})}
    if reach_um < RIGID_UM:
        settings["rigid"] = True
    if preset.startswith("dredge") and duration_s > 2 * STRETCH_S:
        settings |= {"batching_mode": "online", "chunk_len_s": STRETCH_S}
    return settings


def interpolation_kernel(from_um: NDArray[np.floating], to_um: NDArray[np.floating]) -> NDArray[np.float32]:
    """Weights of values at contacts (C, 2) in values at other points (n, 2): (C, n), by kriging."""
    from spikeinterface.preprocessing import get_spatial_interpolation_kernel

    kernel = get_spatial_interpolation_kernel(
        from_um, to_um, method="kriging", sigma_um=INTERPOLATION_UM, p=2, force_extrapolate=True
    )
    return np.asarray(kernel, np.float32)


def moved_back(traces: BaseRecording, motion: Motion) -> BaseRecording:
    """Traces as the contacts would see them, had the tissue stayed.

    Values between contacts are interpolated, which takes from noise and from small spikes alike: for finding
    and clustering spikes, not for their templates.
    """
    from spikeinterface.core.motion import Motion as Displacement
    from spikeinterface.sortingcomponents.motion import InterpolateMotionRecording

    return InterpolateMotionRecording(
        traces,
        Displacement(motion.displacement_um, motion.time_s, motion.depth_um, direction="xy"[motion.axis]),
        border_mode="force_extrapolate",
        spatial_interpolation_method="kriging",
        sigma_um=INTERPOLATION_UM,
        p=2,
    )


def _slices(
    recording: BaseRecording, stretches: Sequence[tuple[int, int]] | None
) -> Iterator[tuple[int, int, int]]:
    """Stretches cut into pieces of `PIECE_S`, as SpikeInterface wants them."""
    step = round(PIECE_S * recording.sampling_frequency)
    for first, end in stretches or [(0, recording.get_num_samples())]:
        for begin in range(first, end, step):
            yield 0, begin, min(begin + step, end)


def _matcher_settings(
    matcher: str | type, least_gain: NDArray[np.floating] | float, n_channels: int
) -> dict[str, Any]:
    if isinstance(matcher, type):
        asked = np.asarray(least_gain, np.float32)
        least = float(asked.min())
        own = {"threshold": least, "approx_rank": 3, "jitter_factor": 4, "shared_memory": False}
        more = {"engine": "numpy", "shared_memory": False}
        return {"parameters": own, "least_gain": asked, **more}
    if matcher == "tdc-peeler":
        return {"noise_levels": np.ones(n_channels, np.float32)}
    return {"engine": "numpy"}
