"""The clock of a recording that SpikeInterface has open, from its start times and time stamps."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.clock import GAP_SAMPLES, Clock, joined_clock

if TYPE_CHECKING:
    from spikeinterface.core import BaseRecording

log = logging.getLogger(__name__)

AT_ONCE = 1 << 20
"""Time stamps in memory at a time."""
TOLERANCE_SAMPLES = 0.01
"""How far from the truth a clock may be between the samples at which it is known."""
MOST_KNOWN = 2000
"""Known samples of `AT_ONCE` time stamps. Stamps that jitter would take more: the tolerance doubles then."""
RATE_TOLERANCE = 0.05
"""Time stamps whose usual distance is further from that of samples are in another unit than seconds."""


def clock_of(extractor: BaseRecording, place: str) -> Clock:
    """Clock of a recording, its segments joined end to end; what cannot be used of it is said in the log.

    place : what the recording is called in messages
    """
    n_samples = [int(extractor.get_num_samples(k)) for k in range(extractor.get_num_segments())]
    clocks = [_segment_clock(extractor, k, n, place) for k, n in enumerate(n_samples)]
    if len(clocks) == 1:
        return clocks[0]
    clock, is_told = joined_clock(clocks, n_samples)
    if not (is_told or all(clock.is_plain for clock in clocks)):
        log.warning(
            "%s: the clocks of its segments do not follow each other; seconds count on from the first", place
        )
    return clock


def _segment_clock(extractor: BaseRecording, segment: int, n_samples: int, place: str) -> Clock:
    rate_hz = float(extractor.get_sampling_frequency())
    if not extractor.has_time_vector(segment_index=segment):
        start = float(extractor.get_start_time(segment_index=segment))
        if np.isfinite(start) and np.spacing(abs(start)) * rate_hz < 1:  # else samples have the same time
            return Clock(rate_hz, np.zeros(1, np.int64), np.array([start]))
        log.warning("%s: its clock begins at second %s; seconds count from the first sample", place, start)
        return Clock(rate_hz)
    sample, time_s = [], []
    last = -np.inf
    if not _has_stamps(extractor, segment, n_samples):
        _say_unusable(place, "there are fewer than samples")
        return Clock(rate_hz)
    for begin in range(0, n_samples, AT_ONCE):
        end = min(begin + AT_ONCE, n_samples)
        stamps = np.asarray(
            extractor.sample_index_to_time(np.arange(begin, end), segment_index=segment), np.float64
        )
        problem = _problem(stamps, rate_hz, last, begin)
        if problem:
            _say_unusable(place, problem)
            return Clock(rate_hz)
        rows = known_rows(stamps, rate_hz)
        sample.append(begin + rows)
        time_s.append(stamps[rows])
        last = float(stamps[-1])
    return Clock(rate_hz, np.concatenate(sample), np.concatenate(time_s))


def _say_unusable(place: str, problem: str) -> None:
    log.warning("%s: its time stamps cannot be used (%s); seconds count from the first", place, problem)


def _has_stamps(extractor: BaseRecording, segment: int, n: int) -> bool:
    """Whether a segment has so many time stamps."""
    try:
        extractor.sample_index_to_time(np.array([n - 1]), segment_index=segment)
    except IndexError:
        return False
    return True


def _problem(stamps: NDArray[np.float64], rate_hz: float, last_s: float, begin: int) -> str:
    """Why time stamps are none, '' where they are; last_s : the one before; begin : sample of the first."""
    wild = np.flatnonzero(~np.isfinite(stamps))
    if len(wild):
        return f"sample {begin + wild[0]} is at second {stamps[wild[0]]:g}"
    before = np.append(last_s, stamps[:-1])
    back = np.flatnonzero(stamps <= before)
    if len(back):
        row = back[0]
        return (
            f"they do not increase: sample {begin + row} is at second {stamps[row]:.9g}, the one before at "
            f"{before[row]:.9g}"
        )
    apart = np.diff(stamps)
    is_first = last_s == -np.inf  # a last piece may be two stamps with a gap between them
    usual = float(np.median(apart)) * rate_hz if is_first and len(apart) else 1.0
    if abs(usual - 1) > RATE_TOLERANCE:
        return f"they are usually {usual / rate_hz:.3g} s apart, at {rate_hz:g} Hz"
    return ""


def known_rows(stamps: NDArray[np.float64], rate_hz: float) -> NDArray[np.int64]:
    """Rows of time stamps, first and last among them, between which they lie on straight lines."""
    last = len(stamps) - 1
    after = np.flatnonzero(np.diff(stamps) * rate_hz >= GAP_SAMPLES) + 1
    ends = np.unique(np.concatenate([[0, last], after - 1, after]))
    tolerance_s = TOLERANCE_SAMPLES / rate_hz + 4 * np.spacing(np.abs(stamps).max())
    while True:
        rows = _straight(stamps, ends, tolerance_s, MOST_KNOWN + len(ends))
        if rows is not None:
            return rows
        tolerance_s *= 2


def _straight(
    stamps: NDArray[np.float64], ends: NDArray[np.int64], tolerance_s: float, most: int
) -> NDArray[np.int64] | None:
    """Rows that split stretches where they are furthest from straight; None where these are over `most`."""
    known = set(ends.tolist())
    todo = list(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))
    while todo:
        first, last = todo.pop()
        if last - first < 2:
            continue
        line = np.linspace(stamps[first], stamps[last], last - first + 1)
        off = np.abs(stamps[first : last + 1] - line)
        at = int(off.argmax())
        if off[at] <= tolerance_s:
            continue
        known.add(first + at)
        if len(known) > most:
            return None
        todo += [(first, first + at), (first + at, last)]
    return np.array(sorted(known), dtype=np.int64)
