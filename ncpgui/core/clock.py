"""The clock of a recording: at which second each sample was taken.

Recordings need not begin at second 0, their clocks may run a little faster or slower than the sampling
frequency says, and samples may be missing: a gap. So the clock is known at some samples, and runs evenly
between them. Where seconds are shown or written, they come from here; where samples are needed, in the traces
and in formats that count samples, nothing is converted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ncpgui.core.errors import InputError

GAP_SAMPLES = 2.0
"""Two samples that follow each other and are this far apart or more, in samples, have a gap between them."""
UNKNOWN_GAP_S = 1.0
"""Between two segments whose clocks do not say how long it was: longer than anything between two spikes."""


@dataclass(frozen=True, eq=False)
class Clock:
    """Seconds of the samples of a recording.

    Parameters
    ----------
    sampling_frequency_hz : before the first and after the last known sample
    sample, time_s : (m,) int64 and float64, samples at which the clock is known and their seconds; increasing
    segment_start : (k,) int64, first sample of each segment, where segments were joined; 0 first

    Raises
    ------
    InputError
        Arrays that do not fit, or a clock that goes back.
    """

    sampling_frequency_hz: float
    sample: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    time_s: NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))
    segment_start: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))

    def __post_init__(self) -> None:
        for name, kind in (("sample", np.int64), ("time_s", np.float64), ("segment_start", np.int64)):
            object.__setattr__(self, name, np.atleast_1d(np.asarray(getattr(self, name), dtype=kind)))
        if self.sample.shape != self.time_s.shape or len(self.sample) == 0:
            raise InputError(
                f"a clock needs one second for each known sample, got {len(self.sample)} samples and "
                f"{len(self.time_s)} seconds"
            )
        if not np.isfinite(self.time_s).all() or (np.diff(self.time_s) <= 0).any():
            raise InputError("the seconds of a clock must be finite and increase")
        if (np.diff(self.sample) <= 0).any() or (np.diff(self.segment_start) <= 0).any():
            raise InputError("the samples of a clock must increase")
        if len(self.segment_start) == 0 or self.segment_start[0] != 0:
            raise InputError("the first segment of a clock must begin at sample 0")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Clock):
            return NotImplemented
        return self.sampling_frequency_hz == other.sampling_frequency_hz and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("sample", "time_s", "segment_start")
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_plain(self) -> bool:
        """Whether it only divides by the sampling frequency, and there is one segment."""
        return self.is_even and len(self.segment_start) == 1

    @property
    def is_even(self) -> bool:
        """Whether seconds are samples over the sampling frequency."""
        return len(self.sample) == 1 and bool(self.sample[0] == 0 == self.time_s[0])

    @property
    def start_s(self) -> float:
        """Second of sample 0."""
        return float(self.seconds(0))

    @property
    def n_segments(self) -> int:
        """Of how many segments the recording was joined, 1 of most."""
        return len(self.segment_start)

    def seconds(self, samples: ArrayLike) -> NDArray[np.float64]:
        """Second of each sample, of any shape."""
        return _along(np.asarray(samples), self.sample, self.time_s, self.sampling_frequency_hz)

    def positions(self, seconds: ArrayLike) -> NDArray[np.float64]:
        """Samples, with fractions, at some seconds; within a gap, between the two samples at its ends."""
        times = np.asarray(seconds, dtype=np.float64)
        return _along(times, self.time_s, self.sample, 1 / self.sampling_frequency_hz)

    def samples(self, seconds: ArrayLike) -> NDArray[np.int64]:
        """The sample nearest to each second."""
        return np.rint(self.positions(seconds)).astype(np.int64)

    def apart(self, samples: NDArray[np.integer]) -> NDArray[np.int64]:
        """Samples counted as if those in gaps had been recorded too: their distances are real intervals.

        Two spikes at the sides of a gap are neighbours among the samples, and not in time. Between segments
        whose clocks do not say how long it was, `UNKNOWN_GAP_S` is taken.
        """
        counted = samples.astype(np.int64, copy=False)
        first, lost = self._breaks
        if len(first) == 0:
            return counted
        before = np.append(0, np.cumsum(lost))[np.searchsorted(first, counted, side="right")]
        return np.asarray(counted + before, dtype=np.int64)

    def gaps(self, n_samples: int) -> NDArray[np.int64]:
        """(g,) first sample after each gap, or of each further segment, of a recording of so many samples."""
        first, _ = self._breaks
        return np.asarray(first[first < n_samples], dtype=np.int64)

    def stretches_s(self, n_samples: int) -> NDArray[np.float64]:
        """(g + 1, 2) begin and end, in seconds, of what lies between gaps; an end is past the last sample."""
        begin = np.append(0, self.gaps(n_samples))
        last = np.append(begin[1:], n_samples) - 1
        return np.column_stack([self.seconds(begin), self.seconds(last) + 1 / self.sampling_frequency_hz])

    def stretch_at(self, seconds: ArrayLike, n_samples: int) -> NDArray[np.int64]:
        """Which stretch each second lies in, of a recording of so many samples; -1 = it was not recorded.

        Half a sample before a stretch or after it is in it.
        """
        times, half_s = np.asarray(seconds, dtype=np.float64), 0.5 / self.sampling_frequency_hz
        stretches = self.stretches_s(n_samples)
        found = np.searchsorted(stretches[:, 0] - half_s, times, side="right") - 1
        is_past = times > stretches[np.maximum(found, 0), 1] + half_s
        return np.where(is_past, -1, found).astype(np.int64)

    def words(self, n_samples: int) -> str:
        """``from 100 to 142 s, 1 gap (30 s)``, of a recording of so many samples; '' of an even clock."""
        if self.is_even:
            return ""
        stretches = self.stretches_s(n_samples)
        words = f"from {stretches[0, 0]:.9g} to {stretches[-1, 1]:.9g} s"
        missing_s = stretches[1:, 0] - stretches[:-1, 1]
        gaps = missing_s[missing_s > 0.5 / self.sampling_frequency_hz]
        if len(gaps):
            words += f", {len(gaps)} gap{'s' if len(gaps) > 1 else ''} ({gaps.sum():.3g} s)"
        return words

    def of_part(self, first: int, n_samples: int) -> Clock:
        """The clock of some samples of the recording, which count from `first`."""
        inside = (self.sample > first) & (self.sample < first + n_samples)
        if first == 0 and self.sample[-1] < n_samples and self.segment_start[-1] < n_samples:
            return self
        ends = [first] if n_samples < 2 or len(self.sample) == 1 else [first, first + n_samples - 1]
        sample = np.union1d(self.sample[inside], ends)
        starts = self.segment_start[(self.segment_start > first) & (self.segment_start < first + n_samples)]
        return Clock(
            self.sampling_frequency_hz, sample - first, self.seconds(sample), np.append(0, starts - first)
        )

    @property
    def _breaks(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First sample after each break, and the samples that were lost there."""
        neighbours = np.flatnonzero(np.diff(self.sample) == 1)
        apart = np.diff(self.time_s)[neighbours] * self.sampling_frequency_hz
        is_gap = apart >= GAP_SAMPLES
        lost = dict(
            zip(
                self.sample[neighbours[is_gap] + 1].tolist(),
                np.rint(apart[is_gap]).astype(np.int64) - 1,
                strict=True,
            )
        )
        told = set(self.sample[neighbours + 1].tolist())
        for start in set(self.segment_start[1:].tolist()) - told:
            lost[start] = round(UNKNOWN_GAP_S * self.sampling_frequency_hz)
        first = np.array(sorted(lost), dtype=np.int64)
        return first, np.array([lost[sample] for sample in first.tolist()], dtype=np.int64)


def joined_clock(clocks: Sequence[Clock], n_samples: Sequence[int]) -> tuple[Clock, bool]:
    """Clock of recordings that are joined end to end, and whether it is that of the recordings.

    Where a recording begins before the one in front of it ended, as when each begins at second 0, the clocks
    do not say when it was: then seconds count on from the first.
    """
    starts = np.append(0, np.cumsum(n_samples)[:-1]).astype(np.int64)
    rate_hz = clocks[0].sampling_frequency_hz
    ends = [float(clock.seconds(n - 1)) + 0.5 / rate_hz for clock, n in zip(clocks, n_samples, strict=True)]
    if any(clock.start_s < end for clock, end in zip(clocks[1:], ends[:-1], strict=True)):
        first = clocks[0].of_part(0, n_samples[0])
        return Clock(rate_hz, first.sample, first.time_s, starts), False
    sample, time_s = [], []
    for clock, start, n in zip(clocks, starts, n_samples, strict=True):
        known = np.union1d(clock.sample[(clock.sample > 0) & (clock.sample < n)], [0, n - 1])
        sample.append(known + start)
        time_s.append(clock.seconds(known))
    return Clock(rate_hz, np.concatenate(sample), np.concatenate(time_s), starts), True


def _along(
    x: NDArray[np.floating | np.integer],
    known_x: NDArray[np.floating | np.integer],
    known_y: NDArray[np.floating | np.integer],
    steps_of_x: float,
) -> NDArray[np.float64]:
    """Straight lines between known points; before and after them y grows by 1 in so many steps of x."""
    y = np.interp(x, known_x, known_y)
    y = np.where(x < known_x[0], known_y[0] + (x - known_x[0]) / steps_of_x, y)
    return np.asarray(np.where(x > known_x[-1], known_y[-1] + (x - known_x[-1]) / steps_of_x, y), np.float64)
