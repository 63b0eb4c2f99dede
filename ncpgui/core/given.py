"""The finished sorting of another program that a project began with, and what its units are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ncpgui.core.proposals import Proposal

PHY, SPIKEINTERFACE = "phy", "spikeinterface"
LARGEST_UNIT = 2**53
"""Numbers of units from here on are not exact in MATLAB and in many readers of JSON."""


@dataclass(frozen=True)
class GivenSorting:
    """Where the units of a project come from, and what they and their spikes are called there.

    path : folder of the sorting; kind : `PHY` (Kilosort too) or `SPIKEINTERFACE`
    rows : (n_spikes,) int64, place of each spike of the project among those of the folder; spikes of the
        folder that no recording has (`ephys.strays`) are in none
    digest : of what was read there (`ephys.given_folder`); another one: somebody changed it since
    labels : unit -> good, mua or noise, as it was labelled
    names : unit -> its id there, where that is not its number: of all units where ids are text; in a folder
        of Phy, what SpikeInterface called the clusters
    silent : units that are there and have no spike; highest : largest number that any unit ever had there
    proposals : of other programs about units that have spikes (`ephys.proposals`)
    """

    path: str
    kind: str
    rows: NDArray[np.int64]
    digest: str
    labels: dict[int, str] = field(default_factory=dict)
    names: dict[int, int | str] = field(default_factory=dict)
    silent: tuple[int, ...] = ()
    highest: int = -1
    proposals: tuple[Proposal, ...] = ()

    @property
    def proposed_merges(self) -> tuple[tuple[int, ...], ...]:
        """Groups of units that other programs propose to merge."""
        return tuple(one.units for one in self.proposals if one.kind == "merge")

    def called(self, units: Iterable[int]) -> dict[int, int | str]:
        """What units are called there, or would be."""
        return called(units, self.names, self.highest)


def called(units: Iterable[int], names: Mapping[int, int | str], highest: int = -1) -> dict[int, int | str]:
    """Name of each unit: the one it has in `names`, else its number, as text if any name is text.

    A number above `highest`, and above all numbers in `names`, is of a new unit: it is called by a number
    that is above all names too, always the same one.
    """
    is_text = any(isinstance(name, str) for name in names.values())
    last = max([highest, *names])
    above = max([last, *(number for name in names.values() if (number := number_of(name)) is not None)])

    def name(unit: int) -> int | str:
        number = unit + above - last if unit > last else unit
        return names.get(unit, str(number) if is_text else number)

    return {int(unit): name(int(unit)) for unit in units}


def numbered(ids: Iterable[int | str]) -> tuple[list[int], dict[int, int | str]]:
    """Number of each unit, 0 to `LARGEST_UNIT`, and the ids of those that have another, of all where some
    are text. An id keeps its number where it is one; the others are numbered anew, above all that are kept.

    ids : each once
    """
    every = list(ids)
    kept: dict[int, int | str] = {}
    for one in sorted(every, key=lambda one: isinstance(one, str) and str(number_of(one)) != one):
        number = number_of(one)
        if number is not None and 0 <= number < LARGEST_UNIT:
            kept.setdefault(number, one)
    number_of_kept = {one: number for number, one in kept.items()}
    fresh = max(kept, default=-1) + 1
    numbers = []
    for one in every:
        numbers.append(number_of_kept.get(one, fresh))
        fresh += one not in number_of_kept
    is_text = any(isinstance(one, str) for one in every)
    return numbers, {
        number: one for number, one in zip(numbers, every, strict=True) if is_text or number != one
    }


def number_of(name: int | str) -> int | None:
    """The number that an id is or spells in digits, None of other text."""
    if isinstance(name, int):
        return name
    return int(name) if name.isascii() and name.isdecimal() and len(name) < 1000 else None
