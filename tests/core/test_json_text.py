"""JSON from outside."""

from __future__ import annotations

import pytest

from ncpgui.core.json_text import parse_json


def test_json_is_read_from_text_and_from_bytes() -> None:
    assert parse_json('{"a": [1, null]}') == parse_json(b'{"a": [1, null]}') == {"a": [1, None]}


@pytest.mark.parametrize(
    ("text", "words"),
    [("[" * 100_000, "nested too deeply"), ("{", "Expecting"), (b'"\xff"', "can't decode")],
)
def test_whatever_is_wrong_is_a_value_error(text: str | bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_json(text)
