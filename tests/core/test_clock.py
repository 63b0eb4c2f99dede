"""Seconds of samples: a clock that begins late, runs fast, or jumps over what was not recorded."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.clock import Clock, joined_clock
from ncpgui.core.errors import InputError

RATE = 1000.0
LATE = Clock(RATE, [0], [100.0])
GAP = Clock(RATE, [0, 49, 50, 99], [5.0, 5.049, 7.05, 7.099])
"""Begins at 5 s; samples 50 and later come 2 s late."""


def test_a_plain_clock_divides_by_the_sampling_frequency() -> None:
    clock = Clock(RATE)
    assert clock.is_plain
    assert clock.seconds([0, 500, 1500]).tolist() == [0.0, 0.5, 1.5]
    assert clock.samples([0.0, 0.5004]).tolist() == [0, 500]
    assert clock.apart(np.array([3, 9])).tolist() == [3, 9]
    assert clock.stretches_s(2000).tolist() == [[0.0, 2.0]]


def test_a_clock_that_begins_at_another_second_counts_from_there() -> None:
    assert LATE.seconds([0, 250]).tolist() == [100.0, 100.25]
    assert LATE.samples(100.25) == 250
    assert not LATE.is_plain
    assert LATE.stretches_s(1000).tolist() == [[100.0, 101.0]]


def test_seconds_jump_where_samples_are_missing() -> None:
    np.testing.assert_allclose(GAP.seconds([0, 49, 50, 51]), [5.0, 5.049, 7.05, 7.051], atol=1e-12)
    np.testing.assert_allclose(GAP.stretches_s(100), [[5.0, 5.05], [7.05, 7.1]], atol=1e-12)
    assert GAP.gaps(100).tolist() == [50]


def test_a_second_within_a_gap_is_a_sample_at_its_ends() -> None:
    assert set(GAP.samples([5.06, 6.0, 7.04]).tolist()) <= {49, 50}
    assert GAP.samples([5.06, 7.04]).tolist() == [49, 50]


def test_intervals_across_a_gap_are_the_real_ones() -> None:
    apart = GAP.apart(np.array([48, 49, 50, 52]))
    assert np.diff(apart).tolist() == [1, 2001, 2]


def test_nothing_is_near_across_the_seam_of_two_segments_of_unknown_distance() -> None:
    clock = Clock(RATE, segment_start=[0, 10])
    assert not clock.is_plain
    assert np.diff(clock.apart(np.array([9, 10, 11]))).tolist() == [1001, 1]
    assert clock.seconds([9, 10]).tolist() == [0.009, 0.01]
    assert clock.gaps(20).tolist() == [10]
    assert clock.gaps(10).tolist() == []


def test_a_clock_that_runs_fast_is_followed_between_known_samples_and_past_them_runs_as_sampled() -> None:
    clock = Clock(RATE, [0, 1000], [0.0, 1.001])
    np.testing.assert_allclose(clock.seconds([500, 1000, 1100, -100]), [0.5005, 1.001, 1.101, -0.1])


def test_a_part_of_two_samples_or_of_one_runs_as_the_clock_around_it() -> None:
    slow = Clock(RATE, [0, 10], [0.0, 0.02])
    np.testing.assert_allclose(slow.of_part(4, 2).seconds([0, 1]), [0.008, 0.01])
    assert slow.of_part(4, 1).seconds([0]).tolist() == [0.008]


@pytest.mark.parametrize("clock", [Clock(RATE), LATE, GAP, Clock(RATE, segment_start=[0, 60])])
def test_the_clock_of_a_part_says_what_the_whole_says(clock: Clock) -> None:
    part = clock.of_part(30, 60)
    samples = np.arange(60)
    np.testing.assert_allclose(part.seconds(samples), clock.seconds(samples + 30), atol=1e-12)
    assert np.array_equal(np.diff(part.apart(samples)), np.diff(clock.apart(samples + 30)))


def test_joined_recordings_keep_their_clocks_where_these_follow_each_other() -> None:
    clock, told = joined_clock([Clock(RATE, [0], [2.0]), Clock(RATE, [0], [10.0])], [100, 50])
    assert told
    np.testing.assert_allclose(clock.seconds([0, 99, 100, 149]), [2.0, 2.099, 10.0, 10.049])
    assert clock.segment_start.tolist() == [0, 100]
    assert np.diff(clock.apart(np.array([99, 100]))).tolist() == [7901]


def test_joined_recordings_count_on_where_their_clocks_overlap() -> None:
    clock, told = joined_clock([Clock(RATE, [0], [2.0]), Clock(RATE, [0], [0.0])], [100, 50])
    assert not told
    np.testing.assert_allclose(clock.seconds([0, 99, 100, 149]), [2.0, 2.099, 2.1, 2.149])
    assert np.diff(clock.apart(np.array([99, 100]))).tolist() == [1001]


def test_recordings_that_touch_have_no_gap_in_seconds() -> None:
    clock, told = joined_clock([Clock(RATE), Clock(RATE, [0], [0.1])], [100, 50])
    assert told
    np.testing.assert_allclose(clock.seconds([99, 100]), [0.099, 0.1])
    assert np.diff(clock.apart(np.array([98, 99, 100]))).tolist() == [1, 1]


def test_a_clock_is_told_in_words() -> None:
    assert Clock(RATE).words(100) == ""
    assert LATE.words(1000) == "from 100 to 101 s"
    assert GAP.words(100) == "from 5 to 7.1 s, 1 gap (2 s)"
    assert GAP.of_part(60, 40).words(40) == "from 7.06 to 7.1 s"
    assert Clock(RATE, segment_start=[0, 50]).words(100) == ""
    twice = Clock(RATE, [0, 9, 10, 19, 20], [0.0, 0.009, 1.0, 1.009, 2.01])
    assert twice.words(30) == "from 0 to 2.02 s, 2 gaps (1.99 s)"


@pytest.mark.parametrize(
    ("sample", "time_s", "words"),
    [
        ([0, 5], [1.0, 1.0], "finite and increase"),
        ([0, 5], [1.0, np.nan], "finite and increase"),
        ([5, 5], [1.0, 2.0], "samples of a clock must increase"),
        ([0, 5], [1.0], "2 samples and 1 seconds"),
        ([], [], "0 samples"),
    ],
)
def test_a_clock_that_goes_back_is_refused(sample: list[int], time_s: list[float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Clock(RATE, sample, time_s)


@pytest.mark.parametrize("starts", [[0, 5, 5], [0, 7, 5]])
def test_segments_that_do_not_follow_each_other_are_refused(starts: list[int]) -> None:
    with pytest.raises(InputError, match="samples of a clock must increase"):
        Clock(RATE, segment_start=starts)


def test_clocks_are_equal_by_what_they_say() -> None:
    assert Clock(RATE, [0], [100.0]) == LATE
    assert LATE != GAP
    assert LATE != "a clock"
