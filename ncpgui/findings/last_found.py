"""What was found of the last train or sorting: the one that is bootstrapped next, again and again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Of = TypeVar("Of")
Found = TypeVar("Found")


@dataclass(eq=False)
class LastFound(Generic[Of, Found]):
    """One result, kept until it is asked of another object."""

    _kept: list[tuple[Of, Found]] = field(default_factory=list, init=False)

    def of(self, one: Of, find: Callable[[Of], Found]) -> Found:
        """What `find` gives of an object; found once as long as it is the same object."""
        if not self._kept or self._kept[0][0] is not one:
            self._kept[:] = [(one, find(one))]
        return self._kept[0][1]
