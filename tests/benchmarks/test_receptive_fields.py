"""Receptive fields of two sortings are matched by place and time course, and Venn's areas are the numbers."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="the figures want the extra 'figures'")

from benchmarks.figures import venn
from benchmarks.figures.fields_found import in_order
from benchmarks.recordings import receptive_fields
from benchmarks.recordings.field_matching import Field, clear_fields, distinct, likeness, matches
from ncpgui.ephys.simulated_cells import RetinaSettings, plan_simulation

ON = np.array([0.0, 1.0, -0.5]) / np.hypot(1.0, 0.5)


def field(x: float, course: np.ndarray = ON, *, radius: float = 2.0, unit: int = 0) -> Field:
    return Field(unit, (x, 5.0), radius, course, np.zeros((4, 4), np.float32), 100)


def test_fields_at_one_place_with_one_time_course_are_of_one_cell() -> None:
    assert likeness(field(5.0), field(5.9)) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (field(5.0), field(6.1)),  # half a radius of 2 is 1
        (field(5.0), field(5.0, -ON)),  # an ON and an OFF cell
        (field(5.0), field(5.0, np.array([1.0, 0.0, 0.0]))),
        (field(5.0, radius=1.0), field(5.9, radius=2.0)),  # half of the mean radius of 1.5 is 0.75
    ],
)
def test_fields_elsewhere_or_of_another_time_course_are_of_two_cells(first: Field, second: Field) -> None:
    assert likeness(first, second) == 0


def test_each_field_is_matched_once_and_as_many_as_there_can_be() -> None:
    """The middle one of ours may go with either of theirs, the left one with their left one only."""
    ours = [field(4.2), field(5.0), field(20.0)]
    theirs = [field(5.1), field(5.9), field(40.0)]
    assert matches(ours, theirs) == [(0, 0), (1, 1)]
    assert receptive_fields.compared(ours, theirs) == {"both": 2, "ours alone": 1, "theirs alone": 1}


def test_nothing_is_matched_with_nothing() -> None:
    assert matches([], [field(1.0)]) == []
    assert receptive_fields.compared([], [field(1.0)]) == {"both": 0, "ours alone": 0, "theirs alone": 1}


def test_a_cell_that_was_split_counts_once() -> None:
    assert [one.unit for one in distinct([field(5.0, unit=1), field(5.3, unit=2), field(9.0, unit=3)])] == [
        1,
        3,
    ]


def test_fields_of_one_alone_are_shown_before_those_of_both() -> None:
    a, b, both = field(1.0), field(10.0), field(20.0)
    assert in_order([both, a], [both, b]) == [(a, None), (None, b), (both, both)]


def test_half_of_the_spikes_of_simulated_cells_have_the_fields_of_all_of_them() -> None:
    plan = plan_simulation(RetinaSettings(duration_s=120.0, probe="hex16"), seed=901)
    truth = plan.truth
    whole = clear_fields(plan.stimulus, truth.sample_index, truth.unit_id)
    half = clear_fields(plan.stimulus, truth.sample_index[::2], truth.unit_id[::2])
    pairs = matches(whole, half)
    assert len(whole) >= 9  # of 11 cells
    assert len(pairs) == len(half)
    assert all(whole[i].unit == half[j].unit for i, j in pairs)


@pytest.mark.parametrize(
    ("distance", "area"),
    [
        (0.0, np.pi),  # one inside the other
        (2.0, 0.0),  # side by side
        (1.0, 2 * np.pi / 3 - np.sqrt(3) / 2),  # each through the centre of the other
    ],
)
def test_the_area_that_two_circles_of_radius_one_share(distance: float, area: float) -> None:
    assert venn.shared_area(distance, 1.0, 1.0) == pytest.approx(area)


def test_areas_of_the_circles_are_the_numbers() -> None:
    """Of the paper: 103 and 72 fields, 55 of them of both."""
    one, two, distance = venn.circles(103, 72, 55)
    assert np.pi * one**2 == pytest.approx(103)
    assert np.pi * two**2 == pytest.approx(72)
    assert venn.shared_area(distance, one, two) == pytest.approx(55, rel=1e-6)


def test_circles_that_share_nothing_touch_and_one_in_the_other_is_inside() -> None:
    one, two, distance = venn.circles(9, 4, 0)
    assert distance == pytest.approx(one + two)
    one, two, distance = venn.circles(9, 4, 4)
    assert distance == pytest.approx(one - two, abs=1e-6)


def test_a_recording_of_development_has_another_seed() -> None:
    assert receptive_fields.SEED < 100 <= receptive_fields.DEVELOPMENT_SEED
