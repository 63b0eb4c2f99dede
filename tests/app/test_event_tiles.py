"""What a tile says of the response of its unit to events, also where next to nothing was recorded."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.analysis.event_response import EventResponse
from ncpgui.app.model.colors import Color
from ncpgui.app.presenters.events import EventTile

EDGES_S = np.array([-0.1, -0.05, 0.0, 0.05, 0.1])


def tile(counts: list[int], recorded_s: list[float] | None = None) -> EventTile:
    """Four bins of 50 ms around ten events, each recorded for half a second unless a test says otherwise."""
    n_spikes = sum(counts)
    response = EventResponse(
        10,
        np.zeros(n_spikes, np.int64),
        np.zeros(n_spikes),
        EDGES_S,
        np.array(counts),
        np.array(recorded_s or [0.5] * len(counts)),
    )
    return EventTile(unit=3, name="3", color=Color(0), n_spikes=40, response=response)


def test_rates_before_and_at_the_highest_bin_after_are_said_in_less_and_less_room() -> None:
    """2 spikes in a second before; 30 in half a second, of which the middle is 75 ms after the event."""
    one = tile([2, 0, 10, 30])
    assert one.verdict == "2.0\u2009Hz before, peak 60\u2009Hz at 75\u2009ms"
    assert one.foot == (one.verdict, "2.0 → 60\u2009Hz at 75\u2009ms", "2.0 → 60\u2009Hz")


def test_where_nothing_was_recorded_before_events_only_the_peak_is_said() -> None:
    one = tile([0, 0, 10, 30], [0, 0, 0.5, 0.5])
    assert one.verdict == "peak 60\u2009Hz at 75\u2009ms"
    assert one.foot[1:] == ("60\u2009Hz at 75\u2009ms", "60\u2009Hz")


def test_where_nothing_was_recorded_after_events_no_number_is_said() -> None:
    one = tile([2, 0, 0, 0], [0.5, 0.5, 0, 0])
    assert one.verdict == "nothing recorded after events"
    assert one.foot == (one.verdict,)


@pytest.mark.parametrize(
    ("at_s", "words"),
    [
        (-0.0501, "−100 to −50 ms after the event: 4.0\u2009Hz (2 spikes)"),
        (0.05, "50 to 100 ms after the event: not recorded (0 spikes)"),
        (0.0999, "50 to 100 ms after the event: not recorded (0 spikes)"),
        (-0.1001, ""),
        (0.1, ""),
    ],
)
def test_a_bin_is_told_by_its_ends_its_rate_and_its_spikes(at_s: float, words: str) -> None:
    assert tile([2, 0, 1, 0], [0.5, 0.5, 0.5, 0]).bin_words(at_s) == words


def test_before_it_is_computed_a_tile_says_so_and_has_no_bins() -> None:
    waiting = EventTile(unit=3, name="3", color=Color(0), n_spikes=40)
    assert waiting.foot == ("computing …",)
    assert waiting.bin_words(0.0) == ""
