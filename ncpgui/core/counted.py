"""Numbers with their nouns, and lists of them."""

from __future__ import annotations

from collections.abc import Sequence

FEW, SOME = 4, 6


def count(number: int, noun: str) -> str:
    """A number with its noun: "1 spike", "2 spikes"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def few(numbers: Sequence[int]) -> str:
    """The first of some numbers, and whether there are more: "1, 2, 3, 4 …"."""
    return ", ".join(map(str, numbers[:FEW])) + (" …" if len(numbers) > FEW else "")


def some(values: Sequence[object], most: int = SOME) -> str:
    """The first of some values, and how many more there are: "a, b, c, d, e, f and 2 more"."""
    more = len(values) - most
    return ", ".join(map(str, values[:most])) + (f" and {more} more" if more > 0 else "")
