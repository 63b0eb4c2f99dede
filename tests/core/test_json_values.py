"""Values of JSON are named as people who read such files know them."""

from __future__ import annotations

from typing import Any

import pytest

from ncpgui.core.json_values import a_list, an_object, member, named, text, unit_ids, whole_numbers


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "empty (null)"),
        (True, "true"),
        (False, "false"),
        ({}, "names with values ({})"),
        ({"a": 1}, "names with values"),
        ([], "an empty list"),
        ([1], "a list"),
        ("a", "the text 'a'"),
        (2, "the number 2"),
        (0.5, "the number 0.5"),
        ("x" * 28, f"the text '{'x' * 28}'"),
        ("x" * 29, "a long text"),
        (10**40, "a long number"),
    ],
)
def test_a_value_is_named_in_words(value: Any, words: str) -> None:
    assert named(value) == words


def test_what_is_of_the_kind_is_returned_and_true_is_no_number() -> None:
    assert a_list([1], "x") == [1]
    assert an_object({"a": 1}, "x") == {"a": 1}
    assert member({"a": None}, "a", "x") is None
    assert text("a", "x") == "a"
    assert unit_ids([3, "b"], "x") == [3, "b"]
    assert whole_numbers([1, 2], "x") == [1, 2]
    with pytest.raises(ValueError, match=r"^entry 2 of x must be a whole number, and is true$"):
        whole_numbers([1, True], "x")
    with pytest.raises(ValueError, match=r"^entry 1 of x must be the id of a unit, .*, and is false$"):
        unit_ids([False], "x")
