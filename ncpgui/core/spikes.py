"""Spikes and sortings: plain arrays, checked on creation."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.errors import InputError

UNASSIGNED = -1
_AT_ONCE = 1 << 16
"""Spikes that are counted at a time."""


@dataclass(frozen=True)
class SpikeEvents:
    """Detected spikes of a recording, in order of time.

    Parameters
    ----------
    sample_index : (n,) int64, sample of the trough or positive peak, not decreasing, inside the recording
    channel : (n,) int32, main channel (row of the probe)
    amplitude : (n,) float32, trace there on the main channel, in noise sd: negative at a trough
    sampling_frequency_hz : of `sample_index`
    n_samples : length of the recording

    Raises
    ------
    InputError
        Shapes that do not fit, times out of order or outside the recording.
    """

    sample_index: NDArray[np.int64]
    channel: NDArray[np.int32]
    amplitude: NDArray[np.float32]
    sampling_frequency_hz: float
    n_samples: int

    def __post_init__(self) -> None:
        for name, dtype in (("sample_index", np.int64), ("channel", np.int32), ("amplitude", np.float32)):
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), dtype=dtype))
        _check_times(self.sample_index, self.n_samples)
        if not len(self.sample_index) == len(self.channel) == len(self.amplitude):
            raise InputError(
                f"spikes do not fit: {len(self.sample_index)} times, {len(self.channel)} channels, "
                f"{len(self.amplitude)} amplitudes; give one of each a spike"
            )

    def __len__(self) -> int:
        return len(self.sample_index)

    @cached_property
    def n_on_channel(self) -> NDArray[np.int64]:
        """Spikes of each main channel, up to the last one that has some."""
        found = np.zeros(int(self.channel.max(initial=-1)) + 1, np.int64)
        for first in range(0, len(self), _AT_ONCE):  # NumPy would make long integers of all of them
            found += np.bincount(self.channel[first : first + _AT_ONCE], minlength=len(found))
        return found

    @property
    def duration_s(self) -> float:
        """Length of the recording in seconds."""
        return self.n_samples / self.sampling_frequency_hz


@dataclass(frozen=True)
class Sorting:
    """A unit for every spike: what sorters produce and other tools read.

    sample_index : (n,) int64, not decreasing; unit_id : (n,) int64 (-1 = unassigned);
    probability : (n,) float32, P(the spike belongs to its unit), entropy : (n,) nats; labels : unit ->
    good|mua|noise; p_exists : unit -> probability that the unit is there in the posterior; nan = unknown;
    main_channel : unit -> row of the probe.
    """

    sample_index: NDArray[np.int64]
    unit_id: NDArray[np.int64]
    sampling_frequency_hz: float
    n_samples: int
    probability: NDArray[np.float32] | None = None
    entropy: NDArray[np.float32] | None = None
    labels: dict[int, str] = field(default_factory=dict)
    p_exists: dict[int, float] = field(default_factory=dict)
    main_channel: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, dtype in (("sample_index", np.int64), ("unit_id", np.int64)):
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), dtype=dtype))
        _check_times(self.sample_index, self.n_samples)
        if len(self.sample_index) != len(self.unit_id):
            raise InputError(
                f"sorting does not fit: {len(self.sample_index)} times, {len(self.unit_id)} unit ids; "
                "give one unit id a spike"
            )

    def __len__(self) -> int:
        return len(self.sample_index)

    @property
    def unit_ids(self) -> NDArray[np.int64]:
        """Sorted ids of the units that have a spike."""
        return np.unique(self.unit_id[self.unit_id >= 0])

    def spike_train(self, unit: int) -> NDArray[np.int64]:
        """Sample indices of one unit's spikes."""
        return self.sample_index[self.unit_id == unit]


def _check_times(sample_index: NDArray[np.int64], n_samples: int) -> None:
    if len(sample_index) == 0:
        return
    goes_back = sample_index[1:] < sample_index[:-1]
    if goes_back.any():
        last = int(goes_back.argmax())
        raise InputError(
            f"spike times must not decrease: spike {last + 1} is at sample "
            f"{sample_index[last + 1]}, after {sample_index[last]}; sort the spikes by time"
        )
    if sample_index[0] < 0 or sample_index[-1] >= n_samples:
        bad = int(sample_index[0] if sample_index[0] < 0 else sample_index[-1])
        raise InputError(
            f"spike at sample {bad} lies outside the recording of {n_samples} samples; "
            "check the sampling frequency and the recording that the spikes belong to"
        )
