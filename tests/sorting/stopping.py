"""Steps kept in memory, a stop at one of them, and projects compared to the last bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ncpgui.core.steps import Arrays


class Stopped(BaseException):
    """Somebody pulled the plug."""


class StepsInMemory:
    """Keeps copies; `stop_after` is the number of steps after which it raises, or of a name before which."""

    def __init__(self, *, stop_after: int | None = None) -> None:
        self.values: dict[str, dict[str, np.ndarray]] = {}
        self.kept: list[str] = []
        self.used: list[str] = []
        self.refused: dict[str, str] = {}
        self.stop_after = stop_after

    def find(self, name: str) -> Arrays | None:
        if name not in self.values:
            return None
        self.used.append(name)
        return {key: array.copy() for key, array in self.values[name].items()}

    def keep(self, name: str, values: Arrays) -> None:
        self.values[name] = {key: np.array(array) for key, array in values.items()}
        self.kept.append(name)
        if self.stop_after is not None and len(self.kept) >= self.stop_after:
            raise Stopped(name)

    def refuse(self, name: str, reason: str) -> None:
        self.refused[name] = reason
        del self.values[name]

    def drop(self, *names: str) -> None:
        for kept in list(self.values):
            if any(fnmatchcase(kept, name) for name in names):
                del self.values[kept]


def assert_same(one: Any, other: Any, place: str = "project") -> None:
    """Every array of two values is the same to the last bit, and everything else is equal."""
    assert type(one) is type(other), place
    if isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape), place
        assert one.tobytes() == other.tobytes(), place
    elif is_dataclass(one):
        for item in fields(one):
            assert_same(getattr(one, item.name), getattr(other, item.name), f"{place}.{item.name}")
    elif isinstance(one, Mapping):
        assert list(one) == list(other), place
        for key in one:
            assert_same(one[key], other[key], f"{place}[{key}]")
    elif isinstance(one, (tuple, list)):
        assert len(one) == len(other), place
        for number, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_same(a, b, f"{place}[{number}]")
    elif isinstance(one, float):
        assert one == other or (np.isnan(one) and np.isnan(other)), place
    else:
        assert one == other, place
