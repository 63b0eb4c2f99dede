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


# -- at the edges, with one sample a second ------------------------------------------------------

TWO_STRETCHES = Clock(1.0, [0, 9, 10, 19], [0.0, 9.0, 20.0, 29.0])


def test_half_a_sample_before_and_after_a_stretch_is_in_it() -> None:
    seconds = [-0.6, -0.5, 10.5, 10.6, 19.4, 19.5, 30.5, 30.6]
    assert TWO_STRETCHES.stretch_at(seconds, 20).tolist() == [-1, 0, 0, -1, -1, 1, 1, -1]


def test_two_samples_two_samples_apart_have_a_gap_between_them_and_nearer_ones_have_none() -> None:
    gap = Clock(1.0, [0, 1, 2], [0.0, 1.0, 3.0])
    assert gap.gaps(3).tolist() == [2]
    assert gap.gaps(2).tolist() == []
    assert gap.apart(np.array([0, 1, 2])).tolist() == [0, 1, 3]
    assert Clock(1.0, [0, 1, 2], [0.0, 1.0, 2.9]).gaps(3).tolist() == []


def test_of_several_gaps_all_before_a_sample_count() -> None:
    twice = Clock(1.0, [0, 1, 2, 3], [0.0, 5.0, 6.0, 16.0])  # 4 and 9 samples are lost
    assert twice.gaps(4).tolist() == [1, 3]
    assert twice.apart(np.array([0, 1, 2, 3])).tolist() == [0, 5, 6, 16]
    assert twice.stretches_s(4).tolist() == [[0, 1], [5, 7], [16, 17]]


def test_a_clock_starts_at_the_second_of_its_first_sample_though_it_be_known_later() -> None:
    assert LATE.start_s == 100
    assert Clock(1.0, [10], [25.0]).start_s == 15


def test_a_clock_that_is_known_at_another_sample_or_twice_is_not_even() -> None:
    assert Clock(1.0).is_even
    assert not Clock(1.0, [5], [0.0]).is_even
    assert not Clock(1.0, [0], [5.0]).is_even
    assert not Clock(1.0, [0, 9], [0.0, 9.0]).is_even
    joined = Clock(1.0, segment_start=[0, 5])
    assert (joined.is_even, joined.is_plain, joined.n_segments) == (True, False, 2)


def test_a_part_that_has_all_that_is_known_is_the_clock_itself() -> None:
    clock = Clock(1.0, [0, 10], [0.0, 20.0], [0, 5])
    assert clock.of_part(0, 11) is clock
    assert clock.of_part(0, 10) == Clock(1.0, [0, 9], [0.0, 18.0], [0, 5])
    assert Clock(1.0, segment_start=[0, 5]).of_part(0, 6).n_segments == 2
    assert Clock(1.0, segment_start=[0, 5]).of_part(0, 5).n_segments == 1


def test_a_part_has_what_is_known_within_it_and_at_its_ends() -> None:
    clock = Clock(1.0, [0, 10, 20], [0.0, 20.0, 30.0], [0, 10])
    assert clock.of_part(2, 8) == Clock(1.0, [0, 7], [4.0, 18.0])
    assert clock.of_part(10, 5) == Clock(1.0, [0, 4], [20.0, 24.0])
    assert clock.of_part(9, 5) == Clock(1.0, [0, 1, 4], [18.0, 20.0, 23.0], [0, 1])
    assert LATE.of_part(30, 60) == Clock(RATE, [0], [100.03])


def test_a_recording_that_begins_half_a_sample_after_the_last_one_follows_it() -> None:
    first = Clock(1.0)
    for begin, told in ((9.5, True), (9.25, False)):
        clock, follows = joined_clock([first, Clock(1.0, [0], [begin])], [10, 5])
        assert follows is told
        assert clock.segment_start.tolist() == [0, 10]
        assert clock.seconds(10) == (begin if told else 10)


def test_of_three_recordings_each_is_compared_with_the_one_before() -> None:
    clocks = [Clock(1.0, [0], [begin]) for begin in (0.0, 20.0, 15.0)]
    assert joined_clock(clocks, [10, 5, 5])[1] is False
    joined, told = joined_clock([clocks[0], clocks[2], clocks[1]], [10, 5, 5])
    assert told
    assert joined.seconds([9, 10, 14, 15, 19]).tolist() == [9, 15, 19, 20, 24]


def test_what_a_clock_knows_past_the_end_of_its_recording_is_left_out() -> None:
    slow = Clock(1.0, [0, 5, 10], [0.0, 10.0, 30.0])
    joined, _ = joined_clock([slow, Clock(1.0, [0], [100.0])], [10, 5])
    assert joined.sample.tolist() == [0, 5, 9, 10, 14]
    assert joined.time_s.tolist() == [0, 10, 26, 100, 104]


@pytest.mark.parametrize("starts", [[1, 5], []])
def test_the_first_segment_begins_at_sample_0(starts: list[int]) -> None:
    with pytest.raises(InputError, match="the first segment of a clock must begin at sample 0"):
        Clock(1.0, segment_start=np.array(starts, int))


def test_segments_and_samples_may_follow_each_other_at_once() -> None:
    assert Clock(1.0, [0, 1], [0.0, 1.0], [0, 1]).n_segments == 2
    assert Clock(1.0, segment_start=[0, 5]) != Clock(1.0)
    assert Clock(1.0, segment_start=[0, 5]) == Clock(1.0, segment_start=[0, 5])
    assert Clock(1.0) != Clock(2.0)


def test_joined_recordings_have_the_rate_of_the_first_and_its_clock_where_others_are_not_known() -> None:
    first = Clock(1.0, [0, 5], [2.0, 12.0])
    joined, told = joined_clock([first, Clock(2.0)], [10, 10])
    assert (joined.sampling_frequency_hz, told) == (1.0, False)
    assert joined.seconds([0, 5, 9, 12]).tolist() == [2, 12, 16, 19]


def test_less_than_a_gap_of_half_a_sample_is_not_told() -> None:
    assert Clock(1.0, [0, 9, 10], [0.0, 9.0, 10.5]).words(20) == "from 0 to 20.5 s"
    assert Clock(1.0, [0, 9, 10], [0.0, 9.0, 12.5]).words(20) == "from 0 to 22.5 s, 1 gap (2.5 s)"
