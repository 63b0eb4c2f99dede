"""Displacement between bins, and stretches of time in which the tissue stands still: values by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ncpgui.core.motion import Motion, Places, places_of

RATE_HZ = 10.0


def steps(*um: float, applied: bool = True) -> Motion:
    """One bin a second, all depths alike."""
    return Motion(
        time_s=np.arange(len(um)) + 0.5,
        depth_um=np.array([100.0]),
        displacement_um=np.array(um, float)[:, None],
        applied=applied,
    )


def cut(motion: Motion, *, seconds: int, reach_um: float = 3.0, most: int = 16) -> Places:
    return places_of(
        motion,
        n_samples=round(seconds * RATE_HZ),
        sampling_frequency_hz=RATE_HZ,
        reach_um=reach_um,
        most=most,
    )


def test_displacement_is_linear_between_bins_and_depths_and_level_beyond_them() -> None:
    motion = Motion(
        time_s=np.array([1.0, 3.0]),
        depth_um=np.array([0.0, 100.0]),
        displacement_um=np.array([[0.0, 10.0], [4.0, 30.0]]),
    )
    time = np.array([1.0, 2.0, 2.0, 0.0, 9.0])
    depth = np.array([0.0, 0.0, 50.0, 100.0, 400.0])
    assert motion.at(time, depth).tolist() == [0.0, 2.0, 11.0, 10.0, 30.0]


def test_no_motion_is_no_displacement_and_no_range() -> None:
    assert Motion().at(np.array([1.0, 5.0]), np.zeros(2)).tolist() == [0.0, 0.0]
    assert Motion().range_um == 0.0


def test_the_range_is_that_of_the_depth_that_moves_most_without_one_wild_bin() -> None:
    moved = np.zeros((1001, 2))
    moved[:, 1] = np.linspace(-10, 10, 1001)
    moved[5, 0] = 500.0
    motion = Motion(np.arange(1001.0), np.array([0.0, 100.0]), moved)
    assert motion.range_um == pytest.approx(0.98 * 20)


def test_a_jump_and_back_is_two_places_in_three_stretches() -> None:
    places = cut(steps(0, 0, 20, 20, 20, 0.5), seconds=6)
    assert places.stretches.tolist() == [[0, 20], [20, 50], [50, 60]]
    assert places.place.tolist() == [0, 1, 0]
    assert places.displacement_um[:, 0] == pytest.approx([0.5 / 3, 20.0])
    assert places.share.tolist() == [0.5, 0.5]
    assert places.of(np.array([0, 19, 20, 49, 50, 59])).tolist() == [0, 0, 1, 1, 0, 0]


def test_motion_within_reach_and_motion_that_does_not_count_are_one_place() -> None:
    for motion in (steps(0, 1, 2, 3), steps(0, 20, 40, applied=False), Motion(applied=True)):
        places = cut(motion, seconds=4)
        assert places.stretches.tolist() == [[0, 40]]
        assert places.n_places == 1


def test_depths_that_move_differently_are_places_of_their_own() -> None:
    moved = np.array([[0.0, 0.0], [0.0, 10.0], [10.0, 10.0]])
    motion = Motion(np.array([0.5, 1.5, 2.5]), np.array([0.0, 100.0]), moved, applied=True)
    places = cut(motion, seconds=3)
    assert places.n_places == 3
    assert places.at_depth(np.array([50.0]))[:, 0].tolist() == [0.0, 5.0, 10.0]


def test_no_more_places_than_asked_for() -> None:
    drift = steps(*np.linspace(0, 100, 200))
    assert cut(drift, seconds=200).n_places > 8
    few = cut(drift, seconds=200, most=8)
    assert 4 <= few.n_places <= 8
    assert few.stretches[0, 0] == 0
    assert few.stretches[-1, 1] == 2000
    assert (few.stretches[1:, 0] == few.stretches[:-1, 1]).all()


def test_bins_after_the_end_of_the_recording_make_no_empty_stretch() -> None:
    places = cut(steps(0, 0, 20, 20), seconds=2)
    assert places.stretches.tolist() == [[0, 20]]
    assert places.displacement_um.tolist() == [[0.0]]


def test_a_motion_comes_back_from_its_plain_values_and_arrays() -> None:
    motion = Motion(
        np.array([0.5]),
        np.array([1.0]),
        np.array([[2.0]]),
        axis=0,
        preset="dredge",
        applied=True,
        reason="The tissue moved.",
        peak_time_s=np.array([0.1]),
        peak_depth_um=np.array([7.0]),
    )
    again = Motion.restored(json.loads(json.dumps(motion.told())), motion.arrays())
    assert again.told() == motion.told()
    for name, values in motion.arrays().items():
        assert again.arrays()[name].tolist() == values.tolist()


def test_a_place_is_opened_where_the_tissue_moved_farther_than_the_reach_and_not_just_as_far() -> None:
    assert cut(steps(0, 3), seconds=2).n_places == 1
    assert cut(steps(0, 3.1), seconds=2).n_places == 2
    assert cut(steps(0, 4, 2), seconds=3).place.tolist() == [0, 1, 0]  # of two as near, the first


def test_the_reach_doubles_until_there_are_as_few_places_as_asked_for() -> None:
    """At 0, 4, 8 and 12 um: four places within 3 um, two within 6."""
    motion = steps(0, 4, 8, 12)
    assert cut(motion, seconds=4, most=4).n_places == 4
    assert cut(motion, seconds=4, most=3).displacement_um[:, 0].tolist() == [2, 10]
    assert cut(motion, seconds=4, most=2).n_places == 2
    assert cut(motion, seconds=4, most=1).n_places == 1


def test_a_bin_that_begins_at_the_end_of_the_recording_is_left_out() -> None:
    assert cut(steps(0, 20), seconds=1).stretches.tolist() == [[0, 10]]
    longer = places_of(steps(0, 20), n_samples=11, sampling_frequency_hz=RATE_HZ, reach_um=3.0, most=16)
    assert longer.stretches.tolist() == [[0, 10], [10, 11]]
    assert cut(steps(0, 20), seconds=0).n_places == 1


def test_samples_outside_the_recording_are_at_the_nearest_place() -> None:
    places = cut(steps(0, 20), seconds=2)
    assert places.of(np.array([-5, 0, 9, 10, 19, 20, 500])).tolist() == [0, 0, 0, 1, 1, 1, 1]


def test_displacement_of_three_depths_is_that_between_the_two_around_one() -> None:
    motion = Motion(np.array([0.0, 1.0]), np.array([0.0, 10.0, 30.0]), np.array([[0, 5, 25.0], [0, 5, 25]]))
    depth = np.array([-1.0, 0, 5, 10, 20, 30, 99])
    assert motion.at(np.zeros(7), depth).tolist() == [0, 0, 2.5, 5, 15, 25, 25]
    one = Motion(np.array([0.0, 1.0]), np.array([7.0]), np.array([[2.0], [4.0]]))
    assert one.at(np.array([0.5]), np.array([99.0])).tolist() == [3]


def test_spikes_of_units_are_counted_at_the_place_where_the_tissue_was() -> None:
    """The tissue comes back to place 0; unit 2 has no spike."""
    stretches, place = np.array([[0, 10], [10, 30], [30, 50]]), np.array([0, 1, 0])
    places = Places(stretches, place, np.array([[0.0], [5.0]]), np.zeros(1))
    place = places.of(np.array([1, 9, 10, 29, 30, 49]))
    counts = places.counts(place, np.array([0, 1, 1, 1, 0, 0]), 3)
    assert counts.tolist() == [[3, 1, 0], [0, 2, 0]]


def test_all_of_a_recording_at_one_place_is_at_no_displacement_along_y() -> None:
    one = Places.one(50)
    assert (one.stretches.tolist(), one.place.tolist(), one.axis) == ([[0, 50]], [0], 1)
    assert (one.n_places, one.share.tolist()) == (1, [1])
    assert one.at_depth(np.array([3.0])).tolist() == [[0]]
    assert (Motion().axis, Motion().applied) == (1, False)
