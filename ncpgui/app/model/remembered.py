"""What was made of components, each value under the version of what it was made of.

Nothing is dropped by hand: who changes a component counts that, and values of older versions are not found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

Value = TypeVar("Value")
OF_DRAWS = frozenset({"pca", "principal components", "depth"})
"""Names of what is made of the draws of a component and their waveforms, which no edit changes."""
OF_MARKS = frozenset({"standing"})
"""Names of what depends on labels of the units of a component too, even on those that decide nothing."""


class Remembered:
    """Values by key: (name,) of the whole project, (name, component id, ...) of one component."""

    def __init__(self) -> None:
        self._n_changes = 0
        self._changes: dict[int, int] = defaultdict(int)
        self._draws: dict[int, int] = defaultdict(int)
        self._marks: dict[int, int] = defaultdict(int)
        self._told: dict[int, Hashable] = {}
        self._kept: dict[Hashable, tuple[Hashable, dict[tuple[Any, ...], Any]]] = {}

    def changed(
        self, component_ids: Iterable[int] = (), *, draws: Iterable[int] = (), marks: Iterable[int] = ()
    ) -> None:
        """Count a change of the project, of some components, of those whose draws are others now, and of
        those that have units with another label.
        """
        self._n_changes += 1
        drawn = {*draws}
        all_counts = (self._changes, self._draws, self._marks)
        for counts, ids in zip(all_counts, ({*component_ids} | drawn, drawn, {*marks}), strict=True):
            for component_id in ids:
                counts[component_id] += 1

    def tell(self, place: int, version: Hashable) -> None:
        """Say what something is made of that is no component of the project, beside the project itself."""
        self._told[place] = version

    def version(self, key: tuple[Any, ...]) -> Hashable:
        """The same as long as what is remembered under a key is right."""
        if len(key) < 2:
            return self._n_changes
        if key[1] in self._told:
            return self._n_changes, self._told[key[1]]
        if key[0] in OF_MARKS:
            return self._changes[key[1]], self._marks[key[1]]
        return self._draws[key[1]] if key[0] in OF_DRAWS else self._changes[key[1]]

    def get(self, key: tuple[Any, ...], make: Callable[[], Value]) -> Value:
        """Value of `make()`, made again only when what it is of has another version."""
        place, version = (key[1:2], key[0] in OF_DRAWS, key[0] in OF_MARKS), self.version(key)
        known = self._kept.get(place)
        if known is None or known[0] != version:
            known = self._kept[place] = version, {}
        if key not in known[1]:
            known[1][key] = make()
        value: Value = known[1][key]
        return value
