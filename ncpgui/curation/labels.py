"""What a person says about a unit: good, mua, noise or unsorted; and whether it is locked.

A locked unit is one that a person accepted: sampling again and adopting another alternative leave
it as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from ncpgui.core.errors import CurationError
from ncpgui.core.signals import Signal

Label = Literal["good", "mua", "noise", "unsorted"]
LABELS: tuple[Label, ...] = get_args(Label)


@dataclass(frozen=True)
class UnitMark:
    """Label and lock of one unit."""

    label: Label = "unsorted"
    locked: bool = False


UNMARKED = UnitMark()


class Labels:
    """Label and lock of each unit; tells `changed` which units an edit marked."""

    changed: ClassVar[Signal] = Signal(tuple)

    def __init__(self) -> None:
        self._marks: dict[int, UnitMark] = {}

    def mark(self, unit: int) -> UnitMark:
        """Label and lock of a unit; unsorted and free when nobody said otherwise."""
        return self._marks.get(int(unit), UNMARKED)

    def label(self, unit: int) -> Label:
        """Label of a unit."""
        return self.mark(unit).label

    def is_locked(self, unit: int) -> bool:
        """Whether the unit was accepted and must stay as it is."""
        return self.mark(unit).locked

    @property
    def locked(self) -> frozenset[int]:
        """Units that are locked (some may no longer exist)."""
        return frozenset(unit for unit, mark in self._marks.items() if mark.locked)

    def as_dict(self, units: Iterable[int]) -> dict[int, Label]:
        """Label of each of `units`, the form that exports want."""
        return {int(unit): self.label(unit) for unit in units}

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


def inherited(parents: Iterable[UnitMark]) -> UnitMark:
    """Mark of a unit made of `parents`: the label they agree on, locked when all of them are."""
    marks = list(parents)
    labels = {mark.label for mark in marks} - {"unsorted"}
    return UnitMark(
        label=labels.pop() if len(labels) == 1 else "unsorted",
        locked=bool(marks) and all(mark.locked for mark in marks),
    )
