"""Templates of the units of a sorting, as the template reservoir needs them: 20 kHz, noise sd, long enough.

The spikes of a unit are aligned where they fit its mean best on the main channel, between samples, because
the times of a sorter are whole samples and need not be those of the trough; then the median is taken, which
other units' spikes in the same window change little.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.interpolation import interpolation_matrix, kernel_half_width
from ncpgui.core.progress import Progress, reported, silent
from ncpgui.core.seeds import stream
from ncpgui.core.spikes import Sorting
from ncpgui.core.waveform_format import SAMPLING_FREQUENCY_HZ
from ncpgui.ephys.preprocessing import Preprocessed

REACH_UM, MAX_CHANNELS = 250.0, 64
SEARCH_MS = 0.75  # between a sorter's time and the trough
CORE_MS = 0.5  # around the trough, where spikes are aligned
STEPS_PER_SAMPLE, MAX_SHIFT = 8, 1.5
MAX_SPIKES, FIRST_SPIKES = 800, 100
MAX_PEAK = 1.1  # over the trough; the generator places no units of larger ones
MEDIAN_ERROR = 1.25  # standard error of a median of normal values over that of their mean
RAMP_SAMPLES = 5
NOT_UNITS = ("noise", "mua")


@dataclass(frozen=True)
class MeasuredTemplate:
    """One unit as its contacts see it.

    channels : (C,) int64, main channel first; positions_um : (C, 2)
    waveform : (n_samples, C) float64, noise sd, at 20 kHz
    noise_sd : standard error of its values
    """

    unit: int
    n_spikes: int
    channels: NDArray[np.int64]
    positions_um: NDArray[np.float64]
    waveform: NDArray[np.float64]
    noise_sd: float


@dataclass(frozen=True)
class MeasuredTemplates:
    """Templates of a sorting's units; `left_out` counts the other units by reason."""

    templates: tuple[MeasuredTemplate, ...]
    left_out: Counter[str] = field(default_factory=Counter)


def measure_templates(
    pre: Preprocessed,
    sorting: Sorting,
    *,
    n_samples: int,
    trough_sample: int,
    min_spikes: int = 50,
    min_trough_sd: float = 4.0,
    seed: int = 0,
    progress: Progress = silent,
) -> MeasuredTemplates:
    """Measure the template of every unit that is good for one.

    Parameters
    ----------
    n_samples, trough_sample : window of a template at 20 kHz
    min_spikes, min_trough_sd : units of fewer spikes, or of a smaller trough, are left out; so are those
        that are labelled noise or mua, and those whose peak is larger than their trough

    Raises
    ------
    RecordingError
        NaN or infinite samples.
    """
    kept: list[MeasuredTemplate] = []
    left_out: Counter[str] = Counter()
    units = sorting.unit_ids
    for unit in reported(units.tolist(), progress, "measuring templates"):
        train = sorting.spike_train(unit)
        if sorting.labels.get(unit) in NOT_UNITS:
            left_out[f"labelled {sorting.labels[unit]}"] += 1
            continue
        if len(train) < min_spikes:
            left_out[f"of fewer than {min_spikes} spikes"] += 1
            continue
        rng = stream(seed, "templates", unit)
        train = np.sort(rng.choice(train, min(len(train), MAX_SPIKES), replace=False))
        template = _template(pre, unit, train, n_samples, trough_sample)
        trough, peak = -template.waveform.min(), template.waveform.max()
        if trough < min_trough_sd:
            left_out[f"of a trough under {min_trough_sd:g} noise sd"] += 1
        elif peak > MAX_PEAK * trough:
            left_out["whose peak is larger than the trough"] += 1
        else:
            kept.append(template)
    return MeasuredTemplates(tuple(kept), left_out)


def _template(
    pre: Preprocessed,
    unit: int,
    train: NDArray[np.int64],
    n_samples: int,
    trough_sample: int,
) -> MeasuredTemplate:
    rate, good = pre.sampling_frequency_hz, pre.good_channels
    search = math.ceil(SEARCH_MS * rate / 1000)
    few = train[:: math.ceil(len(train) / FIRST_SPIKES)]
    rough = np.mean([pre.padded_traces(s - search, s + search + 1) for s in few.tolist()], axis=0)[:, good]
    late, column = (int(i) for i in np.unravel_index(rough.argmin(), rough.shape))
    near = pre.probe.neighbours(int(good[column]), radius_um=REACH_UM, max_channels=MAX_CHANNELS)
    near = near[np.isin(near, good)]
    median = _aligned_median(pre, train + late - search, near, n_samples, trough_sample)
    return MeasuredTemplate(
        unit,
        len(train),
        near,
        pre.probe.positions_um[near],
        median * _ramps(n_samples)[:, None],
        MEDIAN_ERROR / math.sqrt(len(train)),
    )


def _aligned_median(
    pre: Preprocessed, troughs: NDArray[np.int64], channels: NDArray[np.int64], n_samples: int, trough: int
) -> NDArray[np.float64]:
    """Median at 20 kHz, (n_samples, C), of spikes with troughs about there, each moved to fit their mean."""
    rate = pre.sampling_frequency_hz
    ratio = rate / SAMPLING_FREQUENCY_HZ
    margin = kernel_half_width(rate, SAMPLING_FREQUENCY_HZ) + math.ceil(MAX_SHIFT) + 1
    before = math.ceil(trough * ratio) + margin
    window = before + math.ceil((n_samples - trough) * ratio) + margin
    cut = np.stack(
        [pre.padded_traces(t - before, t - before + window)[:, channels] for t in troughs.tolist()]
    )
    count = round(2 * MAX_SHIFT * STEPS_PER_SAMPLE) + 1
    shifts = np.linspace(-MAX_SHIFT, MAX_SHIFT, count)
    core = np.arange(-math.ceil(CORE_MS * rate / 1000), math.ceil(CORE_MS * rate / 1000) + 1)

    def weights(places: NDArray[np.float64], target_hz: float) -> NDArray[np.float32]:
        return interpolation_matrix(before + places, window, sampling_frequency_hz=rate, target_hz=target_hz)

    main = cut[:, :, 0]
    mean = weights(core.astype(np.float64), rate) @ main.mean(axis=0)
    moved = np.stack([mean @ weights(core + shift, rate) for shift in shifts])  # (count, window)
    chosen = (main @ moved.T).argmax(axis=1)
    center = _trough_of(main, chosen, shifts, before, rate)
    grid = (np.arange(n_samples) - trough) * ratio
    aligned = np.empty((len(cut), n_samples, len(channels)), dtype=np.float32)
    for step in np.unique(chosen):
        rows = np.flatnonzero(chosen == step)
        aligned[rows] = weights(grid + shifts[step] + center, SAMPLING_FREQUENCY_HZ) @ cut[rows]
    return np.median(aligned, axis=0).astype(np.float64)


def _trough_of(
    main: NDArray[np.float32],
    chosen: NDArray[np.int64],
    shifts: NDArray[np.float64],
    before: int,
    rate: float,
) -> float:
    """Where the trough of the aligned mean lies, in samples from sample `before` of the windows."""
    fine = np.arange(-2.0, 2.0 + 1e-9, 1 / 32)
    mean = np.zeros(len(fine))
    for step in np.unique(chosen):
        places = before + fine + shifts[step]
        weights = interpolation_matrix(places, main.shape[1], sampling_frequency_hz=rate, target_hz=rate)
        mean += weights @ main[chosen == step].sum(axis=0)
    return float(fine[mean.argmin()])


def _ramps(n_samples: int) -> NDArray[np.float64]:
    """Factors that bring the ends of a window to zero, where the generator takes a template to be over."""
    from_end = np.minimum(np.arange(n_samples), np.arange(n_samples)[::-1])
    ramp: NDArray[np.float64] = 0.5 - 0.5 * np.cos(np.pi * np.minimum(1.0, from_end / RAMP_SAMPLES))
    return ramp
