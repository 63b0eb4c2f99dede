"""Sort a recording as a whole: units of single channels propose, templates decide.

The first pass clusters the spikes of each channel, with few draws of the posterior: what it proposes may be
too much. Matching finds the spikes of all proposals in the whole recording, in collisions and under the
threshold too, and joins what is one neuron (`matching`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.config import to_dict
from ncpgui.core.progress import Progress, portion, silent
from ncpgui.sorting.config import SortingConfig
from ncpgui.sorting.executors import Workers, workers_of
from ncpgui.sorting.matching import match_units
from ncpgui.sorting.pipeline import sort_recording
from ncpgui.sorting.spike_probability import spike_probability

if TYPE_CHECKING:
    from ncpgui.ephys.recording import Recording

PROPOSING_DRAWS = 20
PROPOSING_SPIKES = 1000
"""Draws and spikes of a channel from which on the units that are found in the end no longer change."""
MIN_RATE_HZ = 0.1
"""Units that fire less often are not kept: too few spikes to tell a neuron from what is left of others."""


@dataclass(frozen=True)
class WholeSorting:
    """Units of a recording.

    sample_index, unit : (n,) int64, spikes in order of time
    probability : (n,) float32, P(the spike is of its unit and not of one like it)
    main_channel : (K,) int64, where the template of each unit is largest
    snr : (K,) float32, depth or height of its template there, in noise sd
    settings : SortingConfig as a plain dictionary
    """

    sample_index: NDArray[np.int64]
    unit: NDArray[np.int64]
    probability: NDArray[np.float32]
    main_channel: NDArray[np.int64]
    snr: NDArray[np.float32]
    sampling_frequency_hz: float
    settings: dict[str, object]

    @property
    def n_units(self) -> int:
        """Number of units K."""
        return len(self.main_channel)


def sort_whole(
    recording: Recording,
    config: SortingConfig | None = None,
    *,
    workers: Workers | int | None = None,
    progress: Progress = silent,
) -> WholeSorting:
    """Sort a recording; the same seed gives the same result, with any `workers` (see `executors`).

    config : as of `ncpgui sort`; draws and spikes of a channel are `PROPOSING_DRAWS` and `PROPOSING_SPIKES`
        when left out

    Raises
    ------
    InputError, RecordingError, CheckpointError
        As `sorting.pipeline.sort_recording`.
    """
    from ncpgui.ephys.preprocessing import preprocess

    config = config or SortingConfig(posterior_samples=PROPOSING_DRAWS, spikes_per_group=PROPOSING_SPIKES)
    place = workers_of(workers)
    proposed = sort_recording(recording, config, workers=place, progress=portion(progress, 0, 50, 100))
    with preprocess(
        recording,
        highpass_hz=config.highpass_hz,
        lowpass_hz=config.lowpass_hz,
        reference=config.reference,
    ) as pre:
        matched = match_units(
            pre,
            proposed.spikes.sample_index,
            proposed.unit_of_spike,
            n_jobs=place.n_workers,
            progress=portion(progress, 50, 100, 100),
        )
        good = np.setdiff1d(np.arange(pre.n_channels), pre.bad_channels)
    rare = np.bincount(matched.unit, minlength=matched.n_units) < MIN_RATE_HZ * proposed.spikes.duration_s
    probability = spike_probability(matched)
    kept = ~rare[matched.unit]
    row = np.cumsum(~rare) - 1
    waveforms = matched.bank.waveforms[~rare]
    size = np.abs(waveforms).max(axis=1)
    main = size.argmax(axis=1)
    return WholeSorting(
        sample_index=matched.sample_index[kept],
        unit=row[matched.unit[kept]],
        probability=probability[kept],
        main_channel=good[main],
        snr=size[np.arange(len(size)), main] if len(size) else np.zeros(0, np.float32),
        sampling_frequency_hz=recording.sampling_frequency_hz,
        settings=to_dict(config),
    )
