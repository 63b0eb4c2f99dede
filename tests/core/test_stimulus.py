"""A frame is on the screen from its trigger to the next, the last one as long as the median one."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.core.stimulus import Stimulus


def stimulus(*trigger: int, pixel_um: float = 1.0) -> Stimulus:
    return Stimulus(np.zeros((len(trigger), 2, 3)), np.array(trigger, np.int64), pixel_um)


def test_a_frame_is_on_from_its_trigger_until_the_next() -> None:
    found = stimulus(10, 20, 40).frame_at(np.array([9, 10, 19, 20, 39, 40]))
    assert found.tolist() == [-1, 0, 0, 1, 1, 2]


def test_the_last_frame_lasts_as_long_as_the_median_one() -> None:
    # frames last 10, 30 and 10: the last one 10
    assert stimulus(0, 10, 40, 50).frame_at(np.array([59, 60, 61])).tolist() == [3, -1, -1]
    assert stimulus(0, 10).frame_at(np.array([19, 20])).tolist() == [1, -1]


def test_a_single_frame_lasts_a_sample_and_of_none_none_is_shown() -> None:
    assert stimulus(5).frame_at(np.array([4, 5, 6])).tolist() == [-1, 0, -1]
    assert stimulus().frame_at(np.array([0, 5])).tolist() == [-1, -1]


def test_a_pixel_is_1_um_unless_somebody_says_more() -> None:
    assert Stimulus(np.zeros((1, 1, 1)), np.array([0])).pixel_um == 1


@pytest.mark.parametrize("pixel", [0.0, -1.0, np.inf, np.nan])
def test_a_pixel_without_size_is_refused(pixel: float) -> None:
    with pytest.raises(InputError, match="size of a pixel must be a positive number of um, got"):
        stimulus(0, 1, pixel_um=pixel)


def test_frames_that_are_no_pictures_are_refused() -> None:
    with pytest.raises(InputError, match=r"must be \(n_frames, height, width\), got shape \(2, 3\)"):
        Stimulus(np.zeros((2, 3)), np.array([0, 1]))


def test_frames_need_a_trigger_each() -> None:
    with pytest.raises(InputError, match="stimulus has 2 frames but 3 triggers"):
        Stimulus(np.zeros((2, 1, 1)), np.array([0, 1, 2]))


def test_the_first_trigger_that_is_not_after_the_one_before_is_named() -> None:
    with pytest.raises(InputError, match="stimulus trigger 2 is not after the one before it"):
        stimulus(0, 5, 5, 4)
    with pytest.raises(InputError, match="stimulus trigger 1 is not after"):
        stimulus(1, 0)
    assert stimulus(0, 1).frame_at(np.array([0, 1])).tolist() == [0, 1]
