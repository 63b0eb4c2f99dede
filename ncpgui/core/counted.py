"""Numbers with their nouns, and lists of them."""

from __future__ import annotations

from collections.abc import Sequence

FEW = 4


def count(number: int, noun: str) -> str:
    """A number with its noun: "1 spike", "2 spikes"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def few(numbers: Sequence[int]) -> str:
    """The first of some numbers, and whether there are more: "1, 2, 3, 4 …"."""
    return ", ".join(map(str, numbers[:FEW])) + (" …" if len(numbers) > FEW else "")
