"""Numbers with their nouns."""

from __future__ import annotations


def count(number: int, noun: str) -> str:
    """A number with its noun: "1 spike", "2 spikes"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
