"""Values that another program wrote as JSON, each of the kind that is wanted, or why not in a reader's words.

Whoever opens a file need not know what Python calls a list of names and values. A reason says which place has
what, and what belongs there: "merges must be a list, and is the text 'a'". All of them are ValueErrors, to
which the caller adds the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST_SHOWN = 30
"""Characters of a text or number that are shown."""


def named(value: Any) -> str:
    """A value of JSON in words: ``a list``, ``the text 'a'``, ``the number 3``, ``names with values``."""
    if value is None:
        return "empty (null)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "names with values ({})" if not value else "names with values"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    text = repr(value)
    kind = "text" if isinstance(value, str) else "number"
    return f"the {kind} {text}" if len(text) <= MOST_SHOWN else f"a long {kind}"


def a_list(value: Any, place: str) -> list[Any]:
    """A list of whatever it holds."""
    if isinstance(value, list):
        return value
    raise ValueError(f"{place} must be a list, and is {named(value)}")


def an_object(value: Any, place: str) -> dict[str, Any]:
    """Names with values, in braces."""
    if isinstance(value, dict):
        return value
    raise ValueError(f"{place} must be names with values, in braces, and is {named(value)}")


def member(value: Mapping[str, Any], name: str, place: str) -> Any:
    """What stands under a name."""
    if name in value:
        return value[name]
    raise ValueError(f"{name} is missing in {place}")


def whole_number(value: Any, place: str) -> int:
    """A whole number, of any size."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ValueError(f"{place} must be a whole number, and is {named(value)}")


def whole_numbers(value: Any, place: str) -> list[int]:
    """A list of whole numbers."""
    return [whole_number(one, f"entry {n} of {place}") for n, one in enumerate(a_list(value, place), start=1)]


def text(value: Any, place: str) -> str:
    """A text."""
    if isinstance(value, str):
        return value
    raise ValueError(f"{place} must be a text, and is {named(value)}")


def unit_id(value: Any, place: str) -> int | str:
    """The id of a unit: a whole number or a text."""
    if isinstance(value, (int, str)) and not isinstance(value, bool):
        return value
    raise ValueError(f"{place} must be the id of a unit, a whole number or a text, and is {named(value)}")


def unit_ids(value: Any, place: str) -> list[int | str]:
    """A list of ids of units."""
    return [unit_id(one, f"entry {n} of {place}") for n, one in enumerate(a_list(value, place), start=1)]
