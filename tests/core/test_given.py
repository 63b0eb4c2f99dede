"""Units keep the ids of the sorting that is reviewed; new ones lie above all that were ever used there."""

from __future__ import annotations

import numpy as np
import pytest

from ncpgui.core.given import PHY, GivenSorting, called, number_of, numbered


@pytest.mark.parametrize(
    ("ids", "numbers", "named"),
    [
        ([4, 9, 30], [4, 9, 30], {}),
        ([2**31, 2**40, 3], [2**31, 2**40, 3], {}),
        (["A1", "shank0_7", "3c"], [0, 1, 2], {0: "A1", 1: "shank0_7", 2: "3c"}),
        (["12", "007", "3"], [12, 7, 3], {12: "12", 7: "007", 3: "3"}),
        (["007", "7", "x"], [8, 7, 9], {8: "007", 7: "7", 9: "x"}),
        ([-1, 5, 6], [7, 5, 6], {7: -1}),
        ([-3, -2, -1], [0, 1, 2], {0: -3, 1: -2, 2: -1}),
        ([98765432109876543210, 2], [3, 2], {3: 98765432109876543210}),
        (["98765432109876543210", "2"], [3, 2], {3: "98765432109876543210", 2: "2"}),
        ([2**53 - 1, 1], [2**53 - 1, 1], {}),
        ([2**53, 1], [2, 1], {2: 2**53}),
        ([5, 0], [5, 0], {}),
        ([3, "a"], [3, 4], {3: 3, 4: "a"}),
        ([], [], {}),
    ],
)
def test_an_id_keeps_its_number_and_what_is_none_gets_one_above_all(ids, numbers, named) -> None:
    assert numbered(ids) == (numbers, named)


def test_ids_that_differ_have_numbers_that_differ() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        pool = [f"{'0' * rng.integers(3)}{rng.integers(12)}" for _ in range(9)] + ["a", "-1", "٣", "1.0"]
        ids = list(dict.fromkeys(rng.permutation(pool).tolist()))
        numbers, names = numbered(ids)
        assert len(set(numbers)) == len(ids)
        assert [names[number] for number in numbers] == ids


def test_a_new_unit_is_called_by_a_number_above_all_names_and_always_the_same() -> None:
    names = {0: "10", 1: "11", 2: "12"}
    assert called([0, 1, 2, 3, 5], names) == {0: "10", 1: "11", 2: "12", 3: "13", 5: "15"}
    assert called([5], names) == {5: "15"}
    assert called([0, 2, 3], {0: 10, 2: 12}) == {0: 10, 2: 12, 3: 13}
    assert called([7, 5, 8], {7: -1}) == {7: -1, 5: 5, 8: 8}
    assert called([4, 5], {4: "98765432109876543210"})[5] == "98765432109876543211"


def test_without_names_units_are_called_by_their_numbers() -> None:
    assert called([0, 5], {}) == {0: 0, 5: 5}
    assert GivenSorting("there", PHY, np.arange(3), "").called([0, 5]) == {0: 0, 5: 5}


def test_one_name_of_text_makes_the_names_of_new_units_text() -> None:
    assert called([0, 1, 2], {0: "a", 1: 3}) == {0: "a", 1: 3, 2: "4"}


def test_numbers_of_units_without_a_spike_are_in_use_too() -> None:
    given = GivenSorting("there", PHY, np.arange(3), "", names={0: 100, 1: 3}, highest=6)
    assert given.called([0, 1, 7, 8]) == {0: 100, 1: 3, 7: 101, 8: 102}
    assert given.called([6]) == {6: 6}, "an id that was there is no new one"


def test_a_number_is_one_in_digits() -> None:
    assert [number_of(name) for name in (7, -1, "7", "007")] == [7, -1, 7, 7]
    assert number_of("9" * 999) == 10**999 - 1
    assert [number_of(name) for name in ("", "-1", "1.0", "٣", "1_0", "A1", "9" * 1000)] == [None] * 7
