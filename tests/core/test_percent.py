"""Probabilities as people read them: only what is certain is 0 or 100."""

from __future__ import annotations

import pytest

from ncpgui.core.percent import percent, percent_of_draws


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "0 %"),
        (0.001, "<1 %"),
        (0.0099, "<1 %"),
        (0.01, "1 %"),
        (0.55, "55 %"),
        (0.986, "99 %"),
        (0.9899, "99 %"),
        (0.99, ">99 %"),
        (0.9999, ">99 %"),
        (0.9999985, ">99 %"),
        (1 - 5e-7, "100 %"),  # rounding of float32
        (1.0, "100 %"),
        (float("nan"), "unknown"),
    ],
)
def test_only_what_is_certain_is_called_0_or_100_percent(share: float, words: str) -> None:
    assert percent(share) == words.replace(" ", "\u2009")


def test_what_no_draw_is_may_be_possible() -> None:
    told = [percent_of_draws(share).replace("\u2009", " ") for share in (0.0, 0.004, 0.04, 1.0)]
    assert told == ["<1 %", "<1 %", "4 %", "100 %"]


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "0"), (0.0099, "<1"), (0.01, "1"), (0.989, "99"), (0.99, ">99"), (0.9999, ">99"), (1.0, "100"),
        (1 - 1e-6, "100"),
    ],
)  # fmt: skip
def test_nothing_that_is_possible_is_nought_and_nothing_uncertain_is_all(share: float, words: str) -> None:
    assert percent(share) == f"{words}\u2009%"
    assert percent_of_draws(share) == (f"{words}\u2009%" if share else "<1\u2009%")
