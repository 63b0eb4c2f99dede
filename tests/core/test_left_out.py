"""What is told of units that a sorting is without."""

from __future__ import annotations

import pytest

from ncpgui.core.errors import InputError
from ncpgui.core.left_out import LeftOut


def test_nothing_is_told_where_nothing_was_left_out() -> None:
    assert LeftOut().sentences == ()


def test_how_many_and_why_is_told_the_noise_first() -> None:
    assert LeftOut(faint=3, like_noise=1, like_noise_spikes=1, rare=2, rare_spikes=40).sentences == (
        "1 unit left out as noise, with 1 spike: what noise looks like where it crosses the threshold, and "
        "no higher",
        "3 units left out as noise: the template does not stand out of the noise of its own filter",
        "2 units left out, with 40 spikes: less than 0.1 spikes a second are too few to tell a neuron from "
        "what others leave",
    )


def test_it_comes_back_from_plain_values() -> None:
    one = LeftOut(1, 2, 30, 4, 50)
    assert LeftOut.restored(one.told()) == one


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"dull": 3}, "units that are left out have no 'dull', only faint, like_noise, "),
        ({"faint": -1}, "faint of what is left out is -1, and should be a number from 0 on"),
        ({"rare": 1.5}, "rare of what is left out is 1.5, and should be a number from 0 on"),
        ({"rare": True}, "rare of what is left out is True, and should be a number from 0 on"),
        ({"rare": None}, "rare of what is left out is None, and should be a number from 0 on"),
    ],
)
def test_what_cannot_be_is_refused(told: dict[str, object], words: str) -> None:
    with pytest.raises(InputError) as caught:
        LeftOut.restored(told)
    assert words in str(caught.value)
