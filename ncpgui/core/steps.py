"""Finished steps of long work, kept so that work which was stopped goes on where it was.

Whoever does the work asks for each step by its name (`step`), and is given what was kept of it or makes it.
Where steps are kept, if anywhere, is for the caller to say: nowhere (`NOTHING_KEPT`), or in a folder
(`session.steps_folder`). What is kept are arrays by name; a `Packing` turns a value into them and back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
Arrays = Mapping[str, NDArray[Any]]


class Steps:
    """Where finished steps are kept: nowhere, unless a class that derives from this one says where."""

    def find(self, name: str) -> Arrays | None:
        """Return the arrays kept under a name, None where there are none that can be used."""
        return None

    def keep(self, name: str, values: Arrays) -> None:
        """Keep arrays under a name, whole or not at all; work goes on where they cannot be kept."""

    def refuse(self, name: str, reason: str) -> None:
        """Say that what `find` returned cannot be used, and drop it."""

    def drop(self, *names: str) -> None:
        """Forget steps that later ones have made needless; a name with a star stands for all that fit."""


NOTHING_KEPT = Steps()


@dataclass(frozen=True)
class Packing(Generic[T]):
    """How a value becomes arrays, and arrays the same value to the last bit.

    unpack : raises KeyError, ValueError, TypeError or IndexError for arrays that are none of its own
    """

    pack: Callable[[T], Arrays]
    unpack: Callable[[Arrays], T]


def kept(steps: Steps, name: str, packing: Packing[T]) -> T | None:
    """Return what was kept of a step, None where nothing was that can be used."""
    values = steps.find(name)
    if values is None:
        return None
    try:
        return packing.unpack(values)
    except (KeyError, ValueError, TypeError, IndexError) as error:
        steps.refuse(name, f"it lacks {error}" if isinstance(error, KeyError) else str(error))
        return None


def step(steps: Steps, name: str, packing: Packing[T], make: Callable[[], T]) -> T:
    """Return what was kept of a step, or make it and keep it."""
    found = kept(steps, name, packing)
    if found is None:
        found = make()
        steps.keep(name, packing.pack(found))
    return found


def text_array(text: str) -> NDArray[Any]:
    """Text as an array of bytes, which every array file can hold."""
    return np.frombuffer(text.encode(), np.uint8)


def text_of(values: NDArray[Any]) -> str:
    """The text of `text_array`."""
    return values.astype(np.uint8, casting="safe").tobytes().decode()


def integer_of(values: NDArray[Any]) -> int:
    """A whole number that was kept as an array of one."""
    return int(values.astype(np.int64, casting="safe").item())


def inside(prefix: str, values: Arrays) -> dict[str, NDArray[Any]]:
    """Arrays under names that begin with a prefix, to be kept with others: see `part`."""
    return {f"{prefix}.{name}": array for name, array in values.items()}


def part(prefix: str, values: Arrays) -> dict[str, NDArray[Any]]:
    """The arrays that `inside` put under a prefix."""
    begin = f"{prefix}."
    return {name[len(begin) :]: array for name, array in values.items() if name.startswith(begin)}
