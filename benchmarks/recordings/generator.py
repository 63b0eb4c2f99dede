"""What recordings of SpikeInterface's generator have in common: probes, cells, noise, and traces in int16."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import probeinterface
from numpy.typing import NDArray
from scipy.signal import butter, sosfiltfilt
from spikeinterface.core import (
    BaseRecording,
    BaseSorting,
    InjectTemplatesRecording,
    NumpyRecording,
    NumpySorting,
    read_binary,
)
from spikeinterface.core.generate import default_unit_params_range, generate_sorting
from spikeinterface.generation import generate_noise

from ncpgui.ephys.preprocessing import FILTER_ORDER, MAX_LOWPASS_SHARE
from ncpgui.sorting.config import SortingConfig

UV_PER_COUNT = 0.195
MS_BEFORE, MS_AFTER = 1.5, 3.0
"""Of templates, around the trough."""
REFRACTORY_MS = 3.0
PIECE_S = 4
NEAR: dict[str, Any] = {
    "margin_um": 15.0,
    "minimum_z": 5.0,
    "maximum_z": 45.0,
    "minimum_distance": 12.0,
    "max_iteration": 100,
    "distance_strict": False,
}
"""Where cells lie that some contacts see well."""


def wired(probe: probeinterface.Probe) -> probeinterface.Probe:
    """Return a probe with its contacts in the order of the channels."""
    probe.set_device_channel_indices(np.arange(probe.get_contact_count()))
    return probe


def shapes_of_cells(n: int, rng: np.random.Generator) -> dict[str, NDArray[np.float64]]:
    """Draw parameters of templates, each (n,), from the generator's own ranges."""
    return {name: rng.uniform(low, high, n) for name, (low, high) in default_unit_params_range.items()}


def cells_firing(
    firing_hz: NDArray[np.floating], sampling_frequency_hz: float, duration_s: float, seed: int
) -> BaseSorting:
    """Spikes of cells at these rates, (n,)."""
    return generate_sorting(
        num_units=len(firing_hz),
        sampling_frequency=sampling_frequency_hz,
        durations=[duration_s],
        firing_rates=firing_hz,
        refractory_period_ms=REFRACTORY_MS,
        seed=seed,
    )


def no_cells(sampling_frequency_hz: float) -> NumpySorting:
    """The truth of a recording of noise alone."""
    none = np.zeros(0, int)
    return NumpySorting.from_samples_and_labels([none], [none], sampling_frequency_hz)


def noise_on(
    probe: probeinterface.Probe,
    sampling_frequency_hz: float,
    duration_s: float,
    noise_uv: float | tuple[float, float],
    seed: int,
    *,
    decay_um: float | None = 25.0,
) -> BaseRecording:
    """White noise, computed where it is read; decay_um : reach of its correlation, None for none."""
    return generate_noise(
        probe=probe,
        sampling_frequency=sampling_frequency_hz,
        durations=[duration_s],
        noise_levels=noise_uv,
        spatial_decay=decay_um,
        seed=seed,
    )


def with_spikes(
    noise: BaseRecording,
    cells: BaseSorting,
    templates: NDArray[np.floating],
    sizes: NDArray[np.floating],
) -> BaseRecording:
    """Noise with the templates (K, T, C) of cells, each spike (n,) so many times as large."""
    return InjectTemplatesRecording(
        cells,
        templates,
        nbefore=round(MS_BEFORE * cells.sampling_frequency / 1000),
        amplitude_factor=sizes.tolist(),
        parent_recording=noise,
    )


def band_passed(
    values: NDArray[np.floating], sampling_frequency_hz: float, *, axis: int = 0
) -> NDArray[np.float64]:
    """Values behind the band-pass that ncpgui has by default, forward and backward along time."""
    config = SortingConfig()
    high_hz = min(config.lowpass_hz, MAX_LOWPASS_SHARE * sampling_frequency_hz)
    band = butter(
        FILTER_ORDER, (config.highpass_hz, high_hz), "bandpass", fs=sampling_frequency_hz, output="sos"
    )
    return np.asarray(sosfiltfilt(band, values, axis=axis))


def counts_of(recording: BaseRecording, uv_per_count: float = UV_PER_COUNT) -> Iterator[NDArray[np.int16]]:
    """Yield a recording in µV as the converter gives it, piece by piece: (n, C)."""
    n, step = recording.get_num_samples(), int(PIECE_S * recording.sampling_frequency)
    for start in range(0, n, step):
        yield as_counts(recording.get_traces(start_frame=start, end_frame=min(start + step, n)), uv_per_count)


def as_counts(traces_uv: NDArray[np.floating], uv_per_count: float = UV_PER_COUNT) -> NDArray[np.int16]:
    """Traces in µV as the converter gives them."""
    return np.clip(np.round(traces_uv / uv_per_count), -32768, 32767).astype(np.int16)


def in_memory(
    counts: NDArray[np.int16], sampling_frequency_hz: float, probe: probeinterface.Probe
) -> BaseRecording:
    """Traces (n, C) in counts of `UV_PER_COUNT` as a recording."""
    recording = NumpyRecording([counts], sampling_frequency_hz)
    recording.set_channel_gains(UV_PER_COUNT)
    recording.set_channel_offsets(0.0)
    recording.set_probe(probe)
    return recording


def in_file(
    traces: Path,
    sampling_frequency_hz: float,
    probe: probeinterface.Probe,
    uv_per_count: float = UV_PER_COUNT,
) -> BaseRecording:
    """A file of int16, interleaved, as a recording."""
    recording = read_binary(
        traces,
        sampling_frequency_hz,
        "int16",
        probe.get_contact_count(),
        gain_to_uV=uv_per_count,
        offset_to_uV=0.0,
    )
    recording.set_probe(probe)
    return recording
