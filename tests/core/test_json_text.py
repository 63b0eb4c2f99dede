"""JSON from outside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from ncpgui.core.json_text import as_json, pack, parse_json, unpack


def test_json_is_read_from_text_and_from_bytes() -> None:
    assert parse_json('{"a": [1, null]}') == parse_json(b'{"a": [1, null]}') == {"a": [1, None]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 100_000, "nested too deeply"),
        ("{", "Expecting"),
        (b'"\xff"', "can't decode"),
        ('{"a": {"b": 1, "c": 2, "b": 1}}', "it says 'b' twice"),
    ],
)
def test_whatever_is_wrong_is_a_value_error(text: str | bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_json(text)


@dataclass
class Pair:
    """Of anything."""

    one: object
    other: object


def test_values_become_those_of_json_whatever_they_are_in() -> None:
    value = {"a": Pair(np.float32(0.5), (1, np.int64(2))), "b": np.array([[1, 2]]), "c": [Pair(None, "x")]}
    assert as_json(value) == {
        "a": {"one": 0.5, "other": [1, 2]},
        "b": [[1, 2]],
        "c": [{"one": None, "other": "x"}],
    }
    assert as_json({"a": (0.25, 1)}, lambda x: 2 * x) == {"a": [0.5, 1]}


def test_what_is_packed_comes_back_to_the_last_bit_and_a_part_of_it_does_not() -> None:
    values = np.array([0.1, np.nan, -np.inf])
    np.testing.assert_array_equal(unpack(pack(values, "<f8"), "<f8"), values)
    with pytest.raises(ValueError, match="cut off"):
        unpack(pack(np.zeros(1000), "<f8")[:8], "<f8")
