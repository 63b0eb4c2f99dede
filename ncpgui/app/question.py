"""A question before something is done; its answers are buttons that say what each of them does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """What a person is asked.

    text : the question; yes : what is done then, "Merge 0 + 1"; no : what stays as it is, "Keep the 2 units"
    """

    text: str
    yes: str
    no: str
