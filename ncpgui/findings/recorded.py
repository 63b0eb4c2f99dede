"""What was recorded of a sorting and when, so that spikes are counted as the window counts them.

A recording may begin late, and have gaps and segments. Windows around events and trials are in seconds of its
clock, spikes of the other side of a gap are not near, and stretches for a bootstrap are of recorded time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.analysis.event_response import EventResponse, event_response
from ncpgui.core.clock import Clock
from ncpgui.core.errors import InputError

if TYPE_CHECKING:
    from spikeinterface.core import BaseSorting

    from ncpgui.core.project import Project

CLOCK_ARRAYS = ("sample", "time_s", "segment_start")


@dataclass(frozen=True, eq=False)
class Recorded:
    """The samples that were sorted, `n_samples` from `first_sample` of the recording on.

    clock : of these samples, the first of them is its sample 0
    is_end_known : else as many are taken as the last spike, event or trial needs
    """

    clock: Clock
    n_samples: int
    first_sample: int = 0
    is_end_known: bool = True

    @property
    def duration_s(self) -> float:
        """Recorded time, without gaps."""
        return self.n_samples / self.clock.sampling_frequency_hz

    def seconds(self, samples: NDArray[np.integer]) -> NDArray[np.float64]:
        """Second of the clock of each sample of the recording."""
        return self.clock.seconds(samples - self.first_sample)

    def stretch_of(self, samples: NDArray[np.integer], n_stretches: int) -> NDArray[np.int64]:
        """Which of so many stretches of equal recorded time each sample of the recording lies in."""
        place = (samples.astype(np.int64) - self.first_sample) * n_stretches // self.n_samples
        return place.clip(0, n_stretches - 1)

    def response(
        self, samples: NDArray[np.integer], events_s: NDArray[np.floating], before_s: float, after_s: float,
        bin_s: float,
    ) -> EventResponse:  # fmt: skip
        """Spikes (samples of the recording) around events, as the panel Events has them.

        Raises
        ------
        InputError
            An event that was not recorded.
        """
        return event_response(
            samples - self.first_sample,
            events_s,
            clock=self.clock,
            n_samples=self._n_samples_until(events_s),
            before_s=before_s,
            after_s=after_s,
            bin_s=bin_s,
        )

    def spikes_in_trials(
        self, samples: NDArray[np.integer], starts_s: NDArray[np.floating], duration_s: float
    ) -> NDArray[np.int64]:
        """Spikes (samples of the recording) in each trial: (n_trials,).

        Raises
        ------
        InputError
            A trial of which a part was not recorded.
        """
        n_samples = self._n_samples_until(starts_s + duration_s)
        begin, end = self.clock.stretch_at([starts_s, starts_s + duration_s], n_samples)
        cut = np.flatnonzero((begin < 0) | (begin != end))
        if len(cut):
            raise InputError(
                f"the trial of {duration_s:g} s that begins at {starts_s[cut[0]]:g} s was not recorded as a "
                "whole; leave it out"
            )
        found = self.response(samples, starts_s, 0.0, duration_s, duration_s)
        return np.bincount(found.event, minlength=len(starts_s)).astype(np.int64)

    def _n_samples_until(self, seconds: NDArray[np.floating]) -> int:
        if self.is_end_known:
            return self.n_samples
        return max(self.n_samples, int(np.ceil(self.clock.positions(np.max(seconds, initial=0.0)))))


def annotate_recorded(sorting: BaseSorting, project: Project) -> None:
    """Give a sorting of a project what `recorded_of` reads."""
    clock = project.recording.own_clock
    sorting.annotate(
        duration_s=project.spikes.duration_s,
        first_sample=project.recording.first_sample,
        clock=None if clock is None else {name: getattr(clock, name) for name in CLOCK_ARRAYS},
    )


def recorded_of(sorting: BaseSorting) -> Recorded:
    """What was recorded of a sorting: by its annotations, or else until its last spike.

    Raises
    ------
    InputError
        Several segments, and no clock that says how they follow each other.
    """
    rate_hz = float(sorting.get_sampling_frequency())
    clock_arrays, duration_s = sorting.get_annotation("clock"), sorting.get_annotation("duration_s")
    n_segments = sorting.get_num_segments()
    if n_segments > 1 and clock_arrays is None:
        raise InputError(
            f"this analysis takes recordings of one segment, this one has {n_segments} and no clock; give a "
            "function of the sorting"
        )
    first = int(sorting.get_annotation("first_sample") or 0)
    whole = Clock(rate_hz) if clock_arrays is None else Clock(rate_hz, **clock_arrays)
    if duration_s is None:
        n_samples = int(sorting.to_spike_vector()["sample_index"].max(initial=0)) + 1
    else:
        n_samples = round(float(duration_s) * rate_hz)
    return Recorded(whole.of_part(first, n_samples), n_samples, first, is_end_known=duration_s is not None)


def train_of(sorting: BaseSorting, unit: int) -> NDArray[np.int64]:
    """Spikes of a unit, in samples of the recording, whose segments follow each other: (n,) increasing."""
    n_segments = sorting.get_num_segments()
    if n_segments == 1:
        return sorting.get_unit_spike_train(unit).astype(np.int64, copy=False)
    start = np.asarray(sorting.get_annotation("clock")["segment_start"])
    parts = [sorting.get_unit_spike_train(unit, segment_index=k) + start[k] for k in range(n_segments)]
    return np.concatenate(parts).astype(np.int64)
