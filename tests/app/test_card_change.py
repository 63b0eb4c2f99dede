"""What a card joins or parts: which spikes, by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from ncpgui.app.presenters.card_change import CardChange, change_of

IDS = np.arange(100, 110)


def sorting(labels: list[int], names: str) -> Any:
    """A sorting of ten spikes into units of these names, a letter each."""
    units = tuple(SimpleNamespace(name=name) for name in names)
    component = SimpleNamespace(spike_ids=IDS)
    return SimpleNamespace(labels=np.array(labels, np.int32), units=units, component=component)


TWO = sorting([0, 0, 0, 0, 0, 0, 1, 1, 1, 1], "ab")


def change(now: Any, then: Any) -> CardChange:
    found = change_of(now, then)
    assert found is not None
    return found


def test_units_that_become_one_are_the_two_sets() -> None:
    found = change(TWO, sorting([0] * 10, "c"))
    assert (found.names, found.joins) == (("a", "b"), True)
    assert found.spikes[0].tolist() == [100, 101, 102, 103, 104, 105]
    assert found.spikes[1].tolist() == [106, 107, 108, 109]


def test_parts_of_one_unit_are_the_two_sets() -> None:
    found = change(sorting([0] * 10, "c"), TWO)
    assert (found.names, found.joins) == (("a", "b"), False)
    assert [part.tolist() for part in found.spikes] == [list(range(100, 106)), list(range(106, 110))]


def test_of_three_parts_the_two_largest_are_shown() -> None:
    then = sorting([0, 0, 0, 0, 1, 2, 2, 2, 2, 2], "xyz")
    found = change(sorting([0] * 10, "c"), then)
    assert found.names == ("z", "x")


def test_single_spikes_that_move_are_no_change_of_units() -> None:
    assert change_of(TWO, sorting([0, 0, 0, 0, 0, 1, 1, 1, 1, 1], "ab")) is None
    assert change_of(TWO, TWO) is None


def test_spikes_of_no_unit_are_of_neither_set() -> None:
    found = change(sorting([0, 0, 0, 0, 0, -1, 1, 1, 1, -1], "ab"), sorting([0] * 10, "c"))
    assert [len(part) for part in found.spikes] == [5, 3]


def test_words_say_what_the_correlogram_is_of_and_what_it_counts() -> None:
    found = change(TWO, sorting([0] * 10, "c"))
    start = "Correlogram: spikes of b around those of a, which become one unit"
    assert found.words(None) == f"{start}; being computed"
    trains: Any = SimpleNamespace(close=np.array([[9, 1], [1, 9]]), expected=np.array([[9, 5.64], [5.64, 9]]))
    assert found.words(trains) == f"{start}: 1 pair within 2 ms, 5.6 expected of two neurons"
