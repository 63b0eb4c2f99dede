"""Files that are nearly right: bytes, JSON values and text that were right once, with something changed."""

from __future__ import annotations

import json
import os
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

CASES = int(os.environ.get("NCPGUI_FUZZ_CASES", "25"))
"""How many files each reader is given; the same ones each time. `make soak` gives it many more."""

fixed = settings(
    max_examples=CASES,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],  # the file that failed is told as it was: making it smaller takes minutes
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)

STRANGE_NUMBERS = (0, -1, 1, 2**31, 2**63, -(2**63), 1e308, float("nan"), float("inf"), float("-inf"), 0.5)
strange_text = st.sampled_from(
    ("", "\x00", "../../x", "a" * 300, "nan", "-1", "1e999", "é\ud800", "__import__('os').system('true')")
) | st.text(max_size=8)
strange = st.recursive(
    st.none() | st.booleans() | st.sampled_from(STRANGE_NUMBERS) | strange_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(strange_text, inner, max_size=3),
    max_leaves=5,
)
nested = st.integers(1, 4).map(lambda power: 10**power).map(lambda depth: "[" * depth + "]" * depth)


@st.composite
def changed_bytes(draw: st.DrawFn, data: bytes) -> bytes:
    """`data` with bytes changed, cut out, put in, or cut off."""
    result = bytearray(data)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(len(result) - 1, 0)))
        how = draw(st.sampled_from(("set", "cut", "insert", "end", "fill")))
        if how == "set":
            result[place : place + 1] = draw(st.binary(min_size=1, max_size=1))
        elif how == "cut":
            del result[place : place + draw(st.integers(1, 64))]
        elif how == "insert":
            result[place:place] = draw(st.binary(min_size=1, max_size=16))
        elif how == "fill":
            result[place : place + 8] = draw(
                st.sampled_from((b"\xff" * 8, b"\x00" * 8, b"\x7f" + b"\xff" * 7))
            )
        else:
            del result[place:]
    return bytes(result)


@st.composite
def changed_text(draw: st.DrawFn, text: str) -> bytes:
    """A text with lines or words changed, or bytes that are no text."""
    if draw(st.integers(0, 3)) == 0:
        return draw(changed_bytes(text.encode()))
    words = text.split(" ")
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(words) - 1))
        words[place] = draw(strange_text | nested | st.sampled_from(words) | strange.map(repr))
    return " ".join(words).encode("utf-8", "surrogatepass")


@st.composite
def changed_json(draw: st.DrawFn, value: Any) -> bytes:
    """A JSON value with entries replaced, added or left out; at times its bytes are changed too."""
    for _ in range(draw(st.integers(1, 3))):
        value = draw(_changed_value(value))
    data = json.dumps(value).encode("utf-8")
    return draw(changed_bytes(data)) if draw(st.integers(0, 5)) == 0 else data


@st.composite
def _changed_value(draw: st.DrawFn, value: Any) -> Any:
    """The value with one place inside it changed."""
    if isinstance(value, (dict, list)) and value and draw(st.integers(0, 6)):
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = draw(st.sampled_from(keys))
        result = dict(value) if isinstance(value, dict) else list(value)
        how = draw(st.integers(0, 7))
        if how == 0:
            del result[key]
        elif how == 1 and isinstance(result, dict):
            result[draw(strange_text)] = draw(strange)
        elif how == 1:
            result = [*result, result[key]]
        else:
            result[key] = draw(_changed_value(result[key]))
        return result
    return draw(strange)
