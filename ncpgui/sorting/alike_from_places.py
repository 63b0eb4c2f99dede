"""Cells that go on in another unit as the tissue moves, where units do not follow it.

A unit that another program made may hold one cell while the tissue is here, and another one while it is
there. Two such units may have a cell in common though their templates differ wherever both are known: those
of a place of each, moved back to one place of the tissue (`moved_back`), are alike. So units are compared
from all places of one to all of the other. Units that are alike so are asked about together; where that would
be too much for one question, it is known how many spikes of the cell are in the other.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncpgui.sorting.template_distance import largest_products

ALIKE, THE_SAME = 0.3, 0.2
"""Squared distances of two templates, relative to the larger energy, below which they may be one cell's, and
are taken to be, where nothing can be asked. In six sortings of two recordings most of one cell were less than
0.15 apart, and most of two cells more than 0.4; some of two cells were as near, all of them asked about."""
LEAST_SPIKES = 15
"""Spikes at a place from which on the template there is known."""


@dataclass(frozen=True, eq=False)
class AlikePlaces:
    """Which units look alike, each at a place of its own: m pairs, each in both orders.

    n_spikes : (P, K) of each unit at each place
    place, unit : (m,) of the first; other_place, other : (m,) of the second, which may be the same unit
    apart : (m,) squared distance of their templates, relative to the larger energy, below `ALIKE`
    """

    n_spikes: NDArray[np.int64]
    place: NDArray[np.int64]
    unit: NDArray[np.int64]
    other_place: NDArray[np.int64]
    other: NDArray[np.int64]
    apart: NDArray[np.float32]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of units that may have a cell in common, the most alike first."""
        order = np.argsort(self.apart, kind="stable")
        rows = zip(self.unit[order].tolist(), self.other[order].tolist(), strict=True)
        return list(dict.fromkeys((first, second) for first, second in rows if first < second))

    def elsewhere(self, members: Collection[int]) -> NDArray[np.float64]:
        """Share of a unit's cell at each place whose spikes are in no unit of `members`: (P, K)."""
        same, member = self.apart < THE_SAME, np.isin(self.other, list(members))
        inside, outside = same & member, same & ~member
        own, gone = self.n_spikes.astype(np.float64), np.zeros(self.n_spikes.shape)
        n = self.n_spikes[self.other_place, self.other]
        np.add.at(own, (self.place[inside], self.unit[inside]), n[inside])
        np.add.at(gone, (self.place[outside], self.unit[outside]), n[outside])
        return gone / np.maximum(own + gone, 1)


def alike_from_places(
    shown: NDArray[np.float32], n_spikes: NDArray[np.int64], *, max_lag: int
) -> AlikePlaces:
    """Compare units from all places of one to all places of the other.

    Parameters
    ----------
    shown : (P, K, T, C) templates of each place, moved back (`moved_back`)
    n_spikes : (P, K) spikes of each unit at each place
    max_lag : samples by which the spikes of one unit may be named later than those of the other
    """
    known = n_spikes >= LEAST_SPIKES
    energy = np.einsum("pktc,pktc->pk", shown, shown, dtype=np.float64)
    seen = ((shown != 0).any(axis=2) & known[..., None]).any(axis=0)
    rows: list[NDArray[np.int64]] = [np.zeros((0, 4), np.int64)]
    distances: list[NDArray[np.float32]] = [np.zeros(0, np.float32)]
    for first in np.flatnonzero(known.any(axis=0)).tolist():
        channels = np.flatnonzero(seen[first])
        near = known & seen[:, channels].any(axis=1)
        here, (place, unit) = np.flatnonzero(known[:, first]), np.nonzero(near)
        product, _ = largest_products(
            shown[here, first][..., channels], shown[place, unit][..., channels], max_lag
        )
        powers = energy[here, first][:, None], energy[place, unit][None]
        apart = (powers[0] + powers[1] - 2 * product) / np.maximum(np.maximum(*powers), 1e-12)
        is_itself = (unit == first) & (place == here[:, None])
        a, b = np.nonzero((apart < ALIKE) & ~is_itself)
        rows.append(np.column_stack([here[a], np.full(len(a), first), place[b], unit[b]]))
        distances.append(apart[a, b].astype(np.float32))
    place, unit, other_place, other = np.concatenate(rows).T
    return AlikePlaces(n_spikes, place, unit, other_place, other, np.concatenate(distances))
