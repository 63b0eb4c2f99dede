"""What a card would change, as two sets of spikes: two units that become one, or two parts of one unit.

Their cross-correlogram tells for or against it: two parts of one neuron hardly fire within 2 ms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.app.model.shown_sorting import CONTAINED, ShownSorting
from ncpgui.app.presenters.correlograms import Trains, few
from ncpgui.app.words import count
from ncpgui.core.partition import contingency


@dataclass(frozen=True, eq=False)
class CardChange:
    """Two sets of spikes.

    names : of both; spikes : ids of both, increasing; joins : whether a card makes them one unit, else it
    makes two of one
    """

    names: tuple[str, str]
    spikes: tuple[NDArray[np.int64], NDArray[np.int64]]
    joins: bool

    @property
    def title(self) -> str:
        """Both, in a few signs."""
        return f"{self.names[0]} × {self.names[1]}"

    def words(self, found: Trains | None) -> str:
        """What their correlogram is, and what was found."""
        first, second = self.names
        what = "become one unit" if self.joins else "become two units"
        told = f"Correlogram: spikes of {second} around those of {first}, which {what}"
        if found is None:
            return f"{told}; being computed"
        n, expected = int(found.close[0, 1]), float(found.expected[0, 1])
        return f"{told}: {count(n, 'pair')} within 2 ms, {few(expected)} expected of two neurons"


def change_of(now: ShownSorting, then: ShownSorting) -> CardChange | None:
    """The largest change from one sorting to another; None where no units are joined or parted."""
    table = contingency(now.labels, then.labels)
    joined, parted = _largest(table.T), _largest(table)
    if joined is None and parted is None:
        return None
    if parted is None or (joined is not None and joined[0] >= parted[0]):
        assert joined is not None
        _, whole, one, two = joined
        parts = [np.flatnonzero((then.labels == whole) & (now.labels == part)) for part in (one, two)]
        names = now.units[one].name, now.units[two].name
    else:
        _, whole, one, two = parted
        parts = [np.flatnonzero((now.labels == whole) & (then.labels == part)) for part in (one, two)]
        names = then.units[one].name, then.units[two].name
        joined = None
    first, second = (now.component.spike_ids[part] for part in parts)
    return CardChange(names, (first, second), joined is not None)


def _largest(table: NDArray[np.int64]) -> tuple[int, int, int, int] | None:
    """Spikes of the smaller of two parts of one whole, the whole, and the parts, the larger first.

    table : (wholes, parts) spikes; a part is of a whole that has most of its spikes
    """
    own = np.where(table >= CONTAINED * table.sum(axis=0, keepdims=True), table, 0)
    if own.shape[1] < 2:
        return None
    order = np.argsort(-own, axis=1, kind="stable")[:, :2]
    smaller = np.take_along_axis(own, order[:, 1:], axis=1)[:, 0]
    if smaller.max(initial=0) == 0:
        return None
    whole = int(smaller.argmax())
    return int(smaller[whole]), whole, int(order[whole, 0]), int(order[whole, 1])
