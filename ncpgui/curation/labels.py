"""What a person says about a unit: good, mua, noise or unsorted; a label of one's own, a note; and its lock.

A accepted unit is one that a person accepted: sampling again and adopting another alternative leave
it as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from ncpgui.core.errors import CurationError

Label = Literal["good", "mua", "noise", "unsorted"]
LABELS: tuple[Label, ...] = get_args(Label)


Words = Literal["tag", "note"]
WORDS: tuple[Words, ...] = get_args(Words)
MOST_CHARACTERS = {"tag": 40, "note": 1000}


@dataclass(frozen=True)
class UnitMark:
    """Label and lock of one unit; tag : a label of one's own, note : words on it, '' = none."""

    label: Label = "unsorted"
    accepted: bool = False
    tag: str = ""
    note: str = ""


UNMARKED = UnitMark()


class Labels:
    """Label, acceptance, tag and note of each unit."""

    def __init__(self) -> None:
        self._marks: dict[int, UnitMark] = {}

    def mark(self, unit: int) -> UnitMark:
        """Label and lock of a unit; unsorted and free when nobody said otherwise."""
        return self._marks.get(int(unit), UNMARKED)

    def label(self, unit: int) -> Label:
        """Label of a unit."""
        return self.mark(unit).label

    def is_accepted(self, unit: int) -> bool:
        """Whether the unit was accepted and must stay as it is."""
        return self.mark(unit).accepted

    @property
    def accepted(self) -> frozenset[int]:
        """Units that are accepted (some may no longer exist)."""
        return frozenset(unit for unit, mark in self._marks.items() if mark.accepted)

    def as_dict(self, units: Iterable[int]) -> dict[int, Label]:
        """Label of each of `units`, the form that exports want."""
        return {int(unit): self.label(unit) for unit in units}

    def words(self, kind: Words, units: Iterable[int]) -> dict[int, str]:
        """Tag or note of those of `units` that have one, the form that exports want."""
        return {int(unit): text for unit in units if (text := getattr(self.mark(unit), kind))}

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags in use, each once, in the order of the alphabet."""
        return tuple(sorted({mark.tag for mark in self._marks.values()} - {""}))

    def update(self, marks: dict[int, UnitMark]) -> None:
        """Mark units. Whoever does emits `changed` once its own books are in order."""
        for unit, mark in marks.items():
            if mark == UNMARKED:
                self._marks.pop(unit, None)
            else:
                self._marks[unit] = mark


def checked_label(label: str) -> Label:
    """`label` if it is one of `LABELS`.

    Raises
    ------
    CurationError
        It is not.
    """
    for known in LABELS:
        if label == known:
            return known
    raise CurationError(f"label must be one of {', '.join(LABELS)}, got '{label}'")


def checked_words(kind: str, text: str) -> str:
    """`text` as a tag or note is kept: in one line, spaces and tabs as single spaces.

    Raises
    ------
    CurationError
        `kind` is neither, or the text is too long.
    """
    if kind not in MOST_CHARACTERS:
        raise CurationError(f"what is written of a unit must be one of {', '.join(WORDS)}, got '{kind}'")
    line = " ".join(text.split())
    if len(line) > MOST_CHARACTERS[kind]:
        raise CurationError(
            f"a {kind} has at most {MOST_CHARACTERS[kind]} characters, this one has {len(line)}; shorten it"
        )
    return line


def inherited(parents: Iterable[UnitMark]) -> UnitMark:
    """Mark of a unit made of `parents`: label and tag they agree on, all notes, accepted when all are."""
    marks = list(parents)
    labels = {mark.label for mark in marks} - {"unsorted"}
    tags = {mark.tag for mark in marks} - {""}
    notes = dict.fromkeys(mark.note for mark in marks if mark.note)
    return UnitMark(
        label=labels.pop() if len(labels) == 1 else "unsorted",
        accepted=bool(marks) and all(mark.accepted for mark in marks),
        tag=tags.pop() if len(tags) == 1 else "",
        note="; ".join(notes)[: MOST_CHARACTERS["note"]],
    )
