"""Contacts are neighbours within a radius and on a shank; depths are along the longer axis of a shank."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.core.probe import Probe, check_pitch, longer_axis


def probe(*places: tuple[float, float], shank: list[int] | None = None) -> Probe:
    return Probe(np.array(places, float), None if shank is None else np.array(shank))


ROW = probe(*[(0.0, 20.0 * i) for i in range(9)])


def test_neighbours_are_within_the_radius_or_just_at_it_and_the_nearest_come_first() -> None:
    assert ROW.neighbours(0, radius_um=40.0).tolist() == [0, 1, 2]
    assert ROW.neighbours(0, radius_um=39.9).tolist() == [0, 1]
    assert ROW.neighbours(4, radius_um=40.0).tolist() == [4, 3, 5, 2, 6]  # of two as near, the first


def test_of_many_neighbours_the_seven_nearest_are_kept_unless_another_number_is_asked_for() -> None:
    assert ROW.neighbours(4, radius_um=1e3).tolist() == [4, 3, 5, 2, 6, 1, 7]
    assert ROW.neighbours(4, radius_um=1e3, max_channels=2).tolist() == [4, 3]


def test_distances_that_differ_by_rounding_are_equal() -> None:
    one = probe((0, 0), (10 + 1e-8, 0), (0, 10))
    assert one.neighbours(0, radius_um=20).tolist() == [0, 1, 2]
    one = probe((0, 0), (10 + 1e-5, 0), (0, 10))
    assert one.neighbours(0, radius_um=20).tolist() == [0, 2, 1]


def test_a_contact_of_another_shank_is_no_neighbour_though_it_be_at_the_same_place() -> None:
    two = probe((0, 0), (0, 0), (0, 20), shank=[0, 1, 1])
    assert two.neighbours(0, radius_um=50).tolist() == [0]
    assert two.neighbours(1, radius_um=50).tolist() == [1, 2]


@pytest.mark.parametrize("places", [np.zeros((0, 2)), np.zeros((2, 3)), np.arange(4.0)])
def test_positions_that_are_not_two_numbers_a_contact_are_refused(places: np.ndarray) -> None:
    with pytest.raises(InputError, match=r"must be \(n_channels, 2\) in µm, got shape"):
        Probe(places)


def test_a_single_contact_is_a_probe() -> None:
    one = probe((3, 4))
    assert (one.n_channels, one.pitch_um, one.depth_axis) == (1, 0.0, 1)
    assert one.drawn_positions_um.tolist() == [[3, 4]]


def test_the_first_two_contacts_that_share_a_place_are_named() -> None:
    with pytest.raises(InputError, match=r"contacts 1 and 3 of the probe share the position \(5, 6\)"):
        probe((0, 0), (5, 6), (7, 8), (5, 6), (5, 6))
    with pytest.raises(InputError, match=r"contacts 1 and 2 of the probe share the position \(5, 6\)"):
        probe((7, 8), (5, 6), (5, 6))
    with pytest.raises(InputError, match="contacts 1 and 2"):
        probe((5, 6), (5, 6), (5, 6), shank=[1, 0, 0])


def test_the_pitch_is_the_median_distance_to_the_nearest_on_the_shank() -> None:
    assert probe((0, 0), (0, 10), (0, 30), (0, 60)).pitch_um == 15  # 10, 10, 20, 30
    assert probe((0, 0), (0, 10), (1, 0), shank=[0, 0, 1]).pitch_um == 10
    assert probe((0, 0), (0, 10), shank=[0, 1]).pitch_um == 0


def test_the_depth_is_along_the_longer_axis_of_a_shank_and_along_y_where_they_are_equal() -> None:
    assert longer_axis(np.array([(0.0, 0.0), (9.0, 5.0)])) == 0
    assert longer_axis(np.array([(0.0, 0.0), (5.0, 9.0)])) == 1
    assert longer_axis(np.array([(0.0, 0.0), (5.0, 5.0)])) == 1
    shanks = probe((0, 0), (0, 30), (500, 0), (500, 60), shank=[0, 0, 1, 1])
    assert shanks.depth_axis == 1
    assert shanks.depth_um.tolist() == [0, 30, 0, 60]
    one_is_wide = probe((0, 0), (0, 30), (500, 0), (540, 0), shank=[0, 0, 1, 1])
    assert one_is_wide.depth_um.tolist() == [0, 0, 500, 540]


def test_shanks_that_lie_on_each_other_are_drawn_side_by_side_two_pitches_apart() -> None:
    square = [(10.0, 0.0), (30.0, 0.0), (10.0, 20.0), (30.0, 20.0)]
    drawn = probe(*square, *square, shank=[3] * 4 + [5] * 4).drawn_positions_um
    assert drawn[:, 0].tolist() == [10, 30, 10, 30, 70, 90, 70, 90]  # 20 of the first and twice 20
    assert drawn[:, 1].tolist() == [0, 0, 20, 20] * 2


def test_single_contacts_that_lie_on_each_other_are_drawn_60_um_apart() -> None:
    assert probe((4, 1), (4, 1), (4, 1), shank=[0, 1, 2]).drawn_positions_um.tolist() == [
        [4, 1],
        [64, 1],
        [124, 1],
    ]


def test_shanks_half_a_pitch_apart_are_drawn_where_they_are() -> None:
    places = [(0.0, 0.0), (0.0, 20.0), (10.0, 0.0), (10.0, 20.0)]
    assert probe(*places, shank=[0, 0, 1, 1]).drawn_positions_um.tolist() == [list(one) for one in places]
    nearer = [(0.0, 0.0), (0.0, 20.0), (9.0, 0.0), (9.0, 20.0)]
    assert probe(*nearer, shank=[0, 0, 1, 1]).drawn_positions_um[:, 0].tolist() == [0, 0, 40, 40]


@pytest.mark.parametrize(
    "places", [((0, 0), (0, 1)), ((0, 0), (1e6, 20), (1e6, 0)), ((5, 5),), ((0, 0), (0, 0.99e6))]
)
def test_contacts_one_micrometre_to_a_metre_apart_are_made(places: tuple[tuple[float, float], ...]) -> None:
    check_pitch(probe(*places))


@pytest.mark.parametrize(("gap", "told"), [(0.025, "0.025"), (0.999, "0.999")])
def test_contacts_closer_than_a_micrometre_are_in_another_unit(gap: float, told: str) -> None:
    with pytest.raises(
        InputError, match=rf"^contacts of the probe are {told} um apart, .*\(are they in mm\?\)$"
    ):
        check_pitch(probe((0, 0), (0, gap), (0, 2 * gap)))


@pytest.mark.parametrize("far", [(1.001e6, 0.0), (0.0, 1.001e6)])
def test_contacts_of_a_shank_farther_than_a_metre_apart_are_in_another_unit(far: tuple[float, float]) -> None:
    with pytest.raises(
        InputError, match=r"^contacts of the probe are 1e\+06 um apart, .*\(are they in nm\?\)$"
    ):
        check_pitch(probe((0, 0), far))


def test_shanks_may_be_farther_apart_than_contacts_of_one() -> None:
    check_pitch(probe((0, 0), (0, 20), (5e6, 0), (5e6, 20), shank=[0, 0, 1, 1]))
    with pytest.raises(InputError, match=r"contacts of the probe are 2e\+06 um apart"):
        check_pitch(probe((0, 0), (0, 20), (5e6, 0), (7e6, 0), shank=[0, 0, 1, 1]))
