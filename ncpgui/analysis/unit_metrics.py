"""Quality metrics that SpikeInterface has and that take spike times and amplitudes only.

They are computed by SpikeInterface's own functions, with the defaults of its quality metrics. These ask an
analyzer for no more than `_Trains` answers, so that no recording has to be read and no template estimated.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.progress import Progress, reported, silent

nan = float("nan")
CUTOFF = {"num_histogram_bins": 100, "histogram_smoothing_value": 3, "amplitudes_bins_min_ratio": 5}
"""How SpikeInterface estimates the share of spikes under the threshold, by default."""


@dataclass(frozen=True)
class UnitMetrics:
    """Of one unit, as SpikeInterface defines them; nan where a metric cannot be said.

    Units are measured one after the other, so this is a value of its own until a table has it as columns.

    presence_ratio : share of the minutes in which it fires; isi_violations_ratio : rate of violations of
    1.5 ms relative to its rate; firing_range_hz : from the 5th to the 95th percentile of its rate in 5 s;
    amplitude_cutoff : estimated share of its spikes under the threshold
    """

    presence_ratio: float = nan
    isi_violations_ratio: float = nan
    firing_range_hz: float = nan
    amplitude_cutoff: float = nan


def unit_metrics(
    trains: Mapping[int, NDArray[np.integer]],
    amplitudes: Mapping[int, NDArray[np.floating]],
    *,
    sampling_frequency_hz: float,
    n_samples: int,
    fired: Mapping[int, NDArray[np.integer]] | None = None,
    progress: Progress = silent,
) -> dict[int, UnitMetrics]:
    """Metrics of each unit.

    trains : unit -> (n,) samples of its spikes, not decreasing; amplitudes : unit -> (n,) of the same
    n_samples : length of the recording
    fired : unit -> (n,) the same samples, as far apart as in time (`Clock.apart`); `trains` when left out
    """
    try:
        from spikeinterface.metrics.quality import misc_metrics as theirs
    except ImportError:  # up to 0.103
        from spikeinterface.qualitymetrics import misc_metrics as theirs

    result = {}
    for unit, train in reported(trains.items(), progress, "quality metrics"):
        if len(train) == 0:
            result[unit] = UnitMetrics()
            continue
        one: Any = _Trains(train, np.asarray(amplitudes[unit]), sampling_frequency_hz, n_samples)
        timed: Any = one
        if fired is not None:
            timed = _Trains(fired[unit], np.asarray(amplitudes[unit]), sampling_frequency_hz, n_samples)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a value is nan
            result[unit] = UnitMetrics(
                float(theirs.compute_presence_ratios(one)[0]),
                float(theirs.compute_isi_violations(timed).isi_violations_ratio[0]),
                float(theirs.compute_firing_ranges(one)[0]),
                float(theirs.compute_amplitude_cutoffs(one, **CUTOFF)[0]),
            )
    return result


class _Trains:
    """A unit, as far as SpikeInterface's functions ask an analyzer about it."""

    def __init__(
        self, train: NDArray[np.integer], amplitude: NDArray[np.floating], rate_hz: float, n_samples: int
    ) -> None:
        from spikeinterface.core import NumpySorting

        self.sorting = NumpySorting.from_unit_dict([{0: np.asarray(train)}], rate_hz)
        self.sampling_frequency = rate_hz
        self.unit_ids = self.sorting.unit_ids
        self._amplitude = amplitude
        self._n_samples = n_samples

    def get_num_segments(self) -> int:
        return 1

    def get_num_samples(self, segment_index: int | None = None) -> int:
        return self._n_samples

    def get_total_samples(self) -> int:
        return self._n_samples

    def get_total_duration(self) -> float:  # asked for up to 0.104
        return self._n_samples / self.sampling_frequency

    def has_extension(self, name: str) -> bool:
        return name in ("amplitude_scalings", "spike_amplitudes", "templates")  # the first from 0.105 on

    @property
    def params(self) -> dict[str, str]:
        return {"peak_sign": "neg"}

    def get_extension(self, name: str) -> _Trains:
        return self

    def get_data(self, **_: Any) -> dict[int, NDArray[np.floating]]:
        return {0: self._amplitude}
