"""Spikes around events, held against a count of one spike after the other."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from ncpgui.analysis.event_response import EventResponse, bin_edges, event_response
from ncpgui.core.clock import Clock
from ncpgui.core.errors import InputError

RATE_HZ = 1000


def response(spikes: list[int], events_s: list[float], n_samples: int = 10_000, **window) -> EventResponse:
    asked = {"before_s": 0.1, "after_s": 0.2, "bin_s": 0.02} | window
    clock = asked.pop("clock", Clock(float(RATE_HZ)))
    return event_response(
        np.array(spikes, int), np.array(events_s), clock=clock, n_samples=n_samples, **asked
    )


def counted_slowly(spikes, events, n_samples, before: Fraction, after: Fraction, width: Fraction):
    """Spikes and recorded samples of each bin, in exact numbers; events are samples."""
    n_before, n_after = math.ceil(before / width), math.ceil(after / width)
    counts, recorded = [0] * (n_before + n_after), [0] * (n_before + n_after)
    pairs = []
    for event in events:
        for sample in range(n_samples):
            bin_ = math.floor(Fraction(sample - event, RATE_HZ) / width) + n_before
            if 0 <= bin_ < len(counts):
                recorded[bin_] += 1
                hits = sum(1 for spike in spikes if spike == sample)
                counts[bin_] += hits
                pairs += [(event, sample)] * hits
    return counts, recorded, pairs


@pytest.mark.parametrize("width", ["1/1000", "1/200", "1/50", "3/100"])
def test_counts_rates_and_raster_are_those_of_a_slow_count(width: str) -> None:
    """Spikes on edges of bins too, events whose windows overlap, reach out of the recording and are empty."""
    rng = np.random.default_rng(3)
    n_samples, width = 1200, Fraction(width)
    spikes = np.sort(rng.integers(0, n_samples, 150)).tolist()
    events = [0, 40, 300, 320, 620, 1150, 1199]
    found = response(spikes, [event / RATE_HZ for event in events], n_samples, bin_s=float(width))
    counts, recorded, pairs = counted_slowly(
        spikes, events, n_samples, Fraction(1, 10), Fraction(1, 5), width
    )
    assert found.counts.tolist() == counts
    assert found.recorded_s == pytest.approx(np.array(recorded) / RATE_HZ)
    assert found.rate_hz == pytest.approx(np.array(counts) / (np.array(recorded) / RATE_HZ))
    told = [(events[row], events[row] + round(offset * RATE_HZ)) for row, offset in
            zip(found.event.tolist(), found.offset_s.tolist(), strict=True)]  # fmt: skip
    assert sorted(told) == sorted(pairs)


def test_the_order_of_spikes_does_not_matter() -> None:
    one, other = response([1010, 1030, 1090], [1.0]), response([1090, 1010, 1030], [1.0])
    assert one.counts.tolist() == other.counts.tolist()
    assert one.counts.sum() == 3


def test_a_spike_with_the_event_is_after_it() -> None:
    found = response([1000, 999], [1.0])
    assert found.counts[found.edges_s[:-1] == 0].tolist() == [1]
    assert found.before_hz == pytest.approx(1 / 0.1)
    assert found.peak == pytest.approx((1 / 0.02, 0.01))


def test_what_was_not_recorded_is_no_silence() -> None:
    """At 50 ms half of the window before was recorded: one spike there is 20 Hz, not 10."""
    found = response([20], [0.05])
    assert found.before_hz == pytest.approx(1 / 0.05)
    assert np.isnan(found.rate_hz[0])
    assert found.recorded_s[:2] == pytest.approx([0, 0])


def test_spikes_across_a_gap_are_not_around_the_event() -> None:
    """Samples 0 to 999 from second 0 on, then 5 s later the rest: sample 1000 is 5 s after the event."""
    clock = Clock(float(RATE_HZ), [0, 999, 1000], [0.0, 0.999, 6.0])
    found = response([990, 1000, 1010], [0.95, 6.0], 3000, clock=clock)
    assert sorted(zip(found.event.tolist(), np.round(found.offset_s, 6).tolist(), strict=True)) == [
        (0, 0.04), (1, 0.0), (1, 0.01),
    ]  # fmt: skip
    assert found.recorded_s.sum() == pytest.approx(0.1 + 0.05 + 0.2)


def test_segments_whose_clocks_say_nothing_are_apart() -> None:
    """Second 1 is the end of one and the beginning of the other: nothing is counted across."""
    clock = Clock(float(RATE_HZ), segment_start=[0, 1000])
    found = response([990, 1010], [0.98, 1.0], 2000, clock=clock)
    assert sorted(zip(found.event.tolist(), np.round(found.offset_s, 6).tolist(), strict=True)) == [
        (0, 0.01), (1, 0.01),
    ]  # fmt: skip


def test_a_recording_that_begins_late_has_seconds_of_its_clock() -> None:
    found = response([100], [50.09], clock=Clock(float(RATE_HZ), [0], [50.0]))
    assert found.offset_s == pytest.approx([0.01])


def test_a_unit_without_spikes_has_a_rate_of_zero() -> None:
    found = response([], [1.0, 2.0])
    assert found.rate_hz.tolist() == [0.0] * 15
    assert found.peak[0] == 0.0


def test_a_window_that_bins_do_not_fit_is_widened_and_zero_is_an_edge() -> None:
    assert bin_edges(0.1, 0.2, 0.03) == pytest.approx(np.arange(-4, 8) * 0.03)
    assert bin_edges(0.0, 0.3, 0.1) == pytest.approx([0, 0.1, 0.2, 0.3])
    assert len(bin_edges(0.2, 0.8, 0.001)) == 1001


@pytest.mark.parametrize("window", [(0, 0, 0.1), (0.1, 0.1, 0), (-0.1, 1, 0.1), (0.1, 0.1, 0.5)])
def test_a_window_without_room_is_refused(window: tuple[float, float, float]) -> None:
    with pytest.raises(InputError, match="bins that fit, got before_s="):
        bin_edges(*window)


@pytest.mark.parametrize("event", [-0.1, 10.5])
def test_an_event_outside_the_recording_is_refused(event: float) -> None:
    with pytest.raises(InputError, match=f"the event at {event:g} s was not recorded"):
        response([1000], [event])
