"""A name that is not known suggests the nearest one that is."""

from __future__ import annotations

import pytest

from ncpgui.core.nearest import did_you_mean, nearest

MODELS = ("spikes", "spikes-times", "gauss2d", "gauss2d-alpha07", "digits", "particles")


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("spike", "spikes"),
        ("Spikes", "spikes"),
        ("spikes_times", "spikes-times"),
        ("spiketimes", "spikes-times"),
        ("guass2d", "gauss2d"),
        ("gauss2d-alpha", "gauss2d-alpha07"),
        ("part", "particles"),
        ("qqqqqq", ""),
        ("", ""),
        ("s", ""),
    ],
)
def test_the_nearest_name(word: str, near: str) -> None:
    assert nearest(word, MODELS) == near


def test_where_nothing_is_near_nothing_is_suggested() -> None:
    assert did_you_mean("digit", MODELS) == "; did you mean 'digits'?"
    assert did_you_mean("kilosort", MODELS) == ""
    assert did_you_mean("digit", ()) == ""
