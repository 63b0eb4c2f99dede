"""Times of events are seconds in order, each with a kind that has a name."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.errors import InputError
from ncpgui.core.events import Events


def test_events_of_one_kind_need_no_kinds() -> None:
    events = Events(np.array([0.5, 1.0, 4.0]))
    assert len(events) == 3
    assert events.kind.tolist() == [0, 0, 0]
    assert events.names == ("events",)


def test_events_of_two_kinds_may_happen_at_the_same_time() -> None:
    events = Events(np.array([1.0, 1.0]), np.array([0, 1]), ("left", "right"))
    assert events.kind.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ([1.0, 1.0], "event 2 of 'events' at 1 s is not after the one before it at 1 s"),
        ([2.0, 1.0], "event 2 of 'events' at 1 s is not after the one before it at 2 s"),
        ([1.0, np.nan], "the time of event 2 is nan"),
        ([], "there is no time of an event"),
        ([[1.0, 2.0]], r"must be a list of numbers, got shape \(1, 2\)"),
    ],
)
def test_times_that_are_no_list_of_increasing_seconds_are_refused(times: list[float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Events(np.array(times))


@pytest.mark.parametrize(
    ("kind", "names"), [([0, 0, 0], ("a", "b")), ([0, 1, 2], ("a", "b")), ([0, 1], ("a", "b"))]
)
def test_each_event_needs_a_kind_and_each_kind_an_event(kind: list[int], names: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="each event needs a kind of the 2 named ones"):
        Events(np.array([1.0, 2.0, 3.0]), np.array(kind), names)


def test_times_of_a_kind_and_of_all_come_in_order() -> None:
    events = Events(np.array([2.0, 1.0, 3.0, 1.5]), np.array([0, 1, 0, 1]), ("left", "right"))
    assert events.times_of(0).tolist() == [2, 3]
    assert events.times_of(1).tolist() == [1, 1.5]
    assert events.times_of(None).tolist() == [1, 1.5, 2, 3]


def test_the_event_that_is_not_after_the_one_before_it_is_counted_within_its_kind() -> None:
    with pytest.raises(InputError, match="event 3 of 'b' at 5 s is not after the one before it at 6 s"):
        Events(np.array([9.0, 1.0, 6.0, 5.0]), np.array([0, 1, 1, 1]), ("a", "b"))
    with pytest.raises(InputError, match="the time of event 3 is inf"):
        Events(np.array([1.0, 2.0, np.inf]))
